#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What measure.sh measured, for people: a Markdown table on standard output, and one HTML page.

    summarise.py RESULTS [--compare OLD]            the table; writes results.md and results.html beside results.json
    summarise.py RESULTS --fill PAGE.md             writes the page's generated parts anew
    summarise.py RESULTS --check PAGE.md            status 1 and a diff if those parts are stale

RESULTS and OLD are results.json or a work directory of measure.sh. Generated parts of a page stand between
'<!-- results: begin NAME -->' and '<!-- results: end -->'; NAME is table, method, summary, step V, profile V or rank (against OLD).
Status: 0; 1 stale; 2 usage, or a file that cannot be read or is not what it should be.
"""
from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # the tree stays clean
sys.path.insert(0, str(Path(__file__).resolve().parent / "loop"))

import markdown  # noqa: E402
import page  # noqa: E402
from results import Results, ResultsError, load  # noqa: E402


def flames_beside(results: Results) -> dict[str, Path]:
    folder = results.path.parent / "profiles"
    return {version.name: path for version in results.versions if (path := folder / f"{version.name}.svg").exists()}


def write(path: Path, text: str) -> None:
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def show(results: Results, old: Results | None, output: Path | None) -> None:
    text = markdown.document(results)
    if old:
        text += "\n" + markdown.comparison(results, old)
    folder = output or results.path.parent
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "results.md", text)
    write(folder / "results.html", page.html(results, flames_beside(results), old))
    print(text)
    print(f"The page: {folder / 'results.html'}", file=sys.stderr)


def check(path: Path, stored: str, fresh: str) -> int:
    if stored == fresh:
        return 0
    sys.stdout.writelines(difflib.unified_diff(stored.splitlines(True), fresh.splitlines(True), str(path), "from the results", n=1))
    print(f"{path} is stale: summarise.py RESULTS --fill {path}", file=sys.stderr)
    return 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, metavar="RESULTS")
    parser.add_argument("--compare", type=Path, metavar="OLD")
    parser.add_argument("--output", type=Path, metavar="DIR", help="where results.md and results.html go")
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--fill", type=Path, metavar="PAGE.md")
    modes.add_argument("--check", type=Path, metavar="PAGE.md")
    options = parser.parse_args()
    try:
        results = load(options.results)
        old = load(options.compare) if options.compare else None
        target = options.fill or options.check
        if target is None:
            show(results, old, options.output)
            return 0
        stored = target.read_text(encoding="utf-8")
        fresh = markdown.fill(stored, results, old)
        if options.check:
            return check(target, stored, fresh)
        write(target, fresh)
        return 0
    except KeyError as error:
        print(f"summarise.py: {target}: {error.args[0]}", file=sys.stderr)
    except (ResultsError, OSError) as error:
        print(f"summarise.py: {error}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
