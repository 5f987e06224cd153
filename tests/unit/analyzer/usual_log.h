/* SPDX-License-Identifier: MIT
 *
 * usual_log.h: logs whose lines are the usual ones, or nearly.
 *
 * random_log.h makes lines that no guess fits. Here a line has the eight keys in the usual order,
 * with values of every kind; one in three is then spoiled in one or two places: a byte changed,
 * removed or added, two fields swapped, one doubled or left out. So a parser that guesses is right
 * about most lines and wrong by one byte about the rest.
 */
#ifndef COUNTALLOC_TESTS_USUAL_LOG_H
#define COUNTALLOC_TESTS_USUAL_LOG_H

#include <stdint.h>

#include "logstat_reference.h"

enum {
    USUAL_LOG_BYTES = 64 * 1024
};

/* Writes a log of 0 to 39 lines into `bytes`, USUAL_LOG_BYTES, and returns it. `state`, not 0, is
 * the seed and moves on. */
struct text usual_log(char *bytes, uint64_t *state);

#endif
