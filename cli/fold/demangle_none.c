/* SPDX-License-Identifier: MIT */
#include "fold/demangle.h"

bool ca_demangle_is_available(void) {
    return false;
}

char *ca_demangle(const char *symbol, size_t byte_count) {
    (void)symbol;
    (void)byte_count;
    return NULL;
}
