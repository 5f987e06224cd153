/* SPDX-License-Identifier: MIT
 *
 * The circles of a call graph: its strongly connected components, a function without recursion
 * being one of its own. Tarjan, "Depth-First Search and Linear Graph Algorithms" (1972), without
 * recursion of our own. */
#ifndef CA_CALL_CIRCLE_H
#define CA_CALL_CIRCLE_H

#include "fold/call_graph.h"

struct ca_call_circles {
    uint32_t *circle_of; /* of each function; a callee's is never larger than its caller's */
    uint32_t *members;   /* all functions, circle by circle */
    uint32_t *first;     /* of each circle, in `members`; and one element more */
    uint32_t circle_count;
};

/* The graph's calls are sorted by caller, and the functions know their first. False: no memory;
 * then there is nothing to release. */
bool ca_call_circles_find(const struct ca_call_graph *graph, struct ca_call_circles *ret_circles);

void ca_call_circles_release(struct ca_call_circles *circles);

/* The end of the function's calls, which begin at its first_call. */
uint32_t ca_call_end(const struct ca_call_graph *graph, uint32_t function);

#endif
