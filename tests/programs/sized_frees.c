/* SPDX-License-Identifier: MIT
 *
 * C23's free_sized and free_aligned_sized, and the old cfree, count as free. libc need not have
 * them: they are looked up.
 *
 * expect: malloc=20 aligned=10 free=30 frees=30 free_null=2 live_blocks=0 bytes_live=0
 */
#include "victim.h"

int main(void) {
    void (*sized)(void *, size_t);
    void (*aligned_sized)(void *, size_t, size_t);
    void (*old)(void *);
    *(void **)&sized = dlsym(RTLD_DEFAULT, "free_sized");
    *(void **)&aligned_sized = dlsym(RTLD_DEFAULT, "free_aligned_sized");
    *(void **)&old = dlsym(RTLD_DEFAULT, "cfree");
    CHECK(sized != NULL && aligned_sized != NULL && old != NULL);
    for (int i = 0; i < 10; i++) {
        sized(malloc(100), 100);
        aligned_sized(aligned_alloc(64, 128), 64, 128);
        old(malloc(100));
    }
    sized(NULL, 0);
    aligned_sized(NULL, 64, 0);
    return 0;
}
