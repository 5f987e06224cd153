# SPDX-License-Identifier: MIT
"""Results as Markdown: the table, what each step says, two measurements compared, and the parts that a page keeps between markers."""
from __future__ import annotations

import re

import people
from results import Results, Version

BLOCK = re.compile(r"(<!-- results: begin ([^\n]*?) *-->\n)(.*?)(<!-- results: end -->)", re.DOTALL)


def table(heading: list[str], rows: list[list[str]], numbers_from: int | None = None) -> str:
    marks = ["---:" if numbers_from is not None and at >= numbers_from else "---" for at in range(len(heading))]
    lines = [heading, marks, *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def frame_text(version: Version) -> str:
    frame = version.widest_own
    return f"`{frame.function}` {people.percent(frame.share_ratio)}" if frame else people.NOT_MEASURED


def wall_text(version: Version) -> str:
    return f"{people.milliseconds(version.wall_median_ns)} ({people.range_of(version.wall_ns)})"


def verdict_text(results: Results, version: Version) -> str:
    verdict = results.verdicts.get(version.name)
    if verdict is None:
        return "the start"
    return verdict.text if verdict.kind == "faster" and not verdict.is_rejected else f"**{verdict.text}**"


def results_table(results: Results) -> str:
    return table(
        ["", "change", "wall time (median, range)", "verdict", "instructions/line", "allocs/line", "peak RSS", "widest own frame"],
        [
            [
                version.name,
                version.change,
                wall_text(version),
                verdict_text(results, version),
                people.whole(version.instructions_per_line),
                people.per_line(version.allocations_per_line),
                people.mebibytes(version.max_rss_bytes),
                frame_text(version),
            ]
            for version in results.versions
        ],
    )


def method(results: Results) -> str:
    raw = results.raw
    machine, log, load, source = raw["machine"], raw["log"], raw.get("load_average"), raw["source"]
    counted = raw["instructions"]
    counter = (
        f"callgrind on {people.whole(counted['line_count'])} lines, less an empty log"
        if counted["tool"] == "callgrind"
        else f"{counted['tool']} on {people.whole(counted['line_count'])} lines"
    )
    load_text = f", load average {load['lowest']} to {load['highest']} meanwhile" if load else ""
    revision = f"revision {source['revision']}" if source["revision"] else "no revision known"
    return (
        f"{machine['processor']}{' (a virtual machine)' if machine.get('is_virtual') else ''}, {machine['core_count']} cores, "
        f"{machine['system']}, {machine['libc']}, {machine['compiler']}; {revision}{', modified' if source['is_modified'] else ''}. "
        f"{people.whole(log['line_count'])} lines ({people.whole(log['size_bytes'])} bytes). Wall time: whole process, "
        f"{raw['run_count']} round{'s' if raw['run_count'] != 1 else ''} of all versions, without a profiler{load_text}. Instructions: {counter} "
        f"({counted['why']}). Profiles: {raw['profiler']['tool']} ({raw['profiler']['why']}). Every run: checksum {raw['checksum']}."
    )


def summary(results: Results) -> str:
    first, last = results.versions[0], results.versions[-1]
    ratio = first.wall_median_ns / last.wall_median_ns
    return (
        f"{first.name} to {last.name}: {people.milliseconds(first.wall_median_ns)} to {people.milliseconds(last.wall_median_ns)} "
        f"({ratio:.1f}x), {people.per_line(first.allocations_per_line)} to {people.per_line(last.allocations_per_line)} "
        "allocations per line."
    )


def document(results: Results) -> str:
    return f"# logstat, measured\n\n{summary(results)}\n\n{results_table(results)}\n\n{method(results)}\n"


# --- parts of a page ---------------------------------------------------------------------------------------------------------


def step(results: Results, name: str) -> str:
    version = required(results, name)
    verdict = results.verdicts.get(name)
    if verdict is None:
        raise KeyError(f"{name} is the first version; a step needs one before it")
    base = required(results, verdict.base)
    won = f" Faster in {verdict.rounds_faster} of {verdict.round_count} rounds." if verdict.kind == "not-shown" else ""
    return (
        f"**{base.name} → {name}:** {people.milliseconds(base.wall_median_ns)} → {people.milliseconds(version.wall_median_ns)}: "
        f"{verdict.text if verdict.kind != 'not-shown' else verdict.ratio_text + ' at the medians, ' + verdict.text}.{won} "
        f"Instructions per line {people.whole(base.instructions_per_line)} → {people.whole(version.instructions_per_line)} "
        f"({people.change(base.instructions_per_line, version.instructions_per_line)}), allocations per line "
        f"{people.per_line(base.allocations_per_line)} → {people.per_line(version.allocations_per_line)}, peak RSS "
        f"{people.mebibytes(base.max_rss_bytes)} → {people.mebibytes(version.max_rss_bytes)}."
    )


def profile(results: Results, name: str) -> str:
    version = required(results, name)
    rows = []
    for at in range(5):
        own = version.own_frames[at] if at < len(version.own_frames) else None
        leaf = version.hottest_leaves[at] if at < len(version.hottest_leaves) else None
        if own or leaf:
            rows.append(
                [f"`{own.function}`" if own else "", people.percent(own.share_ratio) if own else ""]
                + [f"`{leaf.function}`" if leaf else "", people.percent(leaf.self_ratio) if leaf else ""]
            )
    unit = "instructions" if results.raw["profiler"]["tool"] == "callgrind" else "samples"
    heading = [f"own frames of {name}, widest first", "on the stack", "hottest leaves, anyone's", f"of {people.whole(version.sample_count)} {unit}"]
    return table(heading, rows)


def rank(results: Results, other: Results) -> str:
    def ranks(which: Results) -> dict[str, int]:
        shared = [version for version in which.versions if results.version(version.name) and other.version(version.name)]
        return {version.name: at + 1 for at, version in enumerate(sorted(shared, key=lambda version: version.wall_median_ns))}

    here, there = ranks(results), ranks(other)
    rows = []
    for version in results.versions:
        peer = other.version(version.name)
        if peer is None:
            continue
        rows.append(
            [version.name]
            + [
                cell
                for which, one, places in ((other, peer, there), (results, version, here))
                for cell in (
                    people.milliseconds(one.wall_median_ns),
                    f"{which.versions[0].wall_median_ns / one.wall_median_ns:.1f}x",
                    str(places[one.name]),
                    people.whole(one.instructions_per_line),
                    frame_text(one),
                )
            ]
        )
    columns = ["time", "v0 /", "rank", "instructions/line", "widest own frame"]
    return table(["", *(f"{which}: {column}" for which in ("Rust", "C") for column in columns)], rows)


def required(results: Results, name: str) -> Version:
    version = results.version(name)
    if version is None:
        raise KeyError(f"{results.path}: there is no version {name}")
    return version


def fill(text: str, results: Results, other: Results | None) -> str:
    """The page with its blocks written anew. KeyError: a block asks for something that is not there."""

    def block(found: re.Match[str]) -> str:
        name, *arguments = found.group(2).split()
        makers = {
            "table": lambda: results_table(results),
            "method": lambda: method(results),
            "summary": lambda: summary(results),
            "step": lambda: step(results, arguments[0]),
            "profile": lambda: profile(results, arguments[0]),
            "rank": lambda: rank(results, other) if other else found.group(3).strip(),
        }
        if name not in makers:
            raise KeyError(f"unknown block 'results: begin {found.group(2)}'; there are {', '.join(sorted(makers))}")
        if name in ("step", "profile") and len(arguments) != 1:
            raise KeyError(f"'results: begin {name}' needs a version after it")
        return f"{found.group(1)}{makers[name]()}\n{found.group(4)}"

    return BLOCK.sub(block, text)


# --- two measurements ----------------------------------------------------------------------------------------------------------


def comparison(results: Results, old: Results) -> str:
    rows = []
    for version in results.versions:
        before = old.version(version.name)
        if before is None:
            rows.append([version.name, "new", "", people.milliseconds(version.wall_median_ns), "", "", ""])
            continue
        overlap = min(version.wall_ns) <= max(before.wall_ns) and min(before.wall_ns) <= max(version.wall_ns)
        ratio = before.wall_median_ns / version.wall_median_ns
        said = "ranges overlap" if overlap else (f"{ratio:.2f}x faster" if ratio > 1 else f"**{1 / ratio:.2f}x slower**")
        rows.append(
            [
                version.name,
                said,
                people.milliseconds(before.wall_median_ns),
                people.milliseconds(version.wall_median_ns),
                people.change(before.instructions_per_line, version.instructions_per_line),
                people.change(before.allocations_per_line, version.allocations_per_line),
                f"{frame_text(before)} → {frame_text(version)}",
            ]
        )
    gone = [version.name for version in old.versions if results.version(version.name) is None]
    lines = [
        "## Against the older measurement",
        "",
        f"Old: {old.label}. New: {results.label}.",
    ]
    if results.machine_key != old.machine_key:
        lines += ["", "Times of different machines or compilers: only instructions and allocations compare."]
    elif old.raw.get("log") != results.raw.get("log"):
        lines += ["", "The logs differ: only what is per line compares."]
    lines += ["", table(["", "time", "old", "new", "instructions/line", "allocs/line", "widest own frame"], rows)]
    if gone:
        lines += ["", f"No longer there: {', '.join(gone)}."]
    return "\n".join(lines) + "\n"
