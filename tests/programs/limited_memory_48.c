/* SPDX-License-Identifier: MIT
 *
 * A program with little address space (RLIMIT_AS, in MiB) still runs, and is counted. It sets the
 * limit and then becomes itself again.
 *
 * expect: malloc=1020 free=1000 failed=1 phase.work.malloc=20 phase.many.opened=200
 * args: 48
 */
#include "victim.h"

#include <sys/resource.h>

int main(int argc, char **argv) {
    if (argc > 1) {
        struct rlimit limit = {(rlim_t)atoi(argv[1]) << 20, (rlim_t)atoi(argv[1]) << 20};
        CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
        execl("/proc/self/exe", argv[0], (char *)NULL);
        return 98;
    }
    CHECK(countalloc_is_active());
    for (size_t i = 0; i < 1000; i++)
        free(malloc(i));
    countalloc_phase_begin("work");
    for (int i = 0; i < 20; i++) {
        char *block = malloc(100000);
        CHECK(block != NULL);
        memset(block, 1, 100000);
    }
    countalloc_phase_end();
    for (int i = 0; i < 200; i++) {
        countalloc_phase_begin("many");
        countalloc_phase_end();
    }
    CHECK(malloc((size_t)200 << 20) == NULL);
    return 0;
}
