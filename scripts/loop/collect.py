#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts the pieces that measure.sh left in WORKDIR together as WORKDIR/results.json.

    collect.py WORKDIR LOGSTAT

Pieces: facts (KEY=VALUE), versions.txt, rounds/*.jsonl, counts/VERSION.json and counts/small-VERSION.json (records),
instructions/VERSION (a number per line), profiles/VERSION.folded and .repeats. The format of results.json: results.py.
"""
from __future__ import annotations

import datetime
import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # the tree stays clean
from folded import functions_of, read_folded, summarise_stacks  # noqa: E402


def read_facts(path: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in path.read_text().splitlines() if "=" in line)


def first_line_of(command: list[str]) -> str | None:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0].strip()
    except (OSError, subprocess.CalledProcessError, IndexError):
        return None


def processor_name() -> str:
    if platform.system() == "Darwin":
        return first_line_of(["sysctl", "-n", "machdep.cpu.brand_string"]) or platform.machine()
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return found.group(1) if found else platform.machine()


def compiler_of(program: Path) -> str | None:
    """What the compilers wrote into the program; on macOS, which does not keep it, the compiler that is installed."""
    try:
        notes = subprocess.run(["readelf", "-p", ".comment", str(program)], capture_output=True, text=True).stdout
    except OSError:
        return first_line_of(["cc", "--version"])
    found = re.findall(r"\]\s+(.+)$", notes, re.MULTILINE)
    named = [text for text in found if "clang" in text] or found
    return named[-1].strip() if named else first_line_of(["cc", "--version"])


def machine_facts(program: Path, record: dict) -> dict:
    return {
        "processor": processor_name(),
        "core_count": os.cpu_count(),
        "architecture": platform.machine(),
        "system": f"{platform.system()} {platform.release().partition('-')[0]}",
        "is_virtual": "hypervisor" in (Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""),
        "libc": record["platform"]["libc"],
        "platform_key": record["platform"]["key"],
        "compiler": compiler_of(program),
    }


def read_rounds(work: Path, run_count: int) -> list[dict]:
    runs = []
    for number in range(1, run_count + 1):
        lines = (work / "rounds" / f"round-{number}.jsonl").read_text().splitlines()
        runs += [json.loads(line) for line in lines]
    return runs


def profile_of(work: Path, name: str, facts: dict[str, str], own: set[str]) -> dict | None:
    path = work / "profiles" / f"{name}.folded"
    if not path.exists():
        return None
    summary = summarise_stacks(read_folded(path), own)
    return {
        "total": summary.total,
        "line_count": int(facts["profile_lines"]),
        "repeat_count": int((work / "profiles" / f"{name}.repeats").read_text()),
        "own_frames": [
            {"function": frame.function, "share_ratio": round(frame.share_ratio, 4), "self_ratio": round(frame.self_ratio, 4)}
            for frame in summary.own_frames
        ],
        "hottest_leaves": [
            {"function": function, "self_ratio": round(ratio, 4)} for function, ratio in summary.hottest_leaves
        ],
    }


def version_entry(work: Path, name: str, change: str, runs: list[dict], facts: dict[str, str], own: set[str]) -> dict:
    record = json.loads((work / "counts" / f"{name}.json").read_text())
    small = json.loads((work / "counts" / f"small-{name}.json").read_text())
    instructions = work / "instructions" / name
    total = record["total"]
    return {
        "name": name,
        "change": change,
        "wall_ns": [run["wall_ns"] for run in runs],
        "cpu_ns": [run["user_ns"] + run["system_ns"] for run in runs],
        "scan_ns": [run["scan_ns"] for run in runs],
        "instructions_per_line": round(float(instructions.read_text())) if instructions.exists() else None,
        "allocations": total["allocations"],
        "allocations_per_line": total["per"]["line"]["allocations"],
        "bytes_requested_per_line": total["per"]["line"]["bytes_requested"],
        "bytes_peak": total["bytes_peak"],
        "max_rss_bytes": record["resources"]["max_rss_bytes"],
        "small_log_allocations": small["total"]["allocations"],
        "profile": profile_of(work, name, facts, own),
    }


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    work, program = Path(sys.argv[1]), Path(sys.argv[2])
    facts = read_facts(work / "facts")
    changes = dict(line.split(None, 1) for line in (work / "versions.txt").read_text().splitlines())
    runs = read_rounds(work, int(facts["run_count"]))
    checksums = {run["checksum"] for run in runs}
    if len(checksums) != 1 or None in checksums:
        print(f"the versions do not agree: checksums {sorted(map(str, checksums))}", file=sys.stderr)
        return 1
    own = functions_of(program)
    first_record = json.loads((work / "counts" / f"{next(iter(changes))}.json").read_text())
    results = {
        "schema": "logstat.results/1",
        "measured_at": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%MZ"),
        "machine": machine_facts(program, first_record),
        "load_average": {
            "lowest": min(run["load_average"] for run in runs),
            "highest": max(run["load_average"] for run in runs),
        },
        "source": {"revision": facts.get("revision") or None, "is_modified": facts.get("is_modified") == "yes"},
        "log": {"line_count": int(facts["line_count"]), "size_bytes": int(facts["size_bytes"]), "seed": int(facts["seed"])},
        "small_log": {"line_count": int(facts["small_lines"])},
        "run_count": int(facts["run_count"]),
        "checksum": checksums.pop(),
        "instructions": {
            "tool": facts["counter"],
            "why": facts["counter_why"],
            "line_count": int(facts["counter_lines"]),
        },
        "profiler": {"tool": facts["profiler"], "why": facts["profiler_why"]},
        "versions": [
            version_entry(work, name, change, [run for run in runs if run["version"] == name], facts, own)
            for name, change in changes.items()
        ],
    }
    part = work / "results.json.part"
    part.write_text(json.dumps(results, indent=1) + "\n")
    part.replace(work / "results.json")
    return 0


if __name__ == "__main__":
    sys.exit(main())
