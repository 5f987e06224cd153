/* SPDX-License-Identifier: MIT
 *
 * What a forked child allocates is not its parent's, its malloc works, and it knows that nobody
 * counts.
 *
 * expect: allocations=15 frees=15 phase.parent.allocations=15 phase.parent.opened=1
 * expect: phase.parent.frees=15 bytes_live=0 level=full phases=startup,main,parent,exit
 * expect: process_count=1
 */
#include "victim.h"

static void take(int count) {
    while (count-- > 0)
        free(malloc(24));
}

int main(void) {
    countalloc_phase_begin("parent");
    void *block = malloc(24);
    take(9);
    pid_t child = fork();
    if (child == 0) {
        CHECK(!countalloc_is_active());
        CHECK(countalloc_thread_counts().allocations == 0);
        countalloc_phase_end();
        countalloc_phase_begin("child");
        countalloc_phase_units("block", 1000);
        take(1000);
        block = realloc(block, 5000);
        CHECK(block != NULL && is_aligned(aligned_alloc(4096, 10), 4096));
        free(block);
        exit(7);
    }
    expect_child(child, 7);
    CHECK(countalloc_is_active());
    take(5);
    free(block);
    countalloc_phase_end();
    return 0;
}
