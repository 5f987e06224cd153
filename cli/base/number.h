/* SPDX-License-Identifier: MIT
 *
 * Numbers as people type them. Strict: no sign, no blanks, nothing behind the number, no overflow.
 */
#ifndef CA_NUMBER_H
#define CA_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Decimal digits only. False, with `*ret_number` untouched, for anything else. */
bool ca_number_parse(const char *text, uint64_t *ret_number);

/* Seconds with up to nine decimals ("2", "0.25") as nanoseconds; at most about 292 years. */
bool ca_number_parse_seconds(const char *text, uint64_t *ret_ns);

#endif
