/* SPDX-License-Identifier: MIT
 *
 * Ten allocations, and one call of each function that allocating_calls.c stands in front of. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
    for (int i = 0; i < 10; i++)
        free(malloc(24));
    int fd = open("/dev/null", O_WRONLY, 0);
    if (fd < 0 || getenv("PATH") == NULL || write(fd, "x", 1) != 1)
        return 1;
    return mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
}
