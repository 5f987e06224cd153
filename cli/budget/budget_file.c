/* SPDX-License-Identifier: MIT */
#include "budget/budget_file.h"

#include <countalloc/counterfile.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/near_name.h"

#define SHOWN_MAX 60 /* bytes of a name or value in a message */

/* Part of the text, in bytes. */
struct span {
    size_t at;
    size_t length;
};

struct reader {
    struct ca_budget_file *file;
    struct ca_error *err;
    uint32_t line;
    size_t line_at;
    size_t line_end; /* behind the line end */
    size_t section_capacity;
    size_t string_bytes;
    struct ca_budget_section *section; /* the open one; NULL in [defaults] and before any */
    bool is_in_defaults;
    uint32_t defaults_line;
    struct ca_budget_token default_scope_at;
    struct ca_budget_token default_tolerance_at;
};

__attribute__((format(printf, 3, 4))) static enum ca_status
fail_at(const struct reader *reader, uint32_t line, const char *format, ...) {
    char cause[CA_ERROR_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cause, sizeof cause, format, arguments);
    va_end(arguments);
    return ca_error_set(reader->err, CA_ERROR_INPUT, "%.1000s:%u: %.1000s", reader->file->path,
                        line, cause);
}

/* ---- spans and strings ---- */

static bool is_blank(char byte) {
    return byte == ' ' || byte == '\t';
}

static const char *bytes_of(const struct reader *reader, struct span span) {
    return reader->file->text + span.at;
}

static struct span trimmed(const struct reader *reader, struct span span) {
    const char *text = reader->file->text;
    for (; span.length > 0 && is_blank(text[span.at]); span.at++)
        span.length--;
    while (span.length > 0 && is_blank(text[span.at + span.length - 1]))
        span.length--;
    return span;
}

/* `span` up to a ';' that has a blank before it, or begins it. */
static struct span uncommented(const struct reader *reader, struct span span) {
    const char *text = bytes_of(reader, span);
    for (size_t i = 0; i < span.length; i++)
        if (text[i] == ';' && (i == 0 || is_blank(text[i - 1])))
            return (struct span){span.at, i};
    return span;
}

/* The first `byte` in `span`, or span.length. */
static size_t place_of(const struct reader *reader, struct span span, char byte) {
    const char *found = memchr(bytes_of(reader, span), byte, span.length);
    return found != NULL ? (size_t)(found - bytes_of(reader, span)) : span.length;
}

/* A copy with a NUL, which lives as long as the file. */
static char *string_of(struct reader *reader, struct span span) {
    char *string = reader->file->strings + reader->string_bytes;
    memcpy(string, bytes_of(reader, span), span.length);
    string[span.length] = '\0';
    reader->string_bytes += span.length + 1;
    return string;
}

static struct ca_budget_token token_of(const struct reader *reader, struct span span) {
    return (struct ca_budget_token){reader->line, span.at, span.length};
}

/* ---- sections ---- */

static bool has_blank_edge(struct reader *reader, struct span span) {
    const char *text = bytes_of(reader, span);
    return span.length > 0 && (is_blank(text[0]) || is_blank(text[span.length - 1]));
}

static enum ca_status fill_platform(struct reader *reader, struct ca_budget_section *section,
                                    struct span platform) {
    section->platform = string_of(reader, platform);
    const char *at = section->platform;
    if (strchr(at, '@') != NULL)
        return fail_at(reader, reader->line, "[%.*s]: more than one '@'", SHOWN_MAX,
                       section->title);
    for (;; at++) {
        size_t length = strcspn(at, "-");
        if (length == 0)
            return fail_at(
                reader, reader->line,
                "[%.*s]: empty component of the platform behind '@': write components of the "
                "platform key with '-' between them, as @linux-musl",
                SHOWN_MAX, section->title);
        section->component_count++;
        at += length;
        if (*at == '\0')
            return CA_OK;
    }
}

