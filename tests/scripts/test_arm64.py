#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The shim for 64-bit Arm, cross-built and run under emulation: victims count what their first comments say.

    test_arm64.py BUILD_DIR

Skipped (77) where aarch64-linux-gnu-gcc or qemu-aarch64 is missing (Debian: gcc-aarch64-linux-gnu, libc6-dev-arm64-cross, qemu-user).
What a victim expects in words that it prints itself, and of symbols, is left out: there is no command in the emulated system.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tests" / "programs"
COMPILER = "aarch64-linux-gnu-gcc"
EMULATOR = "qemu-aarch64"
LIBRARIES = "/usr/aarch64-linux-gnu"
VICTIMS = (
    "malloc_and_free malloc_of_zero calloc_zeroed calloc_overflow realloc_of_null realloc_moved realloc_in_place realloc_to_zero "
    "reallocarray_calls posix_memalign_calls aligned_family free_of_null sized_frees errno_kept live_small live_mapped phase_nested "
    "phase_reopened phase_adopted phase_of_thread phase_million threads_eight thread_exit_frees thread_frees_of_another site_callers "
    "site_plain stack_chain stack_threads stack_elsewhere fork_is_silent"
).split()


def run(*words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, timeout=300, check=False, **options)


def build_shim(build: Path) -> Path:
    configure = run(
        "cmake", "-S", str(ROOT), "-B", str(build), "-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64",
        f"-DCMAKE_C_COMPILER={COMPILER}", "-DBUILD_TESTING=OFF", "-DCOUNTALLOC_WERROR=ON",
    )  # fmt: skip
    made = run("cmake", "--build", str(build), "--target", "countalloc")
    shim = build / "lib" / "libcountalloc.so"
    if configure.returncode != 0 or made.returncode != 0 or not shim.exists():
        sys.exit(f"the shim does not build for arm64:\n{configure.stderr}\n{made.stdout[-3000:]}\n{made.stderr[-3000:]}")
    return shim


def expectations(source: str) -> tuple[dict[str, str], list[str]]:
    comment = source[: source.index("*/")]
    pairs = re.findall(r"([\w.\[\]-]+)=(\S+)", " ".join(re.findall(r"expect:(.*)", comment)))
    return dict(pairs), re.findall(r"env:\s*(\S+=\S+)", comment)


def figure(record: dict[str, Any], path: str) -> Any:
    """Of the total, a phase, a thread: single numbers that need no symbols. None for anything else."""
    parts = path.split(".")
    if parts[-1] == "size_histogram":
        return None
    if len(parts) == 1:
        return record["total"].get(path)
    if parts[0] == "phase" and len(parts) == 3:
        return next((phase.get(parts[2]) for phase in record["phases"] if phase["name"] == parts[1]), None)
    if parts[0] == "thread" and len(parts) == 3:
        return next((thread.get(parts[2]) for thread in record["threads"] if str(thread["number"]) == parts[1]), None)
    return None


def check(shim: Path, victim: str, build: Path) -> tuple[int, list[str]]:
    program, report = build / victim, build / f"{victim}.json"
    source = (PROGRAMS / f"{victim}.c").read_text(encoding="utf-8")
    compiled = run(
        COMPILER, "-O0", "-fno-builtin", "-D_GNU_SOURCE", f"-I{ROOT / 'include'}", f"-I{PROGRAMS}", str(PROGRAMS / f"{victim}.c"),
        "-o", str(program), "-pthread",
    )  # fmt: skip
    if compiled.returncode != 0:
        return 0, [f"{victim} does not compile: {compiled.stderr[-800:]}"]
    wanted, settings = expectations(source)
    variables = [f"LD_PRELOAD={shim}", "COUNTALLOC_REPORT=json", f"COUNTALLOC_REPORT_FILE={report}", "COUNTALLOC_STACKS=32", *settings]
    report.unlink(missing_ok=True)
    words = [word for variable in variables for word in ("-E", variable)]
    ended = run(EMULATOR, "-L", LIBRARIES, *words, str(program))
    if not report.exists():
        return 0, [f"{victim}: no record; status {ended.returncode}: {ended.stderr[-800:]}"]
    record = json.loads(report.read_text(encoding="utf-8"))
    problems, held = [], 0
    if ended.returncode != 0:
        problems.append(f"{victim}: status {ended.returncode}")
    if not record["platform"]["key"].startswith("linux-aarch64-"):
        problems.append(f"{victim}: platform {record['platform']['key']}")
    for path, value in wanted.items():
        found = figure(record, path)
        if found is None or "@" in value:
            continue
        held += 1
        if str(found) != value:
            problems.append(f"{victim}: {path} is {found}, should be {value}")
    for phase in record["phases"]:
        in_sites = sum(site["allocations"] for site in record["sites"] if site["phase"] == phase["name"])
        if in_sites != phase["allocations"]:
            problems.append(f"{victim}: sites of {phase['name']} have {in_sites} allocations, the phase {phase['allocations']}")
    return held, problems


def main() -> int:
    if shutil.which(COMPILER) is None or shutil.which(EMULATOR) is None or not os.path.isdir(LIBRARIES):
        print(f"skipped: {COMPILER} or {EMULATOR} is missing")
        return 77
    build = Path(sys.argv[1])
    shim = build_shim(build)
    held, problems = 0, []
    for victim in VICTIMS:
        figures, found = check(shim, victim, build)
        held += figures
        problems += found
    print("\n".join(problems))
    print(f"{len(VICTIMS)} victims on emulated arm64, {held} figures held, {len(problems)} problems")
    return 1 if problems or held < len(VICTIMS) else 0


if __name__ == "__main__":
    sys.exit(main())
