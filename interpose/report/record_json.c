/* SPDX-License-Identifier: MIT
 *
 * The JSON record. An object or array takes one line for each element; short lists of plain values
 * take one line together. */
#include "record.h"

#include "interpose/plain.h"

#define INDENT           "  "
#define REPLACEMENT      "\xef\xbf\xbd" /* U+FFFD */
#define NUMBER_SIZE      24u /* an integer of 64 bits with its sign, or its fraction, and NUL */
#define FRACTION_DIGITS  6u
#define FRACTION_DIVISOR 1000000u

__extension__ typedef unsigned __int128 ca_wide;

struct ca_json {
    struct ca_out *out;
    unsigned depth;
    unsigned line_depth; /* depth of the outermost value that takes one line; 0: none is open */
    bool is_first;       /* nothing was written yet into the innermost object or array */
};

/* ---- strings ---- */

/* Bytes of the UTF-8 character that `text` begins with, or of the part to replace by one U+FFFD
 * when it is none: what could still have become a character (Unicode 15, table 3-7 and "U+FFFD
 * Substitution of Maximal Subparts"). Stops at a NUL. */
static size_t utf8_part(const unsigned char *text, bool *ret_is_valid) {
    unsigned lead = text[0];
    unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    size_t wanted = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    size_t part = 1;
    bool is_lead = lead < 0x80 || (lead >= 0xc2 && lead <= 0xf4);
    while (is_lead && part < wanted && text[part] >= low && text[part] <= high) {
        part++;
        low = 0x80;
        high = 0xbf;
    }
    *ret_is_valid = is_lead && part == wanted;
    return part;
}

static void put_control(struct ca_out *out, unsigned char byte) {
    const char *digits = "0123456789abcdef";
    ca_out_text(out, "\\u00");
    ca_out_bytes(out, digits + byte / 16, 1);
    ca_out_bytes(out, digits + byte % 16, 1);
}

static void put_string(struct ca_out *out, const char *text) {
    ca_out_text(out, "\"");
    while (*text != '\0') {
        bool is_valid;
        size_t part = utf8_part((const unsigned char *)text, &is_valid);
        if (!is_valid) {
            ca_out_text(out, REPLACEMENT);
        } else if ((unsigned char)*text < 0x20 || *text == 0x7f) {
            put_control(out, (unsigned char)*text);
        } else {
            if (*text == '"' || *text == '\\')
                ca_out_text(out, "\\");
            ca_out_bytes(out, text, part);
        }
        text += part;
    }
    ca_out_text(out, "\"");
}

/* ---- structure ---- */

static void new_line(struct ca_json *json) {
    ca_out_text(json->out, "\n");
    for (unsigned i = 0; i < json->depth; i++)
        ca_out_text(json->out, INDENT);
}

/* Everything that stands before a value. `name`: NULL in an array. */
static void begin_value(struct ca_json *json, const char *name) {
    if (!json->is_first)
        ca_out_text(json->out, json->line_depth > 0 ? ", " : ",");
    if (json->line_depth == 0 && json->depth > 0)
        new_line(json);
    json->is_first = false;
    if (name != NULL) {
        put_string(json->out, name);
        ca_out_text(json->out, ": ");
    }
}

static void open_group(struct ca_json *json, const char *name, const char *bracket) {
    begin_value(json, name);
    ca_out_text(json->out, bracket);
    json->depth++;
    json->is_first = true;
}

static void open_line(struct ca_json *json, const char *name, const char *bracket) {
    open_group(json, name, bracket);
    if (json->line_depth == 0)
        json->line_depth = json->depth;
}

static void close_group(struct ca_json *json, const char *bracket) {
    json->depth--;
    if (json->line_depth == 0 && !json->is_first)
        new_line(json);
    if (json->line_depth > json->depth)
        json->line_depth = 0;
    ca_out_text(json->out, bracket);
    json->is_first = false;
}

/* ---- plain values ---- */

static void put_literal(struct ca_json *json, const char *name, const char *literal) {
    begin_value(json, name);
    ca_out_text(json->out, literal);
}

