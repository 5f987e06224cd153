/* SPDX-License-Identifier: MIT
 *
 * cpu_count.h: how many threads are of use. One file per system, cpu_count_<system>.c.
 */
#ifndef COUNTALLOC_CPU_COUNT_H
#define COUNTALLOC_CPU_COUNT_H

/* The processors that this process may run on, at least 1. */
unsigned ca_cpu_count(void);

#endif
