/* SPDX-License-Identifier: MIT
 *
 * One workload, once: `bench_work [--paired] WORKLOAD SLICES [DIVISOR]`. Prints a line
 * "slice BEFORE NS AFTER" for each slice (calibration.h): CPU nanoseconds per operation, and the
 * calibrations around it. DIVISOR makes the slices smaller, for slow tools. With SLICES negative
 * it runs that many operations in one piece and times nothing (for callgrind).
 *
 *     tight          malloc(24) and free                            operation: a pair
 *     deep           the same below 16 further frames               operation: a pair
 *     ring           4,096 live blocks of 8 to 512 bytes, replaced  operation: a pair
 *     log            a line of a log: 20 malloc, 2 realloc, 20 free operation: a line
 *     tight2, ring2  the same in two threads at once, each with blocks of its own
 *     pc             one thread allocates, another frees: batches   operation: a block
 *
 * --paired: beside each slice stands one of the same code that calls glibc's own functions by the
 * names that nothing preloaded stands in front of, "bare BEFORE NS AFTER"; which of the two comes
 * first is drawn. So both sides of a pair have the same process, the same millisecond and the same
 * addresses. Only glibc has such names. */
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

#ifdef __GLIBC__
extern void *__libc_malloc(size_t size_bytes);
extern void *__libc_realloc(void *block, size_t size_bytes);
extern void __libc_free(void *block);
#define HAS_BARE_NAMES true
#else
#define HAS_BARE_NAMES false
#endif

struct step {
    uint16_t slot;
    uint16_t size_bytes;
};

struct ring {
    void *slots[RING_SLOTS];
    size_t at; /* in the plan */
};

enum loop {
    LOOP_TIGHT,
    LOOP_DEEP,
    LOOP_REPLACE,
    LOOP_LOG,
    LOOP_PRODUCE,
    LOOP_COUNT
};

/* The loops as they call one set of functions. */
struct side {
    void (*fill)(struct ring *ring);
    void (*empty)(struct ring *ring);
    void (*loops[LOOP_COUNT])(struct ring *ring, long operation_count);
};

/* Operations per slice are about a millisecond's worth. */
struct workload {
    const char *name;
    enum loop loop;
    long slice_operations;
    int thread_count;
    clockid_t clock;
};

/* `side_count`: 1, or 2 with the bare one. */
struct worker {
    const struct workload *workload;
    long slice_operations;
    int slice_count;
    int side_count;
    struct ca_slice slices[2][MOST_SLICES];
};

static struct step plan[PLAN_STEPS]; /* so that no random number is drawn while the clock runs */

static uint64_t drawn(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void make_plan(void) {
    uint64_t state = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < PLAN_STEPS; i++) {
        uint64_t number = drawn(&state);
        plan[i].slot = (uint16_t)((number >> 20) % RING_SLOTS);
        plan[i].size_bytes = (uint16_t)(8 + (number >> 40) % 505);
    }
}

static void *used(void *block) {
    __asm__ volatile("" : "+r"(block) : : "memory");
    return block;
}

/* ---- producer and consumer ---- */

/* `release`: of the side that filled it. */
struct batch {
    size_t block_count;
    void (*release)(void **blocks, size_t block_count);
    void *blocks[BATCH_BLOCKS];
};

/* Batches go round: the producer fills one while the consumer empties another. Waiting costs no CPU
 * time, which is what is measured. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    unsigned long filled;
    unsigned long emptied;
    bool is_over;
    struct batch batches[BATCH_COUNT];
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};

/* The batch to be filled next. */
static struct batch *queue_wait_for_room(void) {
    pthread_mutex_lock(&queue.lock);
    while (queue.filled - queue.emptied == BATCH_COUNT)
        pthread_cond_wait(&queue.moved, &queue.lock);
    pthread_mutex_unlock(&queue.lock);
    return &queue.batches[queue.filled % BATCH_COUNT]; /* only the producer changes it */
}

static void queue_push(void) {
    pthread_mutex_lock(&queue.lock);
    queue.filled++;
    pthread_cond_broadcast(&queue.moved);
    pthread_mutex_unlock(&queue.lock);
}

static void queue_wait_until_empty(void) {
    pthread_mutex_lock(&queue.lock);
    while (queue.emptied != queue.filled)
        pthread_cond_wait(&queue.moved, &queue.lock);
    pthread_mutex_unlock(&queue.lock);
}

