/* SPDX-License-Identifier: MIT
 *
 * The histogram: classes of 16 bytes up to 1,024, then doubling, each named by the largest size it
 * holds. The victim keeps its own, by comparing instead of shifting.
 *
 * expect: malloc=1165 size_histogram=@histogram bytes_requested=@bytes
 */
#include "victim.h"

static uint64_t upper[128];
static uint64_t counted[128];
static int class_count;
static int64_t bytes;

static void take(size_t size) {
    void *block = malloc(size);
    CHECK(block != NULL);
    free(block);
    bytes += (int64_t)size;
    for (int i = 0; i < class_count; i++)
        if (size <= upper[i]) {
            counted[i]++;
            return;
        }
}

int main(void) {
    for (uint64_t size = 0; size <= 1024; size += 16)
        upper[class_count++] = size;
    for (uint64_t size = 2048; size <= (uint64_t)1 << 40; size *= 2)
        upper[class_count++] = size;
    for (size_t size = 0; size <= 1100; size++)
        take(size);
    for (size_t size = 2048; size <= (size_t)1 << 28; size *= 2) /* 18 sizes */
        for (size_t off = 0; off < 3; off++)
            take(size - 1 + off);
    for (size_t size = 1200; size <= 2000; size += 100)
        take(size - size % 200 / 2);
    take(24);
    CHECK(class_count < 128);

    say("bytes", bytes);
    victim_say_histogram(upper, counted, class_count);
    return 0;
}
