#!/bin/sh
# SPDX-License-Identifier: MIT
# The guide's loop for every version of logstat: timed without a profiler, counted, profiled, drawn. Ends with a table and a page.
#
#   scripts/measure.sh [--fresh] WORKDIR [LINES] [RUNS]       default: 1,000,000 lines, 5 runs; about two minutes on 2 cores
#
# Finished steps are kept in WORKDIR and skipped the next time; --fresh begins anew. More RUNS add rounds to those that are there.
# Writes WORKDIR/results.json (the figures), results.md, results.html (the page), profiles/*.svg, and the build in WORKDIR/build.
#
# COUNTALLOC_BIN=DIR        measure DIR/logstat with DIR/countalloc instead of building
# COUNTALLOC_PROFILER       perf, sample, callgrind or none instead of what this machine allows
# COUNTALLOC_COUNTER        perf-stat, time, callgrind or none, for instructions
set -eu

usage() {
    sed -n '3,12s/^# \{0,1\}//p' "$0"
    exit "$1"
}

fail() {
    progress_end
    echo "measure.sh: $*" >&2
    exit 1
}

is_fresh=no
while [ $# -gt 0 ]; do
    case $1 in
    --fresh) is_fresh=yes ;;
    -h | --help) usage 0 ;;
    -*) usage 2 >&2 ;;
    *) break ;;
    esac
    shift
done
if [ $# -lt 1 ] || [ $# -gt 3 ]; then usage 2 >&2; fi
for number in "${2:-1000000}" "${3:-5}"; do
    case $number in
    *[!0-9]* | '' | 0) usage 2 >&2 ;;
    esac
done

mkdir -p "$1"
work=$(cd "$1" && pwd)
line_count=${2:-1000000}
run_count=${3:-5}
seed=42
small_lines=20000
[ "$line_count" -lt "$small_lines" ] && small_lines=$line_count
scripts=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/packages.sh
. "$scripts/packages.sh"
# shellcheck source=scripts/loop/progress.sh
. "$scripts/loop/progress.sh"
# shellcheck source=scripts/loop/profilers.sh
. "$scripts/loop/profilers.sh"

if [ "$is_fresh" = yes ]; then
    (cd "$work" && rm -rf rounds counts instructions profiles settings facts checksum results.json results.md results.html)
fi

# --- build ---------------------------------------------------------------------------------------------------------------
bin=${COUNTALLOC_BIN:-}
if [ -z "$bin" ]; then
    need_packages build
    # Wanted, but there is a fallback for each.
    need_packages loop || echo "Going on with what is here." >&2
    echo "Building (output in $work/build.log)" >&2
    if ! { cmake -S "$scripts/.." -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF &&
        cmake --build "$work/build" --parallel "$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)"; } >"$work/build.log" 2>&1; then
        tail -n 30 "$work/build.log" >&2
        fail "the build failed; $work/build.log has all of it"
    fi
    bin=$work/build/bin
fi
bin=$(cd "$bin" && pwd)
logstat=$bin/logstat
countalloc=$bin/countalloc
is_command python3 || fail "python3 is missing; it does the arithmetic and writes the page"

mkdir -p "$work/rounds" "$work/counts" "$work/instructions" "$work/profiles"
"$logstat" versions >"$work/versions.txt"
versions=$(awk '{ print $1 }' "$work/versions.txt")
version_count=$(echo "$versions" | wc -l)

choose_profiler "$work"
choose_counter
profile_lines=$line_count
[ "$profiler" = callgrind ] && profile_lines=$small_lines
counter_lines=$line_count
[ "$counter" = callgrind ] && counter_lines=$small_lines

