/* SPDX-License-Identifier: MIT
 *
 * One workload, once: `bench_work WORKLOAD SLICES [DIVISOR]`. Prints a line "BEFORE NS AFTER"
 * for each slice (calibration.h): CPU nanoseconds per operation, and the calibrations around it.
 * DIVISOR makes the slices smaller, for slow tools. `bench` runs it with and without the shim.
 * With SLICES negative it runs that many operations in one piece and times nothing (for
 * callgrind).
 *
 *     tight          malloc(24) and free                            operation: a pair
 *     deep           the same below 16 further frames               operation: a pair
 *     ring           4,096 live blocks of 8 to 512 bytes, replaced  operation: a pair
 *     log            a line of a log: 20 malloc, 2 realloc, 20 free operation: a line
 *     tight2, ring2  the same in two threads at once, each with blocks of its own
 *     pc             one thread allocates, another frees: batches   operation: a block */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibration.h"

#define RING_SLOTS   4096u
#define PLAN_STEPS   65536u
#define BATCH_BLOCKS 512u
#define BATCH_COUNT  4u
#define MOST_SLICES  1000

struct step {
    uint16_t slot;
    uint16_t size_bytes;
};

struct ring {
    void *slots[RING_SLOTS];
    size_t at; /* in the plan */
};

/* Operations per slice are about a millisecond's worth. */
struct workload {
    const char *name;
    void (*run)(struct ring *ring, long operation_count);
    long slice_operations;
    int thread_count;
    clockid_t clock;
};

struct worker {
    const struct workload *workload;
    long slice_operations;
    int slice_count;
    struct ca_slice slices[MOST_SLICES];
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

/* ---- workloads ---- */

static void tight(struct ring *ring, long operation_count) {
    (void)ring;
    for (long i = 0; i < operation_count; i++)
        free(used(malloc(24)));
}

static __attribute__((noinline)) void descend(int frame_count, long operation_count) {
    if (frame_count > 0)
        descend(frame_count - 1, operation_count);
    else
        tight(NULL, operation_count);
    __asm__ volatile(""); /* no call of it is a jump */
}

static void deep(struct ring *ring, long operation_count) {
    (void)ring;
    descend(15, operation_count);
}

static void replace(struct ring *ring, long operation_count) {
    for (long i = 0; i < operation_count; i++) {
        struct step step = plan[ring->at++ % PLAN_STEPS];
        free(ring->slots[step.slot]);
        ring->slots[step.slot] = used(malloc(step.size_bytes));
    }
}

static void log_lines(struct ring *ring, long operation_count) {
    static const uint8_t sizes[18] = {2, 20, 5, 4, 5, 8, 5, 12, 4, 6, 6, 3, 10, 3, 6, 3, 96, 192};
    (void)ring;
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

/* ---- producer and consumer ---- */

/* Batches go round: the producer fills one while the consumer empties another. Waiting costs no CPU
 * time, which is what is measured. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    unsigned long filled;
    unsigned long emptied;
    bool is_over;
    size_t block_count[BATCH_COUNT];
    void *blocks[BATCH_COUNT][BATCH_BLOCKS];
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};

static void *consume(void *argument) {
    pthread_mutex_lock(&queue.lock);
    for (;;) {
        while (queue.emptied == queue.filled && !queue.is_over)
            pthread_cond_wait(&queue.moved, &queue.lock);
        if (queue.emptied == queue.filled)
            break;
        size_t batch = queue.emptied % BATCH_COUNT;
        pthread_mutex_unlock(&queue.lock);
        for (size_t i = 0; i < queue.block_count[batch]; i++)
            free(queue.blocks[batch][i]);
        pthread_mutex_lock(&queue.lock);
        queue.emptied++;
        pthread_cond_broadcast(&queue.moved);
    }
    pthread_mutex_unlock(&queue.lock);
    return argument;
}

static void produce(struct ring *ring, long operation_count) {
    while (operation_count > 0) {
        size_t batch = queue.filled % BATCH_COUNT; /* only we change it */
        size_t count =
            operation_count < (long)BATCH_BLOCKS ? (size_t)operation_count : BATCH_BLOCKS;
        pthread_mutex_lock(&queue.lock);
        while (queue.filled - queue.emptied == BATCH_COUNT)
            pthread_cond_wait(&queue.moved, &queue.lock);
        pthread_mutex_unlock(&queue.lock);
        for (size_t i = 0; i < count; i++)
            queue.blocks[batch][i] = malloc(plan[ring->at++ % PLAN_STEPS].size_bytes);
        pthread_mutex_lock(&queue.lock);
        queue.block_count[batch] = count;
        queue.filled++;
        pthread_cond_broadcast(&queue.moved);
        pthread_mutex_unlock(&queue.lock);
        operation_count -= (long)count;
    }
    pthread_mutex_lock(&queue.lock);
    while (queue.emptied != queue.filled)
        pthread_cond_wait(&queue.moved, &queue.lock);
    pthread_mutex_unlock(&queue.lock);
}

