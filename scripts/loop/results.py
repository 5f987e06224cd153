# SPDX-License-Identifier: MIT
"""results.json, and what its figures say.

{ "schema": "logstat.results/1", "measured_at", "machine": {"processor", "core_count", "system", "libc", "compiler", ...},
  "load_average": {"lowest", "highest"}, "source": {"revision", "is_modified"}, "log": {"line_count", "size_bytes", "seed"},
  "small_log": {"line_count"}, "run_count", "checksum", "instructions": {"tool", "why", "line_count"}, "profiler": {"tool", "why"},
  "versions": [{"name", "change", "wall_ns": [a number per run], "cpu_ns": [..], "scan_ns": [..], "instructions_per_line",
    "allocations", "allocations_per_line", "bytes_requested_per_line", "bytes_peak", "max_rss_bytes", "small_log_allocations",
    "profile": {"total", "line_count", "repeat_count", "own_frames": [{"function", "share_ratio", "self_ratio"}],
                "hottest_leaves": [{"function", "self_ratio"}]}}] }

What was not measured is null or missing. An optional "label" names results that were published elsewhere.
"""
from __future__ import annotations

import json
import re
import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SCHEMA = "logstat.results/1"


class ResultsError(Exception):
    """The message says which file, and what is wrong with it."""


@dataclass(frozen=True)
class Frame:
    function: str
    share_ratio: float  # with the function on the stack
    self_ratio: float | None  # in the function itself


@dataclass(frozen=True)
class Version:
    name: str
    change: str
    base: str | None  # the version that this one changes; None for the first
    wall_ns: list[int]  # one element per run, in the order of the rounds
    cpu_ns: list[int]
    instructions_per_line: int | None
    allocations: int | None
    allocations_per_line: float | None
    bytes_requested_per_line: float | None
    bytes_peak: int | None
    max_rss_bytes: int | None
    small_log_allocations: int | None
    own_frames: list[Frame]  # widest first
    hottest_leaves: list[Frame]
    sample_count: int | None
    repeat_count: int | None

    @property
    def wall_median_ns(self) -> float:
        return statistics.median(self.wall_ns)

    @property
    def cpu_median_ns(self) -> float | None:
        return statistics.median(self.cpu_ns) if self.cpu_ns else None

    @property
    def widest_own(self) -> Frame | None:
        return self.own_frames[0] if self.own_frames else None


@dataclass(frozen=True)
class Verdict:
    """A version against its base. `speedup_ratio`: above 1 is faster, at the medians of the wall time. `is_shown`: the ranges of the
    two do not overlap. `cpu_ratio`: the same for processor time, which other programs on the machine disturb less; None when its
    ranges overlap. `is_rejected`: no later version builds on it."""

    base: str
    speedup_ratio: float
    is_shown: bool
    cpu_ratio: float | None
    is_rejected: bool
    rounds_faster: int
    round_count: int

    @property
    def kind(self) -> str:
        if not self.is_shown:
            return "not-shown"
        return "faster" if self.speedup_ratio > 1 else "slower"

    @property
    def ratio_text(self) -> str:
        if self.speedup_ratio >= 1:
            return f"{self.speedup_ratio:.2f}x faster"
        return f"{1 / self.speedup_ratio:.2f}x slower"

    @property
    def text(self) -> str:
        said = f"{self.ratio_text} than {self.base}"
        if not self.is_shown:
            why = "the ranges overlap" if self.round_count > 1 else "one run has no range"
            said = f"not shown to be faster than {self.base}: {why}"
            if self.cpu_ratio:
                more = self.cpu_ratio < 1
                said += f" (but {1 / self.cpu_ratio if more else self.cpu_ratio:.2f}x {'more' if more else 'less'} processor time)"
        return f"{said}; rejected, nothing builds on it" if self.is_rejected else said


def ranges_overlap(one: list[int], other: list[int]) -> bool:
    return min(one) <= max(other) and min(other) <= max(one)


def cpu_ratio_of(base: Version, version: Version) -> float | None:
    if min(len(base.cpu_ns), len(version.cpu_ns)) < 2 or ranges_overlap(base.cpu_ns, version.cpu_ns):
        return None
    return statistics.median(base.cpu_ns) / statistics.median(version.cpu_ns)


