/* SPDX-License-Identifier: MIT
 *
 * Code loaded by dlopen is counted, and its use of phase.h finds the shim.
 *
 * expect: phase.plugin.malloc=30 phase.plugin.free=29 phase.plugin.free_null=1
 * expect: phase.plugin.bytes_requested=3000 phase.plugin.opened=1 phase.after.free=1
 */
#include "victim.h"

int main(int argc, char **argv) {
    char path[4096];
    (void)argc;
    strcpy(path, argv[0]);
    strcpy(strrchr(path, '/') + 1, "plugin.so");
    void *library = dlopen(path, RTLD_NOW);
    CHECK(library != NULL);
    void *(*take)(int, size_t);
    int (*is_active)(void);
    *(void **)&take = dlsym(library, "plugin_take");
    *(void **)&is_active = dlsym(library, "plugin_is_active");
    CHECK(is_active());
    void *block = take(30, 100);
    CHECK(malloc_usable_size(block) >= 100);
    countalloc_phase_begin("after");
    free(block);
    countalloc_phase_end();
    return 0;
}
