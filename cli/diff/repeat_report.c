/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "budget/check_escape.h"
#include "diff/repeat_spread.h"

#define ROWS_SHOWN 20u

__attribute__((format(printf, 2, 3))) static void put(struct ca_out *out, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ca_escape(out, CA_SYNTAX_TERMINAL, text);
}

static void end_line(struct ca_out *out) {
    ca_out_text(out, "\n");
}

static void put_spread(struct ca_out *out, const char *name, const struct ca_spread *figure) {
    if (!ca_spread_is_different(figure))
        return;
    put(out, "    %-18s %lld to %lld", name, (long long)figure->lowest, (long long)figure->highest);
    end_line(out);
}

/* "  phase 'parse', thread 2 (adopted), in 2 of 3 runs" and its figures. */
static void put_row(struct ca_out *out, const struct ca_repeat_spread *spread,
                    const struct ca_spread_row *row) {
    if (row->phase == NULL)
        put(out, "  total");
    else
        put(out, "  phase '%.96s'", row->phase);
    if (row->has_thread)
        put(out, ", thread %u%s", row->thread, row->is_adopted ? " (adopted)" : "");
    if (row->run_count < spread->run_count)
        put(out, ", in %u of %u runs", row->run_count, spread->run_count);
    end_line(out);
    for (int column = 0; column < CA_COLUMN_COUNT; column++)
        put_spread(out, ca_column_facts((enum ca_column)column)->name, &row->columns[column]);
    put_spread(out, "opened", &row->opened);
}

void ca_repeat_spread_write_text(const struct ca_repeat_spread *spread, struct ca_out *out) {
    size_t shown = 0;
    if (ca_repeat_spread_is_identical(spread)) {
        put(out, "%u runs: identical", spread->run_count);
        end_line(out);
        return;
    }
    put(out, "%u runs: not identical; lowest and highest of what differed:", spread->run_count);
    end_line(out);
    put_spread(out, "exit status", &spread->exit_status);
    /* The total's row is the first: phases say more, so it comes last. */
    for (size_t i = 1; i <= spread->row_count; i++) {
        const struct ca_spread_row *row = &spread->rows[i % spread->row_count];
        if (ca_spread_row_is_different(spread, row) && (shown++ < ROWS_SHOWN || row->phase == NULL))
            put_row(out, spread, row);
    }
    if (shown > ROWS_SHOWN) {
        put(out, "  and more; the JSON record has all (-o FILE)");
        end_line(out);
    }
}

/* ---- JSON ---- */

static void put_json_text(struct ca_out *out, const char *text) {
    char *clean = ca_utf8_of(text);
    char escape[8];
    ca_out_text(out, "\"");
    for (const char *at = clean != NULL ? clean : "?"; *at != '\0'; at++) {
        if ((unsigned char)*at < 0x20) {
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)*at);
            ca_out_text(out, escape);
            continue;
        }
        if (*at == '"' || *at == '\\')
            ca_out_text(out, "\\");
        ca_out_bytes(out, at, 1);
    }
    ca_out_text(out, "\"");
    free(clean);
}

static void put_json_spread(struct ca_out *out, const char *name, const struct ca_spread *figure) {
    char text[96];
    put_json_text(out, name);
    snprintf(text, sizeof text, ": [%lld, %lld]", (long long)figure->lowest,
             (long long)figure->highest);
    ca_out_text(out, text);
}

static void put_json_row(struct ca_out *out, const struct ca_spread_row *row) {
    char text[128];
    ca_out_text(out, "\n      {\"phase\": ");
    if (row->phase != NULL)
        put_json_text(out, row->phase);
    else
        ca_out_text(out, "null");
    if (row->has_thread)
        snprintf(text, sizeof text, ", \"thread\": %u, \"adopted\": %s", row->thread,
                 row->is_adopted ? "true" : "false");
    else
        snprintf(text, sizeof text, ", \"thread\": null, \"adopted\": false");
    ca_out_text(out, text);
    snprintf(text, sizeof text, ", \"runs\": %u, ", row->run_count);
    ca_out_text(out, text);
    put_json_spread(out, "opened", &row->opened);
    ca_out_text(out, ", \"counts\": {");
    bool is_first = true;
    for (int column = 0; column < CA_COLUMN_COUNT; column++) {
        if (!ca_spread_is_different(&row->columns[column]))
            continue;
        ca_out_text(out, is_first ? "" : ", ");
        put_json_spread(out, ca_column_facts((enum ca_column)column)->key, &row->columns[column]);
        is_first = false;
    }
    ca_out_text(out, "}}");
}

void ca_repeat_spread_write_json(const struct ca_repeat_spread *spread, struct ca_out *out) {
    char text[128];
    bool is_identical = ca_repeat_spread_is_identical(spread), is_first = true;
    snprintf(text, sizeof text, "  \"repeat\": {\n    \"runs\": %u, \"identical\": %s, ",
             spread->run_count, is_identical ? "true" : "false");
    ca_out_text(out, text);
    put_json_spread(out, "exit_status", &spread->exit_status);
    ca_out_text(out, ",\n    \"different\": [");
    for (size_t i = 0; i < spread->row_count; i++) {
        if (!ca_spread_row_is_different(spread, &spread->rows[i]))
            continue;
        ca_out_text(out, is_first ? "" : ",");
        put_json_row(out, &spread->rows[i]);
        is_first = false;
    }
    ca_out_text(out, is_first ? "]\n  }" : "\n    ]\n  }");
}
