/* SPDX-License-Identifier: MIT
 *
 * word_scanner.h: v8 as a part, so that v9 can have one per thread, and v10 for the lines that are
 * not usual. Private to v8, v9 and v10.
 */
#ifndef COUNTALLOC_WORD_SCANNER_H
#define COUNTALLOC_WORD_SCANNER_H

#include "block_reader.h"
#include "blocked_users.h"
#include "logstat.h"
#include "name_cache.h"
#include "separator_index.h"

/* What one thread needs. About 40 KB. */
struct ca_word_scanner {
    const struct ca_job *job;
    const struct ca_blocked_users *blocked; /* shared */
    struct ca_block_reader reader;
    struct ca_separator_index index;
    struct ca_name_cache names;
};

/* Starts; both arguments are kept. Allocates nothing. */
void ca_word_scanner_init(struct ca_word_scanner *scanner, const struct ca_job *job,
                          const struct ca_blocked_users *blocked);

/* Adds what the source holds, from its position to its end, to `result`; always the same result for
 * one scanner, any number of sources. As ca_scan_function, and CA_IO. */
enum ca_status ca_word_scanner_scan(struct ca_word_scanner *scanner, struct ca_source *source,
                                    struct ca_result *result, struct ca_error *err);

/* Adds the lines of a text, as ca_block_reader_next makes it, or some whole lines of it. */
enum ca_status ca_word_scanner_count(struct ca_word_scanner *scanner, struct ca_slice lines,
                                     struct ca_result *result, struct ca_error *err);

/* Frees the buffer. */
void ca_word_scanner_release(struct ca_word_scanner *scanner);

#endif
