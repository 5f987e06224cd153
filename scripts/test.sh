#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds everything with warnings as errors and runs all tests. Enough on a fresh system: missing packages are named and installed.
#
#   scripts/test.sh [ctest's options]      scripts/test.sh -R phases      scripts/test.sh -L unit
#
# COUNTALLOC_BUILD names the build directory (default build/test), CC and CXX the compilers.
set -eu
cd "$(dirname "$0")/.."
. scripts/packages.sh

need_packages build test
build=${COUNTALLOC_BUILD:-build/test}
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DCOUNTALLOC_WERROR=ON -DBUILD_TESTING=ON
cmake --build "$build" --parallel "$jobs"
scripts/check_tree.sh
exec ctest --test-dir "$build" --output-on-failure --parallel "$jobs" --no-tests=error "$@"
