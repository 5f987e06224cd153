#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The work of allocators.sh.

    allocators.py COUNTALLOC RUNS FORMAT PROGRAM [ARGUMENT...]
"""
from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

NAMES = ["libc", "jemalloc", "mimalloc", "tcmalloc"]
COUNTS = ["allocations", "frees", "bytes_requested"]


@dataclass
class Row:
    name: str
    library: str = ""
    problem: str = ""
    wall_ns: list[int] = field(default_factory=list)
    record: dict = field(default_factory=dict)

    def count(self, key: str) -> int:
        return self.record["total"][key]

    def thread_count(self) -> int:
        return sum(thread["thread_count"] for thread in self.record["threads"])

    def held(self) -> tuple[int, int] | None:
        platform = self.record["platform"]
        if "allocator_held_bytes" not in platform:
            return None
        return platform["allocator_used_bytes"], platform["allocator_held_bytes"]


def progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def count(countalloc: str, row: Row, program: list[str], folder: str) -> None:
    record = Path(folder) / f"{row.name}.json"
    done = subprocess.run(
        [countalloc, "run", "-q", "--allocator", row.name, "-o", str(record), "--", *program],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
    )
    said = [line for line in done.stderr.splitlines() if line.startswith("countalloc run: ")]
    if done.returncode != 0 or not record.exists():
        row.problem = said[-1].removeprefix("countalloc run: ") if said else f"it ended with status {done.returncode}"
        return
    row.record = json.loads(record.read_text())


def time_once(row: Row, program: list[str], is_measured: bool) -> None:
    environment = dict(os.environ)
    if row.library:
        others = environment.get("LD_PRELOAD")
        environment["LD_PRELOAD"] = f"{row.library}:{others}" if others else row.library
    started_ns = time.perf_counter_ns()
    child = subprocess.Popen(program, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    _, wait_status = os.waitpid(child.pid, 0)
    wall_ns = time.perf_counter_ns() - started_ns
    child.returncode = os.waitstatus_to_exitcode(wait_status)
    if child.returncode != 0:
        row.problem = f"it ended with status {child.returncode} without countalloc"
    elif is_measured:
        row.wall_ns.append(wall_ns)


def mib(size_bytes: float) -> str:
    return f"{size_bytes / 2**20:,.1f} MiB"


def cells(row: Row) -> list[str]:
    if row.problem:
        return [row.name, f"not compared: {row.problem}"]
    ms = [ns / 1e6 for ns in row.wall_ns]
    held = row.held()
    requested, live = row.count("bytes_requested"), row.count("bytes_peak")
    return [
        row.name,
        f"{statistics.median(ms):,.1f} [{min(ms):,.1f}, {max(ms):,.1f}]",
        mib(row.record["resources"]["max_rss_bytes"]),
        f"{row.count('allocations'):,}",
        f"{row.count('frees'):,}",
        f"{requested:,}",
        mib(live) if live is not None else "-",
        f"{mib(held[0])} of {mib(held[1])}" if held else "does not say",
        f"{100 * (1 - held[0] / held[1]):.0f} %" if held and held[1] else "-",
    ]


HEADINGS = ["allocator", "time, ms [range]", "peak RSS", "allocations", "frees", "bytes requested", "peak live", "in use at the end", "fragmentation"]


def write_table(rows: list[Row], is_md: bool) -> None:
    table = [HEADINGS] + [cells(row) for row in rows]
    whole = [line for line in table if len(line) > 2]
    widths = [max(len(line[i]) for line in whole) for i in range(len(HEADINGS))]
    for number, line in enumerate(table):
        if is_md:
            print("| " + " | ".join(line + [""] * (len(HEADINGS) - len(line))) + " |")
            if number == 0:
                print("|---|" + "---:|" * (len(HEADINGS) - 1))
        elif len(line) == 2:
            print(f"{line[0]:<{widths[0]}}  {line[1]}")
        else:
            print("  ".join([line[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:])]))


def difference(rows: list[Row], key: str) -> str | None:
    whole = [row for row in rows if not row.problem]
    if len({row.count(key) for row in whole}) <= 1:
        return None
    return f"{key} differ: " + ", ".join(f"{row.name} {row.count(key):,}" for row in whole)


def is_of_threads(rows: list[Row]) -> bool:
    """Whether bytes differ as they do by libc's record of each thread: 16 for each library with thread-local storage."""
    whole = [row for row in rows if not row.problem]
    return all(row.thread_count() > 1 and (row.count("bytes_requested") - whole[0].count("bytes_requested")) % 16 == 0 for row in whole)


def differences(rows: list[Row]) -> list[str]:
    found = [line for line in (difference(rows, key) for key in COUNTS) if line]
    is_bytes_alone = len(found) == 1 and difference(rows, "bytes_requested") is not None
    return [] if is_bytes_alone and is_of_threads(rows) else found


def is_compared(rows: list[Row]) -> bool:
    return sum(not row.problem for row in rows) > 1


def verdict(rows: list[Row], unequal: list[str]) -> list[str]:
    if not is_compared(rows):
        return ["Nothing was compared."]
    if unequal:
        return [f"{line} (does the program do the same each time? countalloc run --repeat 3 says)" for line in unequal]
    line = difference(rows, "bytes_requested")
    if not line:
        return ["The counts are equal."]
    return ["The counts of calls are equal.", f"{line} (libc keeps 16 for each thread and each library with thread-local storage)"]


def as_json(rows: list[Row], unequal: list[str]) -> str:
    listed = []
    for row in rows:
        entry: dict = {"allocator": row.name, "library": row.library or None, "problem": row.problem or None}
        if not row.problem:
            held = row.held()
            entry |= {"wall_ns": row.wall_ns, "max_rss_bytes": row.record["resources"]["max_rss_bytes"], "key": row.record["platform"]["key"]}
            entry |= {key: row.count(key) for key in [*COUNTS, "bytes_peak"]}
            entry |= {"used_bytes": held[0] if held else None, "held_bytes": held[1] if held else None}
        listed.append(entry)
    return json.dumps({"allocators": listed, "counts_equal": not unequal if is_compared(rows) else None}, indent=2)


def main() -> int:
    countalloc, runs, form, program = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    rows = [Row(name) for name in NAMES]
    with tempfile.TemporaryDirectory() as folder:
        for row in rows:
            progress(f"counting with {row.name}")
            count(countalloc, row, program, folder)
            if not row.problem and row.name != "libc":
                row.library = row.record["platform"].get("allocator_path", "")
    for number in range(runs + 1):
        for row in rows:
            if not row.problem:
                progress(f"round {number} of {runs}: {row.name}")
                time_once(row, program, number > 0)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    unequal = differences(rows)
    if form == "json":
        print(as_json(rows, unequal))
    else:
        write_table(rows, form == "md")
        print()
        print("\n".join(verdict(rows, unequal)))
    if not is_compared(rows):
        return 2
    return 1 if unequal else 0


if __name__ == "__main__":
    sys.exit(main())
