# SPDX-License-Identifier: MIT
"""The harness measures what it was asked for, and what it writes agrees with itself; growing loses no call. No times are asserted.

test_bench.py BUILD"""
from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD = Path(sys.argv.pop(1))
SCALE = Path(__file__).resolve().parents[2] / "scripts/loop/scale.py"


def bench(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([BUILD / "tests/bin/bench", *arguments], capture_output=True, text=True, check=False)


class Bench(unittest.TestCase):
    def test_a_short_run_has_the_cells_it_was_asked_for(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "bench.json"
            done = bench("--rounds", "2", "--only", "tight,start", "--variants", "counts,sites", "--no-callgrind", "--json", str(path))
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads(path.read_text())
        self.assertEqual(result["schema"], "countalloc.bench/2")
        cells = result["cells"]
        self.assertEqual(
            [(cell["workload"], cell["variant"]) for cell in cells],
            [("tight", "counts"), ("tight", "sites"), ("start", "counts"), ("start", "sites")],
        )
        for cell in cells:
            self.assertEqual(len(cell["pairs"]), 2)
            self.assertEqual(cell["quiet_pairs"] + cell["even_pairs"] + cell["disturbed_pairs"], 2)
            self.assertNotIn("instructions", cell)
        self.assertEqual([cell.get("bar") for cell in cells], [1.2, 1.45, 500000, None])
        self.assertEqual(cells[0]["is_met"], cells[0]["ratio"] <= 1.2)
        self.assertEqual(done.stderr, "")
        self.assertEqual(len([line for line in done.stdout.splitlines() if " sites " in line]), 2)

    @unittest.skipUnless((BUILD / "tests/bench/libfloor_tail.so").exists() and shutil.which("valgrind"), "needs glibc and valgrind")
    def test_the_floor_is_preloaded_and_the_control_is_bare(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "bench.json"
            done = bench("--rounds", "1", "--only", "tight,tight2", "--variants", "control,forward,tail", "--json", str(path))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            cells = json.loads(path.read_text())["cells"]
        self.assertEqual([cell["variant"] for cell in cells], ["control", "forward", "tail"] * 2)
        added = [round(cell["instructions"] - cell["bare_instructions"]) for cell in cells[:3]]
        self.assertEqual(added[:2], [0, 2])
        self.assertIn(added[2], range(14, 19), "16 with gcc 12")
        self.assertEqual(["instructions" in cell for cell in cells[3:]], [False] * 3)

    @unittest.skipUnless((BUILD / "tests/bench/libfloor_tail.so").exists(), "needs glibc")
    def test_both_sides_of_a_pair_are_in_one_process(self) -> None:
        done = subprocess.run([BUILD / "tests/bin/bench_work", "--paired", "ring2", "3", "100"], capture_output=True, text=True, check=True)
        labels = [line.split()[0] for line in done.stdout.splitlines()]
        self.assertEqual(labels, (["slice"] * 3 + ["bare"] * 3) * 2)

    def test_names_that_are_not_known_are_refused(self) -> None:
        for arguments in (["--only", "tight,nothing"], ["--variants", "tight"], ["--rounds", "0"], ["more"]):
            self.assertEqual(bench(*arguments).returncode, 2, arguments)

    def test_a_variant_that_does_not_count_is_left_out(self) -> None:
        done = subprocess.run(
            [BUILD / "tests/bin/bench", "--rounds", "1", "--only", "tight", "--variants", "heaptrack", "--no-callgrind"],
            capture_output=True, text=True, check=False, env={"PATH": "/nowhere"},
        )
        self.assertEqual(done.returncode, 0)
        self.assertIn("left out: heaptrack", done.stderr)


class Scale(unittest.TestCase):
    def test_every_call_is_in_the_record_at_every_size(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "scale.json"
            for thing, largest in (("events", "1000000"), ("phases", "4096"), ("sites", "1000000")):
                done = subprocess.run(
                    [sys.executable, "-B", SCALE, "--build", BUILD, "--rounds", "1", "--only", thing, "--largest", largest, "--json", path,
                     "--svg", path.with_suffix(".svg")],
                    capture_output=True, text=True, check=False,
                )
                self.assertEqual(done.returncode, 0, done.stderr)
                points = json.loads(path.read_text())["things"][thing]["points"]
                self.assertEqual(len({point["allocations"] - point["pairs"] for point in points}), 1, thing)
                self.assertEqual(len({point["file_bytes"] for point in points}), 1, thing)
                self.assertEqual([bool(point["did_not_fit"]) for point in points][-1], thing != "events")
                self.assertIn("</svg>", path.with_suffix(".svg").read_text())


if __name__ == "__main__":
    unittest.main()
