/* SPDX-License-Identifier: MIT
 *
 * Who called whom, with costs, turned into stacks.
 *
 * A call graph knows, for each pair of caller and callee, the cost of the callee's calls in all,
 * but not from where the caller was called. So stacks are an estimate, the usual one (gprof's): a
 * function spends its cost in the same proportions whoever calls it. Exact are the sum of all
 * stacks, which is the sum of all own costs, and each function's inclusive cost below its direct
 * callers; a function's own cost is, but for rounding and for paths of less than a millionth of the
 * whole, which are cut there.
 *
 * Functions that call each other in a circle are taken as one: the cost of their calls among
 * themselves counts the same work again and again and says nothing. Inside, each member is put at
 * the end of the shortest way from where the circle was entered.
 */
#ifndef CA_CALL_GRAPH_H
#define CA_CALL_GRAPH_H

#include "flame/stack_tree.h"

struct ca_call_function {
    uint32_t name; /* in the tree's table */
    uint32_t first_call;
    uint64_t self_cost;
};

struct ca_call {
    uint32_t caller;
    uint32_t callee;
    uint64_t cost;
};

/* All zero is an empty graph. */
struct ca_call_graph {
    struct ca_call_function *functions;
    size_t function_count;
    size_t function_capacity;
    struct ca_call *calls;
    size_t call_count;
    size_t call_capacity;
    uint64_t self_sum; /* of all own costs */
};

void ca_call_graph_release(struct ca_call_graph *graph);

/* Adds a function and gives its number. CA_ERROR_SYSTEM: no memory. */
enum ca_status ca_call_graph_function(struct ca_call_graph *graph, uint32_t name,
                                      uint32_t *ret_number, struct ca_error *err);

/* False: the costs pass 64 bits. */
bool ca_call_graph_spend(struct ca_call_graph *graph, uint32_t function, uint64_t cost);

/* `cost`: of the callee, and of all it called. */
enum ca_status ca_call_graph_call(struct ca_call_graph *graph, uint32_t caller, uint32_t callee,
                                  uint64_t cost, struct ca_error *err);

/* Adds the stacks to column CA_STACK_NEW of `tree`, and changes the order of the graph's calls.
 * `*ret_cut_cost`: how much was left to a caller although it belongs to functions further up. */
enum ca_status ca_call_graph_unfold(struct ca_call_graph *graph, struct ca_stack_tree *tree,
                                    uint64_t *ret_cut_cost, struct ca_error *err);

#endif
