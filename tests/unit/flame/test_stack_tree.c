/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "drawn_svg.h"
#include "flame/flame_summary.h"
#include "flame/folded_output.h"

static struct ca_stack_tree tree;

static void init(void) {
    cr_assert_eq(ca_stack_tree_init(&tree, NULL), CA_OK);
}

static void release(void) {
    ca_stack_tree_release(&tree);
}

static void expect_folded(enum ca_stack_column column, const char *expected) {
    struct ca_byte_buffer text = {0};
    struct ca_out out;
    cr_assert_eq(ca_stack_tree_finish(&tree, NULL), CA_OK);
    ca_out_init(&out, drawn_collect, &text);
    cr_assert_eq(ca_folded_write(&tree, column, &out, NULL), CA_OK);
    ca_out_flush(&out);
    drawn_collect(&text, "", 1);
    cr_assert_str_eq(text.bytes, expected);
    ca_byte_buffer_release(&text);
}

Test(stack_tree, equal_stacks_are_added_up, .init = init, .fini = release) {
    drawn_push_lines(&tree, "a;b 2\na;c 1\na;b 3\na 4\n", CA_STACK_NEW);
    expect_folded(CA_STACK_NEW, "a 4\na;b 5\na;c 1\n");
    cr_assert_eq(tree.node_count, 4);
    cr_assert_eq(tree.nodes[CA_STACK_ROOT].total_count[CA_STACK_NEW], 10);
    cr_assert_eq(tree.counted[CA_STACK_NEW], 10);
    cr_assert_eq(tree.deepest, 2);
}

Test(stack_tree, children_are_sorted_by_bytes, .init = init, .fini = release) {
    drawn_push_lines(&tree, "b 1\na b 1\n\xff 1\nab 1\na 1\n 1\n", CA_STACK_NEW);
    cr_assert_eq(ca_stack_tree_finish(&tree, NULL), CA_OK);
    static const char *const expected[] = {"", "a", "a b", "ab", "b", "\xff"};
    uint32_t node = CA_STACK_ROOT;
    for (size_t i = 0; i < 6; i++) {
        node = ca_stack_tree_next(&tree, node, false);
        struct ca_frame_name frame = ca_stack_tree_frame(&tree, node);
        cr_assert_eq(frame.byte_count, strlen(expected[i]));
        cr_assert_eq(memcmp(frame.bytes, expected[i], frame.byte_count), 0);
    }
    cr_assert_eq(ca_stack_tree_next(&tree, node, false), 0);
}

/* "a b" sorts between "a" and "a;", whatever is below "a". */
Test(stack_tree, folded_lines_are_sorted_as_lines, .init = init, .fini = release) {
    drawn_push_lines(&tree, "a;c 1\na b;x 7\na 5\na (y) 3\na 50 2\nab 1\n", CA_STACK_NEW);
    expect_folded(CA_STACK_NEW, "a (y) 3\na 5\na 50 2\na b;x 7\na;c 1\nab 1\n");
}

Test(stack_tree, the_columns_are_independent, .init = init, .fini = release) {
    drawn_push_lines(&tree, "a;b 2\n", CA_STACK_NEW);
    drawn_push_lines(&tree, "a;b 5\nold 1\n", CA_STACK_OLD);
    expect_folded(CA_STACK_NEW, "a;b 2\n");
    expect_folded(CA_STACK_OLD, "a;b 5\nold 1\n");
}

Test(stack_tree, counts_of_64_bits_are_kept_and_more_refused, .init = init, .fini = release) {
    struct ca_frame_name frame = {"a", 1};
    struct ca_error err;
    cr_assert_eq(ca_stack_tree_push(&tree, &frame, 1, CA_STACK_NEW, UINT64_MAX, &err), CA_OK);
    cr_assert_eq(ca_stack_tree_push(&tree, &frame, 1, CA_STACK_NEW, 1, &err), CA_ERROR_INPUT);
    cr_assert_str_eq(err.message, "the counts add up to more than 18446744073709551615");
    cr_assert_eq(ca_stack_tree_push(&tree, &frame, 1, CA_STACK_OLD, 1, &err), CA_OK);
    expect_folded(CA_STACK_NEW, "a 18446744073709551615\n");
}

Test(stack_tree, more_can_be_pushed_after_it_was_finished, .init = init, .fini = release) {
    drawn_push_lines(&tree, "a;b 1\na;c 1\nd 1\n", CA_STACK_NEW);
    cr_assert_eq(ca_stack_tree_finish(&tree, NULL), CA_OK);
    drawn_push_lines(&tree, "a;a 1\na;c 1\n", CA_STACK_NEW);
    expect_folded(CA_STACK_NEW, "a;a 1\na;b 1\na;c 2\nd 1\n");
}

Test(stack_tree, another_tree_is_merged_into_a_column, .init = init, .fini = release) {
    struct ca_stack_tree other;
    cr_assert_eq(ca_stack_tree_init(&other, NULL), CA_OK);
    drawn_push_lines(&other, "x;y 7\na 1\na;b 2\n", CA_STACK_NEW);
    drawn_push_lines(&tree, "a;b 5\n", CA_STACK_NEW);
    cr_assert_eq(ca_stack_tree_merge(&tree, CA_STACK_OLD, &other, NULL), CA_OK);
    ca_stack_tree_release(&other);
    expect_folded(CA_STACK_OLD, "a 1\na;b 2\nx;y 7\n");
    expect_folded(CA_STACK_NEW, "a;b 5\n");
}

Test(stack_tree, a_hundred_thousand_stacks_add_up, .init = init, .fini = release) {
    for (unsigned i = 0; i < 100000; i++) {
        char names[3][16];
        struct ca_frame_name frames[3];
        for (unsigned k = 0; k < 3; k++)
            frames[k] = (struct ca_frame_name){
                names[k], (size_t)snprintf(names[k], sizeof names[k], "f%u", (i >> (6 * k)) & 63)};
        cr_assert_eq(ca_stack_tree_push(&tree, frames, 3, CA_STACK_NEW, 2, NULL), CA_OK);
    }
    cr_assert_eq(ca_stack_tree_finish(&tree, NULL), CA_OK);
    cr_assert_eq(tree.nodes[CA_STACK_ROOT].total_count[CA_STACK_NEW], 200000);
    cr_assert_eq(tree.names.name_count, 64);
    /* i < 100000 has 25 values of its upper six bits, the last of them for 1696 numbers only. */
    cr_assert_eq(tree.node_count, 1 + 64 + 4096 + 100000);
}

Test(stack_tree, the_heaviest_names_are_found_wherever_they_are, .init = init, .fini = release) {
    struct ca_flame_heaviest heaviest[2];
    drawn_push_lines(&tree, "a;m 3\nb;m 4\nc 5\nd 6\nd;m 1\n", CA_STACK_NEW);
    cr_assert_eq(ca_stack_tree_finish(&tree, NULL), CA_OK);
    cr_assert_eq(ca_flame_heaviest(&tree, heaviest, 2), 2);
    cr_assert_eq(heaviest[0].self_count, 8);
    cr_assert_eq(*ca_name_table_bytes(&tree.names, heaviest[0].name), 'm');
    cr_assert_eq(heaviest[1].self_count, 6);
    cr_assert_eq(*ca_name_table_bytes(&tree.names, heaviest[1].name), 'd');
}
