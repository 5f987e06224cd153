/* SPDX-License-Identifier: MIT
 *
 * random_log.h: logs of every shape the grammar allows.
 *
 * Keys shuffled, doubled, missing and foreign; values empty, with '=', NUL, control bytes and bytes
 * that are no UTF-8; numbers at and over their limits; lines that end in \n, \r\n, \r\r\n or not at
 * all; empty lines. Two lines in three are kept unless something added to them spoils it. The users
 * u00007, z and "u\0x" are among those that occur.
 */
#ifndef COUNTALLOC_TESTS_RANDOM_LOG_H
#define COUNTALLOC_TESTS_RANDOM_LOG_H

#include <stdint.h>

#include "logstat_reference.h"

enum {
    RANDOM_LOG_BYTES = 64 * 1024
};

/* Writes a log of 0 to 39 lines into `bytes`, RANDOM_LOG_BYTES, and returns it. `state`, not 0, is
 * the seed and moves on. */
struct text random_log(char *bytes, uint64_t *state);

/* A number below `limit`. */
uint64_t random_below(uint64_t *state, uint64_t limit);

/* Removes, adds or replaces a byte: one of the `other_count` of `others`. Returns how many there
 * are then: up to one more than `byte_count`, which is not 0. */
size_t random_byte_change(char *bytes, size_t byte_count, const char *others, size_t other_count,
                          uint64_t *state);

#endif
