#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a version of logstat once, without a profiler, and prints one line of JSON about it.

    time_run.py VERSION COMMAND...

Wall time is the whole process, from the request to start it until it is gone. The checksum is the one that COMMAND printed.
"""
from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    version, command = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as complaints:
        started_ns = time.perf_counter_ns()
        child = subprocess.Popen(command, stdout=output, stderr=complaints)
        _, wait_status, usage = os.wait4(child.pid, 0)
        wall_ns = time.perf_counter_ns() - started_ns
        child.returncode = os.waitstatus_to_exitcode(wait_status)
        output.seek(0)
        complaints.seek(0)
        printed = output.read().decode(errors="replace")
        complained = complaints.read().decode(errors="replace")
    if child.returncode != 0:
        print(f"{' '.join(command)} ended with status {child.returncode}:\n{complained}", file=sys.stderr)
        return 1
    checksum = re.search(r"^checksum=([0-9a-f]+)$", printed, re.MULTILINE)
    run_ms = re.search(r"run_ms=([0-9.]+)", complained)
    print(
        json.dumps(
            {
                "version": version,
                "wall_ns": wall_ns,
                "user_ns": round(usage.ru_utime * 1e9),
                "system_ns": round(usage.ru_stime * 1e9),
                "scan_ns": round(float(run_ms.group(1)) * 1e6) if run_ms else None,
                "checksum": checksum.group(1) if checksum else None,
                "load_average": round(os.getloadavg()[0], 2),
            }
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
