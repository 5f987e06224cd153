#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""analyzer/GUIDE.md against its stored results, and those against the program as it is now, as far as that needs no timing."""
from __future__ import annotations

import json
import re
import tempfile
import unittest
from pathlib import Path

from loop_test import BIN, SCRIPTS, SOURCE, check_page, run, versions_of_logstat  # noqa: F401

GUIDE = SOURCE / "analyzer" / "GUIDE.md"
STORED = SOURCE / "analyzer" / "guide" / "results.json"
RUST = SOURCE / "analyzer" / "guide" / "rust-m2pro.json"
PICTURE_LIMIT_BYTES = 60_000
HINT = "measure again: scripts/measure.sh work && scripts/publish_guide.sh work"


class Guide(unittest.TestCase):
    def setUp(self) -> None:
        self.results = json.loads(STORED.read_text())

    def test_its_generated_parts_are_those_of_the_stored_results(self) -> None:
        done = run([SCRIPTS / "summarise.py", STORED, "--compare", RUST, "--check", GUIDE])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_versions_measured_are_those_there_are(self) -> None:
        measured = [(version["name"], version["change"]) for version in self.results["versions"]]
        self.assertEqual(measured, versions_of_logstat(), HINT)

    def test_every_step_is_told(self) -> None:
        told = re.findall(r"results: begin step (\S+)", GUIDE.read_text())
        self.assertEqual(told, [name for name, _ in versions_of_logstat()][1:])

    def test_its_pictures_are_there_and_small(self) -> None:
        shown = re.findall(r"!\[[^\]]+\]\((guide/[^)]+)\)", GUIDE.read_text())
        last = versions_of_logstat()[-1][0]
        self.assertEqual(shown, ["guide/v0.svg", "guide/v1-allocations.svg", f"guide/{last}.svg"])
        for name in shown:
            self.assertLess((GUIDE.parent / name).stat().st_size, PICTURE_LIMIT_BYTES, name)

    def test_its_picture_of_allocations_is_of_the_stored_results(self) -> None:
        counted = next(version["allocations"] for version in self.results["versions"] if version["name"] == "v1")
        self.assertIn(f"{counted:,} allocations", (GUIDE.parent / "guide" / "v1-allocations.svg").read_text())

    def test_the_allocations_per_line_are_those_of_a_fresh_count(self) -> None:
        line_count = self.results["small_log"]["line_count"]
        with tempfile.TemporaryDirectory() as folder:
            log, record_path = Path(folder) / "a.log", Path(folder) / "r.json"
            run([BIN / "logstat", "gen", "--no-progress", log, str(line_count), str(self.results["log"]["seed"])])
            for version in self.results["versions"]:
                done = run([BIN / "countalloc", "run", "-q", "-o", record_path, "--", BIN / "logstat", "run", "--no-progress", version["name"], log])
                self.assertEqual(done.returncode, 0, done.stderr)
                record = json.loads(record_path.read_text())
                fresh = record["total"]["allocations"]
                # Exact where the C library is the same. Another qsort, and a thread that got work or did not, change some hundred blocks per run.
                same_system = record["platform"]["key"] == self.results["machine"]["platform_key"]
                has_threads = "thread" in version["change"]
                if same_system and not has_threads:
                    self.assertEqual(fresh, version["small_log_allocations"], f"{version['name']}: {HINT}")
                else:
                    self.assertAlmostEqual(fresh / line_count, version["small_log_allocations"] / line_count, delta=0.05)


if __name__ == "__main__":
    unittest.main()
