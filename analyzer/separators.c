/* SPDX-License-Identifier: MIT */
#include "separators.h"

#include <string.h>

bool ca_separators_always(void) {
    return true;
}

const struct ca_separator_path *ca_separator_path_best(void) {
    size_t at = 0;
    while (!ca_separator_paths[at].is_supported())
        at++;
    return &ca_separator_paths[at];
}

const struct ca_separator_path *ca_separator_path_find(const char *name) {
    for (size_t at = 0; at < ca_separator_path_count; at++)
        if (strcmp(ca_separator_paths[at].name, name) == 0)
            return ca_separator_paths[at].is_supported() ? &ca_separator_paths[at] : NULL;
    return NULL;
}
