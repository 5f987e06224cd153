/* SPDX-License-Identifier: MIT */
#include "commands/wanted_option.h"

#include <string.h>

#include "base/number.h"

enum ca_status ca_wanted_take_live(struct ca_wanted *wanted, const char *value,
                                   struct ca_error *err) {
    wanted->is_live = strcmp(value, "on") == 0;
    if (wanted->is_live || strcmp(value, "off") == 0)
        return CA_OK;
    return ca_error_set(err, CA_ERROR_USAGE, "'--live' is on or off, not '%s'", value);
}

static enum ca_status take_depth(struct ca_wanted *wanted, uint32_t depth, struct ca_error *err) {
    if (wanted->stack_depth != 0 && (wanted->stack_depth == 1) != (depth == 1))
        return ca_error_set(err, CA_ERROR_USAGE,
                            "--sites and --stacks exclude each other: a stack's first frame is the "
                            "site");
    wanted->stack_depth = depth;
    return CA_OK;
}

enum ca_status ca_wanted_take_sites(struct ca_wanted *wanted, struct ca_error *err) {
    return take_depth(wanted, 1, err);
}

enum ca_status ca_wanted_take_stacks(struct ca_wanted *wanted, const char *value,
                                     struct ca_error *err) {
    uint64_t depth = CA_USUAL_STACK_DEPTH;
    if (value != NULL &&
        (!ca_number_parse(value, &depth) || depth < 2 || depth > CA_STACK_DEPTH_MAX))
        return ca_error_set(err, CA_ERROR_USAGE, "'--stacks' is 2 to %u frames, not '%s'",
                            CA_STACK_DEPTH_MAX, value);
    return take_depth(wanted, (uint32_t)depth, err);
}

/* A number of bytes, or of KiB (k), MiB (M) or GiB (G). */
static bool parse_bytes(const char *text, uint64_t *ret_bytes) {
    static const char units[] = "kMG";
    char digits[24];
    size_t length = strlen(text);
    const char *unit = length > 0 ? strchr(units, text[length - 1]) : NULL;
    size_t digit_count = unit != NULL ? length - 1 : length;
    if (digit_count == 0 || digit_count >= sizeof digits)
        return false;
    memcpy(digits, text, digit_count);
    digits[digit_count] = '\0';
    unsigned shift = unit != NULL ? 10 * (unsigned)(unit - units + 1) : 0;
    uint64_t number;
    if (!ca_number_parse(digits, &number) || number > UINT64_MAX >> shift)
        return false;
    *ret_bytes = number << shift;
    return true;
}

/* The estimates of a day's allocations still fit 64 bits. */
#define MOST_SAMPLE_BYTES (1ull << 40)

enum ca_status ca_wanted_take_sample(struct ca_wanted *wanted, const char *value,
                                     struct ca_error *err) {
    wanted->sample_bytes = CA_USUAL_SAMPLE_BYTES;
    if (value == NULL)
        return CA_OK;
    if (parse_bytes(value, &wanted->sample_bytes) && wanted->sample_bytes != 0 &&
        wanted->sample_bytes <= MOST_SAMPLE_BYTES)
        return CA_OK;
    return ca_error_set(err, CA_ERROR_USAGE,
                        "'--sample' is a number of bytes, such as 65536, 64k or 1M, not '%s'",
                        value);
}

enum ca_status ca_wanted_take_symbols(struct ca_symbols_wanted *symbols, const char *value,
                                      struct ca_error *err) {
    symbols->is_off = strcmp(value, "off") == 0;
    if (symbols->is_off || strcmp(value, "on") == 0)
        return CA_OK;
    return ca_error_set(err, CA_ERROR_USAGE, "'--symbols' is on or off, not '%s'", value);
}
