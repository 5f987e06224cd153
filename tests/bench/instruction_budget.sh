#!/bin/sh
# SPDX-License-Identifier: MIT
# Holds what counting adds to a malloc/free pair, in instructions, against its budget. They repeat where times do not: callgrind at N
# and 2 N pairs, so that the start cancels out.
#
#   instruction_budget.sh BENCH_WORK SHIM [SHIM_JEMALLOC]
set -eu
bench_work=$1
shim=$2
pairs=20000
counts_budget=24 # without live bytes
live_budget=45   # with live and peak bytes
sites_budget=49  # with call sites
stack_budget=117 # with stacks of three frames
frame_budget=13  # for each further frame
status=0

command -v valgrind >/dev/null || {
    echo "valgrind is not installed: the instructions are not measured"
    exit 77
}

instructions() { # WORKLOAD PAIRS [VARIABLE=VALUE]...
    workload=$1
    count=$2
    shift 2
    env COUNTALLOC_REPORT=none "$@" valgrind --tool=callgrind --callgrind-out-file=/dev/null \
        "$bench_work" "$workload" "-$count" 2>&1 | sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# Of a pair; the division is exact but for a remainder that shows that something else moved.
per_pair() { # WORKLOAD [VARIABLE=VALUE]...
    of=$1
    shift
    once=$(instructions "$of" "$pairs" "$@")
    twice=$(instructions "$of" $((2 * pairs)) "$@")
    echo $(((twice - once + pairs / 2) / pairs))
}

hold() { # NAME ADDED BUDGET
    verdict=ok
    if [ "$2" -gt "$3" ]; then
        verdict=over
        status=1
    fi
    printf '%-28s %3d instructions added, budget %d: %s\n' "$1" "$2" "$3" "$verdict"
}

bare=$(per_pair tight)
[ "$bare" -gt 50 ] || {
    echo "a bare pair took $bare instructions: nothing was measured"
    exit 1
}
printf '%-28s %3d instructions\n' "malloc and free, bare" "$bare"
counts="LD_PRELOAD=$shim COUNTALLOC_LIVE=off"
# shellcheck disable=SC2086 # $counts is two words
{
    hold "counts" $(($(per_pair tight $counts) - bare)) "$counts_budget"
    hold "counts, live and peak bytes" $(($(per_pair tight LD_PRELOAD="$shim") - bare)) "$live_budget"
    hold "counts and sites" $(($(per_pair tight $counts COUNTALLOC_SITES=1) - bare)) "$sites_budget"
    shallow=$(per_pair tight $counts COUNTALLOC_STACKS=32)
    hold "counts and stacks" $((shallow - bare)) "$stack_budget"
    further=$(($(per_pair deep $counts COUNTALLOC_STACKS=32) - shallow))
    hold "a frame more" $(((further + 15) / 16)) "$frame_budget"
}
exit "$status"
