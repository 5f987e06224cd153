/* SPDX-License-Identifier: MIT
 *
 * The record of the first of several runs, with what differed in the others: as text a part behind
 * the report, in JSON the extra member "repeat" (diff/repeat_spread.h). */
#ifndef CA_REPEAT_WRITERS_H
#define CA_REPEAT_WRITERS_H

#include "diff/repeat_spread.h"
#include "writers/writers.h"

/* What the writers below take as their record: it begins with one. */
struct ca_repeated_record {
    struct ca_record record; /* of the first run */
    struct ca_repeat_spread spread;
};

/* The writer to use for a repeated record in place of `writer`; `writer` itself where a format has
 * no room for more than the record. */
const struct ca_writer *ca_repeat_writer(const struct ca_writer *writer);

#endif
