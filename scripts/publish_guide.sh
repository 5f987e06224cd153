#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes a measurement into the guide: its figures, its pictures, and the generated parts of analyzer/GUIDE.md.
#
#   scripts/publish_guide.sh WORKDIR        WORKDIR: of scripts/measure.sh, finished
#
# Writes analyzer/guide/results.json, analyzer/guide/v0.svg and the last version's, v1-allocations.svg, analyzer/GUIDE.md.
set -eu
if [ $# -ne 1 ] || [ ! -e "$1/results.json" ]; then
    echo "usage: scripts/publish_guide.sh WORKDIR     (scripts/measure.sh WORKDIR makes it)" >&2
    exit 2
fi
work=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
guide=analyzer/guide

cp "$work/results.json" "$guide/results.json"
rm -f "$guide"/v*.svg
for version in "$(head -n 1 "$work/versions.txt" | cut -d ' ' -f 1)" "$(tail -n 1 "$work/versions.txt" | cut -d ' ' -f 1)"; do
    cp "$work/profiles/$version.svg" "$guide/$version.svg"
done
# Needs no quiet machine: it counts.
log=$(ls -S "$work"/access-*.log | head -n 1)
bin=$work/build/bin
"$bin/countalloc" run -q --stacks --format svg="$guide/v1-allocations.svg" -- "$bin/logstat" run v1 "$log" >"$work/output"
python3 scripts/summarise.py "$guide/results.json" --compare "$guide/rust-m2pro.json" --fill analyzer/GUIDE.md
