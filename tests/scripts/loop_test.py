# SPDX-License-Identifier: MIT
"""What the tests of the scripts share."""
from __future__ import annotations

import base64
import os
import re
import subprocess
import sys
import xml.etree.ElementTree
from html.parser import HTMLParser
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
SCRIPTS = SOURCE / "scripts"
DATA = Path(__file__).resolve().parent / "data"
BIN = Path(os.environ.get("COUNTALLOC_BIN", SOURCE / "build" / "bin"))
sys.path.insert(0, str(SCRIPTS / "loop"))

VOID = {"meta", "br", "hr", "img", "input", "link"}


class TagBalance(HTMLParser):
    """Collects what an HTML page references, and complains about tags that do not match."""

    def __init__(self) -> None:
        super().__init__()
        self.open_tags: list[str] = []
        self.references: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open_tags.append(tag)
        self.note(attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.note(attrs)

    def note(self, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("src", "href", "data"):
                self.references.append(value or "")
            if name == "id":
                self.ids.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        if not self.open_tags or self.open_tags.pop() != tag:
            raise ValueError(f"</{tag}> at {self.getpos()} closes nothing")


def check_page(html: str) -> list[xml.etree.ElementTree.Element]:
    """Holds a page against its promises: tags match, ids are unique, nothing is fetched, each picture is XML. Returns the embedded SVGs."""
    parser = TagBalance()
    parser.feed(html)
    parser.close()
    assert parser.open_tags == [], parser.open_tags
    assert len(parser.ids) == len(set(parser.ids)), parser.ids
    assert all(reference.startswith("data:image/svg+xml;base64,") for reference in parser.references), parser.references
    assert "@import" not in html and not re.search(r"url\((?!data:)", html)
    for inline in re.findall(r"<svg xmlns.*?</svg>", html, re.DOTALL):
        xml.etree.ElementTree.fromstring(inline)
    return [xml.etree.ElementTree.fromstring(base64.b64decode(reference.split(",", 1)[1])) for reference in parser.references]


def run(command: list[str | Path], **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "COUNTALLOC_BIN": str(BIN), "COUNTALLOC_INSTALL": "no", **environment},
    )


def versions_of_logstat() -> list[tuple[str, str]]:
    listing = run([BIN / "logstat", "versions"]).stdout
    return [(line.split(None, 1)[0], line.split(None, 1)[1]) for line in listing.splitlines()]
