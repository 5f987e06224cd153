# SPDX-License-Identifier: MIT
"""Charts as inline SVG. Colours come from the page's style sheet (classes), so they follow light and dark. Every mark says its value in
words beside it; shape tells what colour tells: a full dot is faster than its base, a ring is not shown to be, a diamond is slower."""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from html import escape

import people
from results import Results, Version

ROW_PX = 30
WIDTH_PX = 640
LABEL_PX = 40
VALUE_PX = 110
TOP_PX = 8


@dataclass(frozen=True)
class Scale:
    """A logarithmic or linear map of [low, high] onto [start_px, end_px]."""

    low: float
    high: float
    start_px: float
    end_px: float
    is_log: bool

    def at(self, value: float) -> float:
        if self.is_log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start_px + share * (self.end_px - self.start_px)


def decades(low: float, high: float) -> list[float]:
    return [10.0**power for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def kind_of(results: Results, version: Version) -> str:
    verdict = results.verdicts.get(version.name)
    return verdict.kind if verdict else "start"


def mark(kind: str, x: float, y: float, radius: float = 5.5) -> str:
    if kind == "not-shown":
        return f'<circle class="mark ring" cx="{x:.1f}" cy="{y:.1f}" r="{radius - 0.75:.2f}"/>'
    if kind == "slower":
        r = radius + 1
        return f'<path class="mark slower" d="M{x:.1f} {y - r:.1f}l{r} {r}l-{r} {r}l-{r} -{r}z"/>'
    return f'<circle class="mark dot" cx="{x:.1f}" cy="{y:.1f}" r="{radius}"/>'


def frame(title: str, description: str, height_px: float, body: list[str], width_px: float = WIDTH_PX) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 {width_px:g} {height_px:g}" role="img" '
        f'aria-label="{escape(title)}: {escape(description)}">' + "".join(body) + "</svg>"
    )


def row_label(results: Results, version: Version, y: float) -> str:
    verdict = results.verdicts.get(version.name)
    off = ' off' if verdict and verdict.is_rejected else ""
    return f'<text class="name{off}" x="{LABEL_PX - 10}" y="{y + 4:.1f}" text-anchor="end">{escape(version.name)}</text>'


def dots(
    results: Results,
    title: str,
    value_of: Callable[[Version], float | None],
    text_of: Callable[[float | None], str],
    range_of: Callable[[Version], list[int]] | None = None,
    old: Results | None = None,
) -> str:
    """A row per version, on a logarithmic axis: the value as a dot, its range as a line, the older value as a small tick."""
    values = [value for version in results.versions if (value := value_of(version))]
    if not values:
        return f'<p class="missing">{people.NOT_MEASURED}</p>'
    around = list(values)
    for version in results.versions:
        around += range_of(version) if range_of else []
        before = old.version(version.name) if old else None
        if before and value_of(before):
            around.append(value_of(before))
    low, high = min(around) / 1.3, max(around) * 1.3
    scale = Scale(low, high, LABEL_PX, WIDTH_PX - VALUE_PX, True)
    bottom = TOP_PX + ROW_PX * len(results.versions)
    body = []
    for tick in decades(low, high):
        for part in (1, 2, 5):
            if low <= tick * part <= high and (part == 1 or high / low < 300):
                x = scale.at(tick * part)
                body.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP_PX}" y2="{bottom}"/>')
                body.append(f'<text class="tick" x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{short(tick * part, text_of)}</text>')
    for at, version in enumerate(results.versions):
        y = TOP_PX + ROW_PX * (at + 0.5)
        value = value_of(version)
        body.append(row_label(results, version, y))
        before = old.version(version.name) if old else None
        if before and value_of(before):
            x = scale.at(value_of(before))
            body.append(f'<line class="old" x1="{x:.1f}" x2="{x:.1f}" y1="{y - 8:.1f}" y2="{y + 8:.1f}"/>')
        if value:
            if range_of:
                ends = range_of(version)
                body.append(f'<line class="range" x1="{scale.at(min(ends)):.1f}" x2="{scale.at(max(ends)):.1f}" y1="{y:.1f}" y2="{y:.1f}"/>')
            body.append(mark(kind_of(results, version), scale.at(value), y))
        body.append(f'<text class="value" x="{WIDTH_PX - VALUE_PX + 12}" y="{y + 4:.1f}">{text_of(value)}</text>')
    said = "; ".join(f"{version.name} {text_of(value_of(version))}" for version in results.versions)
    return frame(title, said, bottom + 24, body)


