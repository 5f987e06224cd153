/* SPDX-License-Identifier: MIT */
#include "record.h"

#include "interpose/plain.h"

#define HEX_DIGITS 16u

static void add_hex(struct ca_text *text, uint64_t number) {
    char digits[HEX_DIGITS + 1];
    size_t at = HEX_DIGITS;
    digits[at] = '\0';
    do
        digits[--at] = "0123456789abcdef"[number % 16];
    while ((number /= 16) != 0);
    ca_text_add(text, digits + at);
}

uint32_t ca_record_function_count(const struct ca_record_frame *frame) {
    return frame->function_count > 0 ? frame->function_count : 1;
}

const char *ca_record_function_name(const struct ca_record *record,
                                    const struct ca_record_frame *frame, uint32_t function,
                                    char *buffer) {
    if (function < frame->function_count && frame->functions[function].name != NULL)
        return frame->functions[function].name;
    if (frame->module == CA_NO_MODULE)
        return "[anonymous]";
    struct ca_text text = ca_text_in(buffer, CA_FUNCTION_NAME_SIZE);
    ca_text_add(&text, ca_plain_basename(record->modules[frame->module].path));
    ca_text_add(&text, "+0x");
    add_hex(&text, frame->offset);
    return buffer;
}
