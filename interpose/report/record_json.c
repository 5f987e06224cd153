/* SPDX-License-Identifier: MIT
 *
 * The JSON record. Short lists of plain values take one line together. */
#include "json_out.h"
#include "record_json_sites.h"

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
    ca_json_open_line(json, "size_histogram", "[");
    for (uint32_t i = 0; i < CA_CLASSES; i++) {
        if (counts->size_class[i] == 0)
            continue;
        ca_json_open(json, NULL, "[");
        ca_json_number(json, NULL, ca_class_upper_bytes(i));
        ca_json_number(json, NULL, counts->size_class[i]);
        ca_json_close(json, "]");
    }
    ca_json_close(json, "]");
}

static void put_per(struct ca_json *json, const struct ca_counts *counts,
                    const struct ca_units *units, uint32_t units_count) {
    ca_json_open_line(json, "per", "{");
    for (uint32_t i = 0; i < units_count; i++) {
        if (units[i].unit_count == 0)
            continue;
        ca_json_open(json, units[i].name, "{");
        ca_json_quotient(json, "allocations", counts->allocations, units[i].unit_count);
        ca_json_quotient(json, "bytes_requested", counts->bytes_requested, units[i].unit_count);
        ca_json_close(json, "}");
    }
    ca_json_close(json, "}");
}

static void put_counts_per(struct ca_json *json, const struct ca_counts *counts,
                           const struct ca_units *units, uint32_t units_count) {
    for (size_t i = 0; i < sizeof unsigned_counts / sizeof *unsigned_counts; i++)
        ca_json_number(json, unsigned_counts[i].name,
                       *(const uint64_t *)((const char *)counts + unsigned_counts[i].offset));
    ca_json_signed(json, "live_blocks", counts->live_blocks);
    ca_json_signed_if(json, "bytes_live", counts->has_live, counts->bytes_live);
    ca_json_signed_if(json, "bytes_peak", counts->has_peak, counts->bytes_peak);
    ca_json_number_if(json, "bytes_peak_error", counts->has_peak, counts->bytes_peak_error);
    put_histogram(json, counts);
    put_per(json, counts, units, units_count);
}

static void put_counts(struct ca_json *json, const struct ca_counts *counts) {
    put_counts_per(json, counts, NULL, 0);
}

/* As many of the `argument_count` strings as there are whole ones in `arguments`. */
static void put_arguments(struct ca_json *json, const char *arguments, size_t argument_bytes,
                          uint32_t argument_count) {
    ca_json_open_line(json, "argv", "[");
    size_t start = 0;
    for (size_t at = 0; at < argument_bytes && argument_count > 0; at++) {
        if (arguments[at] != '\0')
            continue;
        ca_json_text(json, NULL, arguments + start);
        start = at + 1;
        argument_count--;
    }
    ca_json_close(json, "]");
}

static void put_program(struct ca_json *json, const struct ca_record *record) {
    ca_json_open(json, "program", "{");
    ca_json_text(json, "name", record->name);
    put_arguments(json, record->arguments, record->argument_bytes, record->argument_count);
    ca_json_text(json, "exe", record->executable);
    ca_json_number(json, "pid", record->pid);
    ca_json_signed_if(json, "exit_status", record->has_exit_status, record->exit_status);
    ca_json_signed_if(json, "signal", record->signal != 0, record->signal);
    ca_json_bool(json, "complete", record->is_complete);
    ca_json_bool(json, "timed_out", record->is_timed_out);
    ca_json_close(json, "}");
}

static void put_platform(struct ca_json *json, const struct ca_record *record) {
    ca_json_open(json, "platform", "{");
    ca_json_text(json, "key", record->platform_key);
    ca_json_text(json, "os", record->os);
    ca_json_text(json, "arch", record->arch);
    ca_json_text(json, "libc", record->libc);
    ca_json_text(json, "allocator", record->allocator);
    if (record->allocator_path != NULL)
        ca_json_text(json, "allocator_path", record->allocator_path);
    if (record->has_allocator_bytes) {
        ca_json_number(json, "allocator_used_bytes", record->allocator_used_bytes);
        ca_json_number(json, "allocator_held_bytes", record->allocator_held_bytes);
        ca_json_number_if(json, "allocator_active_bytes", record->allocator_active_bytes != 0,
                          record->allocator_active_bytes);
    }
    ca_json_close(json, "}");
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
    ca_json_open(json, "coverage", "{");
    ca_json_bool(json, "attached", record->is_attached);
    ca_json_text(json, "level", level_name(record->level));
    ca_json_open(json, "notes", "[");
    for (uint32_t i = 0; i < record->note_count; i++)
        ca_json_text(json, NULL, record->notes[i]);
    ca_json_close(json, "]");
    ca_json_close(json, "}");
}

