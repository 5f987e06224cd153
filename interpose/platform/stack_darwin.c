/* SPDX-License-Identifier: MIT
 *
 * libpthread keeps where a thread's stack is in its thread structure; the guard page is below. */
#ifndef __APPLE__
#error "macOS only"
#endif

#include "../stack.h"

struct _opaque_pthread_t;
extern struct _opaque_pthread_t *pthread_self(void);
extern void *pthread_get_stackaddr_np(struct _opaque_pthread_t *thread);
extern size_t pthread_get_stacksize_np(struct _opaque_pthread_t *thread);

bool ca_platform_stack(uintptr_t frame, struct ca_stack_bounds *bounds) {
    if (bounds->high == 0) {
        bounds->high = (uintptr_t)pthread_get_stackaddr_np(pthread_self());
        bounds->low = bounds->floor = bounds->high - pthread_get_stacksize_np(pthread_self());
    }
    return frame >= bounds->low && frame < bounds->high;
}

/* Because dyld calls main by itself, nothing of the shim's stands on the way. */
bool ca_stack_is_own(uintptr_t address) {
    (void)address;
    return false;
}