static enum ca_status fill_name(struct reader *reader, struct ca_budget_section *section,
                                struct span title) {
    const char *text = bytes_of(reader, title);
    const char *slash = NULL;
    for (size_t i = 0; i < title.length; i++)
        if (text[i] == '/')
            slash = text + i;
    if (slash == NULL)
        return fail_at(
            reader, reader->line,
            "unknown section [%.*s]: a section is [defaults] or [PROGRAM/PHASE], where PHASE "
            "may be total",
            SHOWN_MAX, section->title);
    struct span program = {title.at, (size_t)(slash - text)};
    struct span phase = {title.at + program.length + 1, title.length - program.length - 1};
    size_t at_sign = place_of(reader, phase, '@');
    struct span platform = {phase.at + at_sign + 1, 0};
    if (at_sign < phase.length) {
        platform.length = phase.length - at_sign - 1;
        phase.length = at_sign;
    }
    if (program.length == 0)
        return fail_at(reader, reader->line, "[%.*s]: empty program before '/'", SHOWN_MAX,
                       section->title);
    if (phase.length == 0)
        return fail_at(reader, reader->line, "[%.*s]: empty phase behind '/'", SHOWN_MAX,
                       section->title);
    if (has_blank_edge(reader, program) || has_blank_edge(reader, phase) ||
        has_blank_edge(reader, platform))
        return fail_at(reader, reader->line, "[%.*s]: blank beside '/' or '@'", SHOWN_MAX,
                       section->title);
    if (program.length > CA_BUDGET_PROGRAM_MAX)
        return fail_at(reader, reader->line,
                       "program name of %zu bytes is too long: at most %u can be compared",
                       program.length, CA_BUDGET_PROGRAM_MAX);
    if (phase.length >= CA_PHASE_NAME_SIZE)
        return fail_at(reader, reader->line,
                       "phase name of %zu bytes is too long: a phase has at most %u", phase.length,
                       CA_PHASE_NAME_SIZE - 1);
    section->program = string_of(reader, program);
    section->phase = string_of(reader, phase);
    section->platform = "";
    return at_sign < title.length - program.length - 1 ? fill_platform(reader, section, platform)
                                                       : CA_OK;
}

static enum ca_status open_defaults(struct reader *reader) {
    if (reader->defaults_line != 0)
        return fail_at(reader, reader->line, "[defaults] again: it is on line %u already",
                       reader->defaults_line);
    reader->defaults_line = reader->line;
    reader->is_in_defaults = true;
    reader->section = NULL;
    return CA_OK;
}

static enum ca_status add_section(struct reader *reader) {
    struct ca_budget_file *file = reader->file;
    if (file->section_count == CA_BUDGET_SECTIONS_MAX)
        return fail_at(reader, reader->line, "more than %u sections", CA_BUDGET_SECTIONS_MAX);
    if (file->section_count == reader->section_capacity) {
        size_t capacity = reader->section_capacity == 0 ? 16 : reader->section_capacity * 2;
        void *grown = realloc(file->sections, capacity * sizeof *file->sections);
        if (grown == NULL)
            return ca_error_memory(reader->err);
        file->sections = grown;
        reader->section_capacity = capacity;
    }
    reader->section = &file->sections[file->section_count++];
    *reader->section = (struct ca_budget_section){
        .line = reader->line,
        .last_line_offset_bytes = reader->line_at,
        .last_line_end_bytes = reader->line_end,
    };
    for (int kind = 0; kind < CA_LIMIT_COUNT; kind++)
        reader->section->limits[kind].rate.denominator = 1;
    reader->is_in_defaults = false;
    return CA_OK;
}

static enum ca_status open_section(struct reader *reader, struct span title) {
    enum ca_status status = add_section(reader);
    if (status != CA_OK)
        return status;
    struct ca_budget_section *section = reader->section;
    section->title = string_of(reader, title);
    for (size_t i = 0; i + 1 < reader->file->section_count; i++)
        if (strcmp(reader->file->sections[i].title, section->title) == 0)
            return fail_at(reader, reader->line, "[%.*s] again: it is on line %u already",
                           SHOWN_MAX, section->title, reader->file->sections[i].line);
    return fill_name(reader, section, title);
}

static enum ca_status read_section_line(struct reader *reader, struct span line) {
    struct span inside = uncommented(reader, (struct span){line.at + 1, line.length - 1});
    size_t bracket = place_of(reader, inside, ']');
    if (bracket == inside.length)
        return fail_at(reader, reader->line, "missing ']' behind the section's name");
    struct span rest =
        trimmed(reader, (struct span){inside.at + bracket + 1, inside.length - bracket - 1});
    if (rest.length > 0)
        return fail_at(reader, reader->line,
                       "'%.*s' behind ']': only a comment, which begins with ';', may follow",
                       (int)(rest.length < SHOWN_MAX ? rest.length : SHOWN_MAX),
                       bytes_of(reader, rest));
    struct span title = trimmed(reader, (struct span){inside.at, bracket});
    if (title.length == 8 && memcmp(bytes_of(reader, title), "defaults", 8) == 0)
        return open_defaults(reader);
    return open_section(reader, title);
}

