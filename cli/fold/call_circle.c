/* SPDX-License-Identifier: MIT */
#include "fold/call_circle.h"

#include <stdlib.h>

#define UNSEEN UINT32_MAX

struct walk {
    const struct ca_call_graph *graph;
    struct ca_call_circles *circles;
    uint32_t *order;   /* in which functions were reached; UNSEEN */
    uint32_t *lowest;  /* order that can be reached from it */
    uint32_t *next;    /* the next call to follow */
    uint32_t *path;    /* from the start to here */
    uint32_t *pending; /* reached, and not yet in a circle */
    uint32_t path_count;
    uint32_t pending_count;
    uint32_t order_count;
    uint32_t member_count;
};

uint32_t ca_call_end(const struct ca_call_graph *graph, uint32_t function) {
    return function + 1 < graph->function_count ? graph->functions[function + 1].first_call
                                                : (uint32_t)graph->call_count;
}

static void reach(struct walk *walk, uint32_t function) {
    walk->order[function] = walk->lowest[function] = walk->order_count++;
    walk->next[function] = walk->graph->functions[function].first_call;
    walk->path[walk->path_count++] = function;
    walk->pending[walk->pending_count++] = function;
}

static void close_circle(struct walk *walk, uint32_t function) {
    struct ca_call_circles *circles = walk->circles;
    uint32_t member;
    circles->first[circles->circle_count] = walk->member_count;
    do {
        member = walk->pending[--walk->pending_count];
        circles->circle_of[member] = circles->circle_count;
        circles->members[walk->member_count++] = member;
    } while (member != function);
    circles->circle_count++;
}

static void lower(struct walk *walk, uint32_t function, uint32_t order) {
    if (order < walk->lowest[function])
        walk->lowest[function] = order;
}

static void walk_from(struct walk *walk, uint32_t start) {
    reach(walk, start);
    while (walk->path_count > 0) {
        uint32_t function = walk->path[walk->path_count - 1];
        if (walk->next[function] < ca_call_end(walk->graph, function)) {
            uint32_t callee = walk->graph->calls[walk->next[function]++].callee;
            if (walk->order[callee] == UNSEEN)
                reach(walk, callee);
            else if (walk->circles->circle_of[callee] == UNSEEN)
                lower(walk, function, walk->order[callee]);
            continue;
        }
        walk->path_count--;
        if (walk->path_count > 0)
            lower(walk, walk->path[walk->path_count - 1], walk->lowest[function]);
        if (walk->lowest[function] == walk->order[function])
            close_circle(walk, function);
    }
}

void ca_call_circles_release(struct ca_call_circles *circles) {
    free(circles->circle_of);
    free(circles->members);
    free(circles->first);
    *circles = (struct ca_call_circles){0};
}

bool ca_call_circles_find(const struct ca_call_graph *graph, struct ca_call_circles *ret_circles) {
    size_t count = graph->function_count;
    uint32_t *scratch = malloc((count + 1) * 5 * sizeof *scratch);
    struct ca_call_circles circles = {.circle_of = malloc((count + 1) * sizeof(uint32_t)),
                                      .members = malloc((count + 1) * sizeof(uint32_t)),
                                      .first = malloc((count + 1) * sizeof(uint32_t))};
    if (scratch == NULL || circles.circle_of == NULL || circles.members == NULL ||
        circles.first == NULL) {
        free(scratch);
        ca_call_circles_release(&circles);
        return false;
    }
    struct walk walk = {.graph = graph,
                        .circles = &circles,
                        .order = scratch,
                        .lowest = scratch + count,
                        .next = scratch + 2 * count,
                        .path = scratch + 3 * count,
                        .pending = scratch + 4 * count};
    for (size_t i = 0; i < count; i++)
        walk.order[i] = circles.circle_of[i] = UNSEEN;
    for (uint32_t function = 0; function < count; function++)
        if (walk.order[function] == UNSEEN)
            walk_from(&walk, function);
    circles.first[circles.circle_count] = walk.member_count;
    free(scratch);
    *ret_circles = circles;
    return true;
}
