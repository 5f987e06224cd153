#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The library for macOS, as it was cross-built, run on Linux by tests/darwin_run/darwin_run.c: what it counts is what the programs did.

    test_darwin_run.py LOADER COUNTALLOC LOGSTAT LIBRARY FOLDER [TEST...]

LOADER: darwin_run. COUNTALLOC, LOGSTAT, LIBRARY: Linux' own, to read counter files and to compare with. FOLDER: for programs.
Skipped (77) where no cross build was made by hand (scripts/cross_darwin.sh), and where the processor is not x86-64.

The victims are those of tests/programs that compile for macOS, and those of victims/ here; their first comments say what must be counted.
Each runs with the calls of malloc's relatives as in each of the shapes that libsystem.h has, and must count the same."""

import json
import re
import subprocess
import sys
import unittest

from darwin_programs import (
    ADDING_UP,
    ALLOCATING,
    At,
    DARWIN,
    DYING,
    LOADER_FAILED,
    OF_LIBSYSTEM,
    OWN,
    SHAPES,
    SHARED,
    SORTS,
    SORTS_OF_OTHERS,
    build_victims,
    compiler,
    environment,
    figure,
    first_comment,
    lines_of,
    read_counter_file,
    ready_or_leave,
    start,
    take_arguments,
)


class Darwin(unittest.TestCase):
    maxDiff = None

    def record_of(self, program, *arguments, status=0, options=(), **variables):
        report = At.folder / "report.json"
        report.unlink(missing_ok=True)
        ended = start(program, *arguments, options=options, COUNTALLOC_REPORT="json", COUNTALLOC_REPORT_FILE=report, **variables)
        self.assertEqual(ended.returncode, status, ended.stderr)
        self.assertTrue(report.exists(), ended.stderr)
        record = json.loads(report.read_text())
        self.check_sums(record)
        return record, ended

    def check_sums(self, record):
        total = record["total"]
        self.assertEqual(total["allocations"], total["malloc"] + total["calloc"] + total["realloc"] + total["aligned"])
        self.assertEqual(total["allocations"], sum(count for _, count in total["size_histogram"]))
        self.assertEqual(total["allocations"] - total["frees"], total["live_blocks"])
        for rows in (record["phases"], record["threads"], record["processes"]):
            for name in ADDING_UP:
                self.assertEqual(total[name], sum(row[name] for row in rows), name)

    def check_startup(self, record):
        startup = record["phases"][0]
        self.assertEqual(startup["name"], "startup")
        for name, value in OF_LIBSYSTEM.items():
            if startup[name] is not None:  # --live off
                self.assertEqual(startup[name], value, name)

    def check_figures(self, name, record, printed=""):
        said = dict(re.findall(r"^(\w+)=(-?\d+)$", printed, re.M))
        held = 0
        for word in lines_of(first_comment(name), "expect"):
            path, value = word.split("=")
            found = figure(record, path)
            if found is None:
                continue
            if "@" in value:
                value = str(int(said[value.lstrip("-@")]) * (-1 if value[0] == "-" else 1))
            self.assertEqual(str(found), value, f"{name}: {path}")
            held += 1
        self.assertGreater(held, 0, f"{name}: nothing was compared")

    def check_victim(self, name, *options):
        variables = dict(word.split("=", 1) for word in lines_of(first_comment(name), "env"))
        arguments = lines_of(first_comment(name), "args")
        record, ended = self.record_of(At.folder / name, *arguments, options=options, **variables)
        if "startup" not in "".join(lines_of(first_comment(name), "expect")):
            self.check_startup(record)
        self.check_figures(name, record, ended.stdout)
        return record


