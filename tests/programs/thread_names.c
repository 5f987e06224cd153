/* SPDX-License-Identifier: MIT
 *
 * Threads are called what pthread_setname_np called them, by themselves or by another, before or
 * after they first allocate.
 *
 * expect: thread.1.name=null thread.2.name=by-itself thread.3.name=by-main thread.4.name=null
 * expect: thread.5.name=renamed thread.2.malloc=2 thread.3.malloc=3 thread.4.malloc=4
 * expect: thread.5.malloc=5 threads_ever=5
 */
#include "victim.h"

static pthread_barrier_t barrier;

static void take(int count) {
    while (count-- > 0)
        free(malloc(24));
}

static void *names_itself(void *nothing) {
    CHECK(pthread_setname_np(pthread_self(), "by-itself") == 0);
    take(2);
    return nothing;
}

static void *is_named(void *nothing) {
    pthread_barrier_wait(&barrier); /* main gives the name in between */
    pthread_barrier_wait(&barrier);
    take(3);
    return nothing;
}

static void *refused(void *nothing) {
    CHECK(pthread_setname_np(pthread_self(), "longer than fifteen bytes") == ERANGE);
    take(4);
    return nothing;
}

static void *renamed(void *nothing) {
    CHECK(pthread_setname_np(pthread_self(), "first") == 0);
    take(5);
    CHECK(pthread_setname_np(pthread_self(), "renamed") == 0);
    return nothing;
}

static pthread_t start(void *(*function)(void *)) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, function, NULL) == 0);
    return thread;
}

int main(void) {
    CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0);
    CHECK(pthread_join(start(names_itself), NULL) == 0);
    pthread_t thread = start(is_named);
    pthread_barrier_wait(&barrier);
    CHECK(pthread_setname_np(thread, "by-main") == 0);
    pthread_barrier_wait(&barrier);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(pthread_join(start(refused), NULL) == 0);
    CHECK(pthread_join(start(renamed), NULL) == 0);
    return 0;
}