# What must be the same for steps to belong together.
cat >"$work/settings.new" <<SETTINGS
lines $line_count
logstat $(cksum <"$logstat")
countalloc $(cksum <"$countalloc")
profiler $profiler
counter $counter
SETTINGS
if [ -e "$work/settings" ] && ! cmp -s "$work/settings" "$work/settings.new"; then
    diff "$work/settings" "$work/settings.new" | sed -n 's/^</  then:/p; s/^>/  now: /p' >&2
    rm -f "$work/settings.new"
    fail "$work holds steps of another measurement (above). Name another WORKDIR, or begin anew: --fresh"
fi
mv "$work/settings.new" "$work/settings"

echo "Profiles:     $profiler ($profiler_why)" >&2
if [ "$counter" = callgrind ]; then
    echo "Instructions: callgrind on $small_lines lines, less an empty log ($counter_why)" >&2
else
    echo "Instructions: $counter ($counter_why)" >&2
fi

step_count=$((2 + version_count * (run_count + 3)))

# --- logs ----------------------------------------------------------------------------------------------------------------
write_log() { # LINES
    if [ ! -s "$work/access-$1.log" ]; then
        "$logstat" gen --no-progress "$work/access-$1.log.part" "$1" "$seed"
        mv "$work/access-$1.log.part" "$work/access-$1.log"
    fi
}
progress "writing $line_count lines"
write_log "$line_count"
write_log "$small_lines"
: >"$work/empty.log"
log=$work/access-$line_count.log
small_log=$work/access-$small_lines.log
advance

# --- time: whole rounds, so that a slow spell of the machine hits every version --------------------------------------------
check_checksum() { # a line of time_run.py
    found=$(printf '%s' "$1" | sed -n 's/.*"checksum": "\([0-9a-f]*\)".*/\1/p')
    [ -s "$work/checksum" ] || echo "$found" >"$work/checksum"
    [ -n "$found" ] && [ "$found" = "$(cat "$work/checksum")" ]
}
round=1
while [ "$round" -le "$run_count" ]; do
    if [ -e "$work/rounds/round-$round.jsonl" ]; then
        step=$((step + version_count))
    else
        : >"$work/rounds/round.part"
        for version in $versions; do
            progress "timing $version, round $round of $run_count"
            timed=$(python3 "$scripts/loop/time_run.py" "$version" "$logstat" run --no-progress "$version" "$log") ||
                fail "$version failed"
            check_checksum "$timed" ||
                fail "$version printed another report than $(head -n 1 "$work/versions.txt" | cut -d ' ' -f 1): checksum ${found:-missing}, not $(cat "$work/checksum")"
            printf '%s\n' "$timed" >>"$work/rounds/round.part"
            advance
        done
        mv "$work/rounds/round.part" "$work/rounds/round-$round.jsonl"
    fi
    round=$((round + 1))
done

# --- count: allocations and peak RSS ---------------------------------------------------------------------------------------
count() { # RECORD VERSION LOG
    [ -e "$1" ] && return
    "$countalloc" run -q --name "logstat-$2" -o "$1.part" -- "$logstat" run --no-progress "$2" "$3" \
        >/dev/null 2>"$work/counts/log" || {
        cat "$work/counts/log" >&2
        fail "$2 could not be counted"
    }
    mv "$1.part" "$1"
}
for version in $versions; do
    progress "counting the allocations of $version"
    count "$work/counts/$version.json" "$version" "$log"
    count "$work/counts/small-$version.json" "$version" "$small_log"
    advance
done

