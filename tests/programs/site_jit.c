/* SPDX-License-Identifier: MIT
 *
 * Code that the program made itself belongs to no module.
 *
 * run: --sites
 * env: COUNTALLOC_SITES=1
 * expect: in.[anonymous].allocations=20 in.[anonymous].bytes_requested=480 in.site_jit.allocations=1
 */
#include <sys/mman.h>

#include "victim.h"

int main(void) {
    free(malloc(1));
#if defined(__x86_64__)
    /* push rbp; mov $24, edi; movabs $malloc, rax; call rax; pop rbp; ret */
    unsigned char code[] = {0x55, 0xbf, 24, 0, 0, 0, 0x48, 0xb8, 0,    0,
                            0,    0,    0,  0, 0, 0, 0xff, 0xd0, 0x5d, 0xc3};
    uintptr_t target = (uintptr_t)malloc;
    memcpy(code + 8, &target, sizeof target);
#else
#error "no machine code for this processor"
#endif
    void *page =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED);
    memcpy(page, code, sizeof code);
    void *(*made)(void) = (void *(*)(void))(uintptr_t)page;
    for (int i = 0; i < 20; i++)
        free(made());
    return 0;
}
