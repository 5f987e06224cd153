/* SPDX-License-Identifier: MIT
 *
 * The start test, for a system on which a hook may be passed by without a sign: a function of
 * another library that allocates once and frees once is called, and both must have been seen, once
 * each. Else this process is not counted at all: a free that is seen without its allocation would
 * be a wrong number, and a wrong number is worse than none. */
#ifndef CA_START_TEST_H
#define CA_START_TEST_H

#include "shim_state.h"

/* Why the process must not be counted, given what was seen of one malloc and one free; NULL: both
 * were. Reads as the owner of malloc in "its malloc calls go to ...". */
const char *ca_start_test_verdict(uint64_t allocations, uint64_t frees);

/* Runs `allocate_and_free` and judges. Nothing of it stays in the counts. Once, in the initialiser,
 * before the region is attached. */
const char *ca_start_test(void (*allocate_and_free)(void));

#endif
