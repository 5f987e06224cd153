/* SPDX-License-Identifier: MIT
 *
 * Threads and their slots. A slot is claimed when its thread is first seen and never given back:
 * frees that libc makes after a thread's last destructor still have a place. Any thread may call
 * these for itself. */
#ifndef CA_THREAD_H
#define CA_THREAD_H

#include "shim_state.h"

/* The row in which the calling thread must count now: attaches it first when it is new. Never NULL.
 * Its slot is 0 when the row is shared and must be counted in by atomic adds. */
struct ca_row *ca_thread_row(void);

/* The calling thread's slot, or NULL when it has none of its own (not counting, or overflowed). */
struct ca_slot *ca_thread_slot(void);

/* The row of `slot` for `phase`, made when it is not there. NULL when no row is left. Only the
 * slot's own thread may call it. */
struct ca_row *ca_thread_phase_row(struct ca_slot *slot, uint32_t phase, bool is_adopted);

/* An unused row, or 0 when none is left. */
uint32_t ca_row_take(void);

/* Notes the name of the thread whose key is `thread_key`; makes it a slot when it has none yet. */
void ca_thread_set_name(uint64_t thread_key, const char *name);

static inline struct ca_row *ca_row_at(uint32_t index) {
    return &ca_shim.region->rows[index];
}

#endif
