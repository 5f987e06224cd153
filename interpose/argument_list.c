/* SPDX-License-Identifier: MIT */
#include "argument_list.h"

uint32_t ca_arguments_flatten(char *to, size_t size, char *const *arguments,
                              uint32_t argument_count) {
    size_t filled = 0;
    for (uint32_t i = 0; i < argument_count; i++)
        for (const char *c = arguments[i];; c++) {
            if (filled + 1 < size)
                to[filled++] = *c;
            if (*c == '\0')
                break;
        }
    to[filled] = '\0';
    return argument_count;
}
