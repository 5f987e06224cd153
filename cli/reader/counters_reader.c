/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "reader/record_reader.h"

/* ca_record_build trusts the writer to end its strings. */
#define END(array) ((array)[sizeof(array) - 1] = '\0')

static void end_module_paths(struct ca_region *region, size_t byte_count) {
    uint64_t offset = region->header.sites_offset;
    if (offset == 0 || offset % 64 != 0 || byte_count < sizeof(struct ca_site_table) ||
        offset > byte_count - sizeof(struct ca_site_table))
        return;
    struct ca_site_table *table = (void *)((char *)region + offset);
    for (size_t i = 0; i < CA_MODULE_CAPACITY; i++)
        END(table->modules[i].path);
}

static void end_strings(struct ca_region *region) {
    for (size_t i = 0; i < CA_IMAGE_CAPACITY; i++) {
        struct ca_image *image = &region->images[i];
        END(image->executable);
        END(image->arguments);
        END(image->allocator);
        END(image->malloc_owner);
        END(image->libc);
        END(image->exec_path);
    }
    for (size_t i = 0; i < CA_PHASE_CAPACITY; i++) {
        struct ca_phase *phase = &region->phases[i];
        END(phase->name);
        for (size_t k = 0; k < CA_UNIT_CAPACITY; k++)
            END(phase->unit_name[k]);
    }
    for (size_t i = 0; i < CA_SLOT_CAPACITY; i++)
        END(region->slots[i].name);
}

static enum ca_status check_header(const struct ca_header *header, size_t byte_count,
                                   const char *shown, struct ca_error *err) {
    if (header->magic != CA_REGION_MAGIC)
        return ca_error_set(
            err, CA_ERROR_INPUT,
            "'%s' is a counter file of a machine with the other byte order; read it there", shown);
    if (header->version != CA_REGION_VERSION)
        return ca_error_set(
            err, CA_ERROR_INPUT,
            "'%s' is a counter file of version %u; this countalloc reads version %u", shown,
            header->version, CA_REGION_VERSION);
    if (header->byte_order != CA_REGION_BYTE_ORDER)
        return ca_error_set(err, CA_ERROR_INPUT,
                            "'%s': damaged counter file: its byte order reads %#x", shown,
                            header->byte_order);
    if (byte_count < header->region_bytes)
        return ca_error_set(err, CA_ERROR_INPUT, "'%s': cut counter file: %zu bytes of %llu", shown,
                            byte_count, (unsigned long long)header->region_bytes);
    return CA_OK;
}

static void note_coverage(struct ca_record *record, const struct ca_region *region) {
    uint32_t count = record->process_count;
    for (uint32_t i = 0; i < count; i++)
        record->is_complete = record->processes[i].is_complete;
    if (!record->is_attached) {
        record->level = CA_LEVEL_NONE;
        ca_record_note(record, "no program attached to this counter file");
        return;
    }
    const struct ca_image *last = &region->images[count - 1];
    if (last->exec_path[0] == '\0')
        return;
    char note[CA_RECORD_NOTE_SIZE];
    record->level = CA_LEVEL_PARTIAL;
    snprintf(note, sizeof note,
             "the process became '%.500s', which has not attached: its allocations are not counted",
             last->exec_path);
    ca_record_note(record, note);
}

enum ca_status ca_record_load_counters(struct ca_loaded_record *loaded, char *bytes,
                                       size_t byte_count, const char *shown, struct ca_error *err) {
    if (byte_count < CA_REGION_BYTES_MIN)
        return ca_error_set(err, CA_ERROR_INPUT,
                            "'%s': cut counter file: %zu bytes, the smallest has %zu", shown,
                            byte_count, CA_REGION_BYTES_MIN);
    struct ca_region *region = (struct ca_region *)(void *)bytes;
    enum ca_status status = check_header(&region->header, byte_count, shown, err);
    if (status != CA_OK)
        return status;
    end_strings(region);
    end_module_paths(region, byte_count);
    size_t memory_bytes = ca_record_build_bytes(region, byte_count);
    void *memory = ca_loaded_record_allocate(loaded, memory_bytes, 1);
    if (memory == NULL)
        return ca_error_memory(err);
    if (!ca_record_build(&loaded->record, region, byte_count, memory, memory_bytes))
        return ca_error_set(err, CA_ERROR_INPUT, "'%s': %s", shown, loaded->record.notes[0]);
    note_coverage(&loaded->record, region);
    return CA_OK;
}
