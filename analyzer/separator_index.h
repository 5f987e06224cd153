/* SPDX-License-Identifier: MIT
 *
 * separator_index.h: the separators of a text, found a window ahead of the reader.
 *
 * The window is small enough for the positions to stay in the first-level cache, however large the
 * text. A reader that finds a line it cannot use parses that one in another way and skips.
 */
#ifndef COUNTALLOC_SEPARATOR_INDEX_H
#define COUNTALLOC_SEPARATOR_INDEX_H

#include "separators.h"
#include "usual_line.h"

enum {
    CA_WINDOW_BYTES = 2048,
    CA_INDEX_CAPACITY = CA_USUAL_SEPARATORS + CA_WINDOW_BYTES + CA_SEPARATOR_SPARE,
};

/* `positions`: those from `first` up to `count` are ahead of the reader. */
struct ca_separator_index {
    ca_separators_function *find;
    const char *indexed_end; /* up to here the separators are in the index */
    const char *end;         /* of the text */
    size_t first;
    size_t count;
    const char *positions[CA_INDEX_CAPACITY];
};

/* Starts at a text (borrowed), CA_SEPARATOR_READ_BYTES readable behind it. */
static inline void ca_separator_index_start(struct ca_separator_index *index,
                                            struct ca_slice text) {
    index->indexed_end = text.bytes;
    index->end = text.bytes + text.byte_count;
    index->first = 0;
    index->count = 0;
}

/* Indexes on until a whole usual line is ahead; false when the text has no such number of
 * separators left. Not for direct use. */
static inline bool ca_separator_index_refill(struct ca_separator_index *index) {
    const size_t ahead_count = index->count - index->first;
    for (size_t at = 0; at < ahead_count; at++)
        index->positions[at] = index->positions[index->first + at];
    index->first = 0;
    index->count = ahead_count;
    while (index->count < CA_USUAL_SEPARATORS && index->indexed_end < index->end) {
        const size_t rest_bytes = (size_t)(index->end - index->indexed_end);
        const size_t window_bytes = rest_bytes < CA_WINDOW_BYTES ? rest_bytes : CA_WINDOW_BYTES;
        index->count +=
            index->find(index->indexed_end, window_bytes, index->positions + index->count);
        index->indexed_end += window_bytes;
    }
    return index->count >= CA_USUAL_SEPARATORS;
}

/* The next CA_USUAL_SEPARATORS separators, or NULL when there are fewer. */
static inline const char *const *ca_separator_index_peek(struct ca_separator_index *index) {
    if (index->count - index->first < CA_USUAL_SEPARATORS && !ca_separator_index_refill(index))
        return NULL;
    return index->positions + index->first;
}

/* Steps over the separators before `to`. */
static inline void ca_separator_index_skip(struct ca_separator_index *index, const char *to) {
    while (index->first < index->count && index->positions[index->first] < to)
        index->first++;
    if (index->indexed_end < to)
        index->indexed_end = to;
}

#endif
