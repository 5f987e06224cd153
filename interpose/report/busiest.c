/* SPDX-License-Identifier: MIT */
#include "busiest.h"

uint32_t ca_busiest_choose(const struct ca_record *record, ca_allocations_of allocations,
                           uint32_t count, uint32_t *chosen, uint32_t chosen_limit) {
    uint32_t chosen_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (chosen_count == chosen_limit) {
            uint32_t least = 0;
            for (uint32_t k = 1; k < chosen_limit; k++)
                if (allocations(record, chosen[k]) <= allocations(record, chosen[least]))
                    least = k;
            if (allocations(record, i) <= allocations(record, chosen[least]))
                continue;
            for (chosen_count--; least < chosen_count; least++)
                chosen[least] = chosen[least + 1];
        }
        chosen[chosen_count++] = i;
    }
    return chosen_count;
}

bool ca_busiest_has(const uint32_t *chosen, uint32_t chosen_count, uint32_t index) {
    for (uint32_t i = 0; i < chosen_count; i++)
        if (chosen[i] == index)
            return true;
    return false;
}
