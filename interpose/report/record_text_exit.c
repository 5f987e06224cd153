/* SPDX-License-Identifier: MIT */
#include <signal.h>

#include "record_text_parts.h"
#include "text_items.h"

static const struct {
    int number;
    const char *name;
} signal_names[] = {
    {SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},
    {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
    {SIGKILL, "SIGKILL"}, {SIGUSR1, "SIGUSR1"}, {SIGSEGV, "SIGSEGV"}, {SIGUSR2, "SIGUSR2"},
    {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"}, {SIGXCPU, "SIGXCPU"},
    {SIGXFSZ, "SIGXFSZ"}, {SIGSYS, "SIGSYS"},
};

static void add_outcome(struct ca_cell *cell, const struct ca_record *record) {
    if (record->signal == 0) {
        if (record->has_exit_status) {
            ca_cell_text(cell, "status ");
            ca_cell_signed(cell, record->exit_status);
        } else if (!record->is_complete) {
            ca_cell_text(cell, "not seen: the program was killed, or is still running");
        }
        return;
    }
    ca_cell_text(cell, "killed by signal ");
    ca_cell_signed(cell, record->signal);
    for (size_t i = 0; i < sizeof signal_names / sizeof *signal_names; i++) {
        if (signal_names[i].number != record->signal)
            continue;
        ca_cell_text(cell, " (");
        ca_cell_text(cell, signal_names[i].name);
        ca_cell_text(cell, ")");
    }
}

static void add_seconds(struct ca_cell *cell, const char *before, uint64_t elapsed_ns) {
    ca_cell_text(cell, before);
    ca_cell_quotient(cell, elapsed_ns, 1000000000, 3);
    ca_cell_text(cell, " s");
}

static void add_resources(struct ca_cell *cell, const struct ca_record *record) {
    add_seconds(cell, cell->columns > 0 ? ", " : "", record->wall_ns);
    add_seconds(cell, " (user ", record->user_ns);
    add_seconds(cell, ", system ", record->system_ns);
    ca_cell_text(cell, "), ");
    ca_cell_quotient(cell, record->max_rss_bytes, 1 << 20, 1);
    ca_cell_text(cell, " MiB peak memory");
}

void ca_record_write_text_exit(const struct ca_record *record, struct ca_out *out,
                               bool has_resources) {
    struct ca_cell cell;
    ca_cell_init(&cell, CELL_COLUMNS);
    add_outcome(&cell, record);
    if (has_resources)
        add_resources(&cell, record);
    struct ca_items items = ca_items_begin(out, "exit");
    if (cell.columns > 0)
        ca_items_add(&items, &cell);
    ca_items_end(&items);
}
