#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/allocators.sh: the table, its JSON, and what it says when something cannot be compared."""
from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from loop_test import BIN, SCRIPTS, run

VICTIMS = Path(os.environ.get("COUNTALLOC_VICTIMS", BIN.parent / "tests" / "programs"))
HUNDRED = VICTIMS / "malloc_and_free"
GROWING = BIN.parent / "tests" / "bin" / "gate_program"
NAMES = ["libc", "jemalloc", "mimalloc", "tcmalloc"]
HEADINGS = ["allocator", "time, ms [range]", "peak RSS", "allocations", "frees", "bytes requested", "peak live", "in use at the end", "fragmentation"]


def installed() -> list[str]:
    """Those that countalloc finds; a test of each one's figures is left out without it."""
    def is_there(name: str) -> bool:
        done = subprocess.run([BIN / "countalloc", "run", "-q", "--allocator", name, "--", "true"], capture_output=True, text=True, check=False)
        return "where the loader looks; install it" not in done.stderr
    return [name for name in NAMES if is_there(name)]


def compare(*arguments: object, **environment: str) -> subprocess.CompletedProcess:
    return run([SCRIPTS / "allocators.sh", *arguments], **environment)


class Allocators(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def script(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return path

    def need(self, *names: str) -> None:
        missing = [name for name in names if name not in installed()]
        if missing:
            self.skipTest(f"not installed: {', '.join(missing)}")

    # ---- the table ----

    def test_a_row_for_each_with_the_same_counts(self) -> None:
        self.need(*NAMES)
        done = compare("--runs", "1", "--", HUNDRED)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(re.split(r"  +", lines[0]), HEADINGS)
        rows = [re.split(r"  +", line) for line in lines[1:5]]
        self.assertEqual([row[0] for row in rows], NAMES)
        self.assertEqual([row[3:6] for row in rows], [["100", "100", "2,400"]] * 4)
        self.assertEqual([row[7] == "does not say" for row in rows], [False, False, True, False])
        self.assertEqual([row[8] == "-" for row in rows], [False, False, True, False])
        self.assertEqual(lines[5:], ["", "The counts are equal."])

    def test_markdown_has_the_same_cells(self) -> None:
        self.need(*NAMES)
        done = compare("--runs", "1", "--format", "md", "--", HUNDRED)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "| " + " | ".join(HEADINGS) + " |")
        self.assertEqual(lines[1], "|---|" + "---:|" * 8)
        for line, name in zip(lines[2:6], NAMES):
            cells = line.strip("| ").split(" | ")
            self.assertEqual([cells[0], *cells[3:6]], [name, "100", "100", "2,400"])

    def test_json_has_every_run_and_null_for_what_was_not_measured(self) -> None:
        self.need(*NAMES)
        done = compare("--runs", "3", "--format", "json", "--", HUNDRED)
        self.assertEqual(done.returncode, 0, done.stderr)
        page = json.loads(done.stdout)
        self.assertIs(page["counts_equal"], True)
        self.assertEqual([row["allocator"] for row in page["allocators"]], NAMES)
        for row in page["allocators"]:
            self.assertEqual(list(row), ["allocator", "library", "problem", "wall_ns", "max_rss_bytes", "key", "allocations", "frees",
                                         "bytes_requested", "bytes_peak", "used_bytes", "held_bytes"])
            self.assertEqual(len(row["wall_ns"]), 3)
            self.assertEqual((row["problem"], row["allocations"], row["frees"], row["bytes_requested"]), (None, 100, 100, 2400))
        libraries = [row["library"] and row["library"].rsplit("/", 1)[1] for row in page["allocators"]]
        self.assertEqual(libraries, [None, "libjemalloc.so.2", "libmimalloc.so.2", "libtcmalloc_minimal.so.4"])
        self.assertEqual([row["key"].rsplit("-", 1)[1] for row in page["allocators"]], ["glibc", "libjemalloc", "libmimalloc", "libtcmalloc_minimal"])
        self.assertEqual([row["used_bytes"] is None for row in page["allocators"]], [False, False, True, False])
        self.assertEqual([row["held_bytes"] is None for row in page["allocators"]], [False, False, True, False])
        self.assertEqual([row["bytes_peak"] for row in page["allocators"]], [2400, 3200, 3200, 3200])

    def test_what_libc_keeps_for_threads_is_no_difference(self) -> None:
        self.need("jemalloc")
        done = compare("--runs", "1", "--", VICTIMS / "threads_eight")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("\nThe counts of calls are equal.\nbytes_requested differ: libc 2,722,304, jemalloc 2,722,560", done.stdout)
        self.assertTrue(done.stdout.endswith(" (libc keeps 16 for each thread and each library with thread-local storage)\n"), done.stdout)

    # ---- what is not the same, or not there ----

    def test_counts_that_differ_are_status_1(self) -> None:
        """A program that allocates once more each time."""
        self.need("jemalloc")
        done = compare("--runs", "1", "--", GROWING, f"turn={self.folder}/turns")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        found = re.search(r"^allocations differ: libc ([\d,]+), jemalloc ([\d,]+)", done.stdout, re.M)
        assert found, done.stdout
        first, second = (int(number.replace(",", "")) for number in found.groups())
        self.assertEqual(second - first, 1)
        self.assertIn(" (does the program do the same each time? countalloc run --repeat 3 says)\n", done.stdout)
        self.assertNotIn("equal", done.stdout)

    def test_json_says_so_too(self) -> None:
        self.need("jemalloc")
        done = compare("--runs", "1", "--format", "json", "--", GROWING, f"turn={self.folder}/turns")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIs(json.loads(done.stdout)["counts_equal"], False)

    def without(self, name: str) -> Path:
        """A countalloc that does not find the allocator `name`."""
        message = f"countalloc run: --allocator {name}: no lib{name}.so where the loader looks; install it"
        self.script("countalloc", f'case " $* " in *" --allocator {name} "*) echo "{message}" >&2; exit 125 ;; esac\nexec {BIN}/countalloc "$@"\n')
        return self.folder

    def test_a_missing_allocator_has_a_row_that_says_so(self) -> None:
        self.need("jemalloc", "tcmalloc")
        done = compare("--runs", "1", "--", HUNDRED, COUNTALLOC_BIN=str(self.without("mimalloc")))
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[3], "mimalloc   not compared: --allocator mimalloc: no libmimalloc.so where the loader looks; install it")
        self.assertEqual([re.split(r"  +", lines[i])[3:6] for i in (1, 2, 4)], [["100", "100", "2,400"]] * 3)
        self.assertEqual(lines[-1], "The counts are equal.")

    def test_a_missing_allocator_in_json(self) -> None:
        done = compare("--runs", "1", "--format", "json", "--", HUNDRED, COUNTALLOC_BIN=str(self.without("mimalloc")))
        row = json.loads(done.stdout)["allocators"][2]
        self.assertEqual(row, {"allocator": "mimalloc", "library": None,
                               "problem": "--allocator mimalloc: no libmimalloc.so where the loader looks; install it"})

    def test_a_program_that_fails_is_not_compared(self) -> None:
        done = compare("--runs", "1", "--", "false")
        self.assertEqual(done.returncode, 2, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[1], "libc       not compared: it ended with status 1")
        self.assertEqual(lines[-1], "Nothing was compared.")
        done = compare("--runs", "1", "--format", "json", "--", "false")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIsNone(json.loads(done.stdout)["counts_equal"])

    def test_a_program_that_is_not_there_is_named(self) -> None:
        done = compare("--runs", "1", "--", "/nowhere/program")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("libc       not compared: ", done.stdout)
        self.assertIn("'/nowhere/program'", done.stdout)

    # ---- refusals ----

    def test_wrong_arguments_are_usage(self) -> None:
        for arguments in ([], ["--"], ["true"], ["--runs"], ["--runs", "0", "--", "true"], ["--runs", "x", "--", "true"],
                          ["--format", "xml", "--", "true"], ["--nothing", "--", "true"]):
            done = compare(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertIn("scripts/allocators.sh [--runs N] [--format text|md|json] -- PROGRAM [ARGUMENT...]", done.stderr)

    def test_no_countalloc_says_where_it_was_looked_for(self) -> None:
        done = compare("--", "true", COUNTALLOC_BIN="/nowhere")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "allocators.sh: there is no countalloc at '/nowhere/countalloc': build it (README.md), or say where it is: "
                                      "COUNTALLOC_BIN=DIR\n")


if __name__ == "__main__":
    unittest.main()
