/* SPDX-License-Identifier: MIT
 *
 * SIGSTOP and SIGCONT from outside: a stopped program is waited for, not reported.
 *
 * expect: phase.before.malloc=10 phase.after.malloc=20 process_count=1
 */
#include "victim.h"

#include <fcntl.h>

static void take(const char *phase, int count) {
    countalloc_phase_begin(phase);
    while (count-- > 0)
        free(malloc(24));
    countalloc_phase_end();
}

/* The letter behind the name in /proc/PID/stat. */
static char state_of(const char *path) {
    char text[512];
    int fd = open(path, O_RDONLY);
    ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    if (got <= 0)
        return '?';
    text[got] = '\0';
    char *end = strrchr(text, ')');
    return end != NULL && end[1] != '\0' ? end[2] : '?';
}

int main(void) {
    char path[64] = "/proc/self/stat";
    take("before", 10);
    pid_t parent = getpid();
    char target[32];
    ssize_t length = readlink("/proc/self", target, sizeof target - 1);
    CHECK(length > 0);
    target[length] = '\0';
    strcpy(path + 6, target);
    strcat(path, "/stat");
    pid_t child = fork();
    if (child == 0) {
        while (state_of(path) != 'T')
            usleep(1000);
        _exit(kill(parent, SIGCONT) == 0 ? 3 : 4);
    }
    CHECK(kill(parent, SIGSTOP) == 0);
    expect_child(child, 3);
    take("after", 20);
    return 0;
}
