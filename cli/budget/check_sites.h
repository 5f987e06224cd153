/* SPDX-License-Identifier: MIT
 *
 * Where the allocations of a budget that is over come from, as the formats show it: call sites that
 * are new or have grown against an older record, the largest change first, new ones before; without
 * an older record the largest sites, which say less, and are called so. */
#ifndef CA_CHECK_SITES_H
#define CA_CHECK_SITES_H

#include "budget/budget_judge.h"

#define CA_CHECK_SITES        10u
#define CA_CHECK_SITE_CALLERS 3u
#define CA_CHECK_SITE_NOTES   4u
#define CA_CHECK_NOTE_SIZE    512u

enum ca_check_site_kind {
    CA_CHECK_SITE_NEW = 0, /* the older record has none like it */
    CA_CHECK_SITE_GROWN,
    CA_CHECK_SITE_LARGEST /* of the record itself: not compared */
};

/* Strings are kept. */
struct ca_check_site {
    enum ca_check_site_kind kind;
    const char *function;
    const char *file;       /* NULL: unknown */
    uint32_t line;          /* 0: unknown */
    const char *repository; /* the same file, from the root of the repository in which the check
                               runs; NULL: it is not inside */
    const char *phase;      /* NULL: that of the budget */
    const char *callers[CA_CHECK_SITE_CALLERS]; /* caller_count, the direct one first */
    uint32_t caller_count;
    int64_t before; /* allocations, or bytes requested */
    int64_t after;
};

struct ca_check_sites {
    enum ca_limit_kind kind; /* what is counted: CA_LIMIT_ALLOCATIONS or CA_LIMIT_BYTES */
    const char *against;     /* file of the older record (kept); NULL: none */
    struct ca_check_site sites[CA_CHECK_SITES]; /* site_count; 0: nothing is known */
    uint32_t site_count;
    size_t more_count; /* further ones of the same kinds, and what they have together */
    int64_t more_amount;
    size_t less_count; /* sites with less than before */
    int64_t less_amount;
    char notes[CA_CHECK_SITE_NOTES][CA_CHECK_NOTE_SIZE]; /* note_count: what to know about it */
    uint32_t note_count;
};

/* "new", "grown", "largest" */
const char *ca_check_site_kind_name(enum ca_check_site_kind kind);

#endif
