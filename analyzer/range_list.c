/* SPDX-License-Identifier: MIT */
#include "range_list.h"

#include <string.h>

enum {
    SEARCH_BYTES = 4096 /* read at a time to find the end of a line */
};

void ca_range_list_init(struct ca_range_list *list, const struct ca_source *source,
                        uint64_t range_bytes) {
    const uint64_t smallest_bytes = source->size_bytes / CA_RANGES_MAX + 1;
    list->source = *source;
    list->range_bytes = range_bytes > 0 ? range_bytes : CA_RANGE_BYTES;
    if (list->range_bytes < smallest_bytes)
        list->range_bytes = smallest_bytes;
    list->is_exhausted = false;
    list->range_count = 0;
}

size_t ca_range_list_limit(const struct ca_range_list *list) {
    return (size_t)(list->source.size_bytes / list->range_bytes) + 1;
}

/* Moves the source behind the first newline from its position on; `*ret_is_found` is false at the
 * end of the file. */
static enum ca_status skip_line(struct ca_source *source, bool *ret_is_found,
                                struct ca_error *err) {
    char bytes[SEARCH_BYTES];
    for (;;) {
        size_t got_bytes = 0;
        const enum ca_status status = ca_source_read(source, bytes, sizeof bytes, &got_bytes, err);
        if (status != CA_OK)
            return status;
        *ret_is_found = false;
        if (got_bytes == 0)
            return CA_OK;
        const char *newline = memchr(bytes, '\n', got_bytes);
        if (newline == NULL)
            continue;
        source->at_byte -= got_bytes - (size_t)(newline + 1 - bytes);
        *ret_is_found = true;
        return CA_OK;
    }
}

bool ca_range_list_next(struct ca_range_list *list, struct ca_source *ret_source,
                        struct ca_range **ret_range, enum ca_status *ret_status,
                        struct ca_error *err) {
    struct ca_source *source = &list->source;
    bool is_found = false;
    *ret_status = CA_OK;
    if (list->is_exhausted)
        return false;
    *ret_source = *source;
    /* The last range reads to wherever the end is by then. */
    if (list->range_count + 1 < CA_RANGES_MAX &&
        source->at_byte - source->first_byte + list->range_bytes < source->size_bytes) {
        source->at_byte += list->range_bytes - 1;
        *ret_status = skip_line(source, &is_found, err);
    }
    list->is_exhausted = !is_found;
    if (*ret_status != CA_OK)
        return false;
    if (is_found)
        ret_source->end_byte = source->at_byte;
    *ret_range = &list->ranges[list->range_count++];
    **ret_range = (struct ca_range){.status = CA_OK};
    return true;
}

uint64_t ca_range_list_line_number(const struct ca_range_list *list, unsigned thread_number,
                                   uint64_t line_number) {
    uint64_t lines_before = 0;
    for (size_t at = 0; at < list->range_count; at++) {
        const struct ca_range *range = &list->ranges[at];
        if (range->thread_number == thread_number && line_number > range->lines_before &&
            line_number - range->lines_before <= range->line_count)
            return lines_before + line_number - range->lines_before;
        lines_before += range->line_count;
    }
    return 0; /* a line that the thread did not count */
}

const struct ca_range *ca_range_list_failure(const struct ca_range_list *list) {
    for (size_t at = 0; at < list->range_count; at++)
        if (list->ranges[at].status != CA_OK)
            return &list->ranges[at];
    return NULL;
}
