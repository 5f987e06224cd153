# SPDX-License-Identifier: MIT
"""Results as one HTML page: what came of it, charts, flame graphs side by side, and the table that says it all again in numbers."""
from __future__ import annotations

from html import escape
from pathlib import Path

import charts
import html_parts
import markdown
import people
from results import Results, Version

LEGEND = (
    '<ul class="legend">'
    '<li><svg viewBox="0 0 16 16" class="chart" aria-hidden="true"><circle class="mark dot" cx="8" cy="8" r="5.5"/></svg>faster than its base</li>'
    '<li><svg viewBox="0 0 16 16" class="chart" aria-hidden="true"><circle class="mark ring" cx="8" cy="8" r="4.75"/></svg>'
    "not shown to be faster: the ranges overlap</li>"
    '<li><svg viewBox="0 0 16 16" class="chart" aria-hidden="true"><path class="mark slower" d="M8 1.5l6.5 6.5l-6.5 6.5l-6.5 -6.5z"/></svg>slower</li>'
    "{more}</ul>"
)
OLD = '<li><svg viewBox="0 0 16 16" class="chart" aria-hidden="true"><line class="old" x1="8" x2="8" y1="1" y2="15"/></svg>the older measurement</li>'
SQUARE = (
    '<li><svg viewBox="0 0 16 16" class="chart" aria-hidden="true"><rect class="mark dot" x="2" y="2" width="12" height="12"/></svg>'
    "allocates for every line</li>"
    '<li><svg viewBox="0 0 16 16" class="chart" aria-hidden="true"><line class="path tried" x1="0" x2="16" y1="8" y2="8"/></svg>tried, not built on</li>'
)


def card(title: str, text: str, body: str) -> str:
    return f'<section class="card"><h3>{escape(title)}</h3><p>{escape(text)}</p>{body}</section>'


def verdict_html(results: Results, version: Version) -> str:
    verdict = results.verdicts.get(version.name)
    if verdict is None:
        return '<span class="verdict">the start</span>'
    return f'<span class="verdict {verdict.kind}">{escape(verdict.text)}</span>'


def flame_card(results: Results, version: Version, svg: Path | None) -> str:
    frames = [(frame.function, frame.share_ratio, people.percent(frame.share_ratio)) for frame in version.own_frames[:5]]
    body = [f"<section class=\"card\" id=\"{escape(version.name)}\"><h3>{escape(version.name)}: {escape(version.change)}</h3>"]
    body.append(f"<p>{escape(markdown.wall_text(version))} · {verdict_html(results, version)}</p>")
    if svg:
        body.append(html_parts.flame_frame(svg, f"Flame graph of logstat {version.name}"))
    else:
        body.append(f'<p class="missing">No flame graph: {escape(results.raw["profiler"]["why"])}</p>')
    if frames:
        body.append("<p>Own frames, widest first:</p>" + html_parts.meter(frames))
    body.append("</section>")
    return "".join(body)


def table(results: Results) -> str:
    heading = ["version", "change", "wall time", "CPU time", "verdict", "instructions/line", "allocations/line", "bytes/line", "peak RSS", "widest own frame"]
    numeric = {2, 3, 5, 6, 7, 8}
    rows = []
    for version in results.versions:
        frame = version.widest_own
        cells = [
            escape(version.name),
            escape(version.change),
            f"{people.milliseconds(version.wall_median_ns)}<small>{people.range_of(version.wall_ns)}</small>",
            people.milliseconds(version.cpu_median_ns),
            verdict_html(results, version),
            people.whole(version.instructions_per_line),
            people.per_line(version.allocations_per_line),
            people.per_line(version.bytes_requested_per_line),
            people.mebibytes(version.max_rss_bytes),
            f"<code>{escape(frame.function)}</code> {people.percent(frame.share_ratio)}" if frame else people.NOT_MEASURED,
        ]
        rows.append(
            "<tr>"
            + "".join(
                f'<th scope="row">{cell}</th>' if at == 0 else f'<td{" class=number" if at in numeric else ""}>{cell}</td>'
                for at, cell in enumerate(cells)
            )
            + "</tr>"
        )
    head = "".join(f'<th scope="col"{" class=number" if at in numeric else ""}>{cell}</th>' for at, cell in enumerate(heading))
    return f'<div class="scroll" tabindex="0" role="region" aria-label="Results"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def markdown_table_as_html(text: str) -> str:
    lines = [line.strip().strip("|").split(" | ") for line in text.splitlines() if line.startswith("|")]
    shown = [[inline(cell.strip()) for cell in line] for line in (lines[0], *lines[2:])]
    head = "".join(f'<th scope="col">{cell}</th>' for cell in shown[0])
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in shown[1:])
    return f'<div class="scroll" tabindex="0" role="region" aria-label="Comparison"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def inline(text: str) -> str:
    pieces = escape(text).split("**")
    bold = "".join(f"<strong>{piece}</strong>" if at % 2 else piece for at, piece in enumerate(pieces))
    pieces = bold.split("`")
    return "".join(f"<code>{piece}</code>" if at % 2 else piece for at, piece in enumerate(pieces))


