#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The work of race.sh.

    race.py LOGSTAT FOLDER [--lines N] [--rounds N] [--with 'COMMAND @LOG']... [--json FILE]
"""
from __future__ import annotations

import argparse
import json
import os
import random
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

# What the fastest version is for (README.md of analyzer, "Beyond v4"): most that it may take of wc's wall time, least that all threads must gain.
MOST_OF_WC = 1.3
LEAST_OF_THREADS = 1.4
MEASURE = "wc -l"


@dataclass
class Contestant:
    name: str
    command: list[str]
    prints_report: bool = False
    wall_ns: list[int] = field(default_factory=list)
    cpu_ns: list[int] = field(default_factory=list)


def contestants(logstat: str, log: str, extra: list[str]) -> list[Contestant]:
    versions = [line.split()[0] for line in subprocess.run([logstat, "versions"], capture_output=True, text=True, check=True).stdout.splitlines()]
    run = [logstat, "run", "--no-progress"]
    listed = [Contestant("cat", ["cat", log]), Contestant(MEASURE, ["wc", "-l", log])]
    listed += [Contestant(version, [*run, version, log], True) for version in versions[-3:-1]]
    last = versions[-1]
    listed += [Contestant(f"{last}, 1 thread", [*run, "--threads", "1", last, log], True), Contestant(last, [*run, last, log], True)]
    listed += [Contestant(command, shlex.split(command.replace("@LOG", shlex.quote(log)))) for command in extra]
    return listed


def run_once(contestant: Contestant) -> str:
    with tempfile.TemporaryFile() as output:
        started_ns = time.perf_counter_ns()
        child = subprocess.Popen(contestant.command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 stdout=output if contestant.prints_report else subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        contestant.wall_ns.append(time.perf_counter_ns() - started_ns)
        contestant.cpu_ns.append(round((usage.ru_utime + usage.ru_stime) * 1e9))
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            sys.exit(f"race.sh: {shlex.join(contestant.command)} ended with status {child.returncode}")
        output.seek(0)
        return output.read().decode(errors="replace") if contestant.prints_report else ""


def race(listed: list[Contestant], rounds: int) -> None:
    reports = set()
    for number in range(-1, rounds):  # the first one fills the page cache
        if sys.stderr.isatty():
            print(f"\r\033[Kround {max(number + 1, 1)} of {rounds}", end="", file=sys.stderr, flush=True)
        for contestant in random.sample(listed, len(listed)):
            report = run_once(contestant)
            if contestant.prints_report:
                reports.add(report)
        if number < 0:
            for contestant in listed:
                contestant.wall_ns.clear()
                contestant.cpu_ns.clear()
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    if len(reports) != 1:
        sys.exit("race.sh: the versions printed different reports")


def ratios(of: list[int], to: list[int]) -> list[float]:
    """Median and quartiles of the rounds' ratios."""
    each = sorted(a / b for a, b in zip(of, to))
    if len(each) < 2:
        return [each[0]] * 3
    quartiles = statistics.quantiles(each, n=4, method="inclusive")
    return [quartiles[1], quartiles[0], quartiles[2]]


def show(three: list[float]) -> str:
    return f"{three[0]:.2f} [{three[1]:.2f}-{three[2]:.2f}]"


def verdict(figure: float, bar: float, is_most: bool) -> str:
    return "met" if (figure <= bar if is_most else figure >= bar) else "not met"


def main() -> int:
    parser = argparse.ArgumentParser(prog="race.sh", usage="race.sh [--lines N] [--rounds N] [--with 'COMMAND @LOG']... [--json FILE]")
    parser.add_argument("logstat", help=argparse.SUPPRESS)
    parser.add_argument("folder", help=argparse.SUPPRESS)
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--with", dest="extra", action="append", default=[], metavar="COMMAND")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    if options.lines < 1 or options.rounds < 1:
        parser.error("--lines and --rounds are numbers from 1")
    log = Path(options.folder) / f"access-{options.lines}.log"
    if not log.exists():
        subprocess.run([options.logstat, "gen", "--no-progress", log, str(options.lines)], check=True)
    listed = contestants(options.logstat, str(log), options.extra)
    race(listed, options.rounds)

    by_name = {contestant.name: contestant for contestant in listed}
    measure, last = by_name[MEASURE], next(c for c in reversed(listed) if c.prints_report)
    rows = [
        {
            "name": c.name,
            "wall_ms": round(statistics.median(c.wall_ns) / 1e6, 2),
            "fastest_ms": round(min(c.wall_ns) / 1e6, 2),
            "wall_to_wc": ratios(c.wall_ns, measure.wall_ns),
            "cpu_to_wc": ratios(c.cpu_ns, measure.cpu_ns),
        }
        for c in listed
    ]
    print(f"{options.lines:,} lines, {log.stat().st_size:,} bytes; {options.rounds} rounds on {os.cpu_count()} cores; wall and processor time of whole processes")
    print(f"{'':24} {'wall ms':>9} {'fastest':>9}  {'wall, wc -l = 1':22} {'processor, wc -l = 1':22}")
    for row in rows:
        print(f"{row['name'][:24]:24} {row['wall_ms']:9.1f} {row['fastest_ms']:9.1f}  {show(row['wall_to_wc']):22} {show(row['cpu_to_wc']):22}")
    to_wc = ratios(last.wall_ns, measure.wall_ns)
    gain = ratios(by_name[f"{last.name}, 1 thread"].wall_ns, last.wall_ns)
    print(f"{last.name} to wc -l, wall: {show(to_wc)}, at most {MOST_OF_WC}: {verdict(to_wc[0], MOST_OF_WC, True)}")
    print(f"{last.name} with all threads to 1: {show(gain)} times as fast, at least {LEAST_OF_THREADS} with two free cores: {verdict(gain[0], LEAST_OF_THREADS, False)}")
    if options.json:
        Path(options.json).write_text(json.dumps({"schema": "countalloc.race/1", "lines": options.lines, "rounds": options.rounds, "contestants": rows}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
