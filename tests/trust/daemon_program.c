/* SPDX-License-Identifier: MIT
 *
 * Becomes a daemon as the old ones do: forks, gives up standard input, output and error, and nothing
 * else. Prints the daemon's process number; that one lives until it is killed, or for half a minute. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    free(malloc(100));
    pid_t child = fork();
    if (child < 0)
        return 1;
    if (child > 0) {
        printf("%d\n", (int)child);
        return 0;
    }
    setsid();
    int nowhere = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++)
        dup2(nowhere, fd);
    if (nowhere > 2)
        close(nowhere);
    alarm(30);
    for (;;)
        pause();
}
