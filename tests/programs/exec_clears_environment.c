/* SPDX-License-Identifier: MIT
 *
 * A program that becomes another with an empty environment loses the shim: what it counted until
 * then is there, and the record says what is missing.
 *
 * expect: malloc=10 free=10 level=partial process_count=1 exit_status=6
 * note: never attached: its allocations are not counted
 * modes: run
 */
#include "victim.h"

int main(int argc, char **argv) {
    (void)argv;
    for (int i = 0; i < 10; i++)
        free(malloc(24));
    if (argc > 1)
        return 6;
    char *arguments[] = {"again", "x", NULL};
    char *nothing[] = {NULL};
    execve("/proc/self/exe", arguments, nothing);
    return 98;
}