class Victims(Darwin):
    def test_each_counts_what_it_did_whatever_the_relatives_of_malloc_are_made_of(self):
        for name in SHARED + OWN:
            for shape in SHAPES:
                with self.subTest(name=name, shape=shape):
                    self.check_victim(name, f"--calls={shape}")

    def test_exit_ends_the_phase_main_and_a_return_from_main_does_not(self):
        """Constructors run after the library's own; dyld calls main, and exit behind it, past the pairs."""
        for name, main, after in (("process_phase_exit", 3 + 5, 11), ("process_phase_return", 3 + 5 + 11, 0)):
            record, _ = self.record_of(At.folder / name)
            self.check_startup(record)
            self.assertEqual([figure(record, f"phase.{phase}.allocations") for phase in ("main", "exit")], [main, after], name)

    def test_on_a_system_without_the_newer_entries_the_others_count_as_ever(self):
        for shape in SHAPES:
            options = ("--macos=11.0", f"--calls={shape}")
            self.check_victim("apple_entries", *options)
            record, _ = self.record_of(At.folder / "newer_entries", options=options)
            self.assertEqual(figure(record, "allocations"), 0)
            self.assertEqual(record["platform"]["libc"], "macOS 11.0")

    def test_who_dies_or_leaves_by__exit_is_in_the_counter_file(self):
        for name in DYING:
            with self.subTest(name=name):
                path = At.folder / "dying.counters"
                path.unlink(missing_ok=True)
                ended = start(At.folder / name, COUNTALLOC_FILE=path)
                self.assertNotIn(ended.returncode, (0, LOADER_FAILED), ended.stderr)
                self.check_figures(name, read_counter_file(path), ended.stdout)

    def test_without_any_one_pair_the_counts_are_wrong_and_noticed(self):
        noticed = set()
        for pair in set(ALLOCATING) - {"malloc", "free"}:
            for name in OWN:
                try:
                    self.check_victim(name, f"--without-pair={pair}")
                except AssertionError:
                    noticed.add(pair)
        # reallocf is made of realloc and free in every shape; those of malloc and free the start test misses.
        self.assertEqual(set(ALLOCATING) - noticed, {"malloc", "free", "reallocf"})


class Sites(Darwin):
    """An offset in a module is the address in its file, where llvm-nm has the functions."""

    def functions_of(self, program):
        lines = subprocess.run([f"{compiler()}/llvm-nm", "-n", program], capture_output=True, text=True, check=True).stdout
        return [(int(address, 16), name) for address, name in re.findall(r"^(\w+) [tT] _(\w+)$", lines, re.M)]

    def places(self, record, program):
        """Allocations by phase and functions of the program, the innermost first, of what the program itself called."""
        functions = self.functions_of(At.folder / program)
        names, found = {}, {}
        for number, frame in enumerate(record["frames"]):
            if frame["module"] is not None and record["modules"][frame["module"]]["path"] == str(At.folder / program):
                names[number] = [name for address, name in functions if address < frame["offset"]][-1]
        for site in record["sites"]:
            stack = tuple(names[frame] for frame in site["frames"] if frame in names)
            if stack:
                place = (site["phase"], stack)
                found[place] = found.get(place, 0) + site["allocations"]
        return found

    def test_the_calling_function_is_where_the_program_has_it(self):
        record, _ = self.record_of(At.folder / "site_plain", COUNTALLOC_SITES=1)
        self.assertEqual(self.places(record, "site_plain"), {("main", ("take",)): 9, ("main", ("main",)): 1, ("mine", ("take",)): 5})
        uuid = re.search(r"uuid ([\w-]+)", subprocess.run([f"{compiler()}/llvm-otool", "-l", At.folder / "site_plain"], capture_output=True, text=True).stdout)
        self.assertEqual(record["modules"][0]["build_id"], uuid.group(1).replace("-", "").lower())

    def test_a_stack_leads_from_the_call_to_main(self):
        record, _ = self.record_of(At.folder / "stack_chain", COUNTALLOC_STACKS=64)
        wanted = {("place", "left", "both", "main"): 10, ("place", "right", "both", "main"): 20, ("place", *["deep"] * 41, "main"): 16}
        self.assertEqual(self.places(record, "stack_chain"), {("main", stack): count for stack, count in wanted.items()})


class StartTest(Darwin):
    """The process is not counted, says so once, and does what it does without the library."""

    def check_refused(self, option, why):
        log = At.folder / "log"
        alone = start(DARWIN / "logstat", "run", "v0", log, inserted=False)
        path = At.folder / "refused.counters"
        path.unlink(missing_ok=True)
        ended = start(DARWIN / "logstat", "run", "v0", log, options=[option], COUNTALLOC_FILE=path)
        self.assertEqual((ended.returncode, ended.stdout), (0, alone.stdout))
        said = [line for line in ended.stderr.splitlines() if line.startswith("countalloc:")]
        self.assertEqual(len(said), 1, ended.stderr)
        self.assertRegex(said[0], r"^countalloc: not counting process \d+: its malloc belongs to functions ")
        self.assertIn(why, said[0])
        self.assertNotIn("LD_PRELOAD", said[0])
        report = subprocess.run([At.countalloc, "report", path], capture_output=True, text=True)
        self.assertIn("not measured", report.stdout + report.stderr)

    def test_nothing_is_interposed(self):
        self.check_refused("--no-interpose", "(start test: neither a malloc nor a free was seen)")

    def test_malloc_is_passed_by(self):
        self.check_refused("--without-pair=malloc", "(start test: a free was seen, its malloc was not)")

    def test_free_is_passed_by(self):
        self.check_refused("--without-pair=free", "(start test: a malloc was seen, its free was not)")

    def test_malloc_is_made_of_another_entry(self):
        self.check_refused("--calls=all", "(start test: one malloc or free was counted more than once)")


