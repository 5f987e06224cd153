/* SPDX-License-Identifier: MIT
 *
 * The register of the frame pointer holds what it likes in code that was built without: no memory,
 * the frame itself, the end of the stack, an odd address. The program goes on, and all calls are
 * counted, at their place.
 *
 * run: --stacks
 * modes: run
 * expect: site.with_pointer.allocations=9 allocations=9 rest.allocations=0
 */
#include "victim.h"

extern char **environ;

#if defined(__x86_64__)
static void with_pointer(uintptr_t pointer) {
    void *block = NULL;
    __asm__ volatile("mov %%rbp, %%rbx\n\t"
                     "mov %%rsp, %%r12\n\t"
                     "and $-16, %%rsp\n\t"
                     "mov %2, %%rbp\n\t"
                     "mov $24, %%edi\n\t"
                     "call *%1\n\t"
                     "mov %%r12, %%rsp\n\t"
                     "mov %%rbx, %%rbp"
                     : "=a"(block)
                     : "r"((uintptr_t)malloc), "r"(pointer)
                     : "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "memory",
                       "cc");
    free(block);
}
#else
static void with_pointer(uintptr_t pointer) {
    (void)pointer;
    free(malloc(24));
}
#endif

int main(void) {
    uintptr_t here[4] = {0};
    here[0] = (uintptr_t)&here[0]; /* a frame that is its own caller */
    here[1] = 1;
    const uintptr_t pointers[] = {0,
                                  8,
                                  (uintptr_t)-16,
                                  (uintptr_t)&here[0],
                                  (uintptr_t)&here[1] + 3,
                                  (uintptr_t)environ,
                                  (uintptr_t)environ - 8,
                                  (uintptr_t)environ & ~(uintptr_t)4095,
                                  (uintptr_t)&here[0] - (64u << 20)};
    for (size_t i = 0; i < sizeof pointers / sizeof pointers[0]; i++)
        with_pointer(pointers[i]);
    return 0;
}
