#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Says what the allocation flame graph of a record should be drawn from: `draw_from.py RECORD` prints "stacks", "samples" or "none".

Stacks are exact, but end at their first frame in code without frame pointers. When that is most of them and there are samples, these tell
more.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def draw_from(record: dict[str, Any]) -> str:
    total = record["total"]["allocations"]
    if total == 0 or not record.get("sites"):
        return "none"
    single = sum(site["allocations"] for site in record["sites"] if len(site["frames"]) < 2)
    return "samples" if record.get("samples") and 2 * single > total else "stacks"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        print(draw_from(json.load(file)))
