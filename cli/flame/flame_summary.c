/* SPDX-License-Identifier: MIT */
#include "flame/flame_summary.h"

#include <stdlib.h>
#include <string.h>

size_t ca_flame_heaviest(const struct ca_stack_tree *tree, struct ca_flame_heaviest *ret_heaviest,
                         size_t capacity) {
    uint64_t *self_counts = calloc(tree->names.name_count + 1, sizeof *self_counts);
    if (self_counts == NULL)
        return 0;
    for (size_t node = 1; node < tree->node_count; node++)
        self_counts[tree->nodes[node].name] += tree->nodes[node].self_count[CA_STACK_NEW];
    size_t count = 0;
    for (size_t name = 0; name < tree->names.name_count; name++) {
        size_t place = count;
        while (place > 0 && self_counts[name] > ret_heaviest[place - 1].self_count)
            place--;
        if (self_counts[name] == 0 || place == capacity)
            continue;
        count += count < capacity;
        memmove(&ret_heaviest[place + 1], &ret_heaviest[place],
                (count - 1 - place) * sizeof *ret_heaviest);
        ret_heaviest[place] = (struct ca_flame_heaviest){(uint32_t)name, self_counts[name]};
    }
    free(self_counts);
    return count;
}
