/* SPDX-License-Identifier: MIT
 *
 * A record with call sites, made by hand:
 *
 *     phase    stack, the caller first            allocations                bytes
 *     startup  libc.so.6+0x2f0a1                            1 malloc         72704
 *     main     main logstat.c:200                           3 calloc           300
 *     main     (no site)                                    1 malloc            10
 *     scan     copy_key tally.c:41 < tally_add              12 malloc          240
 *                (inlined into it) < scan < main
 *     scan     grow table.c:30 < scan < main                5 realloc          500
 *     scan     [anonymous] < scan, cut                      1 aligned           64
 *
 * and two samples of the first two of scan. 1,000 lines in scan and in total; 23 allocations and
 * 73,818 bytes.
 */
#ifndef SITES_RECORD_H
#define SITES_RECORD_H

#include "interpose/report/record.h"

struct sites_record {
    struct ca_record record;
    struct ca_record_phase phases[4];
    struct ca_record_thread threads[1];
    struct ca_record_module modules[2];
    struct ca_record_frame frames[6];
    struct ca_record_function functions[8];
    struct ca_record_site sites[6];
    struct ca_record_sample samples[2];
};

enum {
    SITE_STARTUP,
    SITE_MAIN,
    SITE_MAIN_REST,
    SITE_COPY_KEY,
    SITE_GROW,
    SITE_ANONYMOUS
};

/* Anything may be changed afterwards. */
void sites_record_init(struct sites_record *made);

#endif
