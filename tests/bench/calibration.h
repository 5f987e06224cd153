/* SPDX-License-Identifier: MIT
 *
 * How fast this core is at the moment: a loop that does nothing but wait for its own last
 * addition. A neighbour on the same machine shows here before it shows in anything that is
 * measured.
 *
 * A neighbour may come and go within milliseconds. Hence slices: what is timed is cut into
 * pieces of about a millisecond, each with a calibration of its own on either side, so that the
 * disturbed ones can be told from the others afterwards. */
#ifndef CA_CALIBRATION_H
#define CA_CALIBRATION_H

#include <stdint.h>
#include <time.h>

#define CA_CALIBRATION_TURNS 400000u /* 0.1 to 0.2 ms */

/* One timed piece, in nanoseconds: a turn of the calibration before it, an operation of it, a turn
 * after it. */
struct ca_slice {
    double before_ns;
    double ns;
    double after_ns;
};

static inline double ca_clock_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* CPU nanoseconds a turn takes: time in which somebody else had the core is no matter. */
static inline double ca_calibrate(void) {
    double start_ns = ca_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    uint64_t sum = 0;
    for (uint32_t turn = 0; turn < CA_CALIBRATION_TURNS; turn++) {
        sum += 1;
        __asm__ volatile("" : "+r"(sum));
    }
    return (ca_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns) / CA_CALIBRATION_TURNS;
}

#endif
