/* SPDX-License-Identifier: MIT
 *
 * Records with call sites, written as text, a site in each line:
 *
 *     scan 12/240 copy_key@tally.c:41 | tally_add@tally.c:80 < scan@scan.c:9 < libx.so+0x1f
 *
 * phase, allocations and bytes; then the caller, and behind "<" who called it. "|": inlined into.
 * A function has "@FILE:LINE", "@FILE" or neither; "?" is code that was made at run time, and "-"
 * stands for allocations without a site. Phases appear as they are named; their counts and the total
 * are the sums. */
#ifndef CA_WRITTEN_SITES_H
#define CA_WRITTEN_SITES_H

#include "interpose/report/record.h"

#define WRITTEN_MAX 64u

struct written_sites {
    struct ca_record record;
    struct ca_record_phase phases[WRITTEN_MAX];
    struct ca_record_module modules[WRITTEN_MAX]; /* those that occur; module 0 is "program" */
    struct ca_record_frame frames[WRITTEN_MAX];
    struct ca_record_function functions[WRITTEN_MAX];
    struct ca_record_site sites[WRITTEN_MAX];
    uint32_t stacks[WRITTEN_MAX];
    uint32_t function_count;
    uint32_t stack_count;
    char text[8192];
};

/* Depth 1 when no line has a "<", else 8. Anything may be changed afterwards. */
void written_sites_init(struct written_sites *made, const char *text);

/* Gives module `name` a build id of one byte. */
void written_sites_build(struct written_sites *made, const char *name, const uint8_t *build_id);

#endif
