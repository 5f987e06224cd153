/* SPDX-License-Identifier: MIT
 *
 * Threads that come and go under a reader: one after the other, each of which allocates 20,000 blocks
 * and ends, until standard input ends. So there is always one that began while somebody read. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define BLOCKS 20000

static volatile int is_over;

static void *allocate(void *argument) {
    for (int i = 0; i < BLOCKS; i++)
        free(malloc(24));
    return argument;
}

static void *start_threads(void *argument) {
    while (!is_over) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, allocate, NULL) != 0)
            exit(1);
        pthread_join(thread, NULL);
    }
    return argument;
}

int main(void) {
    pthread_t starter;
    char byte;
    if (pthread_create(&starter, NULL, start_threads, NULL) != 0 || write(1, "x", 1) != 1)
        return 1;
    while (read(0, &byte, 1) > 0)
        ;
    is_over = 1;
    pthread_join(starter, NULL);
    return 0;
}
