#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares allocators on a program of your own, in one table.
#
#   scripts/allocators.sh [--runs N] [--format text|md|json] -- PROGRAM [ARGUMENT...]
#
# One run with each under the shim, for the counts and peak RSS (which a process started by this script could not tell from the
# script's own). Then N rounds (default 5, and one before them that is not measured) of one run with each, one after the other and
# without the shim, for the times. PROGRAM's output is dropped, its input is empty. An allocator that is not installed has a row
# that says so. Status 1 when the counts differ, 2 when nothing could be compared.
#
# COUNTALLOC_BIN=DIR    where countalloc is; else PATH, else build/bin
set -eu

usage() {
    sed -n '3,12s/^# \{0,1\}//p' "$0"
    exit "$1"
}

fail() {
    echo "allocators.sh: $*" >&2
    exit 2
}

runs=5
format=text
while [ $# -gt 0 ]; do
    case $1 in
    --runs)
        [ $# -ge 2 ] || usage 2 >&2
        runs=$2
        shift
        ;;
    --format)
        [ $# -ge 2 ] || usage 2 >&2
        format=$2
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
case $runs in *[!0-9]* | '' | 0) usage 2 >&2 ;; esac
case $format in text | md | json) ;; *) usage 2 >&2 ;; esac

scripts=$(cd "$(dirname "$0")" && pwd)
if [ -n "${COUNTALLOC_BIN:-}" ]; then
    countalloc=$COUNTALLOC_BIN/countalloc
elif command -v countalloc >/dev/null 2>&1; then
    countalloc=countalloc
else
    countalloc=$scripts/../build/bin/countalloc
fi
command -v "$countalloc" >/dev/null 2>&1 || fail "there is no countalloc at '$countalloc': build it (README.md), or say where it is: COUNTALLOC_BIN=DIR"
command -v python3 >/dev/null 2>&1 || fail "python3 is missing; it takes the times and writes the table"
exec python3 "$scripts/loop/allocators.py" "$countalloc" "$runs" "$format" "$@"
