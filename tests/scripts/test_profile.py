#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path

from loop_test import BIN, SCRIPTS, check_page, run

PROFILE = SCRIPTS / "profile.sh"


class Profile(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name) / "out put"
        self.log = Path(folder.name) / "a.log"
        run([BIN / "logstat", "gen", "--no-progress", self.log, "2000"])

    def page(self) -> str:
        return (self.work / "profile.html").read_text()

    def test_a_page_with_the_flame_graph_and_the_counts(self) -> None:
        done = run([PROFILE, "-o", self.work, "--", BIN / "logstat", "run", "--no-progress", "v0", self.log, "5"])
        self.assertEqual((done.returncode, done.stdout), (0, f"{self.work / 'profile.html'}\n"), done.stderr)
        flames = check_page(self.page())
        self.assertEqual(len(flames), 1 if "CPU profile: none" in done.stderr else 2)
        self.assertIn("<dt>allocations per line</dt>", self.page())
        self.assertIn("Every allocation, by its call stack.", self.page())
        record = json.loads((self.work / "record.json").read_text())
        folded = (self.work / "allocations.folded").read_text().splitlines()
        self.assertEqual(sum(int(line.rsplit(" ", 1)[1]) for line in folded), record["total"]["allocations"])
        keys = [line for line in folded if ";ca_scan_v0;parse_fields_v0;insert_copy;ca_string_copy " in line]
        self.assertEqual([int(line.rsplit(" ", 1)[1]) for line in keys], [5 * 2 * 8 * 2000])

    def test_a_program_without_allocations_has_no_graph_of_them(self) -> None:
        done = run([PROFILE, "-o", self.work, "--", "true"], COUNTALLOC_PROFILER="none")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("There are no allocations to draw.", self.page())

    def test_units_from_outside_reach_the_counts(self) -> None:
        done = run([PROFILE, "-o", self.work, "--units", "row=10", "--", "true"], COUNTALLOC_PROFILER="none")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("<dt>allocations per row</dt>", self.page())

    def test_no_profiler_is_said_on_the_page(self) -> None:
        done = run([PROFILE, "-o", self.work, "--", BIN / "logstat", "versions"], COUNTALLOC_PROFILER="none")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(check_page(self.page()), [])
        self.assertIn("No flame graph", self.page())

    def test_a_program_that_fails_is_not_profiled(self) -> None:
        done = run([PROFILE, "-o", self.work, "--", "false"], COUNTALLOC_PROFILER="none")
        self.assertEqual(done.returncode, 1)
        self.assertIn("false failed", done.stderr)
        self.assertFalse((self.work / "profile.html").exists())

    def test_wrong_arguments_are_usage(self) -> None:
        for arguments in ([], ["--"], ["true"], ["-o"], ["-x", "--", "true"]):
            done = run([PROFILE, *arguments])
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn("scripts/profile.sh [-o DIR]", done.stderr)


if __name__ == "__main__":
    unittest.main()
