/* SPDX-License-Identifier: MIT
 *
 * A signal handler that allocates, opens a phase and leaves by siglongjmp: the phase stays open until
 * its thread closes it, nothing sticks, nothing is lost.
 *
 * expect: malloc=2010 realloc=1000 frees=3010 live_blocks=0 bytes_live=0 phase.handler.malloc=2000
 * expect: phase.handler.realloc=1000 phase.handler.opened=1000 phase.after.malloc=10
 */
#include "victim.h"

#include <setjmp.h>

static sigjmp_buf back;
static void *volatile kept;

static void handle(int signal_number) {
    (void)signal_number;
    countalloc_phase_begin("handler");
    void *block = malloc(100);
    kept = realloc(block, 3000);
    siglongjmp(back, 1);
}

int main(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    for (volatile int i = 0; i < 1000; i++) {
        if (sigsetjmp(back, 1) == 0) {
            raise(SIGUSR1);
            return 98;
        }
        free(kept);
        free(malloc(10));
        countalloc_phase_end();
    }
    countalloc_phase_begin("after");
    for (int i = 0; i < 10; i++)
        free(malloc(24));
    countalloc_phase_end();
    return 0;
}
