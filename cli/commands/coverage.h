/* SPDX-License-Identifier: MIT
 *
 * What a run really measured, once the program is gone. The region's handshake decides: zero is a
 * result only where the shim says that it counted. */
#ifndef CA_COVERAGE_H
#define CA_COVERAGE_H

#include "interpose/report/record.h"
#include "platform/cli_platform.h"

/* Completes `record`'s coverage: level and notes. `refusal`: why the program was known not to be
 * countable before it ran (it was run all the same), or NULL. Returns CA_OK when something was
 * measured; else CA_ERROR_UNCOUNTABLE, with the cause and the next step in `err` and as the
 * record's first note; its level is then none. */
enum ca_status ca_coverage_judge(struct ca_record *record, const struct ca_region *region,
                                 const struct ca_target *target, const struct ca_outcome *outcome,
                                 const struct ca_error *refusal, struct ca_error *err);

/* The same for the allocator that was to serve: a record of another one would have a wrong label.
 * Also notes when the allocator did not say how it stood at the end. */
enum ca_status ca_coverage_judge_allocator(struct ca_record *record, const struct ca_region *region,
                                           const struct ca_allocator *allocator,
                                           struct ca_error *err);

#endif
