/* SPDX-License-Identifier: MIT
 *
 * Code that is loaded at run time, with phases of its own. */
#include <countalloc/phase.h>
#include <stdlib.h>

int plugin_is_active(void);
void *plugin_take(int count, size_t size);

int plugin_is_active(void) {
    return countalloc_is_active();
}

/* Takes `count` blocks and keeps the last one. */
void *plugin_take(int count, size_t size) {
    void *block = NULL;
    countalloc_phase_begin("plugin");
    for (int i = 0; i < count; i++) {
        free(block);
        block = malloc(size);
    }
    countalloc_phase_end();
    return block;
}
