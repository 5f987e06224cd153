/* SPDX-License-Identifier: MIT */
#include "name_cache.h"

void ca_name_cache_add(struct ca_name_cache *cache, const struct ca_groups *groups,
                       const struct ca_name *name, struct ca_group *group) {
    if (cache->groups_slot_count != groups->slot_count)
        *cache = (struct ca_name_cache){.groups_slot_count = groups->slot_count};
    if (name->byte_count == 0)
        return;
    struct ca_name_slot *slot = &cache->slots[ca_name_place(name)];
    for (unsigned place = 0; place < CA_NAME_PLACES; place++, slot++) {
        if (slot->group == NULL) {
            *slot = (struct ca_name_slot){*name, group};
            return;
        }
    }
}
