/* SPDX-License-Identifier: MIT
 *
 * A process that becomes another program in every way there is to say so: its images add up and are
 * listed.
 *
 * expect: allocations=330 frees=330 process_count=8 phase.work.allocations=72 level=full
 * expect: process.1.allocations=11 process.2.allocations=13 process.3.allocations=14
 * expect: process.8.allocations=216 phase.main.allocations=258 phase.main.opened=8 exit_status=4
 * modes: run
 */
#include "victim.h"

extern char **environ;

static void take(int count) {
    while (count-- > 0)
        free(malloc(24));
}

int main(int argc, char **argv) {
    (void)argv;
    const char *volatile nowhere = NULL;
    take(8);
    countalloc_phase_begin("work");
    take(argc);
    char *arguments[10] = {"again"};
    for (int i = 1; i <= argc; i++)
        arguments[i] = "x";
    take(argc);
    countalloc_phase_end();
    switch (argc) {
    case 1:
        take(1);
        CHECK(execv("/nonexistent", arguments) == -1 && errno == ENOENT);
        CHECK(execv(nowhere, arguments) == -1 && errno == EFAULT);
        execv("/proc/self/exe", arguments);
        break;
    case 2:
        take(1);
        execve("/proc/self/exe", arguments, environ);
        break;
    case 3:
        execvp("/proc/self/exe", arguments);
        break;
    case 4:
        execl("/proc/self/exe", "again", "x", "x", "x", "x", (char *)NULL);
        break;
    case 5:
        execlp("/proc/self/exe", "again", "x", "x", "x", "x", "x", (char *)NULL);
        break;
    case 6:
        execle("/proc/self/exe", "again", "x", "x", "x", "x", "x", "x", (char *)NULL, environ);
        break;
    case 7:
        execvpe("/proc/self/exe", arguments, environ);
        break;
    default:
        take(200 - 8);
        return 4;
    }
    return 98;
}