class Logstat(Darwin):
    def on_linux(self, version):
        report = At.folder / "linux.json"
        variables = environment(LD_PRELOAD=At.library, COUNTALLOC_REPORT="json", COUNTALLOC_REPORT_FILE=report)
        ended = subprocess.run([At.logstat, "run", version, At.folder / "log"], env=variables, capture_output=True, text=True, check=True)
        return json.loads(report.read_text()), ended.stdout

    def test_the_log_has_the_same_bytes(self):
        start(DARWIN / "logstat", "gen", At.folder / "darwin.log", "1000", inserted=False)
        self.assertEqual((At.folder / "darwin.log").read_bytes(), (At.folder / "log").read_bytes())

    def test_every_version_counts_as_on_linux_and_prints_the_same_with_the_library_and_without(self):
        versions = subprocess.run([At.logstat, "versions"], capture_output=True, text=True, check=True).stdout
        for version in re.findall(r"^(v\d+)", versions, re.M):
            linux, printed = self.on_linux(version)
            alone = start(DARWIN / "logstat", "run", version, At.folder / "log", inserted=False)
            self.assertEqual(alone.stdout, printed)
            for shape in SHAPES:
                record, ended = self.record_of(DARWIN / "logstat", "run", version, At.folder / "log", options=[f"--calls={shape}"])
                self.check_startup(record)
                self.assertEqual(ended.stdout, printed)
                # glibc's qsort ends with free(NULL), macOS's does not.
                sorts = linux["total"]["free_null"] - record["total"]["free_null"]
                self.assertEqual(sorts, SORTS.get(version, SORTS_OF_OTHERS), version)
                for name in set(ADDING_UP) - {"free_null"}:
                    self.assertEqual(figure(record, name), linux["total"][name], f"{version}: {name}")
                for mine, theirs in zip(record["phases"][1:], linux["phases"][1:], strict=True):
                    for name in {"name", "opened", "units", "size_histogram", *ADDING_UP} - {"free_null"}:
                        self.assertEqual(mine[name], theirs[name], f"{version}: {mine['name']}: {name}")

    def test_a_line_of_v0_and_of_v2_allocates_what_it_does(self):
        for version, scanned in (("v0", 21648), ("v2", 133)):
            record, _ = self.record_of(DARWIN / "logstat", "run", version, At.folder / "log")
            self.assertEqual(figure(record, "phase.scan.allocations"), scanned)
            self.assertEqual(record["coverage"]["level"], "full")
            self.assertEqual(record["platform"]["key"], "darwin-x86_64-macOS14.5-libsystem_malloc")


