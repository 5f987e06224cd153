/* SPDX-License-Identifier: MIT
 *
 * --units UNIT=N and UNIT=@FILE: how many units of work a program does, given from outside. */
#ifndef CA_UNITS_OPTION_H
#define CA_UNITS_OPTION_H

#include "base/error.h"
#include "interpose/report/record.h"

struct ca_given_units {
    struct {
        char name[CA_UNIT_NAME_SIZE];
        uint64_t unit_count;
    } units[CA_UNIT_CAPACITY];
    uint32_t units_count;
};

/* Adds what `text` says; a FILE's lines are counted at once (a last line without newline counts).
 * CA_ERROR_USAGE, also for a unit given twice and for more than CA_UNIT_CAPACITY; CA_ERROR_INPUT
 * when FILE cannot be read. */
enum ca_status ca_units_option_take(struct ca_given_units *given, const char *text,
                                    struct ca_error *err);

/* Gives the units to the total and to every phase that has none of that name itself. Adds a note
 * where there is no room. `given`: kept by the record. */
void ca_units_option_apply(const struct ca_given_units *given, struct ca_record *record);

#endif
