/* SPDX-License-Identifier: MIT
 *
 * Names that a compiler at run time (node --perf-basic-prof, java with perf-map-agent, LLVM's JIT)
 * left in /tmp/perf-PID.map for Linux's perf: lines of "START SIZE NAME", the numbers hexadecimal.
 * Source: tools/perf/Documentation/jit-interface.txt of Linux. */
#ifndef CA_PERF_MAP_H
#define CA_PERF_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/address_spans.h"
#include "symbols/symbol_memory.h"

struct ca_perf_map {
    struct ca_symbol_memory *memory; /* kept; holds the names */
    const char **names;              /* name_count */
    size_t name_count;
    size_t name_capacity;
    struct ca_address_spans spans; /* code that came later hides what was at its place */
};

/* Reads the file at `path`. One that is absent, no regular file, a link, or another user's gives an
 * empty map: anybody may write into /tmp. Lines that are something else are passed over. False when
 * there is no memory; ca_perf_map_release() in any case. */
bool ca_perf_map_init(struct ca_perf_map *map, const char *path, struct ca_symbol_memory *memory);
void ca_perf_map_release(struct ca_perf_map *map);

/* NULL: no code is known at `address`. */
const char *ca_perf_map_find(const struct ca_perf_map *map, uint64_t address);

#endif
