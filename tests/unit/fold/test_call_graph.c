/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "fold/call_graph.h"
#include "folded_text.h"

static struct folded_text folded;

static void fold_text(const char *text) {
    folded_text_init(&folded, &ca_fold_callgrind, text, strlen(text), "graph", NULL);
    cr_assert_eq(folded.status, CA_OK, "%s", folded.err.message);
}

Test(call_graph, a_function_is_split_among_its_callers_as_their_calls_cost) {
    fold_text("events: Ir\n"
              "fn=main\n1 1\ncfn=a\ncalls=1 1\n1 70\ncfn=b\ncalls=1 1\n1 30\n"
              "fn=a\n1 10\ncfn=c\ncalls=1 1\n1 60\n"
              "fn=b\n1 10\ncfn=c\ncalls=1 1\n1 20\n"
              "fn=c\n1 20\ncfn=d\ncalls=1 1\n1 60\n"
              "fn=d\n1 60\n");
    cr_assert_str_eq(folded.text.bytes, "main 1\nmain;a 10\nmain;a;c 15\nmain;a;c;d 45\n"
                                        "main;b 10\nmain;b;c 5\nmain;b;c;d 15\n");
    folded_text_release(&folded);
}

Test(call_graph, what_cannot_be_divided_is_rounded_and_nothing_lost) {
    fold_text("events: Ir\n"
              "fn=main\ncfn=a\ncalls=1 1\n1 1\ncfn=b\ncalls=1 1\n1 1\ncfn=c\ncalls=1 1\n1 1\n"
              "fn=a\ncfn=x\ncalls=1 1\n1 1\nfn=b\ncfn=x\ncalls=1 1\n1 1\n"
              "fn=c\ncfn=x\ncalls=1 1\n1 1\nfn=x\n1 2\ncfn=y\ncalls=1 1\n1 1\nfn=y\n1 1\n");
    cr_assert_eq(folded.sum, 3);
    folded_text_release(&folded);
}

Test(call_graph, calls_that_claim_more_than_the_callee_has_are_scaled) {
    fold_text("events: Ir\n"
              "fn=a\n1 5\ncfn=x\ncalls=1 1\n1 300\nfn=b\n1 5\ncfn=x\ncalls=1 1\n1 100\n"
              "fn=x\n1 40\n");
    cr_assert_str_eq(folded.text.bytes, "a 5\na;x 30\nb 5\nb;x 10\n");
    folded_text_release(&folded);
}

Test(call_graph, direct_recursion_stays_one_frame) {
    fold_text("events: Ir\n"
              "fn=main\n1 1\ncfn=fib\ncalls=1 1\n1 100\n"
              "fn=fib\n1 90\ncfn=fib\ncalls=8 1\n1 720\ncfn=add\ncalls=9 1\n1 10\nfn=add\n1 10\n");
    cr_assert_str_eq(folded.text.bytes, "main 1\nmain;fib 90\nmain;fib;add 10\n");
    folded_text_release(&folded);
}

Test(call_graph, a_circle_is_entered_where_it_is_called) {
    static const char circle[] =
        "fn=even\n1 40\ncfn=odd\ncalls=9 1\n1 5000\nfn=odd\n1 60\ncfn=even\ncalls=9 1\n1 4000\n";
    char text[512];
    snprintf(text, sizeof text, "events: Ir\nfn=main\n1 1\ncfn=odd\ncalls=1 1\n1 100\n%s", circle);
    fold_text(text);
    cr_assert_str_eq(folded.text.bytes, "main 1\nmain;odd 60\nmain;odd;even 40\n");
    folded_text_release(&folded);
    snprintf(text, sizeof text, "events: Ir\n%s", circle);
    fold_text(text);
    cr_assert_str_eq(folded.text.bytes, "odd 60\nodd;even 40\n");
    folded_text_release(&folded);
}

Test(call_graph, deep_chains_need_no_recursion_of_ours) {
    struct ca_call_graph graph = {0};
    struct ca_stack_tree tree;
    struct ca_error err;
    uint64_t cut_cost;
    enum {
        DEPTH = 50000
    };
    cr_assert_eq(ca_stack_tree_init(&tree, &err), CA_OK);
    for (uint32_t i = 0; i < DEPTH; i++) {
        char name[16];
        uint32_t number, label;
        int length = snprintf(name, sizeof name, "f%u", i);
        cr_assert_eq(ca_stack_tree_name(&tree, name, (size_t)length, &label, &err), CA_OK);
        cr_assert_eq(ca_call_graph_function(&graph, label, &number, &err), CA_OK);
        cr_assert(ca_call_graph_spend(&graph, number, 1));
        if (i > 0)
            cr_assert_eq(ca_call_graph_call(&graph, i - 1, i, DEPTH - i, &err), CA_OK);
    }
    cr_assert_eq(ca_call_graph_unfold(&graph, &tree, &cut_cost, &err), CA_OK);
    cr_assert_eq(tree.counted[CA_STACK_NEW], DEPTH);
    cr_assert_eq(tree.deepest, DEPTH);
    cr_assert_eq(cut_cost, 0);
    ca_call_graph_release(&graph);
    ca_stack_tree_release(&tree);
}

/* Every layer doubles the ways: 2^60 of them. */
Test(call_graph, ways_without_number_are_cut_and_the_sum_stays) {
    static char text[32768];
    size_t length = (size_t)snprintf(text, sizeof text, "events: Ir\n");
    for (unsigned layer = 0; layer < 60; layer++)
        for (unsigned side = 0; side < 2; side++) {
            uint64_t below = 1000000000u / 2;
            length += (size_t)snprintf(text + length, sizeof text - length, "fn=f%u_%u\n1 1\n",
                                       layer, side);
            for (unsigned callee = 0; layer < 59 && callee < 2; callee++)
                length += (size_t)snprintf(text + length, sizeof text - length,
                                           "cfn=f%u_%u\ncalls=1 1\n1 %ju\n", layer + 1, callee,
                                           (uintmax_t)below);
        }
    fold_text(text);
    cr_assert_eq(folded.sum, 120);
    folded_text_release(&folded);
}
