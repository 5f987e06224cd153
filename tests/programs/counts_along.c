/* SPDX-License-Identifier: MIT
 *
 * Keeps its own count in a shared file and is killed in the middle of it by a child: test_killed
 * compares. Without a file it does the same a thousand times and ends.
 *
 * expect: malloc=1000 free=1000
 */
#include "victim.h"

#include <fcntl.h>
#include <sys/mman.h>

int main(int argc, char **argv) {
    static volatile uint64_t own[2];
    volatile uint64_t *shared = own; /* begun, done */
    if (argc > 1) {
        int fd = open(argv[1], O_RDWR);
        shared = mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        CHECK(shared != MAP_FAILED);
        if (fork() == 0) {
            while (shared[1] < 100000)
                usleep(100);
            kill(getppid(), SIGKILL);
            _exit(0);
        }
    }
    while (argc > 1 || shared[1] < 1000) {
        shared[0]++;
        void *block = malloc(24);
        shared[1]++;
        free(block);
    }
    return 0;
}
