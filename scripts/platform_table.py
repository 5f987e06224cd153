#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the table of platforms into README.md from scripts/platforms.json.

    platform_table.py              write it
    platform_table.py --check      status 1 when README.md has another one
    platform_table.py --mark SYSTEM built|run|inspected...    note that it was done on SYSTEM, and write it

What is marked was done, by somebody who looked: built by a compiler for it, run on it, inspected by reading the file that came out."""

import argparse
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FACTS = ROOT / "scripts" / "platforms.json"
PAGE = ROOT / "README.md"
BEGIN = "<!-- platforms: written by scripts/platform_table.py -->\n"
END = "<!-- /platforms -->\n"
DEEDS = ["built", "run", "inspected"]


def sum_up(row):
    done = [deed for deed in DEEDS if row[deed]]
    missing = [deed for deed in DEEDS if not row[deed]]
    if not done:
        return "not built, not run"
    if missing:
        return " and ".join(done) + ", not yet " + " or ".join(missing)
    return " and ".join([", ".join(done[:-1]), done[-1]])


def table(rows):
    lines = ["| system | state | |", "|---|---|---|"]
    lines += [f"| {row['system']} | {sum_up(row)} | {row['note']} |" for row in rows]
    return "\n".join(lines) + "\n"


def page_with(text, rows):
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return before + BEGIN + table(rows) + END + after


def mark(rows, system, deeds):
    found = [row for row in rows if row["system"] == system]
    if not found:
        sys.exit(f"platform_table: no system '{system}'; there are: {', '.join(row['system'] for row in rows)}")
    for deed in deeds:
        found[0][deed] = True
    lines = ",\n".join("  " + json.dumps(row) for row in rows)
    FACTS.write_text(f"[\n{lines}\n]\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--mark", metavar="SYSTEM")
    parser.add_argument("deeds", nargs="*", metavar="DEED", help=", ".join(DEEDS))
    arguments = parser.parse_args()
    if set(arguments.deeds) - set(DEEDS) or bool(arguments.mark) != bool(arguments.deeds):
        parser.error(f"--mark SYSTEM goes with one or more of {', '.join(DEEDS)}")
    rows = json.loads(FACTS.read_text())
    if arguments.mark:
        mark(rows, arguments.mark, arguments.deeds)
    text = PAGE.read_text()
    wanted = page_with(text, rows)
    if arguments.check:
        if text != wanted:
            print("README.md: the table of platforms is not that of scripts/platforms.json; run scripts/platform_table.py", file=sys.stderr)
        return int(text != wanted)
    PAGE.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
