#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page of profile.sh: a CPU flame graph beside the allocation counts of one program.

    profile_page.py DIR PROFILER WHY PROGRAM [ARGUMENT...]

Reads DIR/time.json, record.json, cpu.svg and cpu.folded, as far as they are there; writes DIR/profile.html.
"""
from __future__ import annotations

import json
import shlex
import shutil
import sys
from html import escape
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True  # the tree stays clean
import html_parts  # noqa: E402
import people  # noqa: E402
from draw_from import draw_from  # noqa: E402
from folded import functions_of, plain_name, read_folded, summarise_stacks  # noqa: E402
from page import card  # noqa: E402

SIZES_SHOWN = 12


def read_json(path: Path) -> dict[str, Any] | None:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def cpu_card(work: Path, profiler: str, why: str, program: str) -> str:
    svg = work / "cpu.svg"
    if not svg.exists():
        return card("Where the time goes", "", f'<p class="missing">No flame graph: {escape(why)}</p>')
    unit = "Instructions, as callgrind counts them; not time." if profiler == "callgrind" else f"Samples of {profiler}: {why}."
    stacks = read_folded(work / "cpu.folded")
    found = shutil.which(program)
    own = functions_of(Path(found)) if found else set()
    # main holds everything; its width says nothing.
    summary = summarise_stacks(stacks, own - {"main"})
    if summary.own_frames:
        said = "Own functions of the program, widest first:"
        rows = [(frame.function, frame.share_ratio, people.percent(frame.share_ratio)) for frame in summary.own_frames]
    else:
        said = "Hottest leaves (the program names no functions of its own: stripped, or a script):"
        rows = [(plain_name(name), ratio, people.percent(ratio)) for name, ratio in summary.hottest_leaves]
    body = html_parts.flame_frame(svg, f"CPU flame graph of {program}") + f"<p>{said}</p>" + html_parts.meter(rows)
    return card("Where the time goes", unit, body)


def phase_rows(record: dict[str, Any]) -> list[tuple[str, float, str]]:
    total = max(1, record["total"]["allocations"])
    return [
        (phase["name"], phase["allocations"] / total, people.whole(phase["allocations"]))
        for phase in record["phases"]
        if phase["allocations"] or phase["frees"]
    ]


def size_rows(record: dict[str, Any]) -> list[tuple[str, float, str]]:
    sizes = sorted(record["total"].get("size_histogram") or [], key=lambda pair: -pair[1])[:SIZES_SHOWN]
    total = max(1, record["total"]["allocations"])
    return [(f"up to {people.whole(upper)} bytes", count / total, people.whole(count)) for upper, count in sorted(sizes)]


def counts_card(record: dict[str, Any] | None, work: Path) -> str:
    if record is None:
        messages = work / "messages"
        said = messages.read_text(errors="replace").strip() if messages.exists() else ""
        return card("Where it allocates", "", f'<p class="missing">Not counted. {escape(said)}</p>')
    total = record["total"]
    facts = [
        ("allocations", people.whole(total["allocations"])),
        ("frees", people.whole(total["frees"])),
        ("reallocs that moved", people.whole(total["realloc_moved"])),
        ("bytes requested", people.whole(total["bytes_requested"])),
        ("live at the end", f"{people.whole(total['live_blocks'])} blocks"),
        ("peak live", people.mebibytes(total["bytes_peak"])),
        ("peak RSS", people.mebibytes(record["resources"]["max_rss_bytes"])),
    ]
    for unit, rates in (total.get("per") or {}).items():
        facts.append((f"allocations per {unit}", people.per_line(rates["allocations"])))
    notes = record["coverage"]["notes"]
    body = [html_parts.facts(facts)]
    body.append("<p>Allocations by phase:</p>" + html_parts.meter(phase_rows(record)))
    body.append("<p>By size, the most frequent classes:</p>" + html_parts.meter(size_rows(record)))
    if record["coverage"]["level"] != "full":
        body.append(f'<p class="verdict not-shown">Partly counted: {escape("; ".join(map(str, notes)))}</p>')
    body.append(allocation_flame(record, work))
    return card("Where it allocates", "Counted exactly under the shim, in a run of its own.", "".join(body))


def allocation_flame(record: dict[str, Any], work: Path) -> str:
    svg = work / "allocations.svg"
    if not svg.exists():
        return '<p class="missing">There are no allocations to draw.</p>'
    if draw_from(record) == "samples":
        count = sum(sample["samples"] for sample in record["samples"])
        said = (
            f"An estimate, from the stack of one allocation in {people.whole(record['sample_bytes'])} bytes ({people.whole(count)} samples): "
            "most of the program was built without frame pointers, so exact stacks end at their first frame."
        )
    else:
        said = "Every allocation, by its call stack."
    return f"<p>{escape(said)}</p>" + html_parts.flame_frame(svg, "Allocation flame graph")


def main() -> int:
    if len(sys.argv) < 5:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    work, profiler, why, command = Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]
    timed = read_json(work / "time.json")
    record = read_json(work / "record.json")
    figures = []
    if timed:
        figures.append((people.milliseconds(timed["wall_ns"]), "wall time, one run without profiler or shim"))
        figures.append((people.milliseconds(timed["user_ns"] + timed["system_ns"]), "CPU time"))
    if record:
        figures.append((people.whole(record["total"]["allocations"]), "allocations"))
        figures.append((people.mebibytes(record["total"]["bytes_peak"]), "peak live"))
    body = [
        f"<h1>{escape(Path(command[0]).name)}</h1>",
        f'<p class="lead"><code>{escape(shlex.join(command))}</code></p>',
        html_parts.figures(figures),
        '<div class="grid flames">',
        cpu_card(work, profiler, why, command[0]),
        counts_card(record, work),
        "</div>",
        '<p class="how">Find the widest frame of your own, change one thing, and measure again without the profiler. '
        "Width is the share of the samples; a flame graph of time does not say how often memory is asked for, so the counts stand beside it.</p>",
    ]
    (work / "profile.html").write_text(html_parts.page(f"Profile of {Path(command[0]).name}", body), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
