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

/* Notes, in the main thread, that all its frames of interest are below `top`. */
void ca_stack_begin(const void *top);

/* The part of the calling thread's stack that frames may be read in. */
extern CA_HIDDEN _Thread_local struct ca_stack_bounds ca_stack_here
    __attribute__((tls_model("initial-exec")));

extern CA_HIDDEN const uint64_t ca_stack_multiplier[CA_STACK_DEPTH_MAX];

/* Whether `frame` is on the thread's own stack, found out for a part of it that is new. */
bool ca_stack_learn(const uintptr_t *frame);

CA_HOT bool ca_stack_is_on(const uintptr_t *frame) {
    uintptr_t low = ca_stack_here.low;
    return CA_LIKELY((uintptr_t)frame - low < ca_stack_here.high - low) || ca_stack_learn(frame);
}

/* The frame above `frame`, which is on the stack; NULL when there is none that can be believed.
 * `last`: the highest address of one. */
CA_HOT const uintptr_t *ca_stack_above(const uintptr_t *frame, const uintptr_t *last) {
    const uintptr_t *above = (const uintptr_t *)frame[0];
    return above > frame && above < last ? above : NULL;
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
CA_HOT uint64_t ca_stack_key(const uintptr_t *frame, uint32_t depth) {
    uint64_t key = frame[1] * ca_stack_multiplier[0];
    if (ca_stack_is_on(frame)) {
        const uintptr_t *last = ca_stack_last();
        for (uint32_t at = 1; at < depth && (frame = ca_stack_above(frame, last)) != NULL; at++)
            key += frame[1] * ca_stack_multiplier[at];
    }
    return ca_stack_finish(key);
}

/* The same of `frame_count` addresses. */
uint64_t ca_stack_key_of(const uintptr_t *frames, uint32_t frame_count);

/* Whether `address` is in the shim, which stands between libc and main. */
bool ca_stack_is_own(uintptr_t address);

/* The return addresses that ca_stack_key() has hashed, the caller first, as far as they can be
 * code. Returns their number;
 * `*ret_is_cut`: the chain goes on. */
uint32_t ca_stack_frames(const uintptr_t *frame, uintptr_t *ret_frames, uint32_t depth,
                         bool *ret_is_cut);

#endif
