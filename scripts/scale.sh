#!/bin/sh
# SPDX-License-Identifier: MIT
# What happens to the tool itself when things grow: threads, phases, call sites, calls. A table on stdout, scale.json and scale.svg.
#
#   scripts/scale.sh [WORKDIR [ROUNDS]]     WORKDIR: build/scale/work unless given; ROUNDS: of each size, the fastest counts (5)
#
# Reads the sources; writes build/scale/ and WORKDIR. A few minutes.
set -eu
cd "$(dirname "$0")/.."
. scripts/packages.sh

build=build/scale
work=${1:-$build/work}
rounds=${2:-5}
case $rounds in
*[!0-9]* | '' | 0)
    echo "usage: scripts/scale.sh [WORKDIR [ROUNDS]]     ROUNDS: a number from 1 (default 5)" >&2
    exit 2
    ;;
esac
need_packages build test
mkdir -p "$work"
echo "Building (log in $work/build.log)" >&2
if ! { cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release &&
    cmake --build "$build" --parallel "$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)" \
        --target countalloc countalloc_command scale_work; } >"$work/build.log" 2>&1; then
    tail -n 30 "$work/build.log" >&2
    echo "The build failed; $work/build.log has all of it." >&2
    exit 1
fi
python3 -B scripts/loop/scale.py --build "$build" --rounds "$rounds" --json "$work/scale.json" --svg "$work/scale.svg"
echo "$work/scale.json, $work/scale.svg" >&2