/* ---- keys ---- */

static const char *const limit_names[CA_LIMIT_COUNT] = {"allocations", "bytes", "bytes_peak",
                                                        "live_blocks"};
static const char *const limit_keys[CA_LIMIT_COUNT][2] = {
    {"fixed", "rate"},
    {"bytes.fixed", "bytes.rate"},
    {"bytes_peak.fixed", "bytes_peak.rate"},
    {"live_blocks.fixed", "live_blocks.rate"},
};

const char *ca_limit_name(enum ca_limit_kind kind) {
    return limit_names[kind];
}

const char *ca_limit_key(enum ca_limit_kind kind, bool is_rate) {
    return limit_keys[kind][is_rate];
}

static const char *near_key(const char *typed) {
    static const char *const words[] = {"per", "scope", "tolerance", "why"};
    for (int i = 0; i < 2 * CA_LIMIT_COUNT; i++)
        if (ca_is_near_name(typed, limit_keys[i / 2][i % 2]))
            return limit_keys[i / 2][i % 2];
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ca_is_near_name(typed, words[i]))
            return words[i];
    return NULL;
}

static enum ca_status unknown_key(struct reader *reader, const char *key) {
    if (reader->is_in_defaults)
        return fail_at(reader, reader->line,
                       "unknown key '%.*s' in [defaults], which has scope and tolerance", SHOWN_MAX,
                       key);
    const char *near = near_key(key);
    if (near != NULL)
        return fail_at(reader, reader->line, "unknown key '%.*s': did you mean '%s'", SHOWN_MAX,
                       key, near);
    return fail_at(
        reader, reader->line,
        "unknown key '%.*s': there are per, rate, fixed, bytes.*, bytes_peak.* and live_blocks.* "
        "(each .fixed and .rate), scope, tolerance, why",
        SHOWN_MAX, key);
}

/* Remembers where the key stands; refuses it when it was there already. */
static enum ca_status take_place(struct reader *reader, struct ca_budget_token *place,
                                 const char *key, struct span value) {
    if (place->line != 0)
        return fail_at(reader, reader->line, "'%s' again: it is on line %u already", key,
                       place->line);
    *place = token_of(reader, value);
    return CA_OK;
}

static enum ca_status check_number(struct reader *reader, const char *key, const char *value,
                                   const char *problem) {
    if (problem == NULL)
        return CA_OK;
    if (*value == '\0')
        return fail_at(reader, reader->line, "'%s' has no value", key);
    return fail_at(reader, reader->line, "%s: '%.*s' %s", key, SHOWN_MAX, value, problem);
}

static enum ca_status take_scope(struct reader *reader, const char *value, enum ca_scope *ret) {
    if (strcmp(value, "owner") == 0)
        *ret = CA_SCOPE_OWNER;
    else if (strcmp(value, "all") == 0)
        *ret = CA_SCOPE_ALL;
    else
        return fail_at(reader, reader->line, "scope: '%.*s' is neither owner nor all", SHOWN_MAX,
                       value);
    return CA_OK;
}

static enum ca_status read_default(struct reader *reader, const char *key, const char *value,
                                   struct span place) {
    struct ca_budget_file *file = reader->file;
    enum ca_status status;
    if (strcmp(key, "scope") == 0) {
        status = take_place(reader, &reader->default_scope_at, key, place);
        return status == CA_OK ? take_scope(reader, value, &file->default_scope) : status;
    }
    if (strcmp(key, "tolerance") == 0) {
        status = take_place(reader, &reader->default_tolerance_at, key, place);
        return status == CA_OK ? check_number(reader, key, value,
                                              ca_integer_parse(value, &file->default_tolerance))
                               : status;
    }
    return unknown_key(reader, key);
}

static enum ca_status read_limit(struct reader *reader, enum ca_limit_kind kind, bool is_rate,
                                 const char *value, struct span place) {
    struct ca_budget_limit *limit = &reader->section->limits[kind];
    const char *key = limit_keys[kind][is_rate];
    enum ca_status status =
        take_place(reader, is_rate ? &limit->rate_at : &limit->fixed_at, key, place);
    if (status != CA_OK)
        return status;
    return check_number(reader, key, value,
                        is_rate ? ca_ratio_parse(value, &limit->rate)
                                : ca_integer_parse(value, &limit->fixed));
}

static enum ca_status take_word(struct reader *reader, const char *key, const char *value,
                                const char **ret_word) {
    if (*value == '\0')
        return fail_at(reader, reader->line, "'%s' has no value", key);
    *ret_word = value;
    return CA_OK;
}

