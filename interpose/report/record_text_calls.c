/* SPDX-License-Identifier: MIT */
#include "record_text_parts.h"
#include "text_items.h"

struct ca_text_count {
    const char *name;
    size_t offset;
};

static const struct ca_text_count call_counts[] = {
    {"malloc ", offsetof(struct ca_counts, malloc_calls)},
    {"calloc ", offsetof(struct ca_counts, calloc_calls)},
    {"realloc ", offsetof(struct ca_counts, realloc_calls)},
    {"aligned ", offsetof(struct ca_counts, aligned_calls)},
    {"failed ", offsetof(struct ca_counts, failed_calls)},
};

static const struct ca_text_count realloc_counts[] = {
    {"in place ", offsetof(struct ca_counts, realloc_in_place)},
    {"moved ", offsetof(struct ca_counts, realloc_moved)},
    {"grown ", offsetof(struct ca_counts, realloc_grown)},
    {"shrunk ", offsetof(struct ca_counts, realloc_shrunk)},
};

static void add_count_item(struct ca_items *items, const char *name, uint64_t count) {
    struct ca_cell cell;
    ca_cell_init(&cell, CELL_COLUMNS);
    ca_cell_text(&cell, name);
    ca_cell_number(&cell, count);
    ca_items_add(items, &cell);
}

static void put_counts(struct ca_out *out, const char *label, const struct ca_counts *counts,
                       const struct ca_text_count *names, size_t name_count) {
    struct ca_items items = ca_items_begin(out, label);
    for (size_t i = 0; i < name_count; i++)
        add_count_item(&items, names[i].name, ca_count_at(counts, names[i].offset));
    ca_items_end(&items);
}

/* "free" and "by realloc" make up the frees of the table. */
static void put_frees(const struct ca_counts *counts, struct ca_out *out) {
    struct ca_items items = ca_items_begin(out, "frees");
    add_count_item(&items, "free ", counts->free_calls);
    add_count_item(&items, "by realloc ", counts->frees - counts->free_calls);
    add_count_item(&items, "free(NULL) ", counts->free_null);
    ca_items_end(&items);
}

void ca_record_write_text_calls(const struct ca_record *record, struct ca_out *out) {
    put_counts(out, "calls", &record->total, call_counts, sizeof call_counts / sizeof *call_counts);
    put_frees(&record->total, out);
    if (record->total.realloc_calls > 0)
        put_counts(out, "realloc", &record->total, realloc_counts,
                   sizeof realloc_counts / sizeof *realloc_counts);
}

/* "<=64 12.5%": the sizes above the previous bound and up to that of `size_class`. */
static void add_size_bound(struct ca_cell *cell, uint32_t size_class) {
    bool is_last = size_class == CA_CLASSES - 1;
    ca_cell_text(cell, is_last ? ">" : size_class == 0 ? "" : "<=");
    ca_cell_number(cell, ca_class_upper_bytes(is_last ? size_class - 1 : size_class));
}

static bool ends_bucket(uint32_t size_class) {
    uint64_t upper_bytes = ca_class_upper_bytes(size_class);
    return (upper_bytes & (upper_bytes - 1)) == 0 || size_class == CA_CLASSES - 1;
}

void ca_record_write_text_sizes(const struct ca_record *record, struct ca_out *out) {
    struct ca_items items = ca_items_begin(out, "sizes");
    uint64_t bucket = 0;
    for (uint32_t i = 0; i < CA_CLASSES; i++) {
        bucket += record->total.size_class[i];
        if (!ends_bucket(i) || bucket == 0)
            continue;
        struct ca_cell cell;
        ca_cell_init(&cell, CELL_COLUMNS);
        add_size_bound(&cell, i);
        ca_cell_text(&cell, items.columns == 0 ? " bytes " : " ");
        ca_cell_share(&cell, bucket, record->total.allocations);
        ca_items_add(&items, &cell);
        bucket = 0;
    }
    ca_items_end(&items);
}

void ca_record_write_text_units(const struct ca_record *record, struct ca_out *out) {
    struct ca_items items = ca_items_begin(out, "units");
    for (uint32_t i = 0; i < record->total_units_count; i++) {
        struct ca_cell cell;
        ca_cell_init(&cell, CELL_COLUMNS);
        ca_cell_name(&cell, record->total_units[i].name, NAME_COLUMNS);
        ca_cell_text(&cell, " ");
        ca_cell_number(&cell, record->total_units[i].unit_count);
        ca_items_add(&items, &cell);
    }
    ca_items_end(&items);
}

/* What the allocator said of itself at the end. */
void ca_record_write_text_allocator(const struct ca_record *record, struct ca_out *out) {
    if (!record->has_allocator_bytes)
        return;
    struct ca_items items = ca_items_begin(out, "allocator");
    struct ca_cell cell;
    ca_cell_init(&cell, CELL_COLUMNS);
    ca_cell_name(&cell, record->allocator, NAME_COLUMNS);
    ca_cell_text(&cell, " ");
    ca_cell_number(&cell, record->allocator_used_bytes);
    ca_cell_text(&cell, " bytes in use at the end, of ");
    ca_cell_number(&cell, record->allocator_held_bytes);
    ca_cell_text(&cell, " held");
    ca_items_add(&items, &cell);
    ca_items_end(&items);
}
