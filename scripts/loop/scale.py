#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Grows one thing at a time under the shim and without it: what a malloc/free pair costs more, what memory and the counter file take.
Times are the fastest of a few interleaved runs of each side, because noise only ever adds time."""
from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import scale_plot

STACKS = {"COUNTALLOC_LIVE": "off", "COUNTALLOC_STACKS": "32"}
LIVE = {"COUNTALLOC_LIVE": "on"}
# name, what is counted on the axis, sizes, how the shim runs
THINGS = [
    ("events", "calls of malloc in one phase", [10**5, 10**6, 10**7, 10**8], LIVE),
    ("threads", "threads, one after the other", [1, 10, 100, 1000, 10000], LIVE),
    ("crowd", "threads at once", [1, 10, 100, 1000, 10000], LIVE),
    ("phases", "phases (4,091 names fit)", [1, 16, 256, 1024, 4096], LIVE),
    ("sites", "different stacks (262,143 fit)", [100, 1000, 10000, 100000, 262144, 1000000], STACKS),
]
MORE = 10  # times the rounds, for sizes that take no time
SHORT_S = 2.0
NOT_HERE = 3  # scale_work: the system has not that many threads


def run(build: Path, thing: str, size: int, variables: dict[str, str]) -> dict[str, float] | None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COUNTALLOC_") and name != "LD_PRELOAD"}
    done = subprocess.run(
        [build / "tests/bin/scale_work", thing, str(size)], env=environment | variables, capture_output=True, text=True, check=False
    )
    if done.returncode == NOT_HERE:
        return None
    if done.returncode != 0:
        sys.exit(f"scale_work {thing} {size} ended with status {done.returncode}: {done.stderr}")
    pairs, ns, first_ns, rss_bytes = map(float, done.stdout.split())
    return {"pairs": pairs, "ns": ns, "first_ns": first_ns, "rss_bytes": rss_bytes}


def run_counted(build: Path, thing: str, size: int, variables: dict[str, str], directory: Path) -> dict[str, float] | None:
    path = directory / "counters"
    path.unlink(missing_ok=True)
    library = {"LD_PRELOAD": str((build / "lib/libcountalloc.so").resolve()), "COUNTALLOC_REPORT": "none", "COUNTALLOC_FILE": str(path)}
    result = run(build, thing, size, library | variables)
    if result is not None:
        state = path.stat()
        result |= {"file_bytes": state.st_size, "file_used_bytes": state.st_blocks * 512}
    return result


def record_of(build: Path, directory: Path) -> dict:
    done = subprocess.run([build / "bin/countalloc", "report", "--format", "json", directory / "counters"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"countalloc report failed: {done.stderr}")
    return json.loads(done.stdout)


def least(results: list[dict[str, float]], name: str) -> float:
    return min(result[name] for result in results)


def measure(build: Path, thing: str, size: int, variables: dict[str, str], rounds: int, directory: Path) -> dict | None:
    sides: dict[bool, list] = {False: [], True: []}
    start = time.monotonic()
    while len(sides[True]) < rounds or (1 < rounds and len(sides[True]) < MORE * rounds and time.monotonic() - start < SHORT_S):
        for is_counted in random.sample([False, True], 2):
            result = run_counted(build, thing, size, variables, directory) if is_counted else run(build, thing, size, {})
            if result is None:
                return None
            sides[is_counted].append(result)
    bare, counted = sides[False], sides[True]
    record = record_of(build, directory)
    return {
        "size": size,
        "pairs": int(counted[0]["pairs"]),
        "bare_ns": least(bare, "ns"),
        "ns": least(counted, "ns"),
        "added_ns": least(counted, "ns") - least(bare, "ns"),
        "added_first_ns": least(counted, "first_ns") - least(bare, "first_ns"),
        "added_rss_bytes": int(least(counted, "rss_bytes") - least(bare, "rss_bytes")),
        "file_bytes": int(counted[0]["file_bytes"]),
        "file_used_bytes": int(counted[0]["file_used_bytes"]),
        "allocations": record["total"]["allocations"],
        "did_not_fit": record["coverage"]["notes"],
    }


def show(thing: str, axis: str, points: list[dict]) -> None:
    print(f"\n{thing}: {axis}")
    print(f"{'size':>11} {'pairs':>11} {'bare ns':>8} {'added ns':>9} {'first time':>11} {'RSS added':>10} {'file':>9}   allocations in the record")
    for point in points:
        print(
            f"{point['size']:>11,} {point['pairs']:>11,} {point['bare_ns']:>8.1f} {point['added_ns']:>9.1f} {point['added_first_ns']:>11.1f} "
            f"{point['added_rss_bytes'] / 2**20:>6.1f} MiB {point['file_used_bytes'] / 2**20:>5.0f} MiB   {point['allocations']:,}"
        )
        for note in point["did_not_fit"]:
            print(f"{'':11} {note}")


def plots_of(points: list[dict]) -> list[scale_plot.Plot]:
    def series(key: str, divisor: float) -> list[tuple[float, float]]:
        return [(point["size"], point[key] / divisor) for point in points]

    return [
        scale_plot.Plot("Added to a malloc/free pair", "ns", series("added_ns", 1)),
        scale_plot.Plot("The same, the first time", "ns", series("added_first_ns", 1)),
        scale_plot.Plot("Resident memory added", "MiB", series("added_rss_bytes", 2**20)),
        scale_plot.Plot("Counter file", "MiB", series("file_used_bytes", 2**20)),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--largest", type=int, help="leave out larger sizes")
    parser.add_argument("--only", choices=[thing for thing, *_ in THINGS])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--svg", type=Path)
    options = parser.parse_args()
    results = {}
    rows = []
    with tempfile.TemporaryDirectory() as directory:
        for thing, axis, sizes, variables in THINGS:
            if options.only not in (None, thing):
                continue
            points = []
            for size in sizes:
                if options.largest is not None and size > options.largest:
                    continue
                if sys.stderr.isatty():
                    print(f"\r\033[K{thing} {size:,}", end="", file=sys.stderr)
                point = measure(options.build, thing, size, variables, options.rounds, Path(directory))
                if point is None:
                    print(f"{thing} {size:,}: not on this machine", file=sys.stderr)
                    break
                points.append(point)
            if sys.stderr.isatty():
                print("\r\033[K", end="", file=sys.stderr)
            show(thing, axis, points)
            results[thing] = {"axis": axis, "environment": variables, "points": points}
            if points:
                rows.append((axis[0].upper() + axis[1:], plots_of(points)))
    if options.json is not None:
        options.json.write_text(json.dumps({"schema": "countalloc.scale/1", "rounds": options.rounds, "things": results}, indent=1) + "\n")
    if options.svg is not None:
        options.svg.write_text(scale_plot.draw("What grows with what: the cost of countalloc itself", rows))


if __name__ == "__main__":
    main()
