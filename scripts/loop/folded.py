# SPDX-License-Identifier: MIT
"""Folded stacks, and what a person reads off a flame graph: the widest frame of one's own code."""
from __future__ import annotations

import re
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

# A passage hands nearly all of its samples on to one frame of ours above it: that frame is the one to look at.
PASSAGE_RATIO = 0.9
FRAMES_KEPT = 8

# Contain the whole run, so their width says nothing: they count with what no other own frame above them accounts for.
LOGSTAT_DRIVERS = re.compile(r"main|run_run|ca_scan_v[0-9]+|scan_blocks|ca_word_scanner_scan")


@dataclass(frozen=True)
class OwnFrame:
    """`share_ratio`: samples with the function on the stack (for a driver: with no other own frame above it), of all samples.
    `self_ratio`: samples in the function itself."""

    function: str
    share_ratio: float
    self_ratio: float


@dataclass(frozen=True)
class ProfileSummary:
    total: int
    own_frames: list[OwnFrame]  # widest first
    hottest_leaves: list[tuple[str, float]]  # any function: name, samples in itself of all samples

    @property
    def widest_own(self) -> OwnFrame | None:
        return self.own_frames[0] if self.own_frames else None


def plain_name(frame: str) -> str:
    """Without the marks of tools: the kernel's _[k], callgrind's recursion level."""
    return re.sub(r"'[0-9]+$", "", frame.removesuffix("_[k]"))


def read_folded(path: Path) -> list[tuple[list[str], int]]:
    stacks = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        stack, _, count = line.rpartition(" ")
        if stack:
            stacks.append((stack.split(";"), int(count)))
    return stacks


def functions_of(program: Path) -> set[str]:
    """Names of the functions that the program itself defines; empty without nm, or when it is stripped."""
    try:
        listing = subprocess.run(["nm", "--defined-only", str(program)], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return set()
    names = {line.split()[-1] for line in listing.splitlines() if len(line.split()) == 3 and line.split()[1] in "tTwW"}
    if "_main" in names:  # Mach-O
        names = {name.removeprefix("_") for name in names}
    return {name for name in names if not name.startswith("_")}


def summarise_stacks(
    stacks: list[tuple[list[str], int]], own: set[str], drivers: re.Pattern[str] = LOGSTAT_DRIVERS
) -> ProfileSummary:
    total = sum(count for _, count in stacks)
    width: Counter[str] = Counter()
    in_itself: Counter[str] = Counter()
    above: dict[str, Counter[str]] = {}
    for frames, count in stacks:
        names = [plain_name(frame) for frame in frames]
        in_itself[names[-1]] += count
        ours = [name for name in names if name in own]
        if not ours:
            continue
        seen: set[str] = set()
        for at, name in enumerate(ours):
            if name in seen:
                continue
            seen.add(name)
            if drivers.fullmatch(name):
                if at == len(ours) - 1:
                    width[name] += count
                continue
            width[name] += count
            above.setdefault(name, Counter()).update({other: count for other in set(ours[at + 1 :]) - {name}})
    passages = {
        name for name, others in above.items() if others and others.most_common(1)[0][1] >= PASSAGE_RATIO * width[name]
    }
    own_frames = [
        OwnFrame(name, count / total, in_itself[name] / total)
        for name, count in sorted(width.items(), key=lambda item: (-item[1], item[0]))
        if name not in passages and count > 0
    ]
    leaves = [(name, count / total) for name, count in sorted(in_itself.items(), key=lambda item: (-item[1], item[0]))]
    return ProfileSummary(total, own_frames[:FRAMES_KEPT], leaves[:FRAMES_KEPT])
