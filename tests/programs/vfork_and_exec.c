/* SPDX-License-Identifier: MIT
 *
 * vfork and exec, posix_spawn, system: the parent goes on counting where it was, its children do
 * not add to it.
 *
 * expect: allocations=13 frees=13 process_count=1 level=full phase.spawn.allocations=3
 */
#include "victim.h"

#include <spawn.h>

extern char **environ;

static void take(int count) {
    while (count-- > 0)
        free(malloc(24));
}

int main(int argc, char **argv) {
    (void)argv;
    if (argc > 1) {
        take(100);
        return 5;
    }
    take(10);
    countalloc_phase_begin("spawn");
    pid_t child = vfork();
    if (child == 0) {
        execl("/proc/self/exe", "child", "again", (char *)NULL);
        _exit(98);
    }
    expect_child(child, 5);
    take(1);
    char *arguments[] = {"child", "again", NULL};
    CHECK(posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ) == 0);
    expect_child(child, 5);
    take(1);
    int status = system("exit 6");
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 6);
    take(1);
    countalloc_phase_end();
    return 0;
}
