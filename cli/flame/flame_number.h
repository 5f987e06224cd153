/* SPDX-License-Identifier: MIT
 *
 * Numbers as people read them in a flame graph. */
#ifndef CA_FLAME_NUMBER_H
#define CA_FLAME_NUMBER_H

#include <stdint.h>

#define CA_FLAME_NUMBER_SIZE 64

/* "1,234,567". Returns `text`, of CA_FLAME_NUMBER_SIZE bytes. */
const char *ca_flame_number(uint64_t number, char *text);

/* "12.34%", "<0.01%", "100%". */
const char *ca_flame_percent(uint64_t part, uint64_t whole, char *text);

/* The change from old to new: "+1,234 (+12.3%)", "-7 (-100%)", "+5 (new)", "no change". */
const char *ca_flame_change(uint64_t old_count, uint64_t new_count, char *text);

/* `number` for each of `unit_count`: "21.508". With as many places as make it exact, where three to
 * six do; else three. "0", "<0.001" for less, "" when there are no units. */
const char *ca_flame_rate(uint64_t number, uint64_t unit_count, char *text);

/* How many letters of the plural noun `unit` go with `number`: "samples", "1 sample". */
int ca_flame_unit_length(const char *unit, uint64_t number);

#endif
