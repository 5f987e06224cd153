#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

import loop_test  # noqa: F401  the path to the modules
from folded import read_folded, summarise_stacks

OWN = {"main", "run_run", "ca_scan_v0", "parse", "copy", "render", "sort", "compare"}


def widest(*lines: tuple[str, int]) -> list[tuple[str, float]]:
    summary = summarise_stacks([(stack.split(";"), count) for stack, count in lines], OWN)
    return [(frame.function, frame.share_ratio) for frame in summary.own_frames]


class WidestOwnFrame(unittest.TestCase):
    def test_a_leaf_of_a_library_belongs_to_its_caller(self) -> None:
        self.assertEqual(widest(("app;main;ca_scan_v0;parse;memcmp", 6), ("app;main;ca_scan_v0;copy", 4)), [("parse", 0.6), ("copy", 0.4)])

    def test_a_driver_counts_only_with_what_no_other_own_frame_accounts_for(self) -> None:
        self.assertEqual(
            widest(("app;main;ca_scan_v0;parse", 5), ("app;main;ca_scan_v0", 3), ("app;main;ca_scan_v0;memchr", 2)),
            [("ca_scan_v0", 0.5), ("parse", 0.5)],
        )

    def test_a_passage_gives_way_to_the_frame_it_leads_to(self) -> None:
        self.assertEqual(widest(("main;render;sort;qsort", 9), ("main;render", 1)), [("sort", 0.9)])
        self.assertEqual(widest(("main;render;sort;qsort", 8), ("main;render", 2)), [("render", 1.0), ("sort", 0.8)])

    def test_recursion_counts_a_sample_once(self) -> None:
        self.assertEqual(widest(("main;sort;sort;sort", 4), ("main;copy", 6)), [("copy", 0.6), ("sort", 0.4)])

    def test_marks_of_tools_are_no_part_of_a_name(self) -> None:
        self.assertEqual(widest(("main;sort'2;write_[k]", 1)), [("sort", 1.0)])

    def test_a_profile_without_own_frames_has_leaves(self) -> None:
        summary = summarise_stacks([(["python3", "eval"], 3), (["python3", "free"], 1)], set())
        self.assertIsNone(summary.widest_own)
        self.assertEqual(summary.hottest_leaves, [("eval", 0.75), ("free", 0.25)])

    def test_frames_may_hold_spaces(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.folded"
            path.write_text("a;operator new(unsigned long) 12\na 3\n")
            self.assertEqual(read_folded(path), [(["a", "operator new(unsigned long)"], 12), (["a"], 3)])


if __name__ == "__main__":
    unittest.main()
