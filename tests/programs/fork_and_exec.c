/* SPDX-License-Identifier: MIT
 *
 * A child that becomes another program is not its parent's either, and says nothing.
 *
 * expect: allocations=12 frees=12 process_count=1 level=full
 */
#include "victim.h"

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
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "child", "again", (char *)NULL);
        _exit(98);
    }
    expect_child(child, 5);
    take(2);
    return 0;
}
