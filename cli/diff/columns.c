/* SPDX-License-Identifier: MIT */
#include "diff/columns.h"

const struct ca_column_facts *ca_column_facts(enum ca_column column) {
    static const struct ca_column_facts facts[CA_COLUMN_COUNT] = {
        [CA_COLUMN_ALLOCATIONS] = {"allocations", "allocations", true},
        [CA_COLUMN_BYTES_REQUESTED] = {"bytes_requested", "bytes requested", true},
        [CA_COLUMN_FREES] = {"frees", "frees", true},
        [CA_COLUMN_LIVE_BLOCKS] = {"live_blocks", "live blocks", false},
        [CA_COLUMN_MALLOC] = {"malloc", "malloc", false},
        [CA_COLUMN_CALLOC] = {"calloc", "calloc", false},
        [CA_COLUMN_REALLOC] = {"realloc", "realloc", false},
        [CA_COLUMN_ALIGNED] = {"aligned", "aligned", false},
        [CA_COLUMN_FREE_NULL] = {"free_null", "free of NULL", false},
        [CA_COLUMN_FAILED] = {"failed", "failed calls", false},
        [CA_COLUMN_BYTES_LIVE] = {"bytes_live", "live bytes", false},
        [CA_COLUMN_BYTES_PEAK] = {"bytes_peak", "peak bytes", false},
    };
    return &facts[column];
}

bool ca_column_get(const struct ca_counts *counts, enum ca_column column, int64_t *ret_number) {
    const int64_t numbers[CA_COLUMN_COUNT] = {
        [CA_COLUMN_ALLOCATIONS] = (int64_t)counts->allocations,
        [CA_COLUMN_BYTES_REQUESTED] = (int64_t)counts->bytes_requested,
        [CA_COLUMN_FREES] = (int64_t)counts->frees,
        [CA_COLUMN_LIVE_BLOCKS] = counts->live_blocks,
        [CA_COLUMN_MALLOC] = (int64_t)counts->malloc_calls,
        [CA_COLUMN_CALLOC] = (int64_t)counts->calloc_calls,
        [CA_COLUMN_REALLOC] = (int64_t)counts->realloc_calls,
        [CA_COLUMN_ALIGNED] = (int64_t)counts->aligned_calls,
        [CA_COLUMN_FREE_NULL] = (int64_t)counts->free_null,
        [CA_COLUMN_FAILED] = (int64_t)counts->failed_calls,
        [CA_COLUMN_BYTES_LIVE] = counts->bytes_live,
        [CA_COLUMN_BYTES_PEAK] = counts->bytes_peak,
    };
    *ret_number = numbers[column];
    return column == CA_COLUMN_BYTES_LIVE   ? counts->has_live
           : column == CA_COLUMN_BYTES_PEAK ? counts->has_peak
                                            : true;
}

uint64_t ca_column_error(const struct ca_counts *counts, enum ca_column column) {
    return column == CA_COLUMN_BYTES_PEAK && counts->has_peak ? counts->bytes_peak_error : 0;
}
