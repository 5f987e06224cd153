/* SPDX-License-Identifier: MIT */
#include "cpu_count.h"

#include <unistd.h>

unsigned ca_cpu_count(void) {
    const long cpu_count = sysconf(_SC_NPROCESSORS_ONLN);
    return cpu_count > 0 ? (unsigned)cpu_count : 1;
}
