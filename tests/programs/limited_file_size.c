/* SPDX-License-Identifier: MIT
 *
 * A program that may write no file (RLIMIT_FSIZE 0) is counted, and no signal comes of it. It sets
 * the limit and then becomes itself again.
 *
 * expect: malloc=20 free=20 level=full exit_status=0
 * modes: run
 */
#include "victim.h"

#include <sys/resource.h>

int main(int argc, char **argv) {
    for (int i = 0; i < 10; i++)
        free(malloc(24));
    if (argc > 1)
        return 0;
    struct rlimit none = {0, 0};
    CHECK(setrlimit(RLIMIT_FSIZE, &none) == 0);
    execl("/proc/self/exe", argv[0], "again", (char *)NULL);
    return 98;
}
