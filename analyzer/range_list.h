/* SPDX-License-Identifier: MIT
 *
 * range_list.h: a file shared out to threads in ranges of whole lines, and what they found put back
 * into the file's order.
 *
 * Ranges are handed out one after the other, each beginning where the one before ends, and each
 * ending behind a newline. There are at most CA_RANGES_MAX, so the list does not grow with the
 * file, and more than threads, so that a thread whose processor is busy does not hold up the
 * others. Only a malformed line needs the order: its number is counted within what its thread has
 * scanned, and becomes that of the file when all ranges before are known.
 */
#ifndef COUNTALLOC_RANGE_LIST_H
#define COUNTALLOC_RANGE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "logstat.h"
#include "source.h"

enum {
    CA_RANGES_MAX = 256,
    CA_RANGE_BYTES = 1024 * 1024, /* at least, unless the job says otherwise */
};

/* A range that was handed out. `lines_before`: how many lines its thread had counted before it. */
struct ca_range {
    unsigned thread_number;
    enum ca_status status;
    uint64_t lines_before;
    uint64_t line_count;
};

/* `ranges`: `range_count` elements, in the order of the file. Callers lock. */
struct ca_range_list {
    struct ca_source source; /* at the end of the last range */
    uint64_t range_bytes;
    bool is_exhausted; /* no more ranges, because of the end or of a failure */
    size_t range_count;
    struct ca_range ranges[CA_RANGES_MAX];
};

/* Starts with a seekable source. `range_bytes` 0 is CA_RANGE_BYTES. */
void ca_range_list_init(struct ca_range_list *list, const struct ca_source *source,
                        uint64_t range_bytes);

/* How many ranges there can be at most. */
size_t ca_range_list_limit(const struct ca_range_list *list);

/* Hands the next range out: a source of its own. False when there is none, or when the search for
 * its end failed: then `*ret_status` is CA_IO. */
bool ca_range_list_next(struct ca_range_list *list, struct ca_source *ret_source,
                        struct ca_range **ret_range, enum ca_status *ret_status,
                        struct ca_error *err);

/* Turns a line number of that thread into one of the file. All ranges before it are complete. */
uint64_t ca_range_list_line_number(const struct ca_range_list *list, unsigned thread_number,
                                   uint64_t line_number);

/* The first range that failed, or NULL. */
const struct ca_range *ca_range_list_failure(const struct ca_range_list *list);

#endif