def short(value: float, text_of: Callable[[float | None], str]) -> str:
    """An axis label: without the decimals and the unit that the values carry."""
    if text_of is people.milliseconds:
        value /= 1e6
    if value >= 1000 and text_of is not people.milliseconds:
        return f"{value / 1000:g}k"
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def bars(results: Results, title: str, value_of: Callable[[Version], float | None], text_of: Callable[[float | None], str]) -> str:
    """A row per version, on a linear axis from 0."""
    values = [value for version in results.versions if (value := value_of(version)) is not None]
    if not values:
        return f'<p class="missing">{people.NOT_MEASURED}</p>'
    scale = Scale(0, max(values) or 1, LABEL_PX, WIDTH_PX - VALUE_PX, False)
    bottom = TOP_PX + ROW_PX * len(results.versions)
    body = [f'<line class="axis" x1="{LABEL_PX}" x2="{LABEL_PX}" y1="{TOP_PX}" y2="{bottom}"/>']
    for at, version in enumerate(results.versions):
        y = TOP_PX + ROW_PX * (at + 0.5)
        value = value_of(version)
        body.append(row_label(results, version, y))
        if value:
            length = max(1.0, scale.at(value) - LABEL_PX)
            round_px = min(4.0, length)
            body.append(
                f'<path class="bar" d="M{LABEL_PX} {y - 8:.1f}h{length - round_px:.1f}q{round_px:.1f} 0 {round_px:.1f} {round_px:.1f}'
                f'v{16 - 2 * round_px:.1f}q0 {round_px:.1f} -{round_px:.1f} {round_px:.1f}h-{length - round_px:.1f}z"/>'
            )
        body.append(f'<text class="value" x="{WIDTH_PX - VALUE_PX + 12}" y="{y + 4:.1f}">{text_of(value)}</text>')
    said = "; ".join(f"{version.name} {text_of(value_of(version))}" for version in results.versions)
    return frame(title, said, bottom + 24, body)


def path_chart(results: Results) -> str:
    """Time against instructions, both logarithmic; squares allocate for every line. The line is what was built on."""
    points = [version for version in results.versions if version.instructions_per_line]
    if len(points) < 2:
        return f'<p class="missing">{people.NOT_MEASURED}</p>'
    width, height, left, bottom = 1320, 480, 74, 46
    times = [version.wall_median_ns for version in points]
    counts = [float(version.instructions_per_line or 1) for version in points]
    x_scale = Scale(min(times) / 1.6, max(times) * 1.6, left, width - 20, True)
    y_scale = Scale(min(counts) / 1.6, max(counts) * 1.6, height - bottom, 14, True)
    body = []
    for scale, is_x in ((x_scale, True), (y_scale, False)):
        for decade in decades(scale.low, scale.high):
            for part in (1, 2, 5):
                value = decade * part
                if not scale.low <= value <= scale.high:
                    continue
                at = scale.at(value)
                if is_x:
                    body.append(f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="14" y2="{height - bottom}"/>')
                    body.append(f'<text class="tick" x="{at:.1f}" y="{height - bottom + 18}" text-anchor="middle">{value / 1e6:,.0f} ms</text>')
                else:
                    body.append(f'<line class="grid" x1="{left}" x2="{width - 20}" y1="{at:.1f}" y2="{at:.1f}"/>')
                    body.append(f'<text class="tick" x="{left - 8}" y="{at + 4:.1f}" text-anchor="end">{value:,.0f}</text>')
    place = {version.name: (x_scale.at(time), y_scale.at(count)) for version, time, count in zip(points, times, counts)}
    accepted = [version.name for version in results.accepted if version.name in place]
    for version in points:
        if version.base in place:
            (x1, y1), (x2, y2) = place[version.base], place[version.name]
            style = "path" if version.name in accepted else "path tried"
            body.append(f'<line class="{style}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>')
    taken: list[tuple[float, float]] = []
    for version in points:
        x, y = place[version.name]
        if (version.allocations_per_line or 0) >= 0.5:
            body.append(f'<rect class="mark dot" x="{x - 6:.1f}" y="{y - 6:.1f}" width="12" height="12"/>')
        else:
            body.append(mark(kind_of(results, version), x, y, 6.5))
        spots = [(x + 12, y + 4.5), (x - 28, y + 4.5), (x - 8, y - 13), (x - 8, y + 23), (x + 10, y - 11), (x + 10, y + 20), (x - 28, y - 11)]
        crowd = taken + [(px - 8, py + 4.5) for px, py in place.values() if (px, py) != (x, y)]
        spot = max(spots, key=lambda s: (min([1e9, *(max(abs(s[0] - tx) / 1.6, abs(s[1] - ty)) for tx, ty in crowd)]) > 14, -spots.index(s)))
        taken.append(spot)
        body.append(f'<text class="name halo" x="{spot[0]:.1f}" y="{spot[1]:.1f}">{escape(version.name)}</text>')
    body.append(f'<text class="tick" x="{width - 20}" y="{height - 6}" text-anchor="end">wall time, median →</text>')
    body.append(f'<text class="tick" x="{left}" y="{height - 6}">↑ instructions per line</text>')
    said = "; ".join(f"{version.name} {people.milliseconds(version.wall_median_ns)}, {people.whole(version.instructions_per_line)}" for version in points)
    return frame("Wall time and instructions per line", said, height, body, width)
