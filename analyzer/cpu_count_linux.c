/* SPDX-License-Identifier: MIT */
#include "cpu_count.h"

#include <sched.h>
#include <unistd.h>

/* The affinity mask, because a container or taskset may leave fewer than the machine has. */
unsigned ca_cpu_count(void) {
    cpu_set_t allowed;
    long cpu_count = 0;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        cpu_count = CPU_COUNT(&allowed);
    else /* because the machine has more processors than the set has bits */
        cpu_count = sysconf(_SC_NPROCESSORS_ONLN);
    return cpu_count > 0 ? (unsigned)cpu_count : 1;
}
