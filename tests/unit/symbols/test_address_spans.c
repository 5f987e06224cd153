/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>

#include "symbols/address_spans.h"

static struct ca_address_spans list;

static void add(uint64_t begin, uint64_t end, size_t item) {
    cr_assert(ca_address_spans_add(&list, begin, end, item));
}

static void end(void) {
    ca_address_spans_release(&list);
}

TestSuite(address_spans, .fini = end);

Test(address_spans, an_end_is_not_in_its_span) {
    add(200, 300, 1);
    add(100, 200, 0);
    ca_address_spans_sort(&list);
    cr_assert_eq(ca_address_spans_find(&list, 99), CA_NO_ITEM);
    cr_assert_eq(ca_address_spans_find(&list, 100), 0u);
    cr_assert_eq(ca_address_spans_find(&list, 199), 0u);
    cr_assert_eq(ca_address_spans_find(&list, 200), 1u);
    cr_assert_eq(ca_address_spans_find(&list, 299), 1u);
    cr_assert_eq(ca_address_spans_find(&list, 300), CA_NO_ITEM);
}

Test(address_spans, the_innermost_span_is_found) {
    add(100, 900, 0);
    add(200, 300, 1);
    add(250, 260, 2);
    add(400, 500, 3);
    add(100, 110, 4);
    ca_address_spans_sort(&list);
    cr_assert_eq(ca_address_spans_find(&list, 105), 4u);
    cr_assert_eq(ca_address_spans_find(&list, 110), 0u);
    cr_assert_eq(ca_address_spans_find(&list, 255), 2u);
    cr_assert_eq(ca_address_spans_find(&list, 260), 1u);
    cr_assert_eq(ca_address_spans_find(&list, 300), 0u);
    cr_assert_eq(ca_address_spans_find(&list, 450), 3u);
    cr_assert_eq(ca_address_spans_find(&list, 899), 0u);
}

Test(address_spans, of_equal_spans_the_lowest_item_is_found) {
    add(100, 200, 7);
    add(100, 200, 3);
    add(100, 200, 5);
    ca_address_spans_sort(&list);
    cr_assert_eq(ca_address_spans_find(&list, 150), 3u);
}

Test(address_spans, functions_that_the_linker_dropped_are_left_out) {
    add(0, 5000, 0);
    add(1, 5000, 1);
    add(300, 300, 2);
    ca_address_spans_sort(&list);
    cr_assert_eq(list.span_count, 0u);
    cr_assert_eq(ca_address_spans_find(&list, 4000), CA_NO_ITEM);
}