static enum ca_status read_setting(struct reader *reader, const char *key, const char *value,
                                   struct span place) {
    struct ca_budget_section *section = reader->section;
    enum ca_status status;
    if (strcmp(key, "per") == 0) {
        status = take_place(reader, &section->per_at, key, place);
        if (status == CA_OK && place.length >= CA_UNIT_NAME_SIZE)
            return fail_at(reader, reader->line,
                           "unit name of %zu bytes is too long: a unit has at most %u",
                           place.length, CA_UNIT_NAME_SIZE - 1);
        return status == CA_OK ? take_word(reader, key, value, &section->per) : status;
    }
    if (strcmp(key, "scope") == 0) {
        status = take_place(reader, &section->scope_at, key, place);
        return status == CA_OK ? take_scope(reader, value, &section->scope) : status;
    }
    if (strcmp(key, "tolerance") == 0) {
        status = take_place(reader, &section->tolerance_at, key, place);
        return status == CA_OK
                   ? check_number(reader, key, value, ca_integer_parse(value, &section->tolerance))
                   : status;
    }
    if (strcmp(key, "why") == 0) {
        status = take_place(reader, &section->why_at, key, place);
        return status == CA_OK ? take_word(reader, key, value, &section->why) : status;
    }
    return unknown_key(reader, key);
}

static enum ca_status read_key_line(struct reader *reader, struct span line) {
    size_t equals = place_of(reader, line, '=');
    if (equals == line.length)
        return fail_at(reader, reader->line, "neither [SECTION] nor KEY = VALUE: '%.*s'",
                       (int)(line.length < SHOWN_MAX ? line.length : SHOWN_MAX),
                       bytes_of(reader, line));
    struct span rest = {line.at + equals + 1, line.length - equals - 1};
    struct span place = trimmed(reader, uncommented(reader, rest));
    const char *key = string_of(reader, trimmed(reader, (struct span){line.at, equals}));
    const char *value = string_of(reader, place);
    if (*key == '\0')
        return fail_at(reader, reader->line, "no key before '='");
    if (reader->is_in_defaults)
        return read_default(reader, key, value, place);
    if (reader->section == NULL)
        return fail_at(reader, reader->line,
                       "'%.*s' before any section: [PROGRAM/PHASE] or [defaults] comes first",
                       SHOWN_MAX, key);
    reader->section->has_key = true;
    reader->section->last_line_offset_bytes = reader->line_at;
    reader->section->last_line_end_bytes = reader->line_end;
    for (int i = 0; i < 2 * CA_LIMIT_COUNT; i++)
        if (strcmp(key, limit_keys[i / 2][i % 2]) == 0)
            return read_limit(reader, (enum ca_limit_kind)(i / 2), i % 2 == 1, value, place);
    return read_setting(reader, key, value, place);
}

/* ---- the file ---- */

static bool is_control(char byte) {
    return ((unsigned char)byte < 0x20 && byte != '\t') || byte == 0x7f;
}

static enum ca_status read_line(struct reader *reader, struct span line) {
    for (size_t i = 0; i < line.length; i++)
        if (is_control(bytes_of(reader, line)[i]))
            return fail_at(reader, reader->line,
                           "control byte 0x%02x: a budget file is plain text in UTF-8",
                           (unsigned char)bytes_of(reader, line)[i]);
    line = trimmed(reader, line);
    char first = line.length > 0 ? *bytes_of(reader, line) : ';';
    if (first == ';' || first == '#')
        return CA_OK;
    return first == '[' ? read_section_line(reader, line) : read_key_line(reader, line);
}

static enum ca_status read_lines(struct reader *reader) {
    const char *text = reader->file->text;
    size_t end = reader->file->byte_count;
    size_t at = end >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    enum ca_status status = CA_OK;
    while (at < end && status == CA_OK) {
        const char *newline = memchr(text + at, '\n', end - at);
        struct span line = {at, newline != NULL ? (size_t)(newline - text) - at : end - at};
        reader->line++;
        reader->line_at = at;
        at = reader->line_end = line.at + line.length + (newline != NULL);
        if (line.length > 0 && text[line.at + line.length - 1] == '\r')
            line.length--;
        status = read_line(reader, line);
    }
    return status;
}

bool ca_budget_section_is_sibling(const struct ca_budget_section *a,
                                  const struct ca_budget_section *b) {
    return strcmp(a->phase, b->phase) == 0 && strcmp(a->program, b->program) == 0;
}

