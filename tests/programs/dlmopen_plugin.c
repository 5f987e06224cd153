/* SPDX-License-Identifier: MIT
 *
 * A library in a namespace of its own (dlmopen) has a libc of its own: what it allocates is not
 * counted, and the record says so.
 *
 * expect: phase.after.malloc=10 phase.after.free=10 level=partial
 * note: dlmopen
 */
#include "victim.h"

int main(int argc, char **argv) {
    char path[4096];
    (void)argc;
    strcpy(path, argv[0]);
    strcpy(strrchr(path, '/') + 1, "plugin.so");
    void *library = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
    CHECK(library != NULL);
    void *(*take)(int, size_t);
    *(void **)&take = dlsym(library, "plugin_take");
    countalloc_phase_begin("other");
    CHECK(take(30, 100) != NULL);
    countalloc_phase_end();
    countalloc_phase_begin("after");
    for (int i = 0; i < 10; i++)
        free(malloc(24));
    countalloc_phase_end();
    return 0;
}
