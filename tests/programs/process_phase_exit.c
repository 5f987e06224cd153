/* SPDX-License-Identifier: MIT
 *
 * Constructors run in startup, exit handlers and destructors in exit, when exit is called deep
 * inside.
 *
 * expect: phases=startup,main,exit phase.startup.allocations=3 phase.main.allocations=5
 * expect: phase.exit.allocations=11 allocations=19 phase.startup.bytes_requested=30
 * expect: phase.main.bytes_requested=50 phase.exit.bytes_requested=110 phase.exit.frees=12
 * expect: phase.startup.frees=2 phase.startup.opened=1 phase.main.opened=1 phase.exit.opened=1
 * expect: phase.startup.bytes_live=24 phase.exit.bytes_live=-24
 */
#include "victim.h"

static void take(int count) {
    while (count-- > 0)
        free(malloc(10));
}

static void *kept;

__attribute__((constructor)) static void before_main(void) {
    take(2);
    kept = malloc(10);
}

static void at_exit(void) {
    take(4);
}

__attribute__((destructor)) static void after_main(void) {
    take(7);
    free(kept);
}

static void stop(void) {
    exit(0);
}

int main(void) {
    CHECK(atexit(at_exit) == 0);
    take(5);
    stop();
    return 0;
}
