/* SPDX-License-Identifier: MIT
 *
 * A program whose allocations are known: the hidden command `self-test`, which doctor runs under
 * the shim. */
#ifndef CA_SELF_TEST_H
#define CA_SELF_TEST_H

/* What it does in its phase: CALLS mallocs of 1 to CALLS bytes, one each of calloc, realloc and
 * posix_memalign; all is freed. */
#define CA_SELF_TEST_PHASE       "self-test"
#define CA_SELF_TEST_CALLS       1000u
#define CA_SELF_TEST_ALLOCATIONS (CA_SELF_TEST_CALLS + 3u)
#define CA_SELF_TEST_FREES       CA_SELF_TEST_ALLOCATIONS
#define CA_SELF_TEST_BYTES       (CA_SELF_TEST_CALLS * (CA_SELF_TEST_CALLS + 1u) / 2u + 21u + 5000u + 64u)

#endif
