#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The command for macOS, as it was cross-built, run on Linux by tests/darwin_run/darwin_run.c: it says what Linux' own says of the same, and
`run` counts Mach-O programs by the region in the user's temporary folder.

    test_darwin_command.py LOADER COUNTALLOC LOGSTAT LIBRARY FOLDER [TEST...]

As test_darwin_run.py has it. No system binary is a Mach-O file here, so what is asked of them on a Mac is in scripts/darwin/try_here.sh."""

import json
import os
import signal
import subprocess
import sys
import unittest

from darwin_programs import (
    At,
    DARWIN,
    LOADER_FAILED,
    OF_LIBSYSTEM,
    build_arm_programs,
    compile_victim,
    environment,
    ready_or_leave,
    source_of,
    take_arguments,
)

COMMANDS = "run report diff check fold flamegraph doctor".split()
VICTIMS = "malloc_and_free aborts exit_at_once kills_itself becomes_another".split()
PLATFORM = "darwin-x86_64-macOS14.5-libsystem_malloc"


class Command(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.temporary = At.folder / "temporary"
        self.temporary.mkdir(exist_ok=True)
        self.addCleanup(lambda: self.assertEqual(list(self.temporary.iterdir()), [], "the region's file stays behind"))

    def ask(self, *arguments, status=0, options=(), **more):
        command = [str(word) for word in (At.loader, *options, DARWIN / "countalloc", *arguments)]
        ended = subprocess.run(command, env=environment(TMPDIR=self.temporary), capture_output=True, text=True, timeout=120, **more)
        self.assertNotEqual(ended.returncode, LOADER_FAILED, ended.stderr)
        self.assertEqual(ended.returncode, status, ended.stderr)
        return ended

    def on_linux(self, *arguments):
        return subprocess.run([str(word) for word in (At.countalloc, *arguments)], env=environment(), capture_output=True, text=True)

    def record_of(self, *arguments, **more):
        record = At.folder / "record.json"
        record.unlink(missing_ok=True)
        ended = self.ask("run", "-q", "-o", record, "--", *arguments, **more)
        return json.loads(record.read_text()), ended


class Words(Command):
    def test_version_and_help_are_those_of_linux(self):
        for arguments in (["--version"], ["--help"], *([command, "--help"] for command in COMMANDS)):
            self.assertEqual(self.ask(*arguments).stdout, self.on_linux(*arguments).stdout)

    def test_doctor_counts_itself_and_judges_programs(self):
        facts = f"platform   {PLATFORM}\nlibrary    {DARWIN}/libcountalloc.dylib\nself-test  1003 allocations of 505585 bytes made and counted\n"
        self.assertEqual(self.ask("doctor").stdout, "yes: countalloc counts programs here\n" + facts)
        self.assertEqual(self.ask("doctor", "--", DARWIN / "logstat").stdout, f"yes: '{DARWIN}/logstat' can be counted\n" + facts)
        self.assertEqual(
            self.ask("doctor", "--", At.folder / "arm/only_arm64e", status=3).stdout.splitlines()[0],
            f"no: '{At.folder}/arm/only_arm64e' has no code for this machine (x86_64); build it with -arch x86_64",
        )

    def test_records_and_counter_files_read_as_on_linux(self):
        counters, record = At.folder / "of.counters", At.folder / "of.json"
        subprocess.run([At.logstat, "run", "v0", At.folder / "log"], env=environment(LD_PRELOAD=At.library, COUNTALLOC_FILE=counters, COUNTALLOC_REPORT="none"), capture_output=True, check=True)  # fmt: skip
        record.write_text(self.on_linux("report", "--format", "json", counters).stdout)
        for form in ("text", "json"):
            self.assertEqual(self.ask("report", "--format", form, record).stdout, self.on_linux("report", "--format", form, record).stdout)
        mine, linux = json.loads(self.ask("report", "--format", "json", counters).stdout), json.loads(record.read_text())
        self.assertEqual(mine.pop("platform")["os"], "darwin")  # a counter file does not say where it was made
        self.assertEqual(linux.pop("platform")["os"], "linux")
        self.assertEqual(mine, linux)


class Run(Command):
    def test_a_program_counts_as_with_the_library_alone(self):
        record, ended = self.record_of(DARWIN / "logstat", "run", "v0", At.folder / "log")
        self.assertEqual(record["platform"]["key"], PLATFORM)
        self.assertEqual(record["coverage"], {"attached": True, "level": "full", "notes": []})
        counts = {phase["name"]: phase["allocations"] for phase in record["phases"]}
        self.assertEqual(counts, {"startup": OF_LIBSYSTEM["allocations"], "main": 0, "read": 3, "scan": 21648, "report": 18, "exit": 0})
        self.assertEqual(record["total"]["per"]["line"]["allocations"], 21.672)
        self.assertEqual(ended.stdout, subprocess.run([At.logstat, "run", "v0", At.folder / "log"], capture_output=True, text=True).stdout)

    def test_how_it_ended_comes_back(self):
        for name, status in (("exit_at_once", 3), ("kills_itself", 128 + signal.SIGKILL), ("aborts", 128 + signal.SIGABRT)):
            record, _ = self.record_of(At.folder / name, status=status)
            self.assertEqual(record["program"]["exit_status"], status if status < 128 else None)
            self.assertEqual(record["program"]["signal"], status - 128 if status > 128 else None)

    def test_a_limit_of_time_ends_it(self):
        reading, writing = os.pipe()
        try:
            ended = self.ask("run", "--timeout", "1", "--", DARWIN / "logstat", "run", "v0", "-", stdin=reading, status=128 + signal.SIGTERM)
        finally:
            os.close(reading)
            os.close(writing)
        self.assertIn("killed by signal 15 (SIGTERM)", ended.stderr)

    def test_what_cannot_be_counted_or_started_is_told_before(self):
        said = self.ask("run", "--", At.folder / "arm/only_arm64e", status=125).stderr
        self.assertIn("has no code for this machine (x86_64)", said)
        self.assertIn("'./there-is-none': no such program", self.ask("run", "--", "./there-is-none", status=127).stderr)
        self.assertIn("is neither a program nor a script", self.ask("run", "--", At.loader, status=126).stderr)

    def test_an_image_that_the_start_test_refused_is_not_measured_and_no_advice_of_linux_is_given(self):
        for option, seen in (("--no-interpose", "neither a malloc nor a free was seen"), ("--without-pair=free", "a malloc was seen, its free was not")):
            said = self.ask("run", "--", At.folder / "malloc_and_free", options=[option], status=125).stderr
            self.assertIn(f"(start test: {seen}); what this macOS makes of interposing is not what countalloc knows", said)
            self.assertNotIn("preloaded", said)

    def test_who_becomes_a_program_for_arm64e_is_told_what_may_be_the_matter(self):
        record, ended = self.record_of(At.folder / "becomes_another", "execv", At.folder / "arm/only_arm64e")
        self.assertEqual(ended.stdout, f"started {At.folder}/arm/only_arm64e with no DYLD_INSERT_LIBRARIES\n")
        self.assertEqual(record["coverage"]["level"], "partial")
        self.assertIn("it is one of the system's own programs, for arm64e only, or signed with the hardened runtime", "".join(record["coverage"]["notes"]))

    def test_sites_have_the_functions_of_the_symbol_table(self):
        record = At.folder / "sites.json"
        self.ask("run", "-q", "--sites", "-o", record, "--", DARWIN / "logstat", "run", "v0", At.folder / "log")
        rows = self.ask("report", "--by", "site", record).stdout.splitlines()
        self.assertEqual(rows[4].split(), ["scan", "16,000", "16.000", "73.8%", "103,288", "ca_string_copy"])

    def test_check_holds_a_program_against_budgets(self):
        budgets = At.folder / "budgets.ini"
        budgets.write_text("[logstat/scan]\nper = line\nrate = 21\nfixed = 648\n")
        run = ["--", DARWIN / "logstat", "run", "v0", At.folder / "log"]
        self.ask("check", "-b", budgets, *run)
        self.assertIn("PASS  1 limits turned over", self.ask("check", "-b", budgets, "--self-test", *run).stdout)
        budgets.write_text("[logstat/scan]\nper = line\nrate = 21\nfixed = 647\n")
        self.ask("check", "-b", budgets, *run, status=1)


def main():
    take_arguments(sys.argv)
    ready_or_leave()
    for name in VICTIMS:
        compile_victim(source_of(name))
    build_arm_programs()
    subprocess.run([At.logstat, "gen", At.folder / "log", "1000"], check=True, capture_output=True)
    result = unittest.main(argv=[sys.argv[0], *sys.argv[6:]], exit=False).result
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