@dataclass(frozen=True)
class Results:
    path: Path
    raw: dict[str, Any]
    versions: list[Version]
    verdicts: dict[str, Verdict] = field(default_factory=dict)

    def version(self, name: str) -> Version | None:
        return next((version for version in self.versions if version.name == name), None)

    @property
    def label(self) -> str:
        if self.raw.get("label"):
            return self.raw["label"]
        machine, source = self.raw.get("machine", {}), self.raw.get("source", {})
        revision = source.get("revision") or "unknown revision"
        return f"{machine.get('processor', 'unknown processor')}, {revision}{', modified' if source.get('is_modified') else ''}"

    @property
    def accepted(self) -> list[Version]:
        """From the first version to the last along what was built on; in that order."""
        path = [self.versions[-1]]
        while path[0].base is not None:
            base = self.version(path[0].base)
            if base is None:
                break
            path.insert(0, base)
        return path

    @property
    def machine_key(self) -> tuple:
        machine = self.raw.get("machine", {})
        return tuple(machine.get(key) for key in ("processor", "core_count", "system", "libc", "compiler"))


def base_of(change: str, earlier: list[str]) -> str | None:
    """The version that the description of a change mentions; without one, the version before."""
    for mentioned in re.findall(r"\bv[0-9]+\b", change):
        if mentioned in earlier:
            return mentioned
    return earlier[-1] if earlier else None


def read_frames(entries: list[dict] | None) -> list[Frame]:
    return [
        Frame(entry["function"], entry.get("share_ratio", entry.get("self_ratio", 0.0)), entry.get("self_ratio"))
        for entry in entries or []
    ]


def read_version(entry: dict[str, Any], earlier: list[str]) -> Version:
    profile = entry.get("profile") or {}
    if not entry["wall_ns"]:
        raise KeyError("wall_ns")
    return Version(
        name=entry["name"],
        change=entry["change"],
        base=base_of(entry["change"], earlier),
        wall_ns=entry["wall_ns"],
        cpu_ns=entry.get("cpu_ns") or [],
        instructions_per_line=entry.get("instructions_per_line"),
        allocations=entry.get("allocations"),
        allocations_per_line=entry.get("allocations_per_line"),
        bytes_requested_per_line=entry.get("bytes_requested_per_line"),
        bytes_peak=entry.get("bytes_peak"),
        max_rss_bytes=entry.get("max_rss_bytes"),
        small_log_allocations=entry.get("small_log_allocations"),
        own_frames=read_frames(profile.get("own_frames")),
        hottest_leaves=read_frames(profile.get("hottest_leaves")),
        sample_count=profile.get("total"),
        repeat_count=profile.get("repeat_count"),
    )


def judge(versions: list[Version]) -> dict[str, Verdict]:
    by_name = {version.name: version for version in versions}
    built_on = {version.base for version in versions}
    verdicts = {}
    for version in versions:
        if version.base is None:
            continue
        base = by_name[version.base]
        pairs = list(zip(base.wall_ns, version.wall_ns))
        verdicts[version.name] = Verdict(
            base=base.name,
            speedup_ratio=base.wall_median_ns / version.wall_median_ns,
            is_shown=len(pairs) > 1 and not ranges_overlap(base.wall_ns, version.wall_ns),
            cpu_ratio=cpu_ratio_of(base, version),
            is_rejected=version.name not in built_on and version is not versions[-1],
            rounds_faster=sum(new < old for old, new in pairs),
            round_count=len(pairs),
        )
    return verdicts


def load(path: Path) -> Results:
    """Reads results.json, or the one in a work directory."""
    if path.is_dir():
        path = path / "results.json"
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        if raw.get("schema") != SCHEMA:
            raise ResultsError(f"{path}: the schema is {raw.get('schema')!r}, not {SCHEMA!r}; measure again with scripts/measure.sh")
        versions: list[Version] = []
        for entry in raw["versions"]:
            versions.append(read_version(entry, [version.name for version in versions]))
        if not versions:
            raise KeyError("versions")
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}; scripts/measure.sh WORKDIR writes it") from error
    except json.JSONDecodeError as error:
        raise ResultsError(f"{path}:{error.lineno}: not JSON: {error.msg}") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise ResultsError(f"{path}: incomplete results: {error}") from error
    return Results(path, raw, versions, judge(versions))
