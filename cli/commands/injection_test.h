/* SPDX-License-Identifier: MIT
 *
 * check --self-test: whether each budget would notice.
 *
 * The program is run again with limit - measured + 1 allocations added to each budgeted phase, by
 * the counting library, when the phase is first opened; each must turn its budget over. Phases do
 * not touch each other, so that one more run does for all of them; the total has a run of its own,
 * in which the allocations are added to "main". Limits on bytes have theirs: an added allocation
 * asks for one byte.
 *
 * A budget that is further above what was measured than CA_INJECTION_REACH is called one that
 * nothing could trip. Limits on bytes_peak and live_blocks cannot be tested so, because what is
 * added is freed again. */
#ifndef CA_INJECTION_TEST_H
#define CA_INJECTION_TEST_H

#include "commands/check_job.h"

#define CA_INJECTION_REACH 1000000000u /* allocations: some ten seconds */

/* `job` was judged, and was measured. Prints what came of it on standard output. `*ret_exit`: 0 all
 * turned over, 1 one did not, 3 one could not be tested. */
enum ca_status ca_injection_test(struct ca_check_job *job, int *ret_exit, struct ca_error *err);

#endif
