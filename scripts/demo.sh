#!/bin/sh
# SPDX-License-Identifier: MIT
# The main job in one command: builds, writes a log of LINES lines (default 1,000,000), runs every version of logstat under the
# shim and without it, and prints one table. Enough on a fresh system: missing packages are named and installed.
#
#   scripts/demo.sh [LINES]
#
# Reads nothing but the sources; writes build/demo/ (records in build/demo/work/).
set -eu
cd "$(dirname "$0")/.."
. scripts/packages.sh

case ${1:-1000000} in
*[!0-9]* | '' | 0)
    echo "usage: scripts/demo.sh [LINES]     LINES: a number from 1 (default 1000000)" >&2
    exit 2
    ;;
esac
lines=${1:-1000000}
timed_runs=3

need_packages build demo
build=build/demo
work=$build/work
mkdir -p "$work"
echo "Building (log in $work/build.log)" >&2
if ! { cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF &&
    cmake --build "$build" --parallel "$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)"; } >"$work/build.log" 2>&1; then
    tail -n 30 "$work/build.log" >&2
    echo "The build failed; $work/build.log has all of it." >&2
    exit 1
fi
logstat=$build/bin/logstat
countalloc=$build/bin/countalloc
log=$work/access-$lines.log

versions=$("$logstat" versions | awk '{ print $1 }')
step=0
step_count=$((1 + $(echo "$versions" | wc -l) * (timed_runs + 1)))

# A bar on a terminal, nothing elsewhere. $1: what is being done now.
progress() {
    [ -t 2 ] || return 0
    filled=$((step * 30 / step_count))
    printf '\r\033[K[%s%s] %2d/%d  %s' "$(printf '%*s' "$filled" '' | tr ' ' '#')" \
        "$(printf '%*s' $((30 - filled)) '' | tr ' ' '.')" "$step" "$step_count" "$1" >&2
}
advance() { step=$((step + 1)); }

progress "writing $lines lines"
if [ ! -s "$log" ]; then
    "$logstat" gen --no-progress "$log.part" "$lines"
    mv "$log.part" "$log"
fi
advance

# BSD's date, macOS's up to 14, knows no %N.
now_ms() {
    now=$(date +%s%N)
    case $now in
    *N) perl -MTime::HiRes=time -e 'printf "%d\n", time * 1000' ;;
    *) echo $((now / 1000000)) ;;
    esac
}

# Counted once each; timed without the shim, interleaved, so that a slow spell of the machine hits every version.
for version in $versions; do
    progress "counting $version"
    "$countalloc" run -q --name "logstat-$version" -o "$work/$version.json" -- \
        "$logstat" run --no-progress "$version" "$log" >"$work/$version.out" 2>/dev/null
    : >"$work/$version.seconds"
    advance
done
run=0
while [ "$run" -lt "$timed_runs" ]; do
    for version in $versions; do
        progress "timing $version without the shim"
        start=$(now_ms)
        "$logstat" run --no-progress "$version" "$log" >/dev/null 2>&1
        end=$(now_ms)
        echo $((end - start)) >>"$work/$version.seconds"
        advance
    done
    run=$((run + 1))
done
[ -t 2 ] && printf '\r\033[K' >&2

for version in $versions; do
    idea=$("$logstat" versions | awk -v v="$version" '$1 == v { $1 = ""; print substr($0, 2) }')
    milliseconds=$(sort -n "$work/$version.seconds" | sed -n "$(((timed_runs + 1) / 2))p")
    checksum=$(sed -n 's/^checksum=//p' "$work/$version.out")
    jq -r --arg version "$version" --arg idea "$idea" --arg ms "$milliseconds" --arg checksum "$checksum" '
        [$version, $idea, .total.allocations,
         (.total.per.line.allocations // "?"), (.total.per.line.bytes_requested // "?"),
         .total.realloc_moved, (.total.bytes_peak // "not measured"), $ms, $checksum] | @tsv' "$work/$version.json"
done | awk -F '\t' -v lines="$lines" '
    function commas(n,    text) {
        if (n !~ /^[0-9]+$/) return n
        while (match(n, /[0-9][0-9][0-9][0-9]/) && length(n) > 3) {
            text = "," substr(n, length(n) - 2) text
            n = substr(n, 1, length(n) - 3)
        }
        return n text
    }
    function places(n, count) { return n == "?" ? n : sprintf("%.*f", count, n) }
    function cell(row, column, text) {
        cells[row, column] = text
        if (length(text) > width[column]) width[column] = length(text)
    }
    BEGIN {
        split("version|its one idea|allocations|per line|bytes per line|reallocs moved|peak live bytes|seconds|checksum", heading, "|")
        for (c = 1; c <= 9; c++) cell(0, c, heading[c])
    }
    {
        cell(NR, 1, $1); cell(NR, 2, $2); cell(NR, 3, commas($3)); cell(NR, 4, places($4, 2)); cell(NR, 5, places($5, 1))
        cell(NR, 6, commas($6)); cell(NR, 7, commas($7)); cell(NR, 8, places($8 / 1000, 2)); cell(NR, 9, $9)
    }
    END {
        for (r = 0; r <= NR; r++) {
            for (c = 1; c <= 9; c++)
                printf c <= 2 || c == 9 ? "%-*s  " : "%*s  ", width[c], cells[r, c]
            print ""
        }
    }' | sed 's/ *$//'

preload=LD_PRELOAD=$PWD/$build/lib/libcountalloc.so
[ "$(uname -s)" != Darwin ] || preload=DYLD_INSERT_LIBRARIES=$PWD/$build/lib/libcountalloc.dylib
cat <<NEXT

Counted exactly by the shim; seconds are the median of $timed_runs runs without it, reading the file included.
What to try next:
  $countalloc run -- $logstat run v0 $log          where v0 allocates: phase by phase
  $preload $logstat run v2 $log
  $countalloc run -- python3 -c 'print(1)'         any program, not rebuilt
  $countalloc doctor -- git                        would it be counted here, and if not, why
NEXT