static void *consume(void *argument) {
    pthread_mutex_lock(&queue.lock);
    for (;;) {
        while (queue.emptied == queue.filled && !queue.is_over)
            pthread_cond_wait(&queue.moved, &queue.lock);
        if (queue.emptied == queue.filled)
            break;
        struct batch *batch = &queue.batches[queue.emptied % BATCH_COUNT];
        pthread_mutex_unlock(&queue.lock);
        batch->release(batch->blocks, batch->block_count);
        pthread_mutex_lock(&queue.lock);
        queue.emptied++;
        pthread_cond_broadcast(&queue.moved);
    }
    pthread_mutex_unlock(&queue.lock);
    return argument;
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

/* ---- the two sides ---- */

#define CA_SIDE(name) called_##name
#define CA_MALLOC     malloc
#define CA_REALLOC    realloc
#define CA_FREE       free
#include "bench_loops.h"
#undef CA_SIDE
#undef CA_MALLOC
#undef CA_REALLOC
#undef CA_FREE

#if HAS_BARE_NAMES
#define CA_SIDE(name) bare_##name
#define CA_MALLOC     __libc_malloc
#define CA_REALLOC    __libc_realloc
#define CA_FREE       __libc_free
#include "bench_loops.h"
static const struct side *const sides[] = {&called_side, &bare_side};
#else
static const struct side *const sides[] = {&called_side};
#endif

/* ---- runs ---- */

static pthread_barrier_t together; /* threads that work at once are on the same side */

static struct ring *full_ring(const struct side *side) {
    static struct ring rings[2][2];
    static _Atomic int count;
    struct ring *ring = &rings[0][0] + count++;
    side->fill(ring);
    return ring;
}

static double timed_slice(struct worker *worker, const struct side *side, struct ring *ring,
                          struct ca_slice *ret_slice, double before_ns) {
    const struct workload *workload = worker->workload;
    if (workload->thread_count > 1)
        pthread_barrier_wait(&together);
    double start_ns = ca_clock_ns(workload->clock);
    side->loops[workload->loop](ring, worker->slice_operations);
    double spent_ns = ca_clock_ns(workload->clock) - start_ns;
    double after_ns = ca_calibrate();
    *ret_slice =
        (struct ca_slice){before_ns, spent_ns / (double)worker->slice_operations, after_ns};
    return after_ns;
}

static void *work(void *argument) {
    struct worker *worker = argument;
    struct ring *rings[2] = {NULL};
    uint64_t state = 0x2545f4914f6cdd1du; /* the same order in each thread */
    for (int side = 0; side < worker->side_count; side++)
        rings[side] = full_ring(sides[side]);
    double before_ns = ca_calibrate();
    for (int i = 0; i < worker->slice_count; i++) {
        int first = worker->side_count == 2 ? (int)(drawn(&state) >> 32 & 1) : 0;
        for (int k = 0; k < worker->side_count; k++) {
            int side = k ^ first;
            before_ns =
                timed_slice(worker, sides[side], rings[side], &worker->slices[side][i], before_ns);
        }
    }
    for (int side = 0; side < worker->side_count; side++)
        sides[side]->empty(rings[side]);
    return NULL;
}

static void work_in_threads(struct worker *workers, int thread_count) {
    pthread_t threads[2];
    pthread_barrier_init(&together, NULL, (unsigned)thread_count);
    for (int i = 0; i < thread_count; i++)
        if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0)
            exit(1);
    for (int i = 0; i < thread_count; i++)
        pthread_join(threads[i], NULL);
}

static void run_untimed(const struct workload *workload, long operation_count) {
    struct ring *ring = full_ring(sides[0]);
    sides[0]->loops[workload->loop](ring, operation_count);
    sides[0]->empty(ring);
}

static void run_timed(const struct workload *workload, int slice_count, long divisor,
                      int side_count) {
    static const char *const labels[] = {"slice", "bare"};
    static struct worker workers[2];
    long operations = workload->slice_operations / divisor;
    for (int i = 0; i < 2; i++)
        workers[i] = (struct worker){.workload = workload,
                                     .slice_operations = operations > 0 ? operations : 1,
                                     .slice_count = slice_count,
                                     .side_count = side_count};
    if (workload->thread_count == 1)
        work(&workers[0]);
    else
        work_in_threads(workers, workload->thread_count);
    for (int k = 0; k < workload->thread_count; k++)
        for (int side = 0; side < side_count; side++)
            for (int i = 0; i < slice_count; i++) {
                const struct ca_slice *slice = &workers[k].slices[side][i];
                printf("%s %.5f %.4f %.5f\n", labels[side], slice->before_ns, slice->ns,
                       slice->after_ns);
            }
}

int main(int argc, char **argv) {
    static const struct workload workloads[] = {
        {"tight", LOOP_TIGHT, 120000, 1, CLOCK_THREAD_CPUTIME_ID},
        {"deep", LOOP_DEEP, 120000, 1, CLOCK_THREAD_CPUTIME_ID},
        {"ring", LOOP_REPLACE, 40000, 1, CLOCK_THREAD_CPUTIME_ID},
        {"log", LOOP_LOG, 2500, 1, CLOCK_THREAD_CPUTIME_ID},
        {"tight2", LOOP_TIGHT, 120000, 2, CLOCK_THREAD_CPUTIME_ID},
        {"ring2", LOOP_REPLACE, 40000, 2, CLOCK_THREAD_CPUTIME_ID},
        {"pc", LOOP_PRODUCE, 16384, 1, CLOCK_PROCESS_CPUTIME_ID}};
    bool is_paired = argc >= 2 && strcmp(argv[1], "--paired") == 0;
    argc -= is_paired;
    argv += is_paired;
    long slice_count = argc >= 3 ? strtol(argv[2], NULL, 10) : 0;
    long divisor = argc == 4 ? strtol(argv[3], NULL, 10) : 1;
    bool is_good = slice_count != 0 && slice_count <= MOST_SLICES && divisor > 0 && argc <= 4 &&
                   (!is_paired || HAS_BARE_NAMES);
    for (size_t i = 0; is_good && i < sizeof workloads / sizeof workloads[0]; i++) {
        const struct workload *workload = &workloads[i];
        if (strcmp(argv[1], workload->name) != 0)
            continue;
        bool has_consumer = workload->loop == LOOP_PRODUCE;
        pthread_t consumer = has_consumer ? start_consumer() : pthread_self();
        make_plan();
        if (slice_count < 0)
            run_untimed(workload, -slice_count);
        else
            run_timed(workload, (int)slice_count, divisor, is_paired ? 2 : 1);
        if (has_consumer)
            end_consumer(consumer);
        return 0;
    }
    fprintf(stderr, "usage: bench_work [--paired] tight|deep|ring|log|tight2|ring2|pc SLICES "
                    "[DIVISOR]\n");
    return 2;
}
