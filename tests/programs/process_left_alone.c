/* SPDX-License-Identifier: MIT
 *
 * What the shim leaves as it was: one thread, every signal with its default action and none blocked,
 * no descriptor beyond the program's three (nor, in a plain preload, below 64).
 *
 * expect: malloc=10 free=10
 */
#include "victim.h"

#include <fcntl.h>

static int thread_count(void) {
    static char text[8192];
    int fd = open("/proc/self/status", O_RDONLY);
    CHECK(fd >= 0);
    ssize_t got = read(fd, text, sizeof text - 1);
    close(fd);
    CHECK(got > 0);
    char *line = strstr(text, "\nThreads:");
    CHECK(line != NULL);
    return atoi(line + 9);
}

int main(void) {
    for (int i = 0; i < 10; i++)
        free(malloc(24));
    CHECK(thread_count() == 1);
    for (int number = 1; number < 32; number++) {
        struct sigaction action;
        CHECK(sigaction(number, NULL, &action) == 0);
        CHECK(action.sa_handler == SIG_DFL);
    }
    sigset_t blocked;
    CHECK(sigprocmask(SIG_SETMASK, NULL, &blocked) == 0);
    for (int number = 1; number < 32; number++)
        CHECK(sigismember(&blocked, number) == 0);
    for (int fd = 3; fd < 64; fd++)
        CHECK(fcntl(fd, F_GETFD) == -1 && errno == EBADF);
    return 0;
}
