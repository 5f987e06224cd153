#!/bin/sh
# SPDX-License-Identifier: MIT
# Holds the tree against its own rules (CONTRIBUTING.md): who may include whom, where systems may differ, unique base names, licence lines.
set -eu
cd "$(dirname "$0")/.."
status=0

complain() { # HEADING LINES
    [ -z "$2" ] && return
    printf '%s\n%s\n' "$1" "$2" >&2
    status=1
}

sources() {
    find "$@" -name '*.[ch]' 2>/dev/null
}

complain "No SPDX line:" "$(
    find include interpose cli analyzer tests scripts -type f \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.sh' -o -name CMakeLists.txt \) \
        -exec grep -L 'SPDX-License-Identifier: MIT' {} +
)"
complain "include/ includes something of ours:" "$(grep -n '#include "' $(sources include) /dev/null)"
complain "interpose/ reaches into another folder:" "$(grep -nE '#include [<"](cli|analyzer|tests)/' $(sources interpose) /dev/null)"
complain "interpose/ uses stdio or locale:" "$(grep -nE '#include <(stdio|locale|wchar|math|time|pthread)\.h>' $(sources interpose) /dev/null)"
complain "interpose/ sets errno's text or aborts:" "$(grep -nE '\b(abort|assert|perror|strerror|printf)\(' $(sources interpose) /dev/null)"
complain "cli/ reaches past the record and the region:" "$(
    grep -nE '#include "interpose/' $(sources cli) /dev/null | grep -vE 'interpose/(report/record|region_init|plain)\.h"'
)"
complain "analyzer/ uses more of ours than phase.h:" "$(
    grep -nE '#include [<"](countalloc|interpose|cli)/' $(sources analyzer) /dev/null | grep -v 'countalloc/phase\.h'
)"
complain "A system's name outside platform/ (but for the facts of report/record.c and phase.h):" "$(
    grep -nE '__APPLE__|__linux__' $(sources include interpose cli analyzer) /dev/null |
        grep -vE '/platform/|include/countalloc/phase\.h|interpose/report/record\.c'
)"
complain "Base names that occur twice:" "$(
    sources interpose cli analyzer tests | sed 's#.*/##' | sort | uniq -d
)"
exit "$status"
