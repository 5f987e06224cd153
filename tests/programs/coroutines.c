/* SPDX-License-Identifier: MIT
 *
 * Stacks that are not the thread's: coroutines on the heap, and a signal handler on an alternate
 * stack. A phase belongs to the thread, whichever stack it is on.
 *
 * expect: phase.stacks.malloc=2 phase.stacks.free=2 phase.work.malloc=2000 phase.work.free=2000
 * expect: phase.handler.malloc=100 phase.handler.free=100
 */
#include "victim.h"

#include <ucontext.h>

#define STACK_BYTES 65536

static ucontext_t outside;
static ucontext_t inside[2];

static void work(int which) {
    for (int i = 0; i < 1000; i++) {
        void *block = malloc(24);
        swapcontext(&inside[which], &inside[1 - which]);
        free(block);
    }
}

static void handle(int signal_number) {
    char here;
    stack_t stack;
    (void)signal_number;
    CHECK(sigaltstack(NULL, &stack) == 0);
    CHECK(&here > (char *)stack.ss_sp && &here < (char *)stack.ss_sp + stack.ss_size);
    countalloc_phase_begin("handler");
    free(malloc(24));
    countalloc_phase_end();
}

int main(void) {
    countalloc_phase_begin("stacks");
    char *stacks[2] = {malloc(STACK_BYTES), malloc(STACK_BYTES)};
    countalloc_phase_begin("work");
    for (int i = 0; i < 2; i++) {
        CHECK(getcontext(&inside[i]) == 0);
        inside[i].uc_stack.ss_sp = stacks[i];
        inside[i].uc_stack.ss_size = STACK_BYTES;
        inside[i].uc_link = i == 0 ? &inside[1] : &outside;
        makecontext(&inside[i], (void (*)(void))work, 1, i);
    }
    CHECK(swapcontext(&outside, &inside[0]) == 0);
    countalloc_phase_end();
    free(stacks[0]);
    free(stacks[1]);
    countalloc_phase_end();
    static char alternate[STACK_BYTES];
    stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    action.sa_flags = SA_ONSTACK;
    CHECK(sigaltstack(&stack, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
    for (int i = 0; i < 100; i++)
        raise(SIGUSR1);
    return 0;
}
