# SPDX-License-Identifier: MIT
"""Pieces that the pages share. A page is one file: style, charts and flame graphs are inside, nothing is fetched."""
from __future__ import annotations

import base64
import re
from html import escape
from pathlib import Path

HERE = Path(__file__).resolve().parent


def page(title: str, body: list[str]) -> str:
    style = (HERE / "page.css").read_text(encoding="utf-8").strip()
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}\n</style>\n</head>\n<body>\n<main>\n" + "\n".join(body) + "\n</main>\n</body>\n</html>\n"
    )


def flame_frame(svg: Path, title: str) -> str:
    """The flame graph in a frame of its own, so that its script and names stay apart; click zooms, Ctrl-F searches."""
    text = svg.read_text(encoding="utf-8")
    height = re.search(r'<svg[^>]*\bheight="([0-9.]+)"', text)
    height_px = float(height.group(1)) if height else 600
    encoded = base64.b64encode(text.encode()).decode()
    return (
        f'<iframe title="{escape(title)}" loading="lazy" sandbox="allow-scripts" style="height:{height_px:.0f}px" '
        f'src="data:image/svg+xml;base64,{encoded}"></iframe>'
    )


def meter(rows: list[tuple[str, float, str]]) -> str:
    """Names with bars. A row: name, ratio 0 to 1, the value in words."""
    return (
        '<dl class="meter">'
        + "".join(
            f'<dt title="{escape(name)}"><code>{escape(name)}</code></dt><dd><i style="width:{100 * ratio:.1f}%"></i></dd><dd>{escape(said)}</dd>'
            for name, ratio, said in rows
        )
        + "</dl>"
    )


def facts(rows: list[tuple[str, str]]) -> str:
    return "<dl>" + "".join(f"<dt>{escape(name)}</dt><dd>{escape(said)}</dd>" for name, said in rows) + "</dl>"


def figures(rows: list[tuple[str, str]]) -> str:
    return '<ul class="figures">' + "".join(f"<li><b>{escape(big)}</b><span>{escape(small)}</span></li>" for big, small in rows) + "</ul>"
