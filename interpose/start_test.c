/* SPDX-License-Identifier: MIT */
#include "start_test.h"

#include "count.h"

const char *ca_start_test_verdict(uint64_t allocations, uint64_t frees) {
    if (allocations == 0 && frees == 0)
        return "functions that interposing does not reach (start test: neither a malloc nor a free "
               "was seen)";
    if (allocations == 0)
        return "functions that interposing does not reach (start test: a free was seen, its malloc "
               "was not)";
    if (frees == 0)
        return "functions of which interposing reaches only some (start test: a malloc was seen, "
               "its "
               "free was not)";
    if (allocations != 1 || frees != 1)
        return "functions that call each other unseen (start test: one malloc or free was counted "
               "more than once)";
    return NULL;
}

static uint64_t allocations_of(const struct ca_row *row) {
    uint64_t allocations = 0;
    for (uint32_t i = 0; i < CA_CLASSES; i++)
        allocations += row->size_class[i];
    return allocations;
}

const char *ca_start_test(void (*allocate_and_free)(void)) {
    const struct ca_row before = ca_shim.boot_row;
    enum ca_where where = ca_shim.where;
    ca_shim.where = CA_WHERE_NONE;
    ca_engine_choose(CA_STAGE_BOOT);
    allocate_and_free();
    const char *cause =
        ca_start_test_verdict(allocations_of(&ca_shim.boot_row) - allocations_of(&before),
                              ca_shim.boot_row.free_calls - before.free_calls);
    ca_shim.boot_row = before;
    ca_shim.where = where;
    ca_engine_choose(CA_STAGE_BOOT);
    return cause;
}
