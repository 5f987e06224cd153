#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
import shutil
import tempfile
import unittest
from pathlib import Path

from loop_test import DATA, SCRIPTS, check_page, run

FLAME = '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="100"><title>v0</title></svg>\n'


class Summarise(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name)
        shutil.copy(DATA / "new.json", self.work / "results.json")

    def summarise(self, *arguments: str | Path):
        return run([SCRIPTS / "summarise.py", self.work, *arguments])

    def change_results(self, change) -> None:
        results = json.loads((self.work / "results.json").read_text())
        change(results)
        (self.work / "results.json").write_text(json.dumps(results))

    def test_the_markdown_is_exactly_this(self) -> None:
        done = self.summarise("--compare", DATA / "old.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, (DATA / "new-against-old.md").read_text() + "\n")
        self.assertEqual((self.work / "results.md").read_text() + "\n", done.stdout)

    def test_overlapping_ranges_are_not_shown_to_be_faster(self) -> None:
        rows = [line for line in self.summarise().stdout.splitlines() if line.startswith("| v3 ")]
        self.assertIn("**not shown to be faster than v2: the ranges overlap; rejected, nothing builds on it**", rows[0])

    def test_ranges_that_touch_overlap(self) -> None:
        def touch(results: dict) -> None:
            results["versions"][1]["wall_ns"] = [2900000000, 1, 1]

        self.change_results(touch)
        self.assertIn("| v1 | v0 with a set | 0.0 ms (0–2,900) | **not shown", self.summarise().stdout)

    def test_a_single_run_shows_nothing(self) -> None:
        def keep_one(results: dict) -> None:
            for version in results["versions"]:
                version["wall_ns"], version["cpu_ns"] = version["wall_ns"][:1], version["cpu_ns"][:1]

        self.change_results(keep_one)
        self.assertIn("**not shown to be faster than v0: one run has no range**", self.summarise().stdout)

    def test_processor_time_is_named_when_only_wall_time_overlaps(self) -> None:
        def apart(results: dict) -> None:
            results["versions"][3]["cpu_ns"] = [10000000, 11000000, 12000000]

        self.change_results(apart)
        self.assertIn("the ranges overlap (but 4.50x less processor time); rejected", self.summarise().stdout)

    def test_a_slower_step_is_slower(self) -> None:
        self.assertIn("**1.29x slower than v2; rejected, nothing builds on it**", self.summarise().stdout)

    def test_what_was_not_measured_is_no_zero(self) -> None:
        def forget(results: dict) -> None:
            for version in results["versions"]:
                version["instructions_per_line"] = version["max_rss_bytes"] = version["profile"] = None

        self.change_results(forget)
        done = self.summarise()
        self.assertEqual(done.returncode, 0, done.stderr)
        row = next(line for line in done.stdout.splitlines() if line.startswith("| v5 "))
        self.assertEqual(row.count("not measured"), 3)
        check_page((self.work / "results.html").read_text())

    def test_the_page_is_one_file_of_matching_tags(self) -> None:
        (self.work / "profiles").mkdir()
        (self.work / "profiles" / "v0.svg").write_text(FLAME)
        self.assertEqual(self.summarise("--compare", DATA / "old.json").returncode, 0)
        page = (self.work / "results.html").read_text()
        flames = check_page(page)
        self.assertEqual([flame.get("height") for flame in flames], ["100"])
        self.assertIn("Against the older measurement", page)

    def test_names_are_escaped(self) -> None:
        def rename(results: dict) -> None:
            results["versions"][0]["change"] = "a <b> & 'c' | \"d\""
            results["versions"][0]["profile"]["own_frames"][0]["function"] = "operator<<"

        self.change_results(rename)
        done = self.summarise()
        self.assertIn("a <b> & 'c' \\| \"d\"", done.stdout)
        check_page((self.work / "results.html").read_text())

    def test_a_page_is_filled_and_then_fresh_and_then_stale(self) -> None:
        page = self.work / "page.md"
        page.write_text("before\n<!-- results: begin step v1 -->\nstale\n<!-- results: end -->\nafter\n")
        self.assertEqual(self.summarise("--check", page).returncode, 1)
        self.assertEqual(self.summarise("--fill", page).returncode, 0)
        self.assertEqual(
            page.read_text(),
            "before\n<!-- results: begin step v1 -->\n"
            "**v0 → v1:** 3,000 ms → 1,050 ms: 2.86x faster than v0. Instructions per line 40,000 → 15,000 (−62.5 %), "
            "allocations per line 21.500 → 21.500, peak RSS 120.0 MiB → 120.0 MiB.\n<!-- results: end -->\nafter\n",
        )
        self.assertEqual(self.summarise("--check", page).returncode, 0)
        page.write_text(page.read_text().replace("1,050", "1,049"))
        done = self.summarise("--check", page)
        self.assertEqual(done.returncode, 1)
        self.assertIn("is stale", done.stderr)

    def test_an_unknown_block_or_version_is_named(self) -> None:
        page = self.work / "page.md"
        for block, complaint in (("pie", "unknown block"), ("step v77", "there is no version v77"), ("step v0", "v0 is the first"), ("step", "needs a version")):
            page.write_text(f"<!-- results: begin {block} -->\n<!-- results: end -->\n")
            done = self.summarise("--check", page)
            self.assertEqual(done.returncode, 2, block)
            self.assertIn(complaint, done.stderr)

    def test_bad_results_are_named_with_file_and_reason(self) -> None:
        path = self.work / "results.json"
        for text, complaint in (
            ("{\n  nonsense", "results.json:2: not JSON"),
            ('{"schema": "other/1"}', "the schema is 'other/1'"),
            ("[]", "incomplete results"),
            ('{"schema": "logstat.results/1"}', "incomplete results: 'versions'"),
            ('{"schema": "logstat.results/1", "versions": []}', "incomplete results"),
        ):
            path.write_text(text)
            done = self.summarise()
            self.assertEqual((done.returncode, done.stdout), (2, ""), text)
            self.assertIn(complaint, done.stderr)
        path.unlink()
        self.assertIn("scripts/measure.sh WORKDIR writes it", self.summarise().stderr)


if __name__ == "__main__":
    unittest.main()
