/* SPDX-License-Identifier: MIT
 *
 * Closes everything that is not its own and puts a file of its own under every number: nothing of
 * ours may end up in that. (No report file could be opened then; test_plain_preload has that case.)
 *
 * expect: malloc=10 free=10
 * args: /dev/null
 * modes: run
 */
#include "victim.h"

#include <fcntl.h>

int main(int argc, char **argv) {
    CHECK(argc == 2);
    int fd = open(argv[1], O_WRONLY | O_CREAT, 0666);
    CHECK(fd >= 0);
    long limit = sysconf(_SC_OPEN_MAX) < 65536 ? sysconf(_SC_OPEN_MAX) : 65536;
    for (int other = 3; other < limit; other++)
        CHECK(other == fd || dup2(fd, other) == other);
    for (int i = 0; i < 10; i++)
        free(malloc(24));
    return 0;
}
