#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds for macOS, inspects, shows that the inspection can fail, and reads the same files with the command's own parser. Status 77, which is
# "skipped", with the reason, where no cross build was ever made: that needs the network, and this must not.
#
#   darwin_inspection.sh TEST_MACHO
set -eu
cd "$(dirname "$0")/../.."
scripts/cross_darwin.sh --ready
scripts/cross_darwin.sh --prove
COUNTALLOC_DARWIN_FILES=${COUNTALLOC_DARWIN_BUILD:-$PWD/build/darwin} "$1" --filter 'macho_file/says_of_our_own*'
