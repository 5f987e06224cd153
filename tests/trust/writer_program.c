/* SPDX-License-Identifier: MIT
 *
 * Counts for a reader that watches: four threads, each of which opens phases under ever new names and
 * allocates in them, until standard input ends. A phase called "p-N-N" has its number twice, so that
 * half a name is told; all blocks have 24 bytes, and each thread frees its own, so that the counters
 * of a row tell an order that does not hold. */
#include <countalloc/phase.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS 4
#define NAMES   900 /* of each thread: together they fit the table */

static volatile int is_over;

static void name_phase(char *name, unsigned number) {
    char digits[8];
    size_t length = 0;
    do
        digits[length++] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    *name++ = 'p';
    for (int twice = 0; twice < 2; twice++) {
        *name++ = '-';
        for (size_t i = length; i-- > 0;)
            *name++ = digits[i];
    }
    *name = '\0';
}

static void *work(void *argument) {
    unsigned first = *(unsigned *)argument;
    char name[32];
    for (unsigned round = 0; !is_over; round++) {
        name_phase(name, first + round % NAMES);
        countalloc_phase_begin(name);
        for (int i = 0; i < 50; i++) {
            void *blocks[4];
            for (int k = 0; k < 4; k++)
                blocks[k] = malloc(24);
            for (int k = 0; k < 4; k++)
                free(blocks[k]);
        }
        countalloc_phase_end();
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    unsigned first[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        first[i] = 10000 + i * NAMES;
        if (pthread_create(&threads[i], NULL, work, &first[i]) != 0)
            return 1;
    }
    char byte;
    if (write(1, "x", 1) != 1)
        return 1;
    while (read(0, &byte, 1) > 0)
        ;
    is_over = 1;
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
