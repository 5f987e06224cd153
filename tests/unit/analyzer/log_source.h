/* SPDX-License-Identifier: MIT
 *
 * log_source.h: a log in a file, for the versions that read.
 */
#ifndef COUNTALLOC_TESTS_LOG_SOURCE_H
#define COUNTALLOC_TESTS_LOG_SOURCE_H

#include "logstat_reference.h"
#include "source.h"

/* Puts the log into the process's only such file, which has no name, and opens it at its first
 * byte. The sources made before are of no use any more. */
struct ca_source log_source(struct text log);

#endif
