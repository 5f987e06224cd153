#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""measure.sh from end to end on small logs: what it leaves behind, not how fast anything was."""
from __future__ import annotations

import json
import shutil
import tempfile
import unittest
from pathlib import Path

from loop_test import SCRIPTS, check_page, run, versions_of_logstat

MEASURE = SCRIPTS / "measure.sh"


class Measure(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name) / "a work"  # with a space

    def results(self) -> dict:
        return json.loads((self.work / "results.json").read_text())

    def test_the_whole_loop(self) -> None:
        done = run([MEASURE, self.work, "2000", "2"])
        self.assertEqual(done.returncode, 0, done.stderr)
        results = self.results()
        listed = versions_of_logstat()
        self.assertEqual([(version["name"], version["change"]) for version in results["versions"]], listed)
        self.assertEqual(results["log"], {"line_count": 2000, "size_bytes": 238655, "seed": 42})
        self.assertEqual(results["checksum"], "5b69d6c2e31f6616")
        for version in results["versions"]:
            self.assertEqual([len(version[key]) for key in ("wall_ns", "cpu_ns", "scan_ns")], [2, 2, 2])
            record = json.loads((self.work / "counts" / f"{version['name']}.json").read_text())
            self.assertEqual(version["allocations"], record["total"]["allocations"])
        self.assertEqual(results["versions"][0]["allocations"], 43178)
        if results["profiler"]["tool"] != "none":
            for name, _ in listed:
                self.assertTrue((self.work / "profiles" / f"{name}.svg").stat().st_size > 0, name)
            self.assertEqual(len(check_page((self.work / "results.html").read_text())), len(listed))
        self.assertTrue(done.stdout.startswith("# logstat, measured\n"))
        self.assertFalse(list(self.work.rglob("*.part")))

        # Again: nothing is measured twice, and a third round is added to the two.
        kept = {path: path.stat().st_mtime_ns for folder in ("rounds", "counts", "instructions") for path in (self.work / folder).iterdir() if path.name != "log"}
        done = run([MEASURE, self.work, "2000", "3"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({path: path.stat().st_mtime_ns for path in kept}, kept)
        self.assertEqual(len(self.results()["versions"][0]["wall_ns"]), 3)

        # Another log is another measurement.
        done = run([MEASURE, self.work, "1000", "2"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("--fresh", done.stderr)
        self.assertEqual(self.results()["log"]["line_count"], 2000)

    @unittest.skipUnless(shutil.which("valgrind"), "valgrind is the fallback under test")
    def test_callgrind_stands_in_for_perf(self) -> None:
        done = run([MEASURE, self.work, "300", "1"], COUNTALLOC_PROFILER="callgrind", COUNTALLOC_COUNTER="callgrind")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Profiles:     callgrind (chosen with COUNTALLOC_PROFILER)", done.stderr)
        for version in self.results()["versions"]:
            self.assertGreater(version["instructions_per_line"], 0)
            self.assertGreater(version["profile"]["total"], 0)
        by_name = {version["name"]: version["profile"]["own_frames"][0] for version in self.results()["versions"]}
        self.assertEqual(by_name["v0"]["function"], "is_blocked_v0")
        self.assertGreater(by_name["v0"]["share_ratio"], 0.5)
        self.assertEqual(by_name["v1"]["function"], "parse_fields_v0")

    def test_neither_profiler_nor_counter_is_said_and_no_zero(self) -> None:
        done = run([MEASURE, self.work, "300", "1"], COUNTALLOC_PROFILER="none", COUNTALLOC_COUNTER="none")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIsNone(self.results()["versions"][0]["instructions_per_line"])
        self.assertIsNone(self.results()["versions"][0]["profile"])
        self.assertIn("not measured", done.stdout)
        self.assertEqual(check_page((self.work / "results.html").read_text()), [])

    def test_wrong_arguments_are_usage(self) -> None:
        for arguments in ([], ["w", "0"], ["w", "x"], ["w", "1", "0"], ["w", "1", "1", "1"], ["--frsh", "w"]):
            done = run([MEASURE, *arguments])
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn("scripts/measure.sh [--fresh] WORKDIR", done.stderr)


if __name__ == "__main__":
    unittest.main()