static void put_bool(struct ca_json *json, const char *name, bool is_true) {
    put_literal(json, name, is_true ? "true" : "false");
}

static void put_text(struct ca_json *json, const char *name, const char *text) {
    begin_value(json, name);
    if (text != NULL)
        put_string(json->out, text);
    else
        ca_out_text(json->out, "null");
}

static void put_number(struct ca_json *json, const char *name, uint64_t number) {
    char digits[NUMBER_SIZE];
    struct ca_text text = ca_text_in(digits, sizeof digits);
    ca_text_add_number(&text, number);
    put_literal(json, name, digits);
}

static void put_signed(struct ca_json *json, const char *name, int64_t number) {
    char digits[NUMBER_SIZE];
    struct ca_text text = ca_text_in(digits, sizeof digits);
    if (number < 0)
        ca_text_add(&text, "-");
    ca_text_add_number(&text, number < 0 ? -(uint64_t)number : (uint64_t)number);
    put_literal(json, name, digits);
}

static void put_signed_if(struct ca_json *json, const char *name, bool is_known, int64_t number) {
    if (is_known)
        put_signed(json, name, number);
    else
        put_literal(json, name, "null");
}

static void put_number_if(struct ca_json *json, const char *name, bool is_known, uint64_t number) {
    if (is_known)
        put_number(json, name, number);
    else
        put_literal(json, name, "null");
}

static void add_fraction(struct ca_text *text, uint64_t millionths) {
    char digits[FRACTION_DIGITS + 2] = ".";
    size_t length = FRACTION_DIGITS + 1;
    for (size_t at = FRACTION_DIGITS; at > 0; at--, millionths /= 10)
        digits[at] = (char)('0' + millionths % 10);
    while (digits[length - 1] == '0')
        length--;
    digits[length] = '\0';
    ca_text_add(text, digits);
}

/* number / divisor to six places, rounded half up, without trailing zeros. `divisor`: not 0. */
static void put_quotient(struct ca_json *json, const char *name, uint64_t number,
                         uint64_t divisor) {
    char digits[NUMBER_SIZE + FRACTION_DIGITS + 1];
    struct ca_text text = ca_text_in(digits, sizeof digits);
    ca_wide millionths =
        ((ca_wide)number * 2 * FRACTION_DIVISOR + divisor) / ((ca_wide)divisor * 2);
    uint64_t fraction = (uint64_t)(millionths % FRACTION_DIVISOR);
    ca_text_add_number(&text, (uint64_t)(millionths / FRACTION_DIVISOR));
    if (fraction != 0)
        add_fraction(&text, fraction);
    put_literal(json, name, digits);
}

/* ---- parts of the record ---- */

static const struct {
    const char *name;
    size_t offset;
} unsigned_counts[] = {
    {"allocations", offsetof(struct ca_counts, allocations)},
    {"frees", offsetof(struct ca_counts, frees)},
    {"malloc", offsetof(struct ca_counts, malloc_calls)},
    {"calloc", offsetof(struct ca_counts, calloc_calls)},
    {"realloc", offsetof(struct ca_counts, realloc_calls)},
    {"aligned", offsetof(struct ca_counts, aligned_calls)},
    {"free", offsetof(struct ca_counts, free_calls)},
    {"free_null", offsetof(struct ca_counts, free_null)},
    {"failed", offsetof(struct ca_counts, failed_calls)},
    {"realloc_in_place", offsetof(struct ca_counts, realloc_in_place)},
    {"realloc_moved", offsetof(struct ca_counts, realloc_moved)},
    {"realloc_grown", offsetof(struct ca_counts, realloc_grown)},
    {"realloc_shrunk", offsetof(struct ca_counts, realloc_shrunk)},
    {"bytes_requested", offsetof(struct ca_counts, bytes_requested)},
};

