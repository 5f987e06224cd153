/* SPDX-License-Identifier: MIT
 *
 * A profile in memory, folded: what `countalloc fold` would print. */
#ifndef FOLDED_TEXT_H
#define FOLDED_TEXT_H

#include "fold/fold.h"

struct folded_text {
    enum ca_status status;
    struct ca_error err;
    struct ca_fold_notes notes;
    struct ca_byte_buffer text; /* ends in a NUL that is not counted */
    uint64_t sum;
};

/* `kind`: NULL to guess; `options`: NULL for none. */
void folded_text_init(struct folded_text *folded, const struct ca_fold_kind *kind,
                      const char *bytes, size_t byte_count, const char *shown,
                      const struct ca_fold_options *options);

void folded_text_release(struct folded_text *folded);

#endif
