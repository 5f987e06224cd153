/* SPDX-License-Identifier: MIT
 *
 * One workload, once: `bench_work WORKLOAD OPERATIONS`. Prints "BEFORE NS AFTER": the calibration
 * before and after, and CPU nanoseconds per operation in between. `bench` runs it with and without
 * the shim. With OPERATIONS negative nothing is timed (for callgrind).
 *
 *     tight          malloc(24) and free                            operation: a pair
 *     deep           the same below 16 further frames               operation: a pair
 *     ring           4,096 live blocks of 8 to 512 bytes, replaced  operation: a pair
 *     log            a line of a log: 20 malloc, 2 realloc, 20 free operation: a line
 *     tight2, ring2  the same in two threads at once, each with blocks of its own
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibration.h"

#define RING_SLOTS 4096u
#define PLAN_STEPS 65536u

struct step {
    uint16_t slot;
    uint16_t size_bytes;
};

struct worker {
    void (*run)(long operation_count);
    long operation_count;
    double cpu_ns;
};

static struct step plan[PLAN_STEPS]; /* so that no random number is drawn while the clock runs */

static void make_plan(void) {
    uint64_t state = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < PLAN_STEPS; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        plan[i].slot = (uint16_t)((state >> 20) % RING_SLOTS);
        plan[i].size_bytes = (uint16_t)(8 + (state >> 40) % 505);
    }
}

static void *used(void *block) {
    __asm__ volatile("" : "+r"(block) : : "memory");
    return block;
}

static void tight(long operation_count) {
    for (long i = 0; i < operation_count; i++)
        free(used(malloc(24)));
}

static __attribute__((noinline)) void descend(int frame_count, long operation_count) {
    if (frame_count > 0)
        descend(frame_count - 1, operation_count);
    else
        tight(operation_count);
    __asm__ volatile(""); /* no call of it is a jump */
}

static void deep(long operation_count) {
    descend(15, operation_count);
}

static void ring(long operation_count) {
    void **slots = calloc(RING_SLOTS, sizeof *slots);
    for (size_t i = 0; slots != NULL && i < RING_SLOTS; i++)
        slots[i] = malloc(plan[i].size_bytes);
    for (long i = 0; slots != NULL && i < operation_count; i++) {
        struct step step = plan[(size_t)i % PLAN_STEPS];
        free(slots[step.slot]);
        slots[step.slot] = used(malloc(step.size_bytes));
    }
    for (size_t i = 0; slots != NULL && i < RING_SLOTS; i++)
        free(slots[i]);
    free(slots);
}

static void log_lines(long operation_count) {
    static const uint8_t sizes[18] = {2, 20, 5, 4, 5, 8, 5, 12, 4, 6, 6, 3, 10, 3, 6, 3, 96, 192};
    for (long i = 0; i < operation_count; i++) {
        void *fields[18];
        for (size_t k = 0; k < 18; k++)
            fields[k] = used(malloc(sizes[k]));
        void *table = used(malloc(8));
        void *key = used(malloc(8));
        key = used(realloc(key, 16));
        key = used(realloc(key, 32));
        for (size_t k = 0; k < 18; k++)
            free(fields[k]);
        free(key);
        free(table);
    }
}

static void *work(void *argument) {
    struct worker *worker = argument;
    double start_ns = ca_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    worker->run(worker->operation_count);
    worker->cpu_ns = ca_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns;
    return NULL;
}

static double run_in_two_threads(struct worker worker) {
    struct worker workers[2] = {worker, worker};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0)
            exit(1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return (workers[0].cpu_ns + workers[1].cpu_ns) / 2;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(long);
        int thread_count;
    } workloads[] = {{"tight", tight, 1},   {"deep", deep, 1},    {"ring", ring, 1},
                     {"log", log_lines, 1}, {"tight2", tight, 2}, {"ring2", ring, 2}};
    for (size_t i = 0; argc == 3 && i < sizeof workloads / sizeof workloads[0]; i++) {
        if (strcmp(argv[1], workloads[i].name) != 0)
            continue;
        long operation_count = strtol(argv[2], NULL, 10);
        struct worker worker = {workloads[i].run, labs(operation_count), 0};
        make_plan();
        if (operation_count < 0) {
            work(&worker);
            return 0;
        }
        double before = ca_calibrate();
        if (workloads[i].thread_count == 2)
            worker.cpu_ns = run_in_two_threads(worker);
        else
            work(&worker);
        printf("%.4f %.4f %.4f\n", before, worker.cpu_ns / (double)operation_count, ca_calibrate());
        return 0;
    }
    fprintf(stderr, "usage: bench_work tight|deep|ring|log|tight2|ring2 OPERATIONS\n");
    return 2;
}