static void put_resources(struct ca_json *json, const struct ca_record *record) {
    ca_json_open(json, "resources", "{");
    ca_json_number_if(json, "wall_ns", record->has_resources, record->wall_ns);
    ca_json_number_if(json, "user_ns", record->has_resources, record->user_ns);
    ca_json_number_if(json, "system_ns", record->has_resources, record->system_ns);
    ca_json_number_if(json, "max_rss_bytes", record->has_resources, record->max_rss_bytes);
    ca_json_close(json, "}");
}

static void put_units(struct ca_json *json, const struct ca_units *units, uint32_t units_count) {
    ca_json_open_line(json, "units", "{");
    for (uint32_t i = 0; i < units_count; i++)
        ca_json_number(json, units[i].name, units[i].unit_count);
    ca_json_close(json, "}");
}

static void put_share(struct ca_json *json, const struct ca_share *share) {
    ca_json_open(json, NULL, "{");
    ca_json_number(json, "number", share->thread);
    ca_json_bool(json, "adopted", share->is_adopted);
    ca_json_number(json, "opened", share->opened);
    put_counts(json, &share->counts);
    ca_json_close(json, "}");
}

static void put_phase(struct ca_json *json, const struct ca_record_phase *phase) {
    ca_json_open(json, NULL, "{");
    ca_json_text(json, "name", phase->name);
    ca_json_number(json, "opened", phase->opened);
    ca_json_bool(json, "process_phase", phase->is_process_phase);
    put_units(json, phase->units, phase->units_count);
    put_counts_per(json, &phase->counts, phase->units, phase->units_count);
    ca_json_open(json, "threads", "[");
    for (uint32_t i = 0; i < phase->share_count; i++)
        put_share(json, &phase->shares[i]);
    ca_json_close(json, "]");
    ca_json_close(json, "}");
}

static void put_thread(struct ca_json *json, const struct ca_record_thread *thread) {
    ca_json_open(json, NULL, "{");
    ca_json_number(json, "number", thread->number);
    ca_json_text(json, "name", thread->name);
    ca_json_number(json, "thread_count", thread->thread_count);
    put_counts(json, &thread->counts);
    ca_json_close(json, "}");
}

static void put_process(struct ca_json *json, const struct ca_record_process *process) {
    ca_json_open(json, NULL, "{");
    ca_json_number(json, "pid", process->pid);
    ca_json_number(json, "ppid", process->parent_pid);
    ca_json_text(json, "exe", process->executable);
    put_arguments(json, process->arguments, process->argument_bytes, process->argument_count);
    ca_json_bool(json, "complete", process->is_complete);
    put_counts(json, &process->counts);
    ca_json_close(json, "}");
}

void ca_record_write_json(const struct ca_record *record, struct ca_out *out) {
    struct ca_json json = {.out = out, .is_first = true};
    ca_json_open(&json, NULL, "{");
    ca_json_text(&json, "schema", CA_RECORD_SCHEMA);
    ca_json_number(&json, "rules", record->rules);
    ca_json_text(&json, "countalloc", record->version);
    put_program(&json, record);
    put_platform(&json, record);
    put_coverage(&json, record);
    put_resources(&json, record);
    ca_json_open(&json, "total", "{");
    put_units(&json, record->total_units, record->total_units_count);
    put_counts_per(&json, &record->total, record->total_units, record->total_units_count);
    ca_json_close(&json, "}");
    ca_json_open(&json, "phases", "[");
    for (uint32_t i = 0; i < record->phase_count; i++)
        put_phase(&json, &record->phases[i]);
    ca_json_close(&json, "]");
    ca_json_open(&json, "threads", "[");
    for (uint32_t i = 0; i < record->thread_count; i++)
        put_thread(&json, &record->threads[i]);
    ca_json_close(&json, "]");
    ca_json_open(&json, "processes", "[");
    for (uint32_t i = 0; i < record->process_count; i++)
        put_process(&json, &record->processes[i]);
    ca_json_close(&json, "]");
    ca_record_put_sites(&json, record);
    ca_json_close(&json, "}");
    ca_out_text(out, "\n");
}
