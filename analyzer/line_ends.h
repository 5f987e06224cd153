/* SPDX-License-Identifier: MIT
 *
 * line_ends.h: usual lines taken from their two ends, from v10 on.
 *
 *     ts=2026-11-03T00:00:00Z level=INFO route=/v1/chat model=mistral-7b user=u02786 tokens=517
 *     latency_ms=148 status=200\n                                      (one line, broken here)
 *
 * Where all separators are is not asked. The first byte up to ' ' ends the value of ts. A newline
 * gives the other end: 11 bytes before it begins " status=" with its value of three bytes, and the
 * last three bytes up to ' ' in the 64 that end where latency_ms begins at the latest are the
 * separators before latency_ms, tokens and user. What is left between the two, from " level=" to
 * " user=", is compared whole with the middles that were seen before (middle_cache.h).
 *
 * Why a line that passes is read as the grammar in logstat.h reads it: it begins with "ts=" and
 * goes on with no separator up to the middle. The middle equals one of a line that usual_line.h has
 * proved, so in it stand four keys in their places and no other space and no newline. From its end
 * to the latency there are two bytes up to ' ', and the keys tokens and latency_ms stand there. The
 * two numbers are 1 to 7 digits and nothing else, which leaves no place for a separator, and the
 * key status and its value follow at once, the value being "200" or three bytes above ' '. So every
 * byte up to the newline is accounted for, and it is the first one: this is one line of eight
 * fields, each key once. It does not matter how the newline was found, as one that is too far away
 * leaves another within the line, where nothing above lets it pass. A byte below ' ' that is no
 * newline is no separator, but a line with one outside of its middle is left to the others too.
 *
 * A path (separators.h) brings the four functions of struct ca_line_ends_way, and its file compiles
 * the walk with them.
 */
#ifndef COUNTALLOC_LINE_ENDS_H
#define COUNTALLOC_LINE_ENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blocked_words.h"
#include "logstat.h"
#include "middle_cache.h"
#include "separators.h"
#include "tally.h"

enum {
    CA_ENDS_BITS_BYTES = 32, /* what a path looks at to make bits */
    CA_STATUS_BYTES = 11,    /* " status=200" */
    CA_LATENCY_BYTES_MIN = 13,
    /* From the newline back to the 64 bytes with the separators of latency_ms, tokens and user. */
    CA_ENDS_TAIL_BYTES = CA_STATUS_BYTES + CA_LATENCY_BYTES_MIN + 63,
    CA_ENDS_LEAD_BYTES = 16, /* how far before a line is read */
    CA_NUMBER_BYTES_MAX = 7,
};

/* `newline_from_bytes`: where in a line its newline is looked for, at least CA_ENDS_TAIL_BYTES; a
 * shorter line does not pass. */
struct ca_line_ends {
    size_t newline_from_bytes;
    struct ca_middle_cache middles;
    struct ca_blocked_words blocked;
};

/* What every ca_line_ends_function (separators.h) does: counts the usual lines from `line` on, and
 * returns where the first begins that does not pass, or that is too near to the end. `end`: behind
 * the last byte; CA_BLOCK_PADDING_BYTES are readable behind it, and CA_ENDS_LEAD_BYTES before
 * `line`. */

/* The end of a line in places: the separators before tokens, latency_ms and status. */
struct ca_line_tail {
    const char *tokens_at;
    const char *latency_at;
    const char *status_at;
    size_t tokens_bytes;  /* 0 to 7 */
    size_t latency_bytes; /* 1 to 7 */
};

struct ca_tail_numbers {
    uint32_t tokens;
    uint32_t latency_ms;
};

#endif
