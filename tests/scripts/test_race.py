#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The race of logstat's versions: who is in it and what is made of their times. No times are asserted."""
from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path

from loop_test import BIN, SCRIPTS, run, versions_of_logstat

import race

RACE = SCRIPTS / "loop" / "race.py"


class Race(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def race(self, *options: str) -> object:
        return run(["python3", "-B", RACE, BIN / "logstat", self.folder, "--lines", "500", "--rounds", "3", *options])

    def test_everybody_has_a_row(self) -> None:
        done = self.race("--with", "head -n 1 @LOG", "--json", str(self.folder / "race.json"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        result = json.loads((self.folder / "race.json").read_text())
        *_, one, two, last = [name for name, _ in versions_of_logstat()]
        names = [row["name"] for row in result["contestants"]]
        self.assertEqual(names, ["cat", "wc -l", one, two, f"{last}, 1 thread", last, "head -n 1 @LOG"])
        self.assertEqual(result["contestants"][1]["wall_to_wc"], [1, 1, 1])
        self.assertEqual(len(done.stdout.splitlines()), 1 + 1 + 7 + 2)

    def test_a_contestant_that_fails_is_named(self) -> None:
        done = self.race("--with", "false @LOG")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"race.sh: false {self.folder}/access-500.log ended with status 1", done.stderr)

    def test_reports_that_differ_end_the_race(self) -> None:
        echo = [race.Contestant(text, ["echo", text], True) for text in ("one", "two")]
        with self.assertRaisesRegex(SystemExit, "different reports"):
            race.race(echo, 1)

    def test_ratios_are_of_the_same_round(self) -> None:
        self.assertEqual(race.ratios([10, 30, 80], [10, 20, 40]), [1.5, 1.25, 1.75])
        self.assertEqual(race.ratios([3], [2]), [1.5, 1.5, 1.5])
        self.assertEqual([race.verdict(1.3, 1.3, True), race.verdict(1.31, 1.3, True)], ["met", "not met"])
        self.assertEqual([race.verdict(1.4, 1.4, False), race.verdict(1.39, 1.4, False)], ["met", "not met"])

    def test_numbers_that_are_none_are_refused(self) -> None:
        self.assertEqual(run(["python3", "-B", RACE, BIN / "logstat", self.folder, "--rounds", "0"]).returncode, 2)


if __name__ == "__main__":
    unittest.main()
