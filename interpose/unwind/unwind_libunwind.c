/* SPDX-License-Identifier: MIT
 *
 * libcountalloc-unwind.so: whole stacks for samples. Preloaded behind the shim only when samples
 * are wanted, so that every other program is spared libunwind. The shim finds the one function by
 * its name among the loaded objects. */
#define UNW_LOCAL_ONLY
#include <libunwind.h>

/* Fills `ret_frames` with the return addresses of the calling thread's stack, this function's own
 * first, and returns their number, at most `capacity`. libunwind looks at memory only after asking
 * the system whether it is there, and allocates from mappings of its own. */
__attribute__((visibility("default"))) unsigned countalloc_unwind(void **ret_frames,
                                                                  unsigned capacity);

unsigned countalloc_unwind(void **ret_frames, unsigned capacity) {
    unw_context_t context;
    unw_cursor_t cursor;
    unsigned count = 0;
    if (unw_getcontext(&context) != 0 || unw_init_local(&cursor, &context) != 0)
        return 0;
    while (count < capacity && unw_step(&cursor) > 0) {
        unw_word_t address;
        if (unw_get_reg(&cursor, UNW_REG_IP, &address) != 0 || address == 0)
            break;
        ret_frames[count++] = (void *)address;
    }
    return count;
}
