/* SPDX-License-Identifier: MIT */
#include "fold/call_graph.h"

#include <stdlib.h>
#include <string.h>

#include "fold/call_circle.h"

#define FINEST_PART UINT64_C(1000000) /* of the whole: smaller parts are not followed further */
#define WORK_MAX    UINT64_C(100000000)
#define NOWHERE     UINT32_MAX

__extension__ typedef unsigned __int128 wide;

/* A call that is to be unfolded: `cost` of the function below the tree's node `parent`. */
struct context {
    uint32_t parent;
    uint32_t function;
    uint64_t cost;
};

struct unfolding {
    struct ca_call_graph *graph;
    struct ca_call_circles circles;
    struct ca_stack_tree *tree;
    struct ca_error *err;
    uint64_t *circle_cost; /* of each circle, with all it called */
    uint64_t *called_cost; /* the part that its callers account for; what is left has no caller */
    struct context *contexts;
    size_t context_count;
    size_t context_capacity;
    uint32_t *node_of;  /* of each function in the circle at hand: its tree node, or NOWHERE */
    uint32_t *way_from; /* the member before it; itself where the circle is entered */
    uint32_t *queue;
    uint64_t finest_cost;
    uint64_t work_count;
    uint64_t cut_cost;
};

void ca_call_graph_release(struct ca_call_graph *graph) {
    free(graph->functions);
    free(graph->calls);
    *graph = (struct ca_call_graph){0};
}

enum ca_status ca_call_graph_function(struct ca_call_graph *graph, uint32_t name,
                                      uint32_t *ret_number, struct ca_error *err) {
    struct ca_call_function *functions = ca_array_grown(
        graph->functions, graph->function_count, &graph->function_capacity, sizeof *functions);
    if (functions == NULL || graph->function_count >= NOWHERE)
        return ca_error_memory(err);
    graph->functions = functions;
    functions[graph->function_count] = (struct ca_call_function){.name = name};
    *ret_number = (uint32_t)graph->function_count++;
    return CA_OK;
}

bool ca_call_graph_spend(struct ca_call_graph *graph, uint32_t function, uint64_t cost) {
    if (cost > UINT64_MAX - graph->self_sum)
        return false;
    graph->self_sum += cost;
    graph->functions[function].self_cost += cost;
    return true;
}

enum ca_status ca_call_graph_call(struct ca_call_graph *graph, uint32_t caller, uint32_t callee,
                                  uint64_t cost, struct ca_error *err) {
    if (cost == 0)
        return CA_OK;
    struct ca_call *calls =
        ca_array_grown(graph->calls, graph->call_count, &graph->call_capacity, sizeof *calls);
    if (calls == NULL || graph->call_count >= NOWHERE)
        return ca_error_memory(err);
    graph->calls = calls;
    calls[graph->call_count++] = (struct ca_call){caller, callee, cost};
    return CA_OK;
}

