/* SPDX-License-Identifier: MIT */
#include "flame/name_table.h"

#include <stdlib.h>
#include <string.h>

uint64_t ca_bytes_hash(const char *bytes, size_t byte_count) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < byte_count; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

int ca_bytes_compare(const char *left, size_t left_count, const char *right, size_t right_count) {
    size_t shorter = left_count < right_count ? left_count : right_count;
    int order = shorter > 0 ? memcmp(left, right, shorter) : 0;
    if (order != 0)
        return order;
    return (left_count > right_count) - (left_count < right_count);
}

void ca_name_table_release(struct ca_name_table *table) {
    free(table->names);
    free(table->slots);
    ca_byte_buffer_release(&table->text);
    *table = (struct ca_name_table){0};
}

const char *ca_name_table_bytes(const struct ca_name_table *table, uint32_t number) {
    return table->text.bytes + table->names[number].at;
}

/* FNV's low bits are its good ones, but only just: fold the high ones in. */
static size_t slot_of(const struct ca_name_table *table, uint64_t hash) {
    return (size_t)(hash ^ (hash >> 32)) & (table->slot_count - 1);
}

static bool grow_slots(struct ca_name_table *table) {
    size_t old_count = table->slot_count;
    size_t count = old_count < 256 ? 256 : old_count * 2;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (slots == NULL)
        return false;
    free(table->slots);
    table->slots = slots;
    table->slot_count = count;
    for (size_t i = 0; i < table->name_count; i++) {
        size_t at = slot_of(table, table->names[i].hash);
        while (slots[at] != 0)
            at = (at + 1) & (count - 1);
        slots[at] = (uint32_t)i + 1;
    }
    return true;
}

static bool is_name(const struct ca_name_table *table, uint32_t number, uint64_t hash,
                    const char *bytes, size_t byte_count) {
    const struct ca_name *name = &table->names[number];
    return name->hash == hash && name->byte_count == byte_count &&
           memcmp(table->text.bytes + name->at, bytes, byte_count) == 0;
}

bool ca_name_table_number(struct ca_name_table *table, const char *bytes, size_t byte_count,
                          uint32_t *ret_number) {
    if (byte_count >= UINT32_MAX || table->name_count >= UINT32_MAX - 1)
        return false;
    if ((table->name_count + 1) * 2 > table->slot_count && !grow_slots(table))
        return false;
    uint64_t hash = ca_bytes_hash(bytes, byte_count);
    size_t at = slot_of(table, hash);
    for (; table->slots[at] != 0; at = (at + 1) & (table->slot_count - 1))
        if (is_name(table, table->slots[at] - 1, hash, bytes, byte_count)) {
            *ret_number = table->slots[at] - 1;
            return true;
        }
    struct ca_name *names =
        ca_array_grown(table->names, table->name_count, &table->name_capacity, sizeof *names);
    if (names == NULL)
        return false;
    table->names = names;
    size_t text_at = table->text.byte_count;
    /* The NUL makes bytes a valid pointer for an empty name, too. */
    if (!ca_byte_buffer_reserve(&table->text, byte_count + 1))
        return false;
    ca_byte_buffer_add(&table->text, bytes, byte_count);
    ca_byte_buffer_add(&table->text, "", 1);
    names[table->name_count] = (struct ca_name){hash, text_at, (uint32_t)byte_count};
    *ret_number = (uint32_t)table->name_count++;
    table->slots[at] = *ret_number + 1;
    return true;
}

struct ranked {
    const char *bytes;
    uint32_t byte_count;
    uint32_t number;
};

static int by_bytes(const void *left, const void *right) {
    const struct ranked *a = left, *b = right;
    return ca_bytes_compare(a->bytes, a->byte_count, b->bytes, b->byte_count);
}

bool ca_name_table_ranks(const struct ca_name_table *table, uint32_t **ret_ranks) {
    size_t count = table->name_count;
    struct ranked *sorted = malloc((count + 1) * sizeof *sorted);
    uint32_t *ranks = malloc((count + 1) * sizeof *ranks);
    if (sorted == NULL || ranks == NULL) {
        free(sorted);
        free(ranks);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        sorted[i] = (struct ranked){ca_name_table_bytes(table, (uint32_t)i),
                                    table->names[i].byte_count, (uint32_t)i};
    if (count > 1)
        qsort(sorted, count, sizeof *sorted, by_bytes);
    for (size_t i = 0; i < count; i++)
        ranks[sorted[i].number] = (uint32_t)i;
    free(sorted);
    *ret_ranks = ranks;
    return true;
}
