#!/bin/sh
# SPDX-License-Identifier: MIT
# On a Mac: runs what was built there under the shim and holds the counts against what is known. What only a Mac can show.
#
#   scripts/darwin/try_here.sh BUILD
set -eu
[ "$(uname -s)" = Darwin ] || {
    echo "try_here: this is no Mac" >&2
    exit 2
}
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

complain() {
    echo "try_here: $1" >&2
    status=1
}

# A program whose allocations are known, through every kind of entry: 8 allocations, of which 1 calloc, 3 reallocs and 2 aligned, and 8 frees.
cat >"$work/known.c" <<'C'
#include <malloc/malloc.h>
#include <stdlib.h>
static void *volatile keep;
int main(void) {
    void *p = keep = malloc(10);
    p = keep = realloc(p, 100000);
    p = keep = reallocf(p, 20);
    free(p);
    free(keep = calloc(3, 7));
    free(keep = valloc(5));
    void *q = NULL;
    if (posix_memalign(&q, 64, 128) == 0)
        free(keep = q);
    malloc_zone_t *zone = malloc_default_zone();
    p = keep = malloc_zone_malloc(zone, 33);
    p = keep = malloc_zone_realloc(zone, p, 44);
    malloc_zone_free(zone, p);
    return 0;
}
C
cc -g -O0 -o "$work/known" "$work/known.c"
"$build/bin/countalloc" doctor || complain "doctor says no"
"$build/bin/countalloc" run -q -o "$work/known.json" -- "$work/known" || complain "run failed"
# Of the phase main: what other libraries' initialisers do after the shim's counts there, too, so only the difference to an empty program.
echo 'int main(void) { return 0; }' >"$work/empty.c"
cc -O0 -o "$work/empty" "$work/empty.c"
"$build/bin/countalloc" run -q -o "$work/empty.json" -- "$work/empty" || complain "run failed"
for expected in allocations=8 frees=8 malloc=2 calloc=1 realloc=3 aligned=2 bytes_requested=100261; do
    name=${expected%=*}
    found=$(($(jq ".total.$name" "$work/known.json") - $(jq ".total.$name" "$work/empty.json")))
    [ "$found" = "${expected#*=}" ] || complain "$name: $found instead of ${expected#*=}"
done
# Without the command.
DYLD_INSERT_LIBRARIES="$build/lib/libcountalloc.dylib" COUNTALLOC_REPORT=json COUNTALLOC_REPORT_FILE="$work/plain.json" "$work/known"
[ "$(jq .total.allocations "$work/plain.json")" = "$(jq .total.allocations "$work/known.json")" ] || complain "a plain preload counts otherwise"
# Call sites have a function, a file and a line: of atos, and of the bundle that cc -g leaves beside a program.
"$build/bin/countalloc" run -q --sites -o "$work/sites.json" -- "$work/known" || complain "run --sites failed"
"$build/bin/countalloc" report --by site --top all "$work/sites.json" >"$work/sites.txt" 2>"$work/sites.err" || complain "report --by site failed"
for line in 5 6 7 9; do
    grep -qw "main known\.c:$line" "$work/sites.txt" || complain "no call site 'main known.c:$line': $(cat "$work/sites.txt" "$work/sites.err")"
done
# Without the bundle the symbol table is left, because cc has removed what it compiled.
rm -rf "$work/known.dSYM"
"$build/bin/countalloc" run -q --sites -o "$work/sites.json" -- "$work/known" || complain "run --sites failed"
"$build/bin/countalloc" report --by site --top all "$work/sites.json" >"$work/sites.txt" 2>"$work/sites.err" || complain "report --by site failed"
grep -qw main "$work/sites.txt" || complain "no call site 'main': $(cat "$work/sites.txt" "$work/sites.err")"
# What cannot be counted is refused before it starts.
"$build/bin/countalloc" run -- /bin/ls >"$work/out" 2>"$work/err" && complain "/bin/ls was run"
grep -q 'System Integrity Protection' "$work/err" || complain "/bin/ls: no word of System Integrity Protection"
exit "$status"
