/* SPDX-License-Identifier: MIT
 *
 * Ranges of addresses, and which of them an address lies in: of units, functions, symbols. Ranges
 * may lie within each other; the innermost counts. */
#ifndef CA_ADDRESS_SPANS_H
#define CA_ADDRESS_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ca_address_span {
    uint64_t begin;
    uint64_t end;   /* not in it */
    uint64_t reach; /* the largest end of this one and all before it */
    size_t item;
};

/* All zero is an empty list. */
struct ca_address_spans {
    struct ca_address_span *spans; /* span_count elements */
    size_t span_count;
    size_t span_capacity;
};

#define CA_NO_ITEM SIZE_MAX

void ca_address_spans_release(struct ca_address_spans *list);

/* An empty span, or one that begins below CA_ADDRESS_LEAST, is left out: linkers leave the
 * addresses of functions that they dropped as 0 or 1, and every file begins with a header of 64
 * bytes. False when there is no memory. */
#define CA_ADDRESS_LEAST 64u
bool ca_address_spans_add(struct ca_address_spans *list, uint64_t begin, uint64_t end, size_t item);

/* To be called once, before anything is looked up. */
void ca_address_spans_sort(struct ca_address_spans *list);

/* The item of the innermost span around `address`, of equal ones the lowest item; CA_NO_ITEM: there
 * is none. */
size_t ca_address_spans_find(const struct ca_address_spans *list, uint64_t address);

#endif
