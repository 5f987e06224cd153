/* SPDX-License-Identifier: MIT
 *
 * name_cache.h: a group by its name as it stands in a usual line, from v8 on.
 *
 * The name is the text from the route to the end of the model, "/v1/chat model=mistral-7b". One of
 * 16 to 32 bytes is four words (the middle ones overlap), which are hashed by a multiplication and
 * compared exactly. Behind it stands the table of groups with its keyed hash: a name that finds no
 * place here, because it is too short or long or its places are taken, is only slower. So a log
 * that is written against this hash gains nothing.
 */
#ifndef COUNTALLOC_NAME_CACHE_H
#define COUNTALLOC_NAME_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "groups.h"
#include "usual_line.h"

enum {
    CA_NAME_WORDS = 4,
    CA_NAME_BYTES_MIN = 16,
    CA_NAME_BYTES_MAX = 32,
    CA_NAME_SLOT_BITS = 8,
    CA_NAME_SLOTS = 1 << CA_NAME_SLOT_BITS,
    CA_NAME_PLACES = 4, /* a name is in one of these slots from its hash on, or not at all */
};

/* `byte_count` 0: not one that the cache can hold. */
struct ca_name {
    uint64_t words[CA_NAME_WORDS];
    size_t byte_count;
};

/* An empty slot has no group. */
struct ca_name_slot {
    struct ca_name name;
    struct ca_group *group;
};

/* `groups_slot_count`: the size of the table that the groups are in. When the table has grown, it
 * has moved, and none of them holds. All zero is an empty cache. */
struct ca_name_cache {
    size_t groups_slot_count;
    struct ca_name_slot slots[CA_NAME_SLOTS + CA_NAME_PLACES - 1];
};

/* Keeps where the group of that name is, if a place is free. */
void ca_name_cache_add(struct ca_name_cache *cache, const struct ca_groups *groups,
                       const struct ca_name *name, struct ca_group *group);

/* The name that stands from `text` to `end`. */
static inline struct ca_name ca_name_of(const char *text, const char *end) {
    const size_t byte_count = (size_t)(end - text);
    if (byte_count < CA_NAME_BYTES_MIN || byte_count > CA_NAME_BYTES_MAX)
        return (struct ca_name){.byte_count = 0};
    return (struct ca_name){
        .words = {ca_load_word(text), ca_load_word(text + 8), ca_load_word(end - 16),
                  ca_load_word(end - 8)},
        .byte_count = byte_count,
    };
}

/* The first of a name's places. Routes differ in the first word and models in the last. */
static inline size_t ca_name_place(const struct ca_name *name) {
    const uint64_t mixed = name->words[0] ^ ca_rotate_left(name->words[3], 27);
    return (size_t)(mixed * 0x9e3779b97f4a7c15 >> (64 - CA_NAME_SLOT_BITS));
}

static inline bool ca_name_is(const struct ca_name *left, const struct ca_name *right) {
    return ((left->words[0] ^ right->words[0]) | (left->words[1] ^ right->words[1]) |
            (left->words[2] ^ right->words[2]) | (left->words[3] ^ right->words[3]) |
            (left->byte_count ^ right->byte_count)) == 0;
}

/* The group of that name, or NULL when the cache does not know. */
static inline struct ca_group *ca_name_cache_find(const struct ca_name_cache *cache,
                                                  const struct ca_groups *groups,
                                                  const struct ca_name *name) {
    if (cache->groups_slot_count != groups->slot_count)
        return NULL;
    const struct ca_name_slot *slot = &cache->slots[ca_name_place(name)];
    for (unsigned place = 0; place < CA_NAME_PLACES; place++, slot++)
        if (ca_name_is(&slot->name, name))
            return slot->group; /* NULL for a name of no bytes, which an empty slot equals */
    return NULL;
}

#endif