static void put_histogram(struct ca_json *json, const struct ca_counts *counts) {
    open_line(json, "size_histogram", "[");
    for (uint32_t i = 0; i < CA_CLASSES; i++) {
        if (counts->size_class[i] == 0)
            continue;
        open_group(json, NULL, "[");
        put_number(json, NULL, ca_class_upper_bytes(i));
        put_number(json, NULL, counts->size_class[i]);
        close_group(json, "]");
    }
    close_group(json, "]");
}

static void put_per(struct ca_json *json, const struct ca_counts *counts,
                    const struct ca_units *units, uint32_t units_count) {
    open_line(json, "per", "{");
    for (uint32_t i = 0; i < units_count; i++) {
        if (units[i].unit_count == 0)
            continue;
        open_group(json, units[i].name, "{");
        put_quotient(json, "allocations", counts->allocations, units[i].unit_count);
        put_quotient(json, "bytes_requested", counts->bytes_requested, units[i].unit_count);
        close_group(json, "}");
    }
    close_group(json, "}");
}

static void put_counts_per(struct ca_json *json, const struct ca_counts *counts,
                           const struct ca_units *units, uint32_t units_count) {
    for (size_t i = 0; i < sizeof unsigned_counts / sizeof *unsigned_counts; i++)
        put_number(json, unsigned_counts[i].name,
                   *(const uint64_t *)((const char *)counts + unsigned_counts[i].offset));
    put_signed(json, "live_blocks", counts->live_blocks);
    put_signed_if(json, "bytes_live", counts->has_live, counts->bytes_live);
    put_signed_if(json, "bytes_peak", counts->has_peak, counts->bytes_peak);
    put_number_if(json, "bytes_peak_error", counts->has_peak, counts->bytes_peak_error);
    put_histogram(json, counts);
    put_per(json, counts, units, units_count);
}

static void put_counts(struct ca_json *json, const struct ca_counts *counts) {
    put_counts_per(json, counts, NULL, 0);
}

/* As many of the `argument_count` strings as there are whole ones in `arguments`. */
static void put_arguments(struct ca_json *json, const char *arguments, size_t argument_bytes,
                          uint32_t argument_count) {
    open_line(json, "argv", "[");
    size_t start = 0;
    for (size_t at = 0; at < argument_bytes && argument_count > 0; at++) {
        if (arguments[at] != '\0')
            continue;
        put_text(json, NULL, arguments + start);
        start = at + 1;
        argument_count--;
    }
    close_group(json, "]");
}

static void put_program(struct ca_json *json, const struct ca_record *record) {
    open_group(json, "program", "{");
    put_text(json, "name", record->name);
    put_arguments(json, record->arguments, record->argument_bytes, record->argument_count);
    put_text(json, "exe", record->executable);
    put_number(json, "pid", record->pid);
    put_signed_if(json, "exit_status", record->has_exit_status, record->exit_status);
    put_signed_if(json, "signal", record->signal != 0, record->signal);
    put_bool(json, "complete", record->is_complete);
    put_bool(json, "timed_out", record->is_timed_out);
    close_group(json, "}");
}

static void put_platform(struct ca_json *json, const struct ca_record *record) {
    open_group(json, "platform", "{");
    put_text(json, "key", record->platform_key);
    put_text(json, "os", record->os);
    put_text(json, "arch", record->arch);
    put_text(json, "libc", record->libc);
    put_text(json, "allocator", record->allocator);
    if (record->has_allocator_bytes) {
        put_number(json, "allocator_used_bytes", record->allocator_used_bytes);
        put_number(json, "allocator_held_bytes", record->allocator_held_bytes);
    }
    close_group(json, "}");
}

static const char *level_name(enum ca_level level) {
    switch (level) {
    case CA_LEVEL_FULL:
        return "full";
    case CA_LEVEL_PARTIAL:
        return "partial";
    case CA_LEVEL_NONE:
        break;
    }
    return "none";
}

static void put_coverage(struct ca_json *json, const struct ca_record *record) {
    open_group(json, "coverage", "{");
    put_bool(json, "attached", record->is_attached);
    put_text(json, "level", level_name(record->level));
    open_group(json, "notes", "[");
    for (uint32_t i = 0; i < record->note_count; i++)
        put_text(json, NULL, record->notes[i]);
    close_group(json, "]");
    close_group(json, "}");
}

