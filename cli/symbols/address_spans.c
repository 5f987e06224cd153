/* SPDX-License-Identifier: MIT */
#include "symbols/address_spans.h"

#include <stdlib.h>

#include "flame/byte_buffer.h"

void ca_address_spans_release(struct ca_address_spans *list) {
    free(list->spans);
    *list = (struct ca_address_spans){0};
}

bool ca_address_spans_add(struct ca_address_spans *list, uint64_t begin, uint64_t end,
                          size_t item) {
    if (begin >= end || begin < CA_ADDRESS_LEAST)
        return true;
    struct ca_address_span *grown =
        ca_array_grown(list->spans, list->span_count, &list->span_capacity, sizeof *grown);
    if (grown == NULL)
        return false;
    list->spans = grown;
    grown[list->span_count++] = (struct ca_address_span){.begin = begin, .end = end, .item = item};
    return true;
}

/* Outer before inner, so that the innermost is the last that holds an address. */
static int order(const void *left, const void *right) {
    const struct ca_address_span *a = left;
    const struct ca_address_span *b = right;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    if (a->end != b->end)
        return a->end > b->end ? -1 : 1;
    return a->item > b->item ? -1 : a->item < b->item;
}

void ca_address_spans_sort(struct ca_address_spans *list) {
    if (list->span_count == 0)
        return;
    qsort(list->spans, list->span_count, sizeof *list->spans, order);
    uint64_t reach = 0;
    for (size_t i = 0; i < list->span_count; i++) {
        if (list->spans[i].end > reach)
            reach = list->spans[i].end;
        list->spans[i].reach = reach;
    }
}

size_t ca_address_spans_find(const struct ca_address_spans *list, uint64_t address) {
    size_t low = 0;
    size_t high = list->span_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->spans[middle].begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    while (low > 0 && list->spans[low - 1].reach > address) {
        if (list->spans[low - 1].end > address)
            return list->spans[low - 1].item;
        low--;
    }
    return CA_NO_ITEM;
}