def html(results: Results, flames: dict[str, Path], old: Results | None) -> str:
    first, last = results.versions[0], results.versions[-1]
    body = [
        "<h1>logstat, measured</h1>",
        f'<p class="lead">{len(results.versions)} versions of one program, one change each, the same report from all. '
        "Profile, read the widest frame, change one thing, measure again without the profiler.</p>",
        html_parts.figures(
            [
                (f"{first.wall_median_ns / last.wall_median_ns:.1f}x", f"faster from {first.name} to {last.name}"),
                (people.milliseconds(last.wall_median_ns), f"from {people.milliseconds(first.wall_median_ns)}, {people.whole(results.raw['log']['line_count'])} lines"),
                (people.per_line(last.allocations_per_line), f"allocations per line, from {people.per_line(first.allocations_per_line)}"),
                (people.mebibytes(last.max_rss_bytes), f"peak RSS, from {people.mebibytes(first.max_rss_bytes)}"),
            ]
        ),
        "<h2>Time, instructions, allocations</h2>",
        LEGEND.format(more=OLD if old else ""),
        '<div class="grid charts">',
        card(
            "Wall time",
            f"Whole process, median and range of {results.raw['run_count']} rounds, without a profiler. Logarithmic, ms.",
            charts.dots(results, "Wall time", lambda version: version.wall_median_ns, people.milliseconds, lambda version: version.wall_ns, old),
        ),
        card(
            "Instructions per line",
            f"By {results.raw['instructions']['tool']} on {people.whole(results.raw['instructions']['line_count'])} lines. Logarithmic.",
            charts.dots(results, "Instructions per line", lambda version: version.instructions_per_line, people.whole, None, old),
        ),
        card(
            "Allocations per line",
            "Counted exactly under the shim, the whole process.",
            charts.bars(results, "Allocations per line", lambda version: version.allocations_per_line, people.per_line),
        ),
        card("Peak resident memory", "As the kernel saw it.", charts.bars(results, "Peak RSS", lambda version: version.max_rss_bytes, people.mebibytes)),
        "</div>",
        "<h2>Fewer instructions is not yet less time</h2>",
        '<p class="how">The line follows what was built on. Left is faster, down is less work; a step that goes down but not left changed '
        "something that the time does not depend on.</p>",
        LEGEND.format(more=SQUARE),
        f'<div class="card wide" tabindex="0" role="region" aria-label="Time and instructions">{charts.path_chart(results)}</div>',
        "<h2>Flame graphs side by side</h2>",
        '<p class="how">Width is the share; what lies above is called from below; left to right is alphabetical. Read it from below, and stop at '
        "the first wide frame of the program’s own. Click zooms; Ctrl-F inside a graph searches.</p>",
        '<div class="grid flames">',
        *(flame_card(results, version, flames.get(version.name)) for version in results.versions),
        "</div>",
        "<h2>All figures</h2>",
        table(results),
    ]
    if old:
        said = markdown.comparison(results, old)
        paragraphs = [line for line in said.splitlines()[1:] if line and not line.startswith("|")]
        body += ["<h2>Against the older measurement</h2>"]
        body += [f'<p class="how">{inline(line)}</p>' for line in paragraphs]
        body += [markdown_table_as_html(said)]
    body += ["<h2>How it was measured</h2>", f'<p class="how">{inline(markdown.method(results))}</p>']
    body += [
        '<p class="how">A flame graph shows where time goes, not how often memory is asked for: the allocation figures come from a run under '
        "<code>countalloc run</code>, which is never the run that is timed. A change counts as faster only if its slowest round beats the "
        "fastest round of its base. Own frames leave out the functions that contain a whole run, such as <code>main</code>.</p>"
    ]
    return html_parts.page("logstat, measured", body)
