/* SPDX-License-Identifier: MIT
 *
 * A program that throws its environment away goes on being counted.
 *
 * expect: malloc=30 free=30 phase.none.malloc=10
 * modes: run
 */
#include "victim.h"

extern char **environ;

static void take(void) {
    for (int i = 0; i < 10; i++)
        free(malloc(24));
}

int main(void) {
    CHECK(countalloc_is_active());
    take();
    CHECK(clearenv() == 0);
    take();
    environ = NULL;
    countalloc_phase_begin("none");
    take();
    countalloc_phase_end();
    return 0;
}
