/* SPDX-License-Identifier: MIT
 *
 * What __builtin_cpu_supports reads on x86-64: a part of compiler-rt (lib/builtins/cpu_model.c),
 * which Apple's compiler links by itself and a cross build has not. Only the four features that
 * logstat asks for; the bit numbers are those of enum ProcessorFeatures there. */
#if !defined(__APPLE__) || !defined(__x86_64__)
#error "for macOS on x86-64 only"
#endif

#include <cpuid.h>
#include <stdint.h>

#define FEATURE_POPCNT 2
#define FEATURE_AVX2   10
#define FEATURE_BMI    16
#define FEATURE_BMI2   17

__attribute__((visibility("hidden"))) struct {
    unsigned vendor;
    unsigned type;
    unsigned subtype;
    unsigned features[1];
} __cpu_model;

static int saves_wide_registers(void) {
    uint32_t low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & 6) == 6;
}

__attribute__((constructor(101))) static void find(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d))
        return;
    int is_wide_saved = (c & bit_OSXSAVE) != 0 && saves_wide_registers();
    if ((c & bit_POPCNT) != 0)
        __cpu_model.features[0] |= 1u << FEATURE_POPCNT;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d))
        return;
    if ((b & bit_AVX2) != 0 && is_wide_saved)
        __cpu_model.features[0] |= 1u << FEATURE_AVX2;
    if ((b & bit_BMI) != 0)
        __cpu_model.features[0] |= 1u << FEATURE_BMI;
    if ((b & bit_BMI2) != 0)
        __cpu_model.features[0] |= 1u << FEATURE_BMI2;
}
