/* SPDX-License-Identifier: MIT
 *
 * Stacks that are not the thread's own: a coroutine's, on the heap and in a mapping that ends where
 * the frames do; a signal's. There the place that allocates is known, and nothing above is looked at.
 * Afterwards the thread's own stack is walked again.
 *
 * run: --stacks
 * modes: run
 * expect: site.in_coroutine.allocations=200 site.on_signal.allocations=5 under.main.allocations=31
 * expect: site.take.allocations=30 rest.allocations=0
 */
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "victim.h"

static ucontext_t of_main;
static ucontext_t of_coroutine;

static void take(int count) {
    while (count-- > 0)
        free(malloc(24));
}

static void in_coroutine(void) {
    for (int i = 0; i < 100; i++) {
        free(malloc(24));
        if (i % 10 == 0)
            CHECK(swapcontext(&of_coroutine, &of_main) == 0);
    }
}

static void run_on(void *stack, size_t size) {
    CHECK(getcontext(&of_coroutine) == 0);
    of_coroutine.uc_stack.ss_sp = stack;
    of_coroutine.uc_stack.ss_size = size;
    of_coroutine.uc_link = &of_main;
    makecontext(&of_coroutine, in_coroutine, 0);
    for (int i = 0; i < 11; i++)
        CHECK(swapcontext(&of_main, &of_coroutine) == 0);
}

static void on_signal(int number) {
    (void)number;
    for (int i = 0; i < 5; i++)
        free(malloc(24));
}

int main(void) {
    take(10);
    size_t size = 65536;
    void *mapping = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(mapping != MAP_FAILED);
    run_on(mapping, size);
    take(10);
    void *block = malloc(size);
    run_on(block, size);
    free(block);
    stack_t alternate = {.ss_sp = mapping, .ss_size = size};
    CHECK(sigaltstack(&alternate, NULL) == 0);
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    CHECK(raise(SIGUSR1) == 0);
    take(10);
    return 0;
}
