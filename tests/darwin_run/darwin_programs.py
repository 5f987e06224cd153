# SPDX-License-Identifier: MIT
"""The programs that test_darwin_run.py and test_darwin_command.py run: how they are compiled for macOS, started by the loader, and what their first comments expect."""

import json
import os
import pathlib
import platform
import re
import struct
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DARWIN = pathlib.Path(os.environ.get("COUNTALLOC_DARWIN_BUILD", ROOT / "build/darwin"))
SHAPES = ["direct", "nested"]
LOADER_FAILED = 120
# Calls of qsort by logstat: one for each route and model where latencies are sorted, and one for the report.
SORTS = {"v0": 31, "v1": 31, "v2": 31, "v3": 31, "v4": 31}
SORTS_OF_OTHERS = 1

# What of tests/programs says the same on both systems. Those that die or leave by _exit are read from their counter files.
SHARED = (
    "calloc_overflow calloc_zeroed closes_all_descriptors counts_along fork_and_exec fork_of_threads free_of_null live_arenas "
    "live_off live_small lowest_descriptors malloc_and_free malloc_of_zero malloc_too_large phase_5000_names phase_adopted "
    "phase_deep phase_header phase_in_constructor phase_left_open phase_million phase_names phase_nested phase_of_thread "
    "phase_reopened phase_unbalanced phase_units posix_memalign_calls realloc_failed realloc_in_place realloc_moved "
    "realloc_of_null site_plain size_classes thread_counts_now thread_exit_frees thread_frees_of_another threads_10000 "
    "threads_3000 threads_500_at_once threads_eight"
).split()
OWN = "apple_entries failing_entries newer_entries".split()
DYING = "aborts exit_at_once kills_itself segfaults".split()
# What the loader's libSystem allocates as it is initialised (libsystem.h): before the library's own initialiser, so `startup`.
OF_LIBSYSTEM = {"allocations": 3, "malloc": 3, "frees": 3, "free": 3, "bytes_requested": 30, "live_blocks": 0, "bytes_live": 0}
ADDING_UP = ["allocations", "frees", "malloc", "calloc", "realloc", "aligned", "free", "free_null", "failed", "bytes_requested", "live_blocks"]

ALLOCATING = re.findall(r"^ {4}X\(((?!exec|posix_spawn)\w+), (?:BOTH|DARWIN), \"(?:counted|likewise|what clang)", (ROOT / "interpose/hook_list.h").read_text(), re.M)


class At:
    """Where things are: the arguments of the tests."""

    loader = countalloc = logstat = library = folder = None


def take_arguments(arguments):
    At.loader, At.countalloc, At.logstat, At.library, At.folder = map(pathlib.Path, arguments[1:6])
    At.folder.mkdir(exist_ok=True, parents=True)


def ready_or_leave():
    """Brings the cross build up to date; ends with 77, skipped, where none was made by hand or its slice does not run."""
    if platform.machine() != "x86_64":
        print("skipped: the slice for x86-64 does not run on", platform.machine())
        sys.exit(77)
    ready = subprocess.run([ROOT / "scripts/cross_darwin.sh", "--ready"], stderr=subprocess.PIPE, text=True)
    if ready.returncode != 0:
        print(ready.stderr)
        sys.exit(ready.returncode)


def compiler():
    log = (DARWIN / "work/build-x86_64/CMakeCache.txt").read_text()
    return re.search(r"^COUNTALLOC_LLVM:\w+=(.*)$", log, re.M).group(1)


def compile_victim(source, *options):
    """Compiles for macOS as tests/programs/CMakeLists.txt does for Linux; malloc_usable_size is malloc_size (headers/)."""
    llvm = compiler()
    program = At.folder / source.stem
    command = [
        f"{llvm}/clang", "--target=x86_64-apple-macos11.0", "-isysroot", DARWIN / "work/sdk-x86_64", "-fuse-ld=lld", f"-B{llvm}",
        "-O0", "-g0", "-fno-builtin", "-fno-omit-frame-pointer", "-w", "-Werror=implicit-function-declaration", "-D_DARWIN_C_SOURCE", "-D_FORTIFY_SOURCE=0", f"-I{HERE}/headers", f"-I{ROOT}/include",
        f"-I{ROOT}/tests/programs", source, "-o", program, ROOT / "interpose/platform/libSystem_newer_darwin.tbd", *options,
    ]  # fmt: skip
    subprocess.run([str(word) for word in command], check=True)
    return program


def source_of(name):
    own = HERE / "victims" / f"{name}.c"
    return own if own.exists() else ROOT / "tests/programs" / f"{name}.c"


def first_comment(name):
    text = source_of(name).read_text()
    return text[: text.index("*/")]


def lines_of(comment, what):
    return " ".join(re.findall(rf"^ \* {what}:(.*)$", comment, re.M)).split()


def environment(**variables):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COUNTALLOC_")}
    return {**kept, **{name: str(value) for name, value in variables.items()}}


def start(program, *arguments, options=(), inserted=True, **variables):
    if inserted:
        variables["DYLD_INSERT_LIBRARIES"] = DARWIN / "libcountalloc.dylib"
    command = [str(word) for word in (At.loader, *options, program, *arguments)]
    return subprocess.run(command, env=environment(**variables), capture_output=True, text=True, timeout=300)


def read_counter_file(path):
    command = [At.countalloc, "report", "--format", "json", path]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def figure(record, path):
    """A total, or phase.NAME.FIGURE, thread.NUMBER.FIGURE; of the total, the first thread and startup without what libSystem did before."""
    words = path.split(".")
    if path == "phases":
        return ",".join(phase["name"] for phase in record["phases"])
    if words[0] in ("phase", "thread"):
        rows, key = (record["phases"], "name") if words[0] == "phase" else (record["threads"], "number")
        row = [row for row in rows if str(row[key]) == words[1]]
        value = row[0].get(words[2]) if row and len(words) == 3 else None
        if isinstance(value, list):
            return ",".join(f"{upper}:{count}" for upper, count in value)
        return value - OF_LIBSYSTEM.get(words[2], 0) if words[:2] in (["thread", "1"], ["phase", "startup"]) and value is not None else value
    value = record["total"].get(path)
    return value - OF_LIBSYSTEM.get(path, 0) if isinstance(value, int) else None


def build_arm_programs():
    (At.folder / "arm").mkdir(exist_ok=True)
    for name, subtype in (("arm64", 0), ("only_arm64e", 0x80000002)):
        path = At.folder / "arm" / name
        path.write_bytes(struct.pack("<8I", 0xFEEDFACF, 0x0100000C, subtype, 2, 0, 0, 0, 0))
        path.chmod(0o755)


def build_victims():
    for name in SHARED + OWN + DYING + ["becomes_another", "stack_chain", "process_phase_exit", "process_phase_return"]:
        compile_victim(source_of(name))
    build_arm_programs()
    compile_victim(HERE / "victims/agrees_with_headers.c")
    subprocess.run([At.logstat, "gen", At.folder / "log", "1000"], check=True, capture_output=True)
