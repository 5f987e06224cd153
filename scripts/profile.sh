#!/bin/sh
# SPDX-License-Identifier: MIT
# For a program of your own: where its time goes and where it allocates, side by side on one page.
#
#   scripts/profile.sh [-o DIR] [--units UNIT=N|UNIT=@FILE] -- PROGRAM [ARGUMENT...]
#
# Runs PROGRAM three times: without a profiler for the time, under the shim for the counts, under a profiler for the flame graph.
# So it should do the same each time. Its output goes to DIR/output. Writes DIR/profile.html (default DIR: countalloc-profile),
# DIR/cpu.svg, DIR/cpu.folded, DIR/record.json, DIR/allocations.svg, DIR/allocations.folded.
#
# The allocation flame graph has every allocation where the program's frame pointers lead to its callers, else an estimate from whole
# stacks taken once in so many bytes; the page says which.
#
# COUNTALLOC_BIN=DIR        where countalloc is; else PATH, else build/bin
# COUNTALLOC_PROFILER       perf, sample, callgrind or none instead of what this machine allows
set -eu

usage() {
    sed -n '3,15s/^# \{0,1\}//p' "$0"
    exit "$1"
}

fail() {
    progress_end
    echo "profile.sh: $*" >&2
    exit 1
}

output="countalloc-profile"
units=
while [ $# -gt 0 ]; do
    case $1 in
    -o)
        [ $# -ge 2 ] || usage 2 >&2
        output=$2
        shift
        ;;
    --units)
        [ $# -ge 2 ] || usage 2 >&2
        units=$2
        shift
        ;;
    -h | --help) usage 0 ;;
    --) break ;;
    *) usage 2 >&2 ;;
    esac
    shift
done
if [ "${1:-}" != -- ] || [ $# -lt 2 ]; then usage 2 >&2; fi
shift

scripts=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/loop/progress.sh
. "$scripts/loop/progress.sh"
# shellcheck source=scripts/loop/profilers.sh
. "$scripts/loop/profilers.sh"

if [ -n "${COUNTALLOC_BIN:-}" ]; then
    countalloc=$COUNTALLOC_BIN/countalloc
elif is_command countalloc; then
    countalloc=countalloc
else
    countalloc=$scripts/../build/bin/countalloc
fi
is_command "$countalloc" || fail "there is no countalloc at '$countalloc': build it (README.md), or say where it is: COUNTALLOC_BIN=DIR"
is_command python3 || fail "python3 is missing; it writes the page"
is_command "$1" || fail "there is no program '$1'"

mkdir -p "$output"
work=$(cd "$output" && pwd)
rm -f "$work/profile.html" "$work/cpu.svg" "$work/cpu.folded" "$work/record.json" "$work/time.json" "$work"/allocations.*
choose_profiler "$work"
echo "CPU profile: $profiler ($profiler_why)" >&2
step_count=5

progress "timing $1"
python3 "$scripts/loop/time_run.py" program "$@" >"$work/time.json" 2>"$work/output" || {
    tail -n 5 "$work/output" >&2
    fail "$1 failed, so there is nothing to profile; its messages are in $work/output"
}
advance

progress "counting the allocations of $1"
count_status=0
sample=
if "$countalloc" run -q --sample -- true >"$work/messages" 2>&1; then sample=--sample=64k; fi
"$countalloc" run -q --stacks $sample ${units:+--units "$units"} -o "$work/record.json" -- "$@" >"$work/output" 2>"$work/messages" || count_status=$?
if [ ! -s "$work/record.json" ]; then
    rm -f "$work/record.json"
    progress_end
    echo "Not counted (status $count_status):" >&2
    cat "$work/messages" >&2
fi
advance

progress "drawing the allocations of $1"
# Which of the two tells more: "stacks", "samples", or "none" when there is nothing to draw.
draw_from=none
if [ -s "$work/record.json" ]; then draw_from=$(python3 "$scripts/loop/draw_from.py" "$work/record.json"); fi
if [ "$draw_from" != none ]; then
    [ "$draw_from" = samples ] && sampled=--sampled || sampled=
    "$countalloc" flamegraph $sampled "$work/record.json" >"$work/allocations.svg" 2>>"$work/messages" &&
        "$countalloc" fold --from record $sampled "$work/record.json" >"$work/allocations.folded" 2>>"$work/messages" || {
        progress_end
        tail -n 5 "$work/messages" >&2
        rm -f "$work/allocations.svg"
    }
fi
advance

if [ "$profiler" != none ]; then
    progress "profiling $1 with $profiler"
    if record_profile "$work/cpu" -- "$@" && fold_profile "$work/cpu" && draw_profile "$work/cpu" "CPU: $(basename "$1")"; then
        rm -f "$work/cpu.log"
    else
        progress_end
        tail -n 5 "$work/cpu.log" >&2
        profiler_why="$profiler found nothing to draw; $work/cpu.log says why"
    fi
    rm -f "$work/cpu.raw"
fi
advance

progress "writing the page"
python3 "$scripts/loop/profile_page.py" "$work" "$profiler" "$profiler_why" "$@"
advance
progress_end
echo "$work/profile.html"
