/* SPDX-License-Identifier: MIT
 *
 * One program in two versions. `site_program LINES` opens phase "scan", of so many lines, and makes
 *
 *     function    each version                          version CHANGED
 *     copy_line   1 malloc of 24 bytes for each line    the same, 100 lines further down
 *     add_word    5 mallocs of 10 bytes                 8 of them
 *     keep_line   -                                     1 malloc of 3 bytes for each line
 *     forget      2 mallocs of 1 byte                   -
 *
 * and in "main" 1 malloc of 7 bytes in `main`. Lines are fixed by #line, counted from 1 in the file
 * "scan.c". */
#include <countalloc/phase.h>
#include <stdlib.h>

static void *volatile last;

static void keep(void *block) {
    free(last);
    last = block;
}

#ifdef CHANGED
#line 100 "scan.c"
#else
#line 1 "scan.c"
#endif
static void copy_line(void) {
    keep(malloc(24));
}

static void add_word(void) {
    keep(malloc(10));
}

#ifdef CHANGED
#line 200 "scan.c"
static void keep_line(void) {
    keep(malloc(3));
}
#else
#line 300 "scan.c"
static void forget(void) {
    keep(malloc(1));
}
#endif

static void scan(long line_count) {
    for (long i = 0; i < line_count; i++) {
        copy_line();
#ifdef CHANGED
        keep_line();
#endif
    }
#ifdef CHANGED
    for (int i = 0; i < 8; i++)
        add_word();
#else
    for (int i = 0; i < 5; i++)
        add_word();
    forget();
    forget();
#endif
}

int main(int argc, char **argv) {
    long line_count = argc > 1 ? atol(argv[1]) : 0;
    countalloc_phase_begin("scan");
    countalloc_phase_units("line", (uint64_t)line_count);
    scan(line_count);
    countalloc_phase_end();
#line 400 "scan.c"
    keep(malloc(7));
    return 0;
}
