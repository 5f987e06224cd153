/* SPDX-License-Identifier: MIT
 *
 * Free Pascal's programs leave main by jumping to its return address with another stack pointer: libc
 * needs nothing of the stack there, so nor may the shim.
 *
 * expect: malloc=10 free=10 exit_status=7 phase.main.malloc=10
 */
#include "victim.h"

#if defined(__x86_64__)
static void *back;
static void *frame;
/* Nothing but zeros lies above, so that who returns from here gets nowhere. */
static _Alignas(16) char other_stack[1 << 18];

static void leave(int status) {
    __asm__ volatile("movq %2, %%rbp\n\t"
                     "movq %3, %%rsp\n\t"
                     "jmp *%1"
                     :
                     : "a"(status), "d"(back), "c"(frame),
                       "S"(other_stack + sizeof other_stack - 4096)
                     : "memory");
    __builtin_unreachable();
}
#endif

int main(void) {
    for (int i = 0; i < 10; i++)
        free(malloc(24));
#if defined(__x86_64__)
    back = __builtin_return_address(0);
    frame = *(void **)__builtin_frame_address(0);
    leave(7);
#endif
    return 7;
}
