/* SPDX-License-Identifier: MIT
 *
 * A library opens a phase, whose name is in its own memory, and is closed before the phase is: the
 * phase goes on under its name.
 *
 * expect: phase.of_a_library.malloc=8 phase.of_a_library.opened=1 phase.after.malloc=4
 */
#include "victim.h"

int main(int argc, char **argv) {
    char path[4096];
    (void)argc;
    strcpy(path, argv[0]);
    strcpy(strrchr(path, '/') + 1, "opens_a_phase.so");
    void *library = dlopen(path, RTLD_NOW);
    CHECK(library != NULL);
    void (*open_it)(void);
    *(void **)&open_it = dlsym(library, "opens_a_phase");
    open_it();
    countalloc_phase_begin("closing");
    CHECK(dlclose(library) == 0);
    CHECK(dlopen(path, RTLD_NOW | RTLD_NOLOAD) == NULL);
    (void)dlerror();
    countalloc_phase_end();
    for (int i = 0; i < 5; i++)
        free(malloc(24));
    countalloc_phase_end();
    countalloc_phase_begin("after");
    for (int i = 0; i < 4; i++)
        free(malloc(24));
    countalloc_phase_end();
    return 0;
}
