/* SPDX-License-Identifier: MIT */
#include "symbols/atos_output.h"

#include <string.h>

#define IN " (in "

/* ---- one line ---- */

static const char *find(const char *text, size_t text_bytes, const char *wanted) {
    size_t length = strlen(wanted);
    for (size_t i = 0; i + length <= text_bytes; i++)
        if (memcmp(text + i, wanted, length) == 0)
            return text + i;
    return NULL;
}

static bool is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

static bool is_hex(const char *text, size_t text_bytes) {
    if (text_bytes < 3 || text[0] != '0' || text[1] != 'x')
        return false;
    for (size_t i = 2; i < text_bytes; i++)
        if (!is_digit(text[i]) && !(text[i] >= 'a' && text[i] <= 'f') &&
            !(text[i] >= 'A' && text[i] <= 'F'))
            return false;
    return true;
}

/* Whether MODULE may end at `at`, a ')'. */
static bool is_module_end(const char *at, const char *end) {
    size_t left = (size_t)(end - at);
    return left == 1 || (left > 3 && memcmp(at, ") (", 3) == 0) ||
           (left > 4 && memcmp(at, ") + ", 4) == 0 && is_digit(at[4]));
}

/* The ')' behind MODULE, which begins at `at`; NULL: there is none. */
static const char *module_end(const char *at, const char *end, const char *module) {
    size_t length = module != NULL ? strlen(module) : 0;
    if (length > 0 && (size_t)(end - at) > length && memcmp(at, module, length) == 0 &&
        at[length] == ')' && is_module_end(at + length, end))
        return at + length;
    for (; at < end; at++)
        if (*at == ')' && is_module_end(at, end))
            return at;
    return NULL;
}

/* "(FILE:LINE)", or something else that says nothing: "+ 24", "(??:?)". */
static void read_place(const char *at, const char *end, struct ca_atos_function *function) {
    if (end - at < 2 || at[0] != '(' || end[-1] != ')')
        return;
    const char *colon = end - 1;
    while (colon > at && *colon != ':')
        colon--;
    if (colon == at || colon + 1 == end - 1)
        return;
    uint64_t line = 0;
    for (const char *digit = colon + 1; digit < end - 1; digit++) {
        if (!is_digit(*digit) || line > UINT32_MAX / 10)
            return;
        line = line * 10 + (uint64_t)(*digit - '0');
    }
    size_t file_bytes = (size_t)(colon - at - 1);
    bool is_made_up = file_bytes == 0 || at[1] == '<'; /* <compiler-generated> */
    if (is_made_up || line > UINT32_MAX || (file_bytes == 2 && memcmp(at + 1, "??", 2) == 0))
        return;
    function->file = at + 1;
    function->file_bytes = file_bytes;
    function->line = (uint32_t)line;
}

bool ca_atos_line_read(const char *line, size_t line_bytes, const char *module,
                       struct ca_atos_function *ret_function) {
    /* The first, because no function's name holds it, while a path may. */
    const char *in = find(line, line_bytes, IN);
    const char *end = line + line_bytes;
    if (in == NULL || in == line || is_hex(line, (size_t)(in - line)))
        return false;
    const char *behind = module_end(in + strlen(IN), end, module);
    if (behind == NULL)
        return false;
    *ret_function = (struct ca_atos_function){.name = line, .name_bytes = (size_t)(in - line)};
    if (end - behind > 2)
        read_place(behind + 2, end, ret_function);
    return true;
}

/* ---- the whole ---- */

size_t ca_atos_take_line(const char **lines, size_t *left_bytes, const char **ret_line) {
    const char *newline = *left_bytes > 0 ? memchr(*lines, '\n', *left_bytes) : NULL;
    size_t length = newline != NULL ? (size_t)(newline - *lines) : *left_bytes;
    size_t taken = newline != NULL ? length + 1 : length;
    *ret_line = *lines;
    *lines += taken;
    *left_bytes -= taken;
    return length;
}

bool ca_atos_answer_begin(struct ca_atos_answer *answer, const char *text, size_t text_bytes,
                          size_t address_count) {
    size_t line_count = 0, group_count = 0, length_before = 0;
    bool has_groups = address_count == 1;
    const char *lines = text, *line;
    for (size_t left = text_bytes; left > 0;) {
        size_t length = ca_atos_take_line(&lines, &left, &line);
        line_count += length > 0;
        group_count += length > 0 && length_before == 0;
        has_groups |= length == 0;
        length_before = length;
    }
    *answer =
        (struct ca_atos_answer){.at = text, .end = text + text_bytes, .has_groups = has_groups};
    return (has_groups ? group_count : line_count) == address_count;
}

const char *ca_atos_answer_next(struct ca_atos_answer *answer, size_t *ret_bytes) {
    while (answer->at < answer->end && *answer->at == '\n')
        answer->at++;
    if (answer->at == answer->end)
        return NULL;
    const char *group = answer->at;
    size_t left = (size_t)(answer->end - group);
    const char *line;
    size_t length;
    do
        length = ca_atos_take_line(&answer->at, &left, &line);
    while (answer->has_groups && length > 0 && left > 0);
    *ret_bytes = (size_t)(answer->at - group);
    while (*ret_bytes > 0 && group[*ret_bytes - 1] == '\n')
        --*ret_bytes;
    return group;
}
