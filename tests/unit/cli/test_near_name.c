/* SPDX-License-Identifier: MIT */
#include "base/near_name.h"

#include <criterion/criterion.h>

Test(near_name, slips_and_beginnings_are_near) {
    cr_assert(ca_is_near_name("rnu", "run"));
    cr_assert(ca_is_near_name("rn", "run"));
    cr_assert(ca_is_near_name("reprot", "report"));
    cr_assert(ca_is_near_name("doc", "doctor"));
    cr_assert(ca_is_near_name("reports", "report"));
}

Test(near_name, other_words_are_not) {
    cr_assert_not(ca_is_near_name("", "run"));
    cr_assert_not(ca_is_near_name("ls", "run"));
    cr_assert_not(ca_is_near_name("python", "doctor"));
    char endless[4096];
    for (size_t i = 0; i < sizeof endless; i++)
        endless[i] = i + 1 < sizeof endless ? 'a' : '\0';
    cr_assert_not(ca_is_near_name(endless, "run"));
}
