#!/bin/sh
# SPDX-License-Identifier: MIT
# Races the later versions of logstat against what must be done at least: `cat` and `wc -l` of the same log. One table.
#
#   scripts/race.sh [--lines N] [--rounds N] [--with 'COMMAND @LOG']... [--json FILE]
#
# Each round runs every contestant once, shuffled; a ratio is of two runs of the same round. --with adds a contestant, for example the same
# report by another tool. Reads the sources; writes build/race/. Default: 1,000,000 lines (119 MB), 31 rounds, about half a minute.
set -eu
cd "$(dirname "$0")/.."
. scripts/packages.sh

case ${1:-} in
-h | --help)
    sed -n '3,8s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
esac
build=build/race
need_packages build
command -v python3 >/dev/null || need_packages loop
mkdir -p "$build"
echo "Building (log in $build/build.log)" >&2
if ! { cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF &&
    cmake --build "$build" --parallel "$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)" --target logstat; } >"$build/build.log" 2>&1; then
    tail -n 30 "$build/build.log" >&2
    echo "The build failed; $build/build.log has all of it." >&2
    exit 1
fi
exec python3 -B scripts/loop/race.py "$build/bin/logstat" "$build" "$@"
