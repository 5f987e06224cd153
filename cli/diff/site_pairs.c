/* SPDX-License-Identifier: MIT */
#include "diff/site_pairs.h"

#include <stdlib.h>
#include <string.h>

#define CELLS_MAX (1u << 22) /* of a table for one function: beyond, order alone decides */
#define NO_CLASS  SIZE_MAX

/* The chains with one phase and the same steps. */
struct class {
    size_t first; /* chain_count chains, the old record's first */
    size_t chain_count;
    uint64_t own[2];  /* allocations, old and new */
    uint64_t sums[2]; /* the same with those of all that joined it */
    size_t above;     /* the class with the longest chain that this one goes on from */
    size_t root;      /* the class that this one joined; else itself */
};

/* A line of a group, on one side. */
struct spot {
    const struct ca_chain *chain;
    uint64_t allocations;
    uint64_t bytes_requested;
};

struct matcher {
    const struct ca_chains *chains;
    struct class *classes;
    size_t class_count;
    struct spot *spots[2]; /* spot_count[] of the group in hand, by line */
    size_t spot_count[2];
    struct ca_site_pairs *pairs;
};

/* ---- classes ---- */

static bool is_beginning(const struct ca_chain *shorter, const struct ca_chain *longer) {
    return shorter->phase == longer->phase && shorter->step_count <= longer->step_count &&
           memcmp(shorter->steps, longer->steps, shorter->step_count * sizeof *shorter->steps) == 0;
}

static const struct ca_chain *chain_of(const struct matcher *matcher, size_t class) {
    return &matcher->chains->chains[matcher->classes[class].first];
}

/* Chains are sorted, so that a chain comes behind all that it goes on from. */
static size_t find_above(const struct matcher *matcher, size_t class) {
    size_t above = class == 0 ? NO_CLASS : class - 1;
    while (above != NO_CLASS && !is_beginning(chain_of(matcher, above), chain_of(matcher, class)))
        above = matcher->classes[above].above;
    return above;
}

static void make_classes(struct matcher *matcher) {
    const struct ca_chain *chains = matcher->chains->chains;
    for (size_t i = 0; i < matcher->chains->chain_count; i++) {
        size_t last = matcher->class_count - 1;
        bool is_same = matcher->class_count > 0 &&
                       chain_of(matcher, last)->step_count == chains[i].step_count &&
                       is_beginning(chain_of(matcher, last), &chains[i]);
        size_t at = is_same ? last : matcher->class_count++;
        struct class *class = &matcher->classes[at];
        if (!is_same) {
            *class = (struct class){.first = i, .root = at};
            class->above = find_above(matcher, at);
        }
        class->chain_count++;
        class->own[chains[i].is_after] += chains[i].allocations;
        class->sums[chains[i].is_after] += chains[i].allocations;
    }
}

/* ---- chains that go on where others end ---- */

static uint64_t distance(uint64_t a, uint64_t b) {
    return a > b ? a - b : b - a;
}

/* One has less and the other more. */
static bool is_opposite(const uint64_t *a, const uint64_t *b) {
    return (a[0] < a[1] && b[0] > b[1]) || (a[0] > a[1] && b[0] < b[1]);
}

static bool is_one_sided(const struct class *class) {
    return class->own[0] == 0 || class->own[1] == 0;
}

/* A stack that ends where another one goes on was not walked to its end. What one record has less
 * of it can be what the other has more of the longer one, when that is as much; where callers are
 * known only by inlining, something may have been added at the same time. */
static bool is_join(const struct class *shorter, const struct class *longer, bool is_shallow) {
    uint64_t of_shorter = distance(shorter->sums[0], shorter->sums[1]);
    uint64_t of_longer = distance(longer->own[0], longer->own[1]);
    if (is_one_sided(shorter) && is_one_sided(longer) && is_opposite(shorter->own, longer->own))
        return true;
    return is_opposite(shorter->sums, longer->own) &&
           of_shorter >= (is_shallow ? of_longer / 2 : of_longer);
}

static void join_classes(struct matcher *matcher, bool is_shallow) {
    for (size_t i = 0; i < matcher->class_count; i++) {
        struct class *class = &matcher->classes[i];
        for (size_t above = class->above; above != NO_CLASS;
             above = matcher->classes[above].above) {
            struct class *root = &matcher->classes[matcher->classes[above].root];
            if (!is_join(root, class, is_shallow))
                continue;
            class->root = (size_t)(root - matcher->classes);
            root->sums[0] += class->own[0];
            root->sums[1] += class->own[1];
            break;
        }
    }
}

/* ---- pairs of a group ---- */

static int compare_spots(const void *left, const void *right) {
    const struct spot *a = left, *b = right;
    if (a->chain->line != b->chain->line)
        return a->chain->line < b->chain->line ? -1 : 1;
    return (a->chain > b->chain) - (a->chain < b->chain);
}

static void collect_spots(struct matcher *matcher, const struct class *class) {
    for (size_t i = 0; i < class->chain_count; i++) {
        const struct ca_chain *chain = &matcher->chains->chains[class->first + i];
        size_t at = matcher->spot_count[chain->is_after]++;
        matcher->spots[chain->is_after][at] =
            (struct spot){chain, chain->allocations, chain->bytes_requested};
    }
}

static void sort_spots(struct matcher *matcher, int side) {
    struct spot *spots = matcher->spots[side];
    size_t kept_count = 0;
    if (matcher->spot_count[side] > 1)
        qsort(spots, matcher->spot_count[side], sizeof *spots, compare_spots);
    for (size_t i = 0; i < matcher->spot_count[side]; i++) {
        if (kept_count == 0 || spots[kept_count - 1].chain->line != spots[i].chain->line) {
            spots[kept_count++] = spots[i];
            continue;
        }
        spots[kept_count - 1].allocations += spots[i].allocations;
        spots[kept_count - 1].bytes_requested += spots[i].bytes_requested;
    }
    matcher->spot_count[side] = kept_count;
}

