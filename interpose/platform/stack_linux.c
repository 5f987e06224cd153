/* SPDX-License-Identifier: MIT
 *
 * Where a thread's stack is, without asking pthread, which would allocate. The main thread's is the
 * kernel's: it grows down from above the environment to its limit, and nothing else is mapped
 * there. Another thread's has its thread-local storage at the top (glibc, musl); what lies below is
 * probed page by page until something is met that cannot be read, which is the guard. */
#ifndef __linux__
#error "Linux only"
#endif

#include <errno.h>
#include <sys/resource.h>

#include "../stack.h"
#include "sys_linux.h"

#define PAGE_BYTES 4096u

/* The kernel keeps at least this much below the main stack free of mappings (mmap_base()). */
#define MAIN_STACK_GAP (128u << 20)

/* Probing further than this would take a second. */
#define DEEPEST_BYTES (1u << 30)

/* The system reads a signal mask from `address` before it looks at the rest, which is nonsense. */
static bool is_readable(uintptr_t address) {
    const long no_such_way = 0x7fff;
    return ca_sys6(SYS_rt_sigprocmask, no_such_way, (long)address, 0, 8, 0, 0) != -EFAULT;
}

/* Asked for once, when the shim attaches: later a sandbox may end the program for it. */
static uintptr_t most_main_bytes(void) {
    static uintptr_t most_bytes;
    struct rlimit limit = {MAIN_STACK_GAP, MAIN_STACK_GAP};
    if (most_bytes == 0) {
        ca_sys6(SYS_prlimit64, 0, RLIMIT_STACK, 0, (long)&limit, 0, 0);
        most_bytes = limit.rlim_cur < MAIN_STACK_GAP ? (uintptr_t)limit.rlim_cur : MAIN_STACK_GAP;
    }
    return most_bytes;
}

static void find_main_stack(struct ca_stack_bounds *bounds) {
    uintptr_t bytes = most_main_bytes();
    bounds->high = ca_shim.stack_end & ~(uintptr_t)15;
    bounds->low = bounds->floor = bounds->high - bytes;
}

bool ca_platform_stack(uintptr_t frame, struct ca_stack_bounds *bounds) {
    if (bounds->high == 0) {
        if (bounds == ca_shim.main_stack)
            find_main_stack(bounds);
        else
            bounds->high = bounds->low = (uintptr_t)bounds & ~(uintptr_t)15;
    }
    if (frame >= bounds->high || frame < bounds->floor || bounds->high - frame > DEEPEST_BYTES)
        return false;
    while (bounds->low > frame) {
        uintptr_t page = (bounds->low - 1) & ~(uintptr_t)(PAGE_BYTES - 1);
        if (!is_readable(page)) {
            bounds->floor = bounds->low;
            return false;
        }
        bounds->low = page;
    }
    return true;
}

/* Where the linker put the shim. */
extern const char own_begin[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));
extern const char own_end[] __asm__("etext") __attribute__((visibility("hidden")));

bool ca_stack_is_own(uintptr_t address) {
    return address - (uintptr_t)own_begin < (uintptr_t)(own_end - own_begin);
}
