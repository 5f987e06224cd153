/* SPDX-License-Identifier: MIT */
#include "sample.h"

#include <errno.h>

#include "stack.h"
#include "thread.h"

/* Blocks that cover more intervals than this on average get their mean number of points. */
#define MOST_POINTS 64u

/* Frames of the unwinder and of the shim, below the caller. */
#define OWN_FRAMES 16u

CA_THREAD_WORD_BEGIN(int64_t, ca_sample_left, 0);

CA_THREAD_WORD(uint64_t, ca_sample_generator);
CA_THREAD_WORD(bool, ca_sample_is_under_way);
CA_THREAD_WORD_BEGIN(uint64_t, ca_sample_generator, 0);
CA_THREAD_WORD_BEGIN(bool, ca_sample_is_under_way, false);

/* xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016). */
static uint64_t random_bits(void) {
    if (ca_sample_generator == 0)
        ca_sample_generator = 0x9e3779b97f4a7c15u;
    ca_sample_generator ^= ca_sample_generator >> 12;
    ca_sample_generator ^= ca_sample_generator << 25;
    ca_sample_generator ^= ca_sample_generator >> 27;
    return ca_sample_generator * 0x2545f4914f6cdd1du;
}

/* -ln of a number drawn evenly from (0, 1]: bits / 2^53 = m * 2^-e with 1 <= m < 2, and
 * ln m = 2 artanh((m - 1) / (m + 1)) by its series, to 9 places. */
static double exponential(void) {
    uint64_t bits = (random_bits() >> 11) + 1;
    int exponent = 63 - __builtin_clzll(bits);
    double mantissa = (double)bits / (double)(1ull << exponent);
    double z = (mantissa - 1) / (mantissa + 1);
    double square = z * z;
    double sum = 0;
    for (int k = 17; k >= 1; k -= 2)
        sum = sum * square + 1.0 / k;
    return (53 - exponent) * 0.6931471805599453 - 2 * z * sum;
}

static int64_t distance(void) {
    return (int64_t)(exponential() * (double)ca_shim.sample_bytes) + 1;
}

/* Points that the block covers, the counter being `-ca_sample_left` bytes past the first one. */
static uint64_t points(size_t size_bytes) {
    if (size_bytes / MOST_POINTS > ca_shim.sample_bytes) {
        ca_sample_left = distance();
        return size_bytes / ca_shim.sample_bytes;
    }
    uint64_t count = 0;
    for (; ca_sample_left < 0; count++)
        ca_sample_left += distance();
    return count;
}

static uint64_t allocations_of(uint64_t bytes, size_t size_bytes) {
    return bytes / size_bytes * 256 + bytes % size_bytes * 256 / size_bytes;
}

/* The frames from the one that returns to `caller` upwards, without our own. */
static void take_stack(uintptr_t caller, const struct ca_weight *weight) {
    uintptr_t frames[CA_STACK_DEPTH_MAX + OWN_FRAMES];
    uint32_t count = ca_next.unwind((void **)frames, (unsigned)(sizeof frames / sizeof frames[0]));
    uint32_t first = 0;
    while (first < count && frames[first] != caller)
        first++;
    if (first == count) { /* the unwinder did not get there */
        ca_site_add_sample(&caller, 1, true, weight);
        return;
    }
    uint32_t kept = 0;
    for (uint32_t i = first; i < count; i++)
        if (!ca_stack_is_own(frames[i]))
            frames[kept++] = frames[i];
    bool is_cut = kept > CA_STACK_DEPTH_MAX || count == sizeof frames / sizeof frames[0];
    ca_site_add_sample(frames, kept > CA_STACK_DEPTH_MAX ? CA_STACK_DEPTH_MAX : kept, is_cut,
                       weight);
}

CA_COLD void *ca_sample_take(void *block, uintptr_t caller, size_t size_bytes) {
    if (ca_sample_generator == 0) { /* the thread's first call */
        ca_sample_left += distance();
        if (ca_sample_left >= 0)
            return block;
    }
    if (ca_sample_is_under_way) { /* a signal handler in the middle of a sample */
        ca_sample_left = distance();
        return block;
    }
    ca_sample_is_under_way = true;
    int kept_errno = errno;
    struct ca_weight weight = {.samples = points(size_bytes)};
    weight.bytes = weight.samples * ca_shim.sample_bytes;
    weight.allocations = allocations_of(weight.bytes, size_bytes);
    take_stack(caller, &weight);
    errno = kept_errno;
    ca_sample_is_under_way = false;
    return block;
}
