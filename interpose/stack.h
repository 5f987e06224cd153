/* SPDX-License-Identifier: MIT
 *
 * The chain of frame pointers. Code that was built with them keeps, at [frame pointer], its
 * caller's frame pointer and above that the return address (System V x86-64 psABI 3.4.1;
 * AAPCS64 6.4.6); other code uses the register for anything. So a frame is believed only when it
 * lies above the one before it on the thread's own stack, which was seen to be readable up to
 * there. On any other stack (a fiber's, a signal's) there is the caller and nothing above. */
#ifndef CA_STACK_H
#define CA_STACK_H

#include "count.h"

/* The way into a hook. `frame` may be gone when it is looked at: it is a number, what it held is
 * beside it. */
struct ca_here {
    uintptr_t caller;        /* return address */
    uintptr_t frame;         /* the hook's */
    const uintptr_t *parent; /* the caller's frame pointer */
};

/* Notes, in the main thread, that all its frames of interest are below `top`. */
void ca_stack_begin(const void *top);

/* The part of the calling thread's stack that frames may be read in. */
CA_THREAD_WORD(struct ca_stack_bounds, ca_stack_here);

extern CA_HIDDEN const uint64_t ca_stack_multiplier[CA_STACK_DEPTH_MAX];

/* Whether `address` is on the thread's own stack, found out for a part of it that is new. */
bool ca_stack_learn(uintptr_t address);

CA_HOT bool ca_stack_is_on(uintptr_t address) {
    uintptr_t low = ca_stack_here.low;
    return CA_LIKELY(address - low < ca_stack_here.high - low) || ca_stack_learn(address);
}

/* `parent` when it can be the frame above the one at `frame`, which is on the stack; else NULL.
 * `last`: the highest address of a frame. */
CA_HOT const uintptr_t *ca_stack_above(uintptr_t frame, const uintptr_t *parent,
                                       const uintptr_t *last) {
    return (uintptr_t)parent > frame && parent < last ? parent : NULL;
}

/* The frame above `at`, likewise. */
CA_HOT const uintptr_t *ca_stack_next(const uintptr_t *at, const uintptr_t *last) {
    return ca_stack_above((uintptr_t)at, (const uintptr_t *)at[0], last);
}

CA_HOT const uintptr_t *ca_stack_last(void) {
    return (const uintptr_t *)ca_stack_here.high - 2;
}

/* The table looks at the product of a key: its upper half shall count, too. */
CA_HOT uint64_t ca_stack_finish(uint64_t key) {
    key ^= key >> 32;
    return key != 0 ? key : 1;
}

/* A hash of the caller and up to `depth` - 1 frames above it. Never 0. */
CA_HOT uint64_t ca_stack_key(const struct ca_here *here, uint32_t depth) {
    uint64_t key = here->caller * ca_stack_multiplier[0];
    if (ca_stack_is_on(here->frame)) {
        const uintptr_t *last = ca_stack_last();
        const uintptr_t *at = ca_stack_above(here->frame, here->parent, last);
        for (uint32_t count = 1; count < depth && at != NULL; at = ca_stack_next(at, last))
            key += at[1] * ca_stack_multiplier[count++];
    }
    return ca_stack_finish(key);
}

/* The same of `frame_count` addresses. */
uint64_t ca_stack_key_of(const uintptr_t *frames, uint32_t frame_count);

/* Whether `address` is in the shim, which may stand between libc and main (platform/stack_*.c). */
bool ca_stack_is_own(uintptr_t address);

/* The return addresses that ca_stack_key() has hashed, the caller first, as far as they can be
 * code. Returns their number;
 * `*ret_is_cut`: the chain goes on. */
uint32_t ca_stack_frames(const struct ca_here *here, uintptr_t *ret_frames, uint32_t depth,
                         bool *ret_is_cut);

#endif
