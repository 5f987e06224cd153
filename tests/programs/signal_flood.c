/* SPDX-License-Identifier: MIT
 *
 * A handler that allocates interrupts a loop that allocates, as often as another thread can send
 * signals: not one call of either is lost. The allocator below must bear that
 * (libraries/reentrant_allocator.c), which glibc's would not.
 *
 * expect: thread.2.malloc=@malloc thread.2.calloc=@calloc thread.2.realloc=@realloc
 * expect: thread.2.free=@free thread.2.frees=@frees thread.2.bytes_requested=@bytes
 * expect: thread.2.bytes_live=0 thread.2.live_blocks=0 thread.2.failed=0
 * expect: phase.loop.free_null=@free_null phase.handler.opened=@signals
 * expect: phase.handler.free_null=@signals
 */
#include "victim.h"

#define LOOPS 100000

static struct {
    volatile int64_t malloc, calloc, realloc, free_null, bytes, signals;
} in_loop, in_handler;

static pthread_t target;
static volatile int is_over;

static void take(volatile int64_t *malloc_count, volatile int64_t *calloc_count,
                 volatile int64_t *realloc_count, volatile int64_t *bytes) {
    void *small = malloc(24);
    void *zeroed = calloc(3, 10);
    void *large = malloc(1100);
    large = realloc(large, 1500);
    free(small);
    free(zeroed);
    free(large);
    *malloc_count += 2;
    *calloc_count += 1;
    *realloc_count += 1;
    *bytes += 24 + 30 + 1100 + 1500;
}

static void handle(int signal_number) {
    (void)signal_number;
    if (in_handler.signals % 4 == 0) {
        countalloc_phase_begin("handler");
        take(&in_handler.malloc, &in_handler.calloc, &in_handler.realloc, &in_handler.bytes);
        free(NULL);
        countalloc_phase_end();
        in_loop.signals++;
    } else {
        take(&in_handler.malloc, &in_handler.calloc, &in_handler.realloc, &in_handler.bytes);
    }
    in_handler.signals++;
}

static void flood(void) {
    while (!is_over) {
        pthread_kill(target, SIGUSR1);
        for (volatile int i = 0; i < 100; i++)
            ;
    }
}

/* In a thread of its own, so that what libc takes for a new thread is not in its counts. */
static void *allocate(void *nothing) {
    countalloc_phase_begin("loop");
    for (int i = 0; i < LOOPS || in_handler.signals <= 100; i++) {
        take(&in_loop.malloc, &in_loop.calloc, &in_loop.realloc, &in_loop.bytes);
        if (i % 16 == 0) {
            free(NULL);
            in_loop.free_null++;
        }
    }
    is_over = 1;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    countalloc_phase_end();
    return nothing;
}

int main(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    action.sa_flags = SA_RESTART;
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    /* Each entry once in peace: a handler inside the very first call of one may be mistaken for a part
     * of it (interpose/outermost.h). */
    static volatile int64_t unused;
    take(&unused, &unused, &unused, &unused);
    CHECK(pthread_create(&target, NULL, allocate, NULL) == 0);
    flood();
    CHECK(pthread_join(target, NULL) == 0);
    CHECK(in_handler.signals > 100);
    int64_t mallocs = in_loop.malloc + in_handler.malloc;
    int64_t callocs = in_loop.calloc + in_handler.calloc;
    int64_t reallocs = in_loop.realloc + in_handler.realloc;
    say("malloc", mallocs);
    say("calloc", callocs);
    say("realloc", reallocs);
    say("free", mallocs + callocs);
    say("frees", mallocs + callocs + reallocs);
    say("bytes", in_loop.bytes + in_handler.bytes);
    say("free_null", in_loop.free_null);
    say("signals", in_loop.signals);
    return 0;
}
