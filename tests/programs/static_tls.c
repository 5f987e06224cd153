/* SPDX-License-Identifier: MIT
 *
 * A library that wants nearly all of the static thread-local storage that glibc keeps for libraries
 * loaded at run time still finds it: the shim takes next to nothing of it.
 *
 * expect: phase.work.malloc=11 phase.work.free=11
 */
#include "victim.h"

static void *use(void *argument) {
    int (*fill)(void);
    *(void **)&fill = argument;
    CHECK(fill() == 1500);
    return NULL;
}

int main(int argc, char **argv) {
    char path[4096];
    (void)argc;
    strcpy(path, argv[0]);
    strcpy(strrchr(path, '/') + 1, "static_storage.so");
    void *library = dlopen(path, RTLD_NOW);
    CHECK(library != NULL);
    void *fill = dlsym(library, "static_storage_fill");
    countalloc_phase_begin("work");
    for (int i = 0; i < 10; i++)
        free(malloc(24));
    use(fill);
    countalloc_phase_end();
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, use, fill) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    return 0;
}
