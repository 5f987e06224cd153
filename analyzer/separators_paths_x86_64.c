/* SPDX-License-Identifier: MIT */
#include "separators.h"

#include <cpuid.h>

/* Not every compiler's __builtin_cpu_supports knows it, and without it the instruction is another
 * one and no fault. */
static bool has_lzcnt(void) {
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    return __get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_LZCNT) != 0;
}

/* What separators_avx2.c and line_ends_avx2.c are compiled for. */
static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") && has_lzcnt();
}

const struct ca_separator_path ca_separator_paths[] = {
    {"avx2", ca_separators_avx2, ca_line_ends_avx2, has_avx2},
    {"sse2", ca_separators_sse2, ca_line_ends_sse2, ca_separators_always},
    {"scalar", ca_separators_scalar, ca_line_ends_scalar, ca_separators_always},
};

const size_t ca_separator_path_count = sizeof ca_separator_paths / sizeof ca_separator_paths[0];
