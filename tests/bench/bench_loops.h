/* SPDX-License-Identifier: MIT
 *
 * What bench_work times. Included once for each side of a pair, so that both have the same code,
 * called the same way, in one process:
 *
 *     CA_SIDE(name)                     the name for this side
 *     CA_MALLOC, CA_REALLOC, CA_FREE    the functions it calls
 *
 * Needs struct ring, the plan and the queue of bench_work.c. No include guard. */

static void CA_SIDE(fill)(struct ring *ring) {
    for (size_t i = 0; i < RING_SLOTS; i++)
        ring->slots[i] = used(CA_MALLOC(plan[i].size_bytes));
}

static void CA_SIDE(empty)(struct ring *ring) {
    for (size_t i = 0; i < RING_SLOTS; i++)
        CA_FREE(ring->slots[i]);
}

static void CA_SIDE(tight)(struct ring *ring, long operation_count) {
    (void)ring;
    for (long i = 0; i < operation_count; i++)
        CA_FREE(used(CA_MALLOC(24)));
}

static __attribute__((noinline)) void CA_SIDE(descend)(int frame_count, long operation_count) {
    if (frame_count > 0)
        CA_SIDE(descend)(frame_count - 1, operation_count);
    else
        CA_SIDE(tight)(NULL, operation_count);
    __asm__ volatile(""); /* no call of it is a jump */
}

static void CA_SIDE(deep)(struct ring *ring, long operation_count) {
    (void)ring;
    CA_SIDE(descend)(15, operation_count);
}

static void CA_SIDE(replace)(struct ring *ring, long operation_count) {
    for (long i = 0; i < operation_count; i++) {
        struct step step = plan[ring->at++ % PLAN_STEPS];
        CA_FREE(ring->slots[step.slot]);
        ring->slots[step.slot] = used(CA_MALLOC(step.size_bytes));
    }
}

static void CA_SIDE(log_lines)(struct ring *ring, long operation_count) {
    static const uint8_t sizes[18] = {2, 20, 5, 4, 5, 8, 5, 12, 4, 6, 6, 3, 10, 3, 6, 3, 96, 192};
    (void)ring;
    for (long i = 0; i < operation_count; i++) {
        void *fields[18];
        for (size_t k = 0; k < 18; k++)
            fields[k] = used(CA_MALLOC(sizes[k]));
        void *table = used(CA_MALLOC(8));
        void *key = used(CA_MALLOC(8));
        key = used(CA_REALLOC(key, 16));
        key = used(CA_REALLOC(key, 32));
        for (size_t k = 0; k < 18; k++)
            CA_FREE(fields[k]);
        CA_FREE(key);
        CA_FREE(table);
    }
}

static void CA_SIDE(release)(void **blocks, size_t block_count) {
    for (size_t i = 0; i < block_count; i++)
        CA_FREE(blocks[i]);
}

static void CA_SIDE(produce)(struct ring *ring, long operation_count) {
    while (operation_count > 0) {
        size_t count =
            operation_count < (long)BATCH_BLOCKS ? (size_t)operation_count : BATCH_BLOCKS;
        struct batch *batch = queue_wait_for_room();
        for (size_t i = 0; i < count; i++)
            batch->blocks[i] = used(CA_MALLOC(plan[ring->at++ % PLAN_STEPS].size_bytes));
        batch->block_count = count;
        batch->release = CA_SIDE(release);
        queue_push();
        operation_count -= (long)count;
    }
    queue_wait_until_empty();
}

static const struct side CA_SIDE(side) = {
    CA_SIDE(fill),
    CA_SIDE(empty),
    {CA_SIDE(tight), CA_SIDE(deep), CA_SIDE(replace), CA_SIDE(log_lines), CA_SIDE(produce)}};