static uint32_t first_rate_line(const struct ca_budget_section *section) {
    for (int kind = 0; kind < CA_LIMIT_COUNT; kind++)
        if (section->limits[kind].rate.numerator != 0)
            return section->limits[kind].rate_at.line;
    return 0;
}

static bool has_limit(const struct ca_budget_section *section) {
    for (int kind = 0; kind < CA_LIMIT_COUNT; kind++)
        if (section->limits[kind].fixed_at.line != 0 || section->limits[kind].rate_at.line != 0)
            return true;
    return false;
}

/* What can only be said of all sections of a budget together. */
static enum ca_status check_budgets(struct reader *reader) {
    const struct ca_budget_file *file = reader->file;
    for (size_t i = 0; i < file->section_count; i++) {
        const struct ca_budget_section *section = &file->sections[i];
        bool is_limited = has_limit(section), has_unit = section->per != NULL;
        uint32_t rate_line = first_rate_line(section);
        for (size_t k = 0; k < file->section_count && !(is_limited && (has_unit || rate_line == 0));
             k++) {
            const struct ca_budget_section *sibling = &file->sections[k];
            if (!ca_budget_section_is_sibling(sibling, section))
                continue;
            is_limited |= has_limit(sibling);
            has_unit |= sibling->per != NULL;
        }
        if (!is_limited)
            return fail_at(reader, section->line,
                           "[%.*s] limits nothing: give it fixed, or per and rate", SHOWN_MAX,
                           section->title);
        if (rate_line != 0 && !has_unit)
            return fail_at(reader, rate_line, "[%.*s]: a rate without a unit: add 'per = UNIT'",
                           SHOWN_MAX, section->title);
    }
    return CA_OK;
}

static enum ca_status parse_owned(struct ca_budget_file *file, struct ca_error *err) {
    struct reader reader = {.file = file, .err = err};
    size_t line_count = 1;
    for (size_t i = 0; i < file->byte_count; i++)
        line_count += file->text[i] == '\n';
    /* A section line leaves its title and the parts of it, a key line its key and its value. */
    file->strings = malloc(2 * file->byte_count + 4 * line_count);
    if (file->strings == NULL)
        return ca_error_memory(err);
    enum ca_status status = read_lines(&reader);
    return status == CA_OK ? check_budgets(&reader) : status;
}

enum ca_status ca_budget_file_parse(struct ca_budget_file *ret_file, const char *shown,
                                    const char *text, size_t byte_count, struct ca_error *err) {
    if (byte_count > CA_BUDGET_FILE_BYTES_MAX)
        return ca_error_set(err, CA_ERROR_INPUT, "%s: larger than %u bytes: no budget file", shown,
                            CA_BUDGET_FILE_BYTES_MAX);
    char *copy = malloc(byte_count + 1);
    if (copy == NULL)
        return ca_error_memory(err);
    memcpy(copy, text, byte_count);
    copy[byte_count] = '\0';
    struct ca_budget_file file = {.path = shown, .text = copy, .byte_count = byte_count};
    enum ca_status status = parse_owned(&file, err);
    if (status == CA_OK)
        *ret_file = file;
    else
        ca_budget_file_release(&file);
    return status;
}

static enum ca_status read_stream(FILE *stream, const char *path, struct ca_budget_file *ret_file,
                                  struct ca_error *err) {
    char *text = malloc(CA_BUDGET_FILE_BYTES_MAX + 1);
    if (text == NULL)
        return ca_error_memory(err);
    size_t byte_count = fread(text, 1, CA_BUDGET_FILE_BYTES_MAX + 1, stream);
    enum ca_status status = CA_OK;
    if (ferror(stream))
        status = ca_error_set(err, CA_ERROR_SYSTEM, "cannot read '%s': %s", path, strerror(errno));
    else
        status = ca_budget_file_parse(ret_file, path, text, byte_count, err);
    free(text);
    return status;
}

enum ca_status ca_budget_file_read(struct ca_budget_file *ret_file, const char *path,
                                   struct ca_error *err) {
    if (strcmp(path, "-") == 0)
        return read_stream(stdin, "-", ret_file, err);
    FILE *stream = fopen(path, "re");
    if (stream == NULL)
        return ca_error_set(err, CA_ERROR_SYSTEM, "cannot read '%s': %s", path, strerror(errno));
    enum ca_status status = read_stream(stream, path, ret_file, err);
    fclose(stream);
    return status;
}

void ca_budget_file_release(struct ca_budget_file *file) {
    free(file->text);
    free(file->strings);
    free(file->sections);
    *file = (struct ca_budget_file){0};
}
