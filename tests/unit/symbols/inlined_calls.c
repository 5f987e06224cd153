/* SPDX-License-Identifier: MIT
 *
 * Prints a return address as its file has it, in hexadecimal. The call that it belongs to is on
 * line 28, in innermost(), which was inlined into middle() on line 34, and that into outermost() on
 * line 40. The line after each call has code: what is looked up one byte too far is seen. */
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>

#define ALONE  __attribute__((noinline, noclone))
#define INLINE __attribute__((always_inline)) static inline
#ifdef __clang__
#undef ALONE
#define ALONE __attribute__((noinline))
#endif

static volatile uintptr_t address;
static volatile int steps;

ALONE void keep_caller(void);
void keep_caller(void) {
    address = (uintptr_t)__builtin_return_address(0);
}

INLINE void innermost(void) {
    steps = 1;
    keep_caller();
    steps = 2;
}

INLINE void middle(void) {
    steps = 3;
    innermost();
    steps = 4;
}

ALONE static void outermost(void) {
    steps = 5;
    middle();
    steps = 6;
}

static int find_base(struct dl_phdr_info *info, size_t info_bytes, void *base) {
    (void)info_bytes;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && address - info->dlpi_addr - part->p_vaddr < part->p_memsz)
            *(uintptr_t *)base = info->dlpi_addr;
    }
    return 0;
}

unsigned long inlined_calls_offset(void);
unsigned long inlined_calls_offset(void) {
    uintptr_t base = 0;
    outermost();
    dl_iterate_phdr(find_base, &base);
    return address - base;
}

int main(void) {
    printf("%lx\n", inlined_calls_offset());
    return 0;
}
