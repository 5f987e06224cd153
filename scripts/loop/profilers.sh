# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2154
# Sourced by measure.sh and profile.sh: what this machine lets us measure with, and one profile with it.
#
#   choose_profiler SCRATCH     sets profiler (perf, sample, callgrind, none) and profiler_why (a sentence)
#   choose_counter              sets counter (perf-stat, time, callgrind, none) and counter_why
#   record_profile STEM -- CMD  writes STEM.raw: what the profiler says; CMD's own output is dropped
#   fold_profile STEM           STEM.raw -> STEM.folded, with $countalloc
#   draw_profile STEM TITLE     STEM.folded -> STEM.svg
#
# COUNTALLOC_PROFILER and COUNTALLOC_COUNTER choose instead; what is chosen is not tried first.

# cpu-clock is a timer, so it needs no counter of the machine. Frame pointers would lose the callers of glibc's string functions,
# which set up no frame; so stacks are copied and unwound. 8 KiB: logstat's own frames go down to 6 KiB.
perf_event=cpu-clock
perf_frequency_hz=997
perf_stack_bytes=8192

is_command() { command -v "$1" >/dev/null 2>&1; }

perf_record() { # DATA COMMAND...
    perf_data=$1
    shift
    perf record -q -e "$perf_event" -F "$perf_frequency_hz" --call-graph "dwarf,$perf_stack_bytes" -o "$perf_data" -- "$@"
}

# Whether a short busy loop gives samples: a container may have perf and still forbid it.
is_perf_allowed() { # SCRATCH
    # shellcheck disable=SC2016
    if perf_record "$1/probe.data" sh -c 'i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done' >"$1/probe.log" 2>&1 &&
        perf script --no-inline -i "$1/probe.data" 2>>"$1/probe.log" | grep -q .; then
        rm -f "$1/probe.data"
        return 0
    fi
    rm -f "$1/probe.data"
    return 1
}

choose_profiler() {
    if [ -n "${COUNTALLOC_PROFILER:-}" ]; then
        profiler=$COUNTALLOC_PROFILER
        profiler_why="chosen with COUNTALLOC_PROFILER"
        case $profiler in
        perf | sample | callgrind | none) ;;
        *)
            echo "COUNTALLOC_PROFILER is perf, sample, callgrind or none, not '$profiler'" >&2
            return 2
            ;;
        esac
        return 0
    fi
    if [ "$(uname -s)" = Darwin ] && [ -x /usr/bin/sample ]; then
        profiler=sample
        profiler_why="macOS has it, and it needs no rights"
    elif is_command perf && is_perf_allowed "$1"; then
        profiler=perf
        profiler_why="samples by a timer"
        if [ "$(id -u)" -ne 0 ] && [ "$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null || echo 2)" -ge 2 ]; then
            profiler_why="samples by a timer; of the program only, since kernel.perf_event_paranoid hides the kernel"
        fi
    else
        if is_command perf; then
            profiler_why="perf is here, but may not sample"
        else
            profiler_why="there is no perf here"
        fi
        if is_command valgrind; then
            profiler=callgrind
            profiler_why="$profiler_why; callgrind counts instructions instead of time"
        else
            profiler=none
            profiler_why="$profiler_why, and no valgrind; install linux-perf or valgrind for flame graphs"
        fi
    fi
}

choose_counter() {
    if [ -n "${COUNTALLOC_COUNTER:-}" ]; then
        counter=$COUNTALLOC_COUNTER
        counter_why="chosen with COUNTALLOC_COUNTER"
        case $counter in
        perf-stat | time | callgrind | none) ;;
        *)
            echo "COUNTALLOC_COUNTER is perf-stat, time, callgrind or none, not '$counter'" >&2
            return 2
            ;;
        esac
    elif [ "$(uname -s)" = Darwin ]; then
        counter="time"
        counter_why="/usr/bin/time -l reads the processor's counters"
    elif is_command perf && perf stat -x , -e instructions:u true 2>&1 | grep -q '^[0-9][0-9]*,'; then
        counter=perf-stat
        counter_why="the processor's counters"
    elif is_command valgrind; then
        counter=callgrind
        counter_why="no counters of the processor are open to us here"
    else
        counter=none
        counter_why="no counters of the processor are open to us here, and there is no valgrind"
    fi
}

record_profile() { # STEM -- COMMAND...
    stem=$1
    shift 2
    case $profiler in
    perf)
        perf_record "$stem.data" "$@" >/dev/null 2>"$stem.log" &&
            perf script --no-inline -i "$stem.data" >"$stem.raw.part" 2>>"$stem.log" || return 1
        rm -f "$stem.data"
        ;;
    callgrind)
        valgrind --tool=callgrind "--callgrind-out-file=$stem.raw.part" "$@" >/dev/null 2>"$stem.log" || return 1
        ;;
    sample)
        "$@" >/dev/null 2>"$stem.log" &
        sampled_pid=$!
        /usr/bin/sample "$sampled_pid" 60 1 -mayDie -file "$stem.raw.part" >>"$stem.log" 2>&1
        wait "$sampled_pid" || return 1
        ;;
    esac
    mv "$stem.raw.part" "$stem.raw"
}

fold_profile() { # STEM
    kind=$profiler
    set -- "$1" --from "$kind"
    [ "$kind" = callgrind ] && set -- "$@" --event Ir
    folded_stem=$1
    shift
    "$countalloc" fold "$@" "$folded_stem.raw" >"$folded_stem.folded.part" 2>>"$folded_stem.log" || return 1
    mv "$folded_stem.folded.part" "$folded_stem.folded"
}

# The kernel's functions become one frame: their stacks are deep, and the picture is about the program. STEM.folded has them all.
draw_profile() { # STEM TITLE
    unit=samples
    if [ "$profiler" = callgrind ]; then unit=instructions; fi
    sed 's/\(;[^;[]*_\[k\]\)\{1,\}/;[kernel]_[k]/g' "$1.folded" >"$1.drawn"
    "$countalloc" flamegraph --title "$2" --unit "$unit" "$1.drawn" >"$1.svg.part" 2>>"$1.log" || return 1
    rm -f "$1.drawn"
    mv "$1.svg.part" "$1.svg"
}
