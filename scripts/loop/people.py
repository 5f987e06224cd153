# SPDX-License-Identifier: MIT
"""Numbers as people read them. Everything else keeps nanoseconds, bytes, counts and ratios."""
from __future__ import annotations

NOT_MEASURED = "not measured"


def whole(count: float | None) -> str:
    return NOT_MEASURED if count is None else f"{count:,.0f}"


def milliseconds(duration_ns: float | None) -> str:
    if duration_ns is None:
        return NOT_MEASURED
    value = duration_ns / 1e6
    return f"{value:,.1f} ms" if value < 99.95 else f"{value:,.0f} ms"


def range_of(durations_ns: list[int]) -> str:
    low, high = min(durations_ns) / 1e6, max(durations_ns) / 1e6
    return f"{low:,.1f}–{high:,.1f}" if high < 99.95 else f"{low:,.0f}–{high:,.0f}"


def per_line(count: float | None) -> str:
    return NOT_MEASURED if count is None else f"{count:,.3f}"


def mebibytes(size_bytes: float | None) -> str:
    return NOT_MEASURED if size_bytes is None else f"{size_bytes / 2**20:,.1f} MiB"


def percent(share_ratio: float | None) -> str:
    return NOT_MEASURED if share_ratio is None else f"{100 * share_ratio:.1f} %"


def change(old: float | None, new: float | None) -> str:
    """+3.2 %, or both when there is no meaningful ratio."""
    if old is None or new is None:
        return NOT_MEASURED
    if old == new:
        return "the same"
    if old == 0:
        return f"from 0 to {new:,.3g}"
    percent_changed = 100 * (new - old) / old
    return "±0.0 %" if abs(percent_changed) < 0.05 else f"{percent_changed:+,.1f} %".replace("-", "−")