static pthread_t start_consumer(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, consume, NULL) != 0)
        exit(1);
    return thread;
}

static void end_consumer(pthread_t thread) {
    pthread_mutex_lock(&queue.lock);
    queue.is_over = true;
    pthread_cond_broadcast(&queue.moved);
    pthread_mutex_unlock(&queue.lock);
    pthread_join(thread, NULL);
}

/* ---- runs ---- */

static struct ring *full_ring(void) {
    struct ring *ring = calloc(1, sizeof *ring);
    for (size_t i = 0; ring != NULL && i < RING_SLOTS; i++)
        ring->slots[i] = malloc(plan[i].size_bytes);
    if (ring == NULL)
        exit(1);
    return ring;
}

static void release_ring(struct ring *ring) {
    for (size_t i = 0; i < RING_SLOTS; i++)
        free(ring->slots[i]);
    free(ring);
}

static void *work(void *argument) {
    struct worker *worker = argument;
    struct ring *ring = full_ring();
    double before_ns = ca_calibrate();
    for (int i = 0; i < worker->slice_count; i++) {
        double start_ns = ca_clock_ns(worker->workload->clock);
        worker->workload->run(ring, worker->slice_operations);
        double spent_ns = ca_clock_ns(worker->workload->clock) - start_ns;
        double after_ns = ca_calibrate();
        worker->slices[i] =
            (struct ca_slice){before_ns, spent_ns / (double)worker->slice_operations, after_ns};
        before_ns = after_ns;
    }
    release_ring(ring);
    return NULL;
}

static void work_in_threads(struct worker *workers, int thread_count) {
    pthread_t threads[2];
    for (int i = 0; i < thread_count; i++)
        if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0)
            exit(1);
    for (int i = 0; i < thread_count; i++)
        pthread_join(threads[i], NULL);
}

static void run_untimed(const struct workload *workload, long operation_count) {
    struct ring *ring = full_ring();
    workload->run(ring, operation_count);
    release_ring(ring);
}

static void run_timed(const struct workload *workload, int slice_count, long divisor) {
    static struct worker workers[2];
    long operations = workload->slice_operations / divisor;
    for (int i = 0; i < 2; i++)
        workers[i] = (struct worker){.workload = workload,
                                     .slice_operations = operations > 0 ? operations : 1,
                                     .slice_count = slice_count};
    if (workload->thread_count == 1)
        work(&workers[0]);
    else
        work_in_threads(workers, workload->thread_count);
    for (int k = 0; k < workload->thread_count; k++)
        for (int i = 0; i < slice_count; i++)
            printf("slice %.5f %.4f %.5f\n", workers[k].slices[i].before_ns,
                   workers[k].slices[i].ns, workers[k].slices[i].after_ns);
}

int main(int argc, char **argv) {
    static const struct workload workloads[] = {
        {"tight", tight, 120000, 1, CLOCK_THREAD_CPUTIME_ID},
        {"deep", deep, 120000, 1, CLOCK_THREAD_CPUTIME_ID},
        {"ring", replace, 40000, 1, CLOCK_THREAD_CPUTIME_ID},
        {"log", log_lines, 2500, 1, CLOCK_THREAD_CPUTIME_ID},
        {"tight2", tight, 120000, 2, CLOCK_THREAD_CPUTIME_ID},
        {"ring2", replace, 40000, 2, CLOCK_THREAD_CPUTIME_ID},
        {"pc", produce, 16384, 1, CLOCK_PROCESS_CPUTIME_ID}};
    long slice_count = argc >= 3 ? strtol(argv[2], NULL, 10) : 0;
    long divisor = argc == 4 ? strtol(argv[3], NULL, 10) : 1;
    bool is_good = slice_count != 0 && slice_count <= MOST_SLICES && divisor > 0 && argc <= 4;
    for (size_t i = 0; is_good && i < sizeof workloads / sizeof workloads[0]; i++) {
        const struct workload *workload = &workloads[i];
        if (strcmp(argv[1], workload->name) != 0)
            continue;
        bool has_consumer = workload->run == produce;
        pthread_t consumer = has_consumer ? start_consumer() : pthread_self();
        make_plan();
        if (slice_count < 0)
            run_untimed(workload, -slice_count);
        else
            run_timed(workload, (int)slice_count, divisor);
        if (has_consumer)
            end_consumer(consumer);
        return 0;
    }
    fprintf(stderr, "usage: bench_work tight|deep|ring|log|tight2|ring2|pc SLICES [DIVISOR]\n");
    return 2;
}
