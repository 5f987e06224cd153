#!/bin/sh
# SPDX-License-Identifier: MIT
# Exact and harmless: runs about ninety real programs and every class of fault under the shim, and ends with one table.
#
#   scripts/trust.sh                     all of it (some minutes); programs that are not installed are left out, and said
#   scripts/trust.sh programs [NAME...]  scripts/trust.sh faults [CLASS...]
#
# COUNTALLOC_BUILD names the build directory (default build/trust).
set -eu
cd "$(dirname "$0")/.."
. scripts/packages.sh

need_packages build test trust
build=${COUNTALLOC_BUILD:-build/trust}
if [ ! -x "$build/bin/countalloc" ] || [ "${COUNTALLOC_BUILD:-}" = "" ]; then
    cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON >&2
    cmake --build "$build" --parallel "$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)" >&2
fi
[ $# -gt 0 ] || set -- all
exec python3 -B tests/trust/trust.py --build "$build" "$@"
