#!/bin/sh
# SPDX-License-Identifier: MIT
# Shims with one mistake each: every one must make the test fail that is named with it, else that test shows nothing.
#
#   scripts/mutants.sh [NAME...]         the table; status 1 when a mutant survives or does not apply
#
# COUNTALLOC_BUILD names the build directory whose tests are run (default build/trust). Nothing in the tree is changed.
set -eu
cd "$(dirname "$0")/.."
. scripts/packages.sh

need_packages build test
build=${COUNTALLOC_BUILD:-build/trust}
if [ ! -x "$build/bin/countalloc" ] || [ "${COUNTALLOC_BUILD:-}" = "" ]; then
    cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON >&2
    cmake --build "$build" --parallel "$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)" >&2
fi
exec python3 -B tests/mutants/mutants.py --build "$build" "$@"