class CounterFile(Darwin):
    def test_it_appears_with_its_name_filled_in_for_nobody_else_and_reads_as_the_report_does(self):
        private = At.folder / "private"
        private.mkdir(mode=0o700, exist_ok=True)
        for old in private.iterdir():
            old.unlink()
        record, _ = self.record_of(At.folder / "apple_entries", COUNTALLOC_FILE=private / "%n.%p.counters")
        path = private / f"apple_entries.{record['program']['pid']}.counters"
        self.assertEqual(list(private.iterdir()), [path])
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        self.assertEqual(path.stat().st_size, 32 << 20)
        again = read_counter_file(path)
        for part in ("total", "phases", "threads", "processes"):
            self.assertEqual(again[part], record[part])

    def test_the_region_that_the_command_made_is_used(self):
        """Linux' own library counts in the same region, as the first image: what glibc is asked for, the loader's own included."""
        out = At.folder / "given.json"
        command = [At.countalloc, "run", "-q", "-o", out, "--", At.loader, At.folder / "apple_entries"]
        variables = environment(DYLD_INSERT_LIBRARIES=DARWIN / "libcountalloc.dylib")
        subprocess.run(command, env=variables, check=True)
        record = json.loads(out.read_text())
        self.assertEqual([process["exe"] for process in record["processes"]], [str(At.loader), str(At.folder / "apple_entries")])
        self.assertEqual(record["processes"][1]["allocations"], 54 + OF_LIBSYSTEM["allocations"])
        self.assertEqual(figure(record, "phase.zone.allocations"), 26)

    def test_an_image_that_becomes_another_goes_on_in_its_file(self):
        for way in ["execve", "execv", "execvp", "execvP", "execl", "execlp", "execle", "setexec"]:
            with self.subTest(way=way):
                path = At.folder / "exec.counters"
                path.unlink(missing_ok=True)
                ended = start(At.folder / "becomes_another", way, At.folder / "malloc_and_free", COUNTALLOC_FILE=path)
                self.assertEqual(ended.returncode, 0, ended.stderr)
                record = read_counter_file(path)
                self.check_sums(record)
                counts = [process["allocations"] for process in record["processes"]]
                wanted = int(dict(word.split("=") for word in lines_of(first_comment("malloc_and_free"), "expect"))["malloc"])
                self.assertEqual(counts, [3 + 5, 3 + wanted])

    def test_an_exec_and_a_spawn_in_place_that_fail_leave_the_image_as_it_was(self):
        record, _ = self.record_of(At.folder / "becomes_another", "failing", At.folder / "there-is-none")
        self.assertEqual(figure(record, "allocations"), 5 + 7)
        path = At.folder / "failing.counters"
        path.unlink(missing_ok=True)
        start(At.folder / "becomes_another", "failing", At.folder / "there-is-none", COUNTALLOC_FILE=path)
        self.assertEqual(read_counter_file(path)["coverage"]["notes"], [])

    def test_a_child_counts_for_nobody_and_is_silent(self):
        for way in ["spawn", "spawnp", "fork", "vfork"]:
            with self.subTest(way=way):
                record, ended = self.record_of(At.folder / "becomes_another", way, At.folder / "malloc_and_free")
                self.assertEqual(figure(record, "allocations"), 5 + 7)
                self.assertEqual(len(record["processes"]), 1)
                self.assertEqual(ended.stderr, "")
                ended = start(At.folder / "becomes_another", way, At.folder / "malloc_and_free")
                self.assertEqual(re.findall(r"^([\d,]+) allocations", ended.stderr, re.M), ["15"])


class Arm64eChildren(Darwin):
    """Their own lines, which the loader's libSystem writes for them, say what they were started with."""

    def started(self, way, name, preload):
        path = At.folder / "arm64e.counters"
        path.unlink(missing_ok=True)
        ended = start(
            At.folder / "becomes_another", way, name, inserted=False, DYLD_INSERT_LIBRARIES=preload, COUNTALLOC_FILE=path,
            PATH=f"/nowhere:{At.folder}/arm",
        )  # fmt: skip
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended.stdout, read_counter_file(path)

    def check_left_alone(self, way, file, path):
        library = DARWIN / "libcountalloc.dylib"
        said, record = self.started(way, file, library)
        self.assertEqual(said, f"started {path} with no DYLD_INSERT_LIBRARIES\n")
        notes = record["coverage"]["notes"]
        self.assertIn("a program for arm64e only", "".join(notes))
        became = [note for note in notes if note.startswith(f"the process became '{file}'")]
        self.assertEqual(len(became), way.startswith("exec") or way == "setexec")

    def test_they_do_not_inherit_the_library_however_they_are_started(self):
        path = At.folder / "arm/only_arm64e"
        for way in ["execve", "execv", "execvp", "execvP", "execl", "execlp", "execle", "setexec", "spawn", "spawnp", "fork", "vfork"]:
            with self.subTest(way=way):
                self.check_left_alone(way, path, path)
        for way in ["execvp", "execvP", "execlp", "spawnp"]:
            with self.subTest(way=way, searched=True):
                self.check_left_alone(way, "only_arm64e", path)

    def test_a_program_that_has_a_slice_for_arm64_inherits_it(self):
        library = DARWIN / "libcountalloc.dylib"
        said, record = self.started("execv", At.folder / "arm/arm64", library)
        self.assertEqual(said, f"started {At.folder}/arm/arm64 with {library}\n")
        self.assertNotIn("arm64e", "".join(record["coverage"]["notes"]))


def main():
    take_arguments(sys.argv)
    ready_or_leave()
    build_victims()
    result = unittest.main(argv=[sys.argv[0], *sys.argv[6:]], exit=False).result
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