static void add_pair(struct matcher *matcher, const struct spot *before, const struct spot *after) {
    static const struct spot nothing = {.chain = NULL};
    const struct spot *sides[2] = {before != NULL ? before : &nothing,
                                   after != NULL ? after : &nothing};
    matcher->pairs->pairs[matcher->pairs->pair_count++] = (struct ca_site_pair){
        .before = sides[0]->chain,
        .after = sides[1]->chain,
        .allocations = {sides[0]->allocations, sides[1]->allocations},
        .bytes_requested = {sides[0]->bytes_requested, sides[1]->bytes_requested},
    };
}

/* What a pair costs: its change, and a little when the lines differ, which decides between equal
 * changes. */
static uint64_t cost_of(const struct spot *few, const struct spot *many) {
    uint64_t change = distance(few->allocations, many->allocations);
    return (change < UINT32_MAX ? change : UINT32_MAX) * 2 +
           (few->chain->line != many->chain->line);
}

/* Pairs all of the fewer with some of the more, in order, so that the sum of the costs is the
 * lowest; `ret_partners`: which of the more each of the fewer has. cost[i][k] is that of the first
 * i of the fewer with some of the first k. False: no memory. */
static bool align(const struct spot *few, size_t few_count, const struct spot *many,
                  size_t many_count, size_t *ret_partners) {
    size_t width = many_count + 1;
    uint64_t *costs = calloc((few_count + 1) * width, sizeof *costs);
    if (costs == NULL)
        return false;
    for (size_t i = 1; i <= few_count; i++)
        for (size_t k = 0; k <= many_count; k++) {
            uint64_t *cost = &costs[i * width + k];
            *cost = UINT64_MAX;
            if (k < i)
                continue;
            uint64_t paired = costs[(i - 1) * width + k - 1] + cost_of(&few[i - 1], &many[k - 1]);
            *cost = cost[-1] <= paired ? cost[-1] : paired;
        }
    for (size_t i = few_count, k = many_count; i > 0; k--)
        if (costs[i * width + k - 1] != costs[i * width + k])
            ret_partners[--i] = k - 1;
    free(costs);
    return true;
}

static bool pair_spots(struct matcher *matcher) {
    bool is_more_after = matcher->spot_count[1] > matcher->spot_count[0];
    const struct spot *few = matcher->spots[!is_more_after], *many = matcher->spots[is_more_after];
    size_t few_count = matcher->spot_count[!is_more_after];
    size_t many_count = matcher->spot_count[is_more_after];
    size_t *partners = calloc(few_count + 1, sizeof *partners);
    if (partners == NULL)
        return false;
    for (size_t i = 0; i < few_count; i++)
        partners[i] = i;
    bool is_ok = few_count == many_count || few_count == 0 ||
                 (few_count + 1) * (many_count + 1) > CELLS_MAX ||
                 align(few, few_count, many, many_count, partners);
    for (size_t i = 0, k = 0; k < many_count && is_ok; k++) {
        const struct spot *partner = i < few_count && partners[i] == k ? &few[i++] : NULL;
        add_pair(matcher, is_more_after ? partner : &many[k], is_more_after ? &many[k] : partner);
    }
    free(partners);
    return is_ok;
}

/* Roots come before what joined them. */
static bool pair_group(struct matcher *matcher, const size_t *next, size_t root) {
    matcher->spot_count[0] = matcher->spot_count[1] = 0;
    for (size_t i = root; i != NO_CLASS; i = next[i])
        collect_spots(matcher, &matcher->classes[i]);
    sort_spots(matcher, 0);
    sort_spots(matcher, 1);
    return pair_spots(matcher);
}

static bool pair_groups(struct matcher *matcher) {
    size_t count = matcher->class_count;
    size_t *next = calloc(count + 1, sizeof *next), *last = calloc(count + 1, sizeof *last);
    bool is_ok = next != NULL && last != NULL;
    for (size_t i = 0; i < count && is_ok; i++) {
        size_t root = matcher->classes[i].root;
        next[i] = NO_CLASS;
        if (root != i)
            next[last[root]] = i;
        last[root] = i;
    }
    for (size_t i = 0; i < count && is_ok; i++)
        if (matcher->classes[i].root == i)
            is_ok = pair_group(matcher, next, i);
    free(next);
    free(last);
    return is_ok;
}

enum ca_status ca_site_pairs_init(struct ca_site_pairs *pairs, const struct ca_chains *chains,
                                  bool is_shallow, struct ca_error *err) {
    size_t most = chains->chain_count + 1;
    struct matcher matcher = {.chains = chains, .pairs = pairs};
    *pairs = (struct ca_site_pairs){.pairs = calloc(most, sizeof *pairs->pairs)};
    matcher.classes = calloc(most, sizeof *matcher.classes);
    matcher.spots[0] = calloc(most, sizeof *matcher.spots[0]);
    matcher.spots[1] = calloc(most, sizeof *matcher.spots[1]);
    bool is_ok = pairs->pairs != NULL && matcher.classes != NULL && matcher.spots[0] != NULL &&
                 matcher.spots[1] != NULL;
    if (is_ok) {
        make_classes(&matcher);
        join_classes(&matcher, is_shallow);
        is_ok = pair_groups(&matcher);
    }
    free(matcher.classes);
    free(matcher.spots[0]);
    free(matcher.spots[1]);
    return is_ok ? CA_OK : ca_error_memory(err);
}

void ca_site_pairs_release(struct ca_site_pairs *pairs) {
    free(pairs->pairs);
    *pairs = (struct ca_site_pairs){0};
}
