/* SPDX-License-Identifier: MIT
 *
 * A limit of four descriptors from the start: the fourth is the program's.
 *
 * expect: malloc=10 free=10
 * modes: run
 */
#include "victim.h"

#include <fcntl.h>
#include <sys/resource.h>

int main(int argc, char **argv) {
    struct rlimit four = {4, 4};
    if (argc < 2) {
        CHECK(setrlimit(RLIMIT_NOFILE, &four) == 0);
        execl("/proc/self/exe", argv[0], "again", (char *)NULL);
        return 98;
    }
    CHECK(open("/dev/null", O_RDONLY) == 3);
    for (int i = 0; i < 10; i++)
        free(malloc(24));
    return 0;
}
