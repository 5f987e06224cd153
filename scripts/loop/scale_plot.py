# SPDX-License-Identifier: MIT
"""Small plots of what grows with what, side by side, as one SVG with its own colours for light and dark."""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from html import escape

PLOT_WIDTH_PX = 240
PLOT_HEIGHT_PX = 120
LEFT_PX = 56
TOP_PX = 44
LABEL_PX = 34
GAP_X_PX = 90
GAP_Y_PX = 92

STYLE = """
text { font: 12px system-ui, "Segoe UI", "DejaVu Sans", Arial, sans-serif; fill: #1c1a17; }
.head { font-size: 16px; font-weight: 600; } .title { font-weight: 600; } .tick { font-size: 11px; fill: #5c574f; } .grid { stroke: #e7e3dc; } .axis { stroke: #857d70; }
.line { fill: none; stroke: #2563c9; stroke-width: 2; }
.dot { fill: #2563c9; } .paper { fill: #fbfaf8; }
@media (prefers-color-scheme: dark) {
  text { fill: #efece6; } .tick { fill: #aea79b; } .grid { stroke: #2d2b28; } .axis { stroke: #968d7f; } .paper { fill: #161514; }
  .line { stroke: #74a7f7; } .dot { fill: #74a7f7; }
}
"""


@dataclass(frozen=True)
class Plot:
    title: str
    unit: str
    points: list[tuple[float, float]]


def rounded_up(value: float) -> float:
    """The next of 1, 2, 5, 10, 20 ... that is no less."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= value * 0.999)


def short(value: float) -> str:
    for limit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= limit:
            return f"{value / limit:.3g}{letter}"
    return f"{value:g}"


def readable(values: list[float], x_of: Callable[[float], float]) -> list[float]:
    """Those whose labels do not run into the one after them; the last stays."""
    kept: list[float] = []
    for value in reversed(values):
        if not kept or x_of(kept[-1]) - x_of(value) >= LABEL_PX:
            kept.append(value)
    return kept


def one(plot: Plot, left: float, top: float) -> list[str]:
    xs = [x for x, _ in plot.points]
    high_y = rounded_up(max(y for _, y in plot.points))
    low_x, high_x = math.log10(min(xs)), math.log10(max(xs))
    bottom = top + PLOT_HEIGHT_PX

    def x_of(x: float) -> float:
        share = (math.log10(x) - low_x) / (high_x - low_x) if high_x > low_x else 0.5
        return left + share * PLOT_WIDTH_PX

    def y_of(y: float) -> float:
        return bottom - max(0.0, y) / high_y * PLOT_HEIGHT_PX

    body = [f'<text x="{left}" y="{top - 12}">{escape(plot.title)}</text>']
    for part in (0, 0.5, 1):
        y = y_of(high_y * part)
        body.append(f'<line class="{"axis" if part == 0 else "grid"}" x1="{left}" x2="{left + PLOT_WIDTH_PX}" y1="{y:.1f}" y2="{y:.1f}"/>')
        label = f"{high_y * part:g} {plot.unit}" if part == 1 else f"{high_y * part:g}"
        body.append(f'<text class="tick" x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    for x in readable(sorted(set(xs)), x_of):
        body.append(f'<text class="tick" x="{x_of(x):.1f}" y="{bottom + 16}" text-anchor="middle">{short(x)}</text>')
    path = " ".join(f"{x_of(x):.1f},{y_of(y):.1f}" for x, y in plot.points)
    said = ", ".join(f"{short(x)}: {y:.3g}" for x, y in plot.points)
    body.append(f'<polyline class="line" points="{path}"><title>{said} {plot.unit}</title></polyline>')
    body += [f'<circle class="dot" cx="{x_of(x):.1f}" cy="{y_of(y):.1f}" r="3"/>' for x, y in plot.points]
    return body


def draw(title: str, rows: list[tuple[str, list[Plot]]]) -> str:
    columns = max(len(plots) for _, plots in rows)
    width = LEFT_PX + columns * (PLOT_WIDTH_PX + GAP_X_PX)
    height = TOP_PX + 30 + len(rows) * (PLOT_HEIGHT_PX + GAP_Y_PX)
    body = [f'<rect class="paper" width="{width}" height="{height}"/>', f'<text class="head" x="{LEFT_PX}" y="26">{escape(title)}</text>']
    for at_row, (heading, plots) in enumerate(rows):
        top = TOP_PX + 50 + at_row * (PLOT_HEIGHT_PX + GAP_Y_PX)
        body.append(f'<text class="title" x="{LEFT_PX}" y="{top - 32}">{escape(heading)}</text>')
        for at_column, plot in enumerate(plots):
            body += one(plot, LEFT_PX + at_column * (PLOT_WIDTH_PX + GAP_X_PX), top)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">'
        f"<style>{STYLE}</style>" + "\n".join(body) + "</svg>\n"
    )