static uint64_t saturated(uint64_t a, uint64_t b) {
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

static int by_pair(const void *left, const void *right) {
    const struct ca_call *a = left, *b = right;
    if (a->caller != b->caller)
        return a->caller < b->caller ? -1 : 1;
    return (a->callee > b->callee) - (a->callee < b->callee);
}

/* One call for each pair; each function's calls side by side. */
static void sort_calls(struct ca_call_graph *graph) {
    if (graph->call_count > 1)
        qsort(graph->calls, graph->call_count, sizeof *graph->calls, by_pair);
    size_t kept = 0;
    for (size_t i = 0; i < graph->call_count; i++)
        if (kept > 0 && by_pair(&graph->calls[kept - 1], &graph->calls[i]) == 0)
            graph->calls[kept - 1].cost =
                saturated(graph->calls[kept - 1].cost, graph->calls[i].cost);
        else
            graph->calls[kept++] = graph->calls[i];
    graph->call_count = kept;
    for (uint32_t function = 0, call = 0; function < graph->function_count; function++) {
        while (call < kept && graph->calls[call].caller < function)
            call++;
        graph->functions[function].first_call = call;
    }
}

static bool is_leaving(const struct unfolding *unfolding, const struct ca_call *call) {
    return unfolding->circles.circle_of[call->caller] != unfolding->circles.circle_of[call->callee];
}

/* Callees before callers. A file's call costs may exceed what the callee has (recursion through a
 * circle, or collection switched on and off): then they are scaled down to it, so that the stacks'
 * sum stays the sum of own costs. */
static bool weigh(struct unfolding *unfolding) {
    struct ca_call_graph *graph = unfolding->graph;
    const struct ca_call_circles *circles = &unfolding->circles;
    uint64_t *claimed = calloc(circles->circle_count + 1u, sizeof *claimed);
    if (claimed == NULL)
        return false;
    for (size_t i = 0; i < graph->call_count; i++)
        if (is_leaving(unfolding, &graph->calls[i])) {
            uint64_t *claim = &claimed[circles->circle_of[graph->calls[i].callee]];
            *claim = saturated(*claim, graph->calls[i].cost);
        }
    for (uint32_t at = 0; at < graph->function_count; at++) {
        uint32_t function = circles->members[at], circle = circles->circle_of[function];
        unfolding->circle_cost[circle] += graph->functions[function].self_cost;
        for (uint32_t i = graph->functions[function].first_call, end = ca_call_end(graph, function);
             i < end; i++) {
            struct ca_call *call = &graph->calls[i];
            if (!is_leaving(unfolding, call))
                continue;
            uint32_t callee = circles->circle_of[call->callee];
            uint64_t cost = unfolding->circle_cost[callee];
            if (claimed[callee] > cost)
                call->cost = (uint64_t)((wide)call->cost * cost / claimed[callee]);
            if (call->cost > cost - unfolding->called_cost[callee])
                call->cost = cost - unfolding->called_cost[callee];
            unfolding->called_cost[callee] += call->cost;
            unfolding->circle_cost[circle] += call->cost;
        }
    }
    free(claimed);
    return true;
}

static enum ca_status put_off(struct unfolding *unfolding, uint32_t parent, uint32_t function,
                              uint64_t cost) {
    struct context *contexts = ca_array_grown(unfolding->contexts, unfolding->context_count,
                                              &unfolding->context_capacity, sizeof *contexts);
    if (contexts == NULL)
        return ca_error_memory(unfolding->err);
    unfolding->contexts = contexts;
    contexts[unfolding->context_count++] = (struct context){parent, function, cost};
    return CA_OK;
}

/* The ways from the entry to each member of its circle, breadth first. */
static void find_ways(struct unfolding *unfolding, uint32_t entry) {
    const struct ca_call_graph *graph = unfolding->graph;
    const struct ca_call_circles *circles = &unfolding->circles;
    uint32_t circle = circles->circle_of[entry];
    for (uint32_t i = circles->first[circle]; i < circles->first[circle + 1]; i++)
        unfolding->way_from[circles->members[i]] = unfolding->node_of[circles->members[i]] =
            NOWHERE;
    uint32_t count = 0;
    unfolding->way_from[entry] = entry;
    unfolding->queue[count++] = entry;
    for (uint32_t at = 0; at < count; at++) {
        uint32_t function = unfolding->queue[at];
        uint32_t end = ca_call_end(graph, function);
        unfolding->work_count += end - graph->functions[function].first_call + 1;
        for (uint32_t i = graph->functions[function].first_call; i < end; i++) {
            uint32_t callee = graph->calls[i].callee;
            if (circles->circle_of[callee] == circle && unfolding->way_from[callee] == NOWHERE) {
                unfolding->way_from[callee] = function;
                unfolding->queue[count++] = callee;
            }
        }
    }
}

/* The tree's node for a member, with those on the way to it. */
static enum ca_status node_for(struct unfolding *unfolding, uint32_t member, uint32_t *ret_node) {
    /* Turned round while walking back, so that it can be walked forwards. */
    uint32_t *way = unfolding->queue + unfolding->graph->function_count;
    uint32_t count = 0;
    while (unfolding->node_of[member] == NOWHERE) {
        way[count++] = member;
        member = unfolding->way_from[member];
    }
    uint32_t node = unfolding->node_of[member];
    while (count > 0) {
        member = way[--count];
        enum ca_status status = ca_stack_tree_child(
            unfolding->tree, node, unfolding->graph->functions[member].name, &node, unfolding->err);
        if (status != CA_OK)
            return status;
        unfolding->node_of[member] = node;
    }
    *ret_node = node;
    return CA_OK;
}

/* Deals a context's cost out in the circle's proportions. Each part is the difference of two
 * rounded sums, so that together they are the cost, exactly. */
struct deal {
    uint64_t cost;
    uint64_t whole;
    uint64_t seen;
    uint64_t dealt;
};

static uint64_t deal(struct deal *deal, uint64_t weight) {
    deal->seen += weight;
    uint64_t upto = (uint64_t)((wide)deal->cost * deal->seen / deal->whole);
    uint64_t part = upto - deal->dealt;
    deal->dealt = upto;
    return part;
}

static enum ca_status spread_member(struct unfolding *unfolding, struct deal *dealing,
                                    uint32_t member) {
    const struct ca_call_graph *graph = unfolding->graph;
    enum ca_status status = CA_OK;
    uint32_t node;
    uint64_t part = deal(dealing, graph->functions[member].self_cost);
    if (part > 0 && (status = node_for(unfolding, member, &node)) == CA_OK)
        status = ca_stack_tree_add(unfolding->tree, node, CA_STACK_NEW, part, unfolding->err);
    uint32_t end = ca_call_end(graph, member);
    for (uint32_t i = graph->functions[member].first_call; status == CA_OK && i < end; i++) {
        if (!is_leaving(unfolding, &graph->calls[i]))
            continue;
        part = deal(dealing, graph->calls[i].cost);
        if (part > 0 && (status = node_for(unfolding, member, &node)) == CA_OK)
            status = put_off(unfolding, node, graph->calls[i].callee, part);
    }
    return status;
}

static enum ca_status unfold_context(struct unfolding *unfolding, struct context context) {
    const struct ca_call_graph *graph = unfolding->graph;
    const struct ca_call_circles *circles = &unfolding->circles;
    uint32_t circle = circles->circle_of[context.function], node;
    enum ca_status status =
        ca_stack_tree_child(unfolding->tree, context.parent,
                            graph->functions[context.function].name, &node, unfolding->err);
    if (status != CA_OK)
        return status;
    if (context.cost < unfolding->finest_cost || unfolding->work_count > WORK_MAX) {
        unfolding->cut_cost +=
            graph->functions[context.function].self_cost < unfolding->circle_cost[circle]
                ? context.cost
                : 0;
        return ca_stack_tree_add(unfolding->tree, node, CA_STACK_NEW, context.cost, unfolding->err);
    }
    find_ways(unfolding, context.function);
    unfolding->node_of[context.function] = node;
    struct deal dealing = {.cost = context.cost, .whole = unfolding->circle_cost[circle]};
    for (uint32_t i = circles->first[circle]; status == CA_OK && i < circles->first[circle + 1];
         i++)
        status = spread_member(unfolding, &dealing, circles->members[i]);
    return status;
}

/* What no caller accounts for begins a stack: in a circle, at the member that does most. */
static enum ca_status unfold_roots(struct unfolding *unfolding) {
    const struct ca_call_graph *graph = unfolding->graph;
    const struct ca_call_circles *circles = &unfolding->circles;
    enum ca_status status = CA_OK;
    for (uint32_t circle = circles->circle_count; status == CA_OK && circle-- > 0;) {
        uint64_t cost = unfolding->circle_cost[circle] - unfolding->called_cost[circle];
        if (cost == 0)
            continue;
        uint32_t entry = circles->members[circles->first[circle]];
        for (uint32_t i = circles->first[circle]; i < circles->first[circle + 1]; i++)
            if (graph->functions[circles->members[i]].self_cost > graph->functions[entry].self_cost)
                entry = circles->members[i];
        status = put_off(unfolding, CA_STACK_ROOT, entry, cost);
        while (status == CA_OK && unfolding->context_count > 0)
            status = unfold_context(unfolding, unfolding->contexts[--unfolding->context_count]);
    }
    return status;
}

enum ca_status ca_call_graph_unfold(struct ca_call_graph *graph, struct ca_stack_tree *tree,
                                    uint64_t *ret_cut_cost, struct ca_error *err) {
    struct unfolding unfolding = {.graph = graph, .tree = tree, .err = err};
    size_t count = graph->function_count + 1;
    sort_calls(graph);
    if (!ca_call_circles_find(graph, &unfolding.circles))
        return ca_error_memory(err);
    unfolding.finest_cost = graph->self_sum / FINEST_PART;
    unfolding.circle_cost = calloc(count, sizeof *unfolding.circle_cost);
    unfolding.called_cost = calloc(count, sizeof *unfolding.called_cost);
    unfolding.node_of = malloc(count * sizeof *unfolding.node_of);
    unfolding.way_from = malloc(count * sizeof *unfolding.way_from);
    unfolding.queue = malloc(2 * count * sizeof *unfolding.queue);
    enum ca_status status = CA_OK;
    if (unfolding.circle_cost == NULL || unfolding.called_cost == NULL ||
        unfolding.node_of == NULL || unfolding.way_from == NULL || unfolding.queue == NULL ||
        !weigh(&unfolding))
        status = ca_error_memory(err);
    else
        status = unfold_roots(&unfolding);
    ca_call_circles_release(&unfolding.circles);
    free(unfolding.circle_cost);
    free(unfolding.called_cost);
    free(unfolding.node_of);
    free(unfolding.way_from);
    free(unfolding.queue);
    free(unfolding.contexts);
    *ret_cut_cost = unfolding.cut_cost;
    return status;
}
