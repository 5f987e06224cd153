/* SPDX-License-Identifier: MIT
 *
 * One size of one thing that may grow: `scale_work THING COUNT`. Prints "PAIRS NS FIRST RSS":
 * malloc/free pairs made, CPU nanoseconds for one, the same in the first of several passes (where
 * what is new is entered), and the resident bytes afterwards. scripts/scale.sh runs it with and
 * without the shim.
 *
 *     events    COUNT pairs
 *     threads   COUNT threads, one after the other
 *     crowd     COUNT threads at once; status 3 when the system has not that many
 *     phases    COUNT phases, one after the other
 *     sites     COUNT different stacks */
#include <countalloc/phase.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibration.h"

#define PAIRS_EACH  1000
#define PASSES      3
#define PIECES      100 /* of events: COUNT is a multiple of it */
#define CROWD_STACK 65536
#define SITE_LEVELS 20

struct result {
    double pair_count;
    double ns;
    double first_ns;
};

static void *used(void *block) {
    __asm__ volatile("" : "+r"(block) : : "memory");
    return block;
}

static void pairs(long count) {
    for (long i = 0; i < count; i++)
        free(used(malloc(24)));
}

static double spent_ns(double start_ns) {
    return ca_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns;
}

/* The fastest piece of the second half: a cost that grew with the calls that went before would show
 * there. */
static struct result grow_events(long count) {
    struct result result = {.pair_count = (double)count};
    long piece = count / PIECES;
    for (int i = 0; i < PIECES; i++) {
        double start_ns = ca_clock_ns(CLOCK_THREAD_CPUTIME_ID);
        pairs(piece);
        double ns = spent_ns(start_ns) / (double)piece;
        result.first_ns = i == 0 ? ns : result.first_ns;
        result.ns = i == PIECES / 2 || (i > PIECES / 2 && ns < result.ns) ? ns : result.ns;
    }
    return result;
}

/* ---- threads ---- */

/* In two halves: the first call attaches the thread. */
static void *work(void *argument) {
    double *times_ns = argument;
    double start_ns = ca_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    pairs(PAIRS_EACH);
    times_ns[0] = spent_ns(start_ns) / PAIRS_EACH;
    start_ns = ca_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    pairs(PAIRS_EACH);
    times_ns[1] = spent_ns(start_ns) / PAIRS_EACH;
    return NULL;
}

static int compare_pairs_of_doubles(const void *a, const void *b) {
    double x = ((const double *)a)[1];
    double y = ((const double *)b)[1];
    return (x > y) - (x < y);
}

/* The first tenth of the threads was disturbed least. */
static struct result fastest_of(double (*times_ns)[2], long count) {
    double first_ns = 0;
    for (long i = 0; i < count; i++)
        first_ns += times_ns[i][0] / (double)count;
    qsort(times_ns, (size_t)count, sizeof *times_ns, compare_pairs_of_doubles);
    return (struct result){(double)count * 2 * PAIRS_EACH, times_ns[count / 10][1], first_ns};
}

static struct result grow_threads(long count) {
    double(*times_ns)[2] = calloc((size_t)count, sizeof *times_ns);
    for (long i = 0; times_ns != NULL && i < count; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, times_ns[i]) != 0)
            exit(3);
        pthread_join(thread, NULL);
    }
    return times_ns != NULL ? fastest_of(times_ns, count) : (struct result){0};
}

static pthread_barrier_t barrier;

static void *work_together(void *argument) {
    void *block = malloc(24);
    pthread_barrier_wait(&barrier); /* all are there */
    work(argument);
    pthread_barrier_wait(&barrier);
    free(block);
    return NULL;
}

static struct result grow_crowd(long count) {
    double(*times_ns)[2] = calloc((size_t)count, sizeof *times_ns);
    pthread_t *threads = calloc((size_t)count, sizeof *threads);
    pthread_attr_t attributes;
    if (times_ns == NULL || threads == NULL || pthread_attr_init(&attributes) != 0 ||
        pthread_attr_setstacksize(&attributes, CROWD_STACK) != 0 ||
        pthread_barrier_init(&barrier, NULL, (unsigned)count) != 0)
        exit(1);
    for (long i = 0; i < count; i++)
        if (pthread_create(&threads[i], &attributes, work_together, times_ns[i]) != 0)
            exit(3);
    for (long i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return fastest_of(times_ns, count);
}

/* ---- phases ---- */

static struct result grow_phases(long count) {
    struct result result = {0};
    for (int pass = 0; pass < PASSES; pass++) {
        double start_ns = ca_clock_ns(CLOCK_THREAD_CPUTIME_ID);
        for (long i = 0; i < count; i++) {
            char name[32];
            snprintf(name, sizeof name, "phase %ld", i);
            countalloc_phase_begin(name);
            pairs(PAIRS_EACH);
            countalloc_phase_end();
        }
        double ns = spent_ns(start_ns) / (double)count / PAIRS_EACH;
        result.first_ns = pass == 0 ? ns : result.first_ns;
        result.ns = pass == 0 || ns < result.ns ? ns : result.ns;
    }
    result.pair_count = (double)count * PAIRS_EACH * PASSES;
    return result;
}

/* ---- sites ---- */

/* The bits of `path` are the way: each of its values is a stack of its own. What follows the calls
 * differs, so that they stay two. */
static __attribute__((noinline)) void walk(unsigned long path, int level) {
    if (level == 0) {
        free(used(malloc(8)));
    } else if (path & 1) {
        walk(path >> 1, level - 1);
        __asm__ volatile("# right");
    } else {
        walk(path >> 1, level - 1);
        __asm__ volatile("# left");
    }
}

static struct result grow_sites(long count) {
    struct result result = {0};
    for (int pass = 0; pass < PASSES; pass++) {
        double start_ns = ca_clock_ns(CLOCK_THREAD_CPUTIME_ID);
        for (long path = 0; path < count; path++)
            walk((unsigned long)path, SITE_LEVELS);
        double ns = spent_ns(start_ns) / (double)count;
        result.first_ns = pass == 0 ? ns : result.first_ns;
        result.ns = pass == 1 || (pass > 1 && ns < result.ns) ? ns : result.ns;
    }
    result.pair_count = (double)count * PASSES;
    return result;
}

static long resident_bytes(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1)
        return 0;
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        struct result (*grow)(long);
    } things[] = {{"events", grow_events},
                  {"threads", grow_threads},
                  {"crowd", grow_crowd},
                  {"phases", grow_phases},
                  {"sites", grow_sites}};
    long count = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
    for (size_t i = 0; count > 0 && i < sizeof things / sizeof things[0]; i++) {
        if (strcmp(argv[1], things[i].name) != 0)
            continue;
        struct result result = things[i].grow(count);
        printf("%.0f %.3f %.3f %ld\n", result.pair_count, result.ns, result.first_ns,
               resident_bytes());
        return 0;
    }
    fprintf(stderr, "usage: scale_work events|threads|crowd|phases|sites COUNT\n");
    return 2;
}