# --- instructions ----------------------------------------------------------------------------------------------------------
callgrind_total() { # OUTPUT VERSION LOG
    valgrind --tool=callgrind "--callgrind-out-file=$1" "$logstat" run --no-progress "$2" "$3" >/dev/null 2>"$1.log" || {
        tail -n 5 "$1.log" >&2
        fail "callgrind could not run $2"
    }
    awk '/^(summary|totals):/ { total = $2 } END { print total }' "$1"
}
count_instructions() { # VERSION; prints instructions per line
    case $counter in
    callgrind)
        many=$(callgrind_total "$work/instructions/$1.callgrind" "$1" "$small_log")
        few=$(callgrind_total "$work/instructions/$1.empty" "$1" "$work/empty.log")
        rm -f "$work/instructions/$1.empty" "$work/instructions/$1.empty.log"
        ;;
    perf-stat)
        many=$(perf stat -x , -e instructions:u "$logstat" run --no-progress "$1" "$log" 2>&1 >/dev/null | sed -n 's/^\([0-9]*\),.*/\1/p')
        few=0
        ;;
    time)
        many=$(/usr/bin/time -l "$logstat" run --no-progress "$1" "$log" 2>&1 >/dev/null | awk '/instructions retired/ { print $1 }')
        few=0
        ;;
    esac
    awk -v many="$many" -v few="$few" -v lines="$counter_lines" 'BEGIN { printf "%.3f\n", (many - few) / lines }'
}
for version in $versions; do
    if [ "$counter" != none ] && [ ! -e "$work/instructions/$version" ]; then
        progress "counting the instructions of $version with $counter"
        count_instructions "$version" >"$work/instructions/$version.part"
        mv "$work/instructions/$version.part" "$work/instructions/$version"
    fi
    advance
done

# --- profile, fold, draw -----------------------------------------------------------------------------------------------------
# A sampler needs about a second: quick versions repeat their scan.
repeats_of() { # VERSION
    [ "$profiler" = callgrind ] && echo 1 && return
    python3 - "$1" "$work/rounds/round-1.jsonl" <<'REPEATS'
import json, sys
timed = next(run for run in map(json.loads, open(sys.argv[2])) if run["version"] == sys.argv[1])
scan_ns = max(timed["scan_ns"] or timed["wall_ns"], 100_000)
print(1 if timed["wall_ns"] >= 500_000_000 else max(1, round(1e9 / scan_ns)))
REPEATS
}
for version in $versions; do
    stem=$work/profiles/$version
    if [ "$profiler" != none ] && [ ! -e "$stem.svg" ]; then
        progress "profiling $version with $profiler"
        repeat_count=$(repeats_of "$version")
        if [ "$profiler" = callgrind ] && [ "$counter" = callgrind ] && [ -s "$work/instructions/$version.callgrind" ]; then
            cp "$work/instructions/$version.callgrind" "$stem.raw"
        elif [ "$profiler" = callgrind ]; then
            record_profile "$stem" -- "$logstat" run --no-progress "$version" "$small_log" "$repeat_count"
        else
            record_profile "$stem" -- "$logstat" run --no-progress "$version" "$log" "$repeat_count"
        fi || { grep -v run_ms "$stem.log" >&2; fail "$profiler could not profile $version"; }
        fold_profile "$stem" || { grep -v run_ms "$stem.log" >&2; fail "the profile of $version could not be folded"; }
        echo "$repeat_count" >"$stem.repeats"
        draw_profile "$stem" "logstat $version" || { grep -v run_ms "$stem.log" >&2; fail "the profile of $version could not be drawn"; }
        rm -f "$stem.raw"
    fi
    advance
done

# --- results -----------------------------------------------------------------------------------------------------------------
progress "writing the results"
cd "$scripts/.."
revision=$(git rev-parse --short=12 HEAD 2>/dev/null || true)
is_modified=no
if [ -n "$revision" ] && [ -n "$(git status --porcelain 2>/dev/null)" ]; then is_modified=yes; fi
cat >"$work/facts" <<FACTS
line_count=$line_count
size_bytes=$(wc -c <"$log" | tr -d ' ')
seed=$seed
small_lines=$small_lines
run_count=$run_count
counter=$counter
counter_why=$counter_why
counter_lines=$counter_lines
profiler=$profiler
profiler_why=$profiler_why
profile_lines=$profile_lines
revision=$revision
is_modified=$is_modified
FACTS
python3 "$scripts/loop/collect.py" "$work" "$logstat"
advance
progress_end
python3 "$scripts/summarise.py" "$work"
