/* SPDX-License-Identifier: MIT */
#include "module.h"

#include "plain.h"

static uint32_t module_count(const struct ca_site_table *table) {
    uint32_t count = __atomic_load_n(&table->module_count, __ATOMIC_ACQUIRE);
    return count < CA_MODULE_CAPACITY ? count : CA_MODULE_CAPACITY;
}

static bool is_mine(const struct ca_module *module) {
    return __atomic_load_n(&module->state, __ATOMIC_ACQUIRE) == 1 && !module->is_gone &&
           module->image == ca_shim.image_index;
}

static const char *path_of(const struct ca_loaded *loaded) {
    return loaded->path[0] != '\0' ? loaded->path : ca_shim.image->executable;
}

/* The path is compared as far as it was kept. */
static bool is_same(const struct ca_module *module, const struct ca_loaded *loaded) {
    char path[sizeof module->path];
    ca_plain_copy(path, path_of(loaded), sizeof path);
    return module->begin == loaded->begin && module->base == loaded->base &&
           ca_plain_is_equal(module->path, path);
}

/* Two threads may enter an object at the same time: then it is there twice, and readers take the
 * two for one. */
static uint32_t enter(const struct ca_loaded *loaded) {
    struct ca_site_table *table = ca_shim.sites;
    uint32_t index = __atomic_load_n(&table->module_count, __ATOMIC_RELAXED);
    do
        if (index >= CA_MODULE_CAPACITY) {
            __atomic_fetch_add(&table->modules_dropped, 1, __ATOMIC_RELAXED);
            return 0;
        }
    while (!__atomic_compare_exchange_n(&table->module_count, &index, index + 1, true,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
    struct ca_module *module = &table->modules[index];
    module->image = ca_shim.image_index;
    module->begin = loaded->begin;
    module->end = loaded->end;
    module->base = loaded->base;
    module->build_id_bytes =
        ca_platform_build_id(loaded, module->build_id, sizeof module->build_id);
    ca_plain_copy(module->path, path_of(loaded), sizeof module->path);
    __atomic_store_n(&module->state, 1, __ATOMIC_RELEASE);
    return index;
}

struct ca_frame ca_module_frame(uintptr_t address) {
    struct ca_site_table *table = ca_shim.sites;
    struct ca_loaded loaded;
    if (!ca_platform_find_loaded(address, &loaded))
        return (struct ca_frame){.offset = address};
    uint32_t index = 0;
    for (uint32_t i = 1; i < module_count(table) && index == 0; i++)
        if (is_mine(&table->modules[i]) && is_same(&table->modules[i], &loaded))
            index = i;
    if (index == 0)
        index = enter(&loaded);
    return index == 0 ? (struct ca_frame){.offset = address}
                      : (struct ca_frame){.offset = address - loaded.base, .module = index};
}

bool ca_module_find_gone(void) {
    struct ca_site_table *table = ca_shim.sites;
    bool is_any = false;
    for (uint32_t i = 1; i < module_count(table); i++) {
        struct ca_module *module = &table->modules[i];
        struct ca_loaded loaded;
        if (!is_mine(module) ||
            (ca_platform_find_loaded(module->begin, &loaded) && is_same(module, &loaded)))
            continue;
        module->is_gone = 1;
        is_any = true;
    }
    return is_any;
}
