/* SPDX-License-Identifier: MIT
 *
 * Reading alloc-budgets.ini.
 *
 * The grammar, line by line: blank lines; comments, whose first byte that is no blank is ';' or
 * '#'; [SECTION]; KEY = VALUE. Blanks (space, tab) around each are ignored, also in front of a key.
 * A ';' with a blank before it ends a value or a section line; '#' does not. Lines end with LF or
 * CR LF, the last one with or without. A UTF-8 byte order mark is passed over. Names and values are
 * bytes, compared as such.
 *
 *     [defaults]                 scope, tolerance
 *     [PROGRAM/PHASE]            per, rate, fixed, bytes.fixed, bytes.rate, bytes_peak.*,
 * live_blocks.*, [PROGRAM/PHASE@PLATFORM]   scope, tolerance, why
 *
 * A section's name is split at its last '/'. Sections of one program and phase make one budget: of
 * those that match a record's platform, the one with the most components decides, key by key; what
 * it does not say is inherited from the next.
 *
 * Why this is a reader of our own and not libinih, measured with Debian's libinih 55: `--update`
 * rewrites single numbers and must know at which byte each value lies, and inih's handler is given
 * neither offset nor line. It also cuts section and key names at 49 bytes without a word, cuts
 * lines at 200 bytes and goes on in the middle of them, takes a repeated section or key as it
 * comes, hands over keys that stand before any section, and reads an indented "  fixed = 3" as a
 * continuation of the line above, so that the budget is lost without an error. Each of these would
 * turn a slip in a budget file into a check that passes. Here every one is an error that names file
 * and line, or (the indented key) just works.
 */
#ifndef CA_BUDGET_FILE_H
#define CA_BUDGET_FILE_H

#include <stddef.h>

#include "base/error.h"
#include "budget/ratio.h"

#define CA_BUDGET_FILE_BYTES_MAX (4u << 20)
#define CA_BUDGET_SECTIONS_MAX   10000u
#define CA_BUDGET_PROGRAM_MAX    1023u /* bytes of a program's name or path */

/* What is limited. Allocations and blocks are counts, the others bytes; bytes are bytes_requested
 * of a record. */
enum ca_limit_kind {
    CA_LIMIT_ALLOCATIONS = 0,
    CA_LIMIT_BYTES,
    CA_LIMIT_BYTES_PEAK,
    CA_LIMIT_LIVE_BLOCKS,
    CA_LIMIT_COUNT
};

enum ca_scope {
    CA_SCOPE_OWNER = 0, /* the threads that opened the phase */
    CA_SCOPE_ALL        /* those that adopted it, too */
};

/* Where a value stands. `line` counts from 1; 0: the key is absent. */
struct ca_budget_token {
    uint32_t line;
    size_t offset_bytes; /* of the value, in the file */
    size_t length_bytes;
};

struct ca_budget_limit {
    struct ca_budget_token fixed_at;
    struct ca_budget_token rate_at;
    uint64_t fixed;       /* 0 when absent */
    struct ca_ratio rate; /* 0/1 when absent */
};

struct ca_budget_section {
    const char *title;        /* as between the brackets */
    const char *program;      /* a name, or a path when it has a '/' */
    const char *phase;        /* "total": the whole program */
    const char *platform;     /* "musl", "linux-x86_64"; "" matches every platform */
    uint32_t component_count; /* of `platform` */
    uint32_t line;
    struct ca_budget_limit limits[CA_LIMIT_COUNT];
    struct ca_budget_token per_at;
    struct ca_budget_token scope_at;
    struct ca_budget_token tolerance_at;
    struct ca_budget_token why_at;
    const char *per; /* NULL when absent, as `why` */
    const char *why;
    enum ca_scope scope;
    uint64_t tolerance;
    /* For inserting a line: the section's last line with a key, or the section line without any. */
    size_t last_line_offset_bytes;
    size_t last_line_end_bytes; /* behind its line end */
    bool has_key;
};

struct ca_budget_file {
    const char *path; /* kept; for messages, and where to write */
    char *text;       /* byte_count bytes as they were read, and a NUL */
    size_t byte_count;
    struct ca_budget_section *sections; /* section_count, as in the file, without [defaults] */
    size_t section_count;
    enum ca_scope default_scope;
    uint64_t default_tolerance;
    char *strings;
};

/* Reads the file at `path` ("-": standard input). CA_ERROR_SYSTEM when it cannot be read;
 * CA_ERROR_INPUT, as "PATH:LINE: cause", for its first mistake. To be released after success only.
 */
enum ca_status ca_budget_file_read(struct ca_budget_file *ret_file, const char *path,
                                   struct ca_error *err);

/* The same of `byte_count` bytes of text (borrowed). `shown` (kept) names them in messages. */
enum ca_status ca_budget_file_parse(struct ca_budget_file *ret_file, const char *shown,
                                    const char *text, size_t byte_count, struct ca_error *err);

void ca_budget_file_release(struct ca_budget_file *file);

/* Whether the sections belong to one budget: same program, same phase. */
bool ca_budget_section_is_sibling(const struct ca_budget_section *a,
                                  const struct ca_budget_section *b);

/* "allocations", "bytes", "bytes_peak", "live_blocks": also the keys' names. */
const char *ca_limit_name(enum ca_limit_kind kind);

/* The key that holds a number: "fixed", "rate", "bytes.fixed" ... */
const char *ca_limit_key(enum ca_limit_kind kind, bool is_rate);

#endif
