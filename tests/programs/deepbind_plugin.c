/* SPDX-License-Identifier: MIT
 *
 * A library loaded with RTLD_DEEPBIND calls glibc's malloc past the shim: not counted, and nothing
 * breaks when its blocks come through the shim later.
 *
 * expect: phase.plugin.malloc=0 phase.plugin.free=0 phase.after.frees=2 phase.after.realloc=1
 * expect: phase.after.realloc_grown=1
 * note: with RTLD_DEEPBIND: what it allocates is not counted
 */
#include "victim.h"

int main(int argc, char **argv) {
    char path[4096];
    (void)argc;
    strcpy(path, argv[0]);
    strcpy(strrchr(path, '/') + 1, "plugin.so");
    void *library = dlopen(path, RTLD_NOW | RTLD_DEEPBIND);
    CHECK(library != NULL);
    void *(*take)(int, size_t);
    *(void **)&take = dlsym(library, "plugin_take");
    void *block = take(30, 100);
    countalloc_phase_begin("after");
    block = realloc(block, 5000);
    free(block);
    countalloc_phase_end();
    return 0;
}
