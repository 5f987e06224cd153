/* SPDX-License-Identifier: MIT */
#include "separators.h"

/* What separators_avx2.c is compiled for. */
static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("popcnt");
}

const struct ca_separator_path ca_separator_paths[] = {
    {"avx2", ca_separators_avx2, has_avx2},
    {"sse2", ca_separators_sse2, ca_separators_always},
    {"scalar", ca_separators_scalar, ca_separators_always},
};

const size_t ca_separator_path_count = sizeof ca_separator_paths / sizeof ca_separator_paths[0];
