#!/bin/sh
# SPDX-License-Identifier: MIT
# What counting costs: builds and runs tests/bench. One table on stdout, each bar beside its figure (tests/bench/README.md).
#
#   scripts/bench.sh [--rounds N] [--only WORKLOAD,...] [--variants NAME,...] [--peers] [--json FILE] [--no-callgrind]
#
# Reads the sources; writes build/bench/. A quarter of an hour for all of it, on a machine that does nothing else.
set -eu
cd "$(dirname "$0")/.."
. scripts/packages.sh

build=build/bench
need_packages build test
mkdir -p "$build"
echo "Building (log in $build/build.log)" >&2
if ! { cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release &&
    cmake --build "$build" --parallel "$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)" --target bench; } >"$build/build.log" 2>&1; then
    tail -n 30 "$build/build.log" >&2
    echo "The build failed; $build/build.log has all of it." >&2
    exit 1
fi
exec "$build/tests/bin/bench" "$@"