static void put_resources(struct ca_json *json, const struct ca_record *record) {
    open_group(json, "resources", "{");
    put_number_if(json, "wall_ns", record->has_resources, record->wall_ns);
    put_number_if(json, "user_ns", record->has_resources, record->user_ns);
    put_number_if(json, "system_ns", record->has_resources, record->system_ns);
    put_number_if(json, "max_rss_bytes", record->has_resources, record->max_rss_bytes);
    close_group(json, "}");
}

static void put_units(struct ca_json *json, const struct ca_units *units, uint32_t units_count) {
    open_line(json, "units", "{");
    for (uint32_t i = 0; i < units_count; i++)
        put_number(json, units[i].name, units[i].unit_count);
    close_group(json, "}");
}

static void put_share(struct ca_json *json, const struct ca_share *share) {
    open_group(json, NULL, "{");
    put_number(json, "number", share->thread);
    put_bool(json, "adopted", share->is_adopted);
    put_number(json, "opened", share->opened);
    put_counts(json, &share->counts);
    close_group(json, "}");
}

static void put_phase(struct ca_json *json, const struct ca_record_phase *phase) {
    open_group(json, NULL, "{");
    put_text(json, "name", phase->name);
    put_number(json, "opened", phase->opened);
    put_bool(json, "process_phase", phase->is_process_phase);
    put_units(json, phase->units, phase->units_count);
    put_counts_per(json, &phase->counts, phase->units, phase->units_count);
    open_group(json, "threads", "[");
    for (uint32_t i = 0; i < phase->share_count; i++)
        put_share(json, &phase->shares[i]);
    close_group(json, "]");
    close_group(json, "}");
}

static void put_thread(struct ca_json *json, const struct ca_record_thread *thread) {
    open_group(json, NULL, "{");
    put_number(json, "number", thread->number);
    put_text(json, "name", thread->name);
    put_number(json, "thread_count", thread->thread_count);
    put_counts(json, &thread->counts);
    close_group(json, "}");
}

static void put_process(struct ca_json *json, const struct ca_record_process *process) {
    open_group(json, NULL, "{");
    put_number(json, "pid", process->pid);
    put_number(json, "ppid", process->parent_pid);
    put_text(json, "exe", process->executable);
    put_arguments(json, process->arguments, process->argument_bytes, process->argument_count);
    put_bool(json, "complete", process->is_complete);
    put_counts(json, &process->counts);
    close_group(json, "}");
}

void ca_record_write_json(const struct ca_record *record, struct ca_out *out) {
    struct ca_json json = {.out = out, .is_first = true};
    open_group(&json, NULL, "{");
    put_text(&json, "schema", CA_RECORD_SCHEMA);
    put_number(&json, "rules", record->rules);
    put_text(&json, "countalloc", record->version);
    put_program(&json, record);
    put_platform(&json, record);
    put_coverage(&json, record);
    put_resources(&json, record);
    open_group(&json, "total", "{");
    put_units(&json, record->total_units, record->total_units_count);
    put_counts_per(&json, &record->total, record->total_units, record->total_units_count);
    close_group(&json, "}");
    open_group(&json, "phases", "[");
    for (uint32_t i = 0; i < record->phase_count; i++)
        put_phase(&json, &record->phases[i]);
    close_group(&json, "]");
    open_group(&json, "threads", "[");
    for (uint32_t i = 0; i < record->thread_count; i++)
        put_thread(&json, &record->threads[i]);
    close_group(&json, "]");
    open_group(&json, "processes", "[");
    for (uint32_t i = 0; i < record->process_count; i++)
        put_process(&json, &record->processes[i]);
    close_group(&json, "]");
    open_group(&json, "sites", "[");
    close_group(&json, "]");
    close_group(&json, "}");
    ca_out_text(out, "\n");
}
