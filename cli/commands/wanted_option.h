/* SPDX-License-Identifier: MIT
 *
 * What is to be measured besides the counts, as the options of `run` and `check` say it:
 * --live on|off, --sites, --stacks[=DEPTH], --sample[=BYTES], --symbols on|off. */
#ifndef CA_WANTED_OPTION_H
#define CA_WANTED_OPTION_H

#include "base/error.h"
#include "interpose/region_init.h"

/* Whether and how the frames of a record get their names. All zero is what people want. */
struct ca_symbols_wanted {
    bool is_off;
    bool is_debuginfod_off;
};

#define CA_USUAL_STACK_DEPTH  32u
#define CA_USUAL_SAMPLE_BYTES (512u << 10)

/* `value`: what stands behind the "=", or NULL. CA_ERROR_USAGE with what was expected. */
enum ca_status ca_wanted_take_live(struct ca_wanted *wanted, const char *value,
                                   struct ca_error *err);
enum ca_status ca_wanted_take_sites(struct ca_wanted *wanted, struct ca_error *err);
enum ca_status ca_wanted_take_stacks(struct ca_wanted *wanted, const char *value,
                                     struct ca_error *err);
enum ca_status ca_wanted_take_sample(struct ca_wanted *wanted, const char *value,
                                     struct ca_error *err);
enum ca_status ca_wanted_take_symbols(struct ca_symbols_wanted *symbols, const char *value,
                                      struct ca_error *err);

#endif
