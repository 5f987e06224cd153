/* SPDX-License-Identifier: MIT
 *
 * Who needs whom among the loaded objects, from their DT_NEEDED. */
#ifndef __linux__
#error "Linux only"
#endif

#include <elf.h>
#include <link.h>

#include "../plain.h"
#include "objects_linux.h"
#include "shim_platform.h"

/* A program with more objects counts what its allocator's companions do, too. */
#define OBJECTS 256u

struct node {
    uintptr_t begin;
    uintptr_t end;
    struct ca_object object;
    const char *path;
    const char *soname;
    bool is_needed; /* by any other */
    bool is_programs;
    bool has_spare_new; /* it defines operator new, and an object before it does */
};

struct graph {
    uintptr_t allocator; /* an address in it */
    uint32_t count;
    bool is_cut;
    const struct node
        *new_owner;            /* of C++'s operator new that all are given; NULL: there is none */
    bool is_new_beside_malloc; /* the owner defines malloc, too */
    struct node nodes[OBJECTS];
};

static int add_node(struct dl_phdr_info *info, size_t info_bytes, void *argument) {
    (void)info_bytes;
    struct graph *graph = argument;
    struct ca_object object;
    if (!ca_object_init(&object, info))
        return 0;
    if (graph->count == OBJECTS) {
        graph->is_cut = true;
        return 1;
    }
    struct node *node = &graph->nodes[graph->count++];
    *node = (struct node){.begin = UINTPTR_MAX,
                          .object = object,
                          .path = object.path != NULL ? object.path : "",
                          .soname = ""};
    for (const ElfW(Dyn) *entry = object.dynamic; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_SONAME)
            node->soname = object.strings + entry->d_un.d_val;
    bool has_new = ca_object_find(&object, "_Znwm") != NULL;
    node->has_spare_new = has_new && graph->new_owner != NULL;
    if (has_new && graph->new_owner == NULL) {
        graph->new_owner = node;
        graph->is_new_beside_malloc = ca_object_find(&object, "malloc") != NULL;
    }
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD)
            continue;
        node->begin = begin < node->begin ? begin : node->begin;
        node->end = begin + segment->p_memsz > node->end ? begin + segment->p_memsz : node->end;
    }
    return 0;
}

static bool is_named(const struct node *node, const char *name) {
    return ca_plain_is_equal(node->soname, name) ||
           ca_plain_is_equal(ca_plain_basename(node->path), name);
}

/* Calls `mark` for each object that `node` needs. True when one of the calls was. */
static bool for_needed(struct graph *graph, const struct node *node,
                       bool (*mark)(struct node *needed)) {
    bool is_any = false;
    for (const ElfW(Dyn) *entry = node->object.dynamic; entry->d_tag != DT_NULL; entry++)
        for (uint32_t i = 0; entry->d_tag == DT_NEEDED && i < graph->count; i++)
            if (is_named(&graph->nodes[i], node->object.strings + entry->d_un.d_val))
                is_any |= mark(&graph->nodes[i]);
    return is_any;
}

static bool mark_needed(struct node *node) {
    node->is_needed = true;
    return true;
}

static bool mark_programs(struct node *node) {
    bool is_new = !node->is_programs;
    node->is_programs = true;
    return is_new;
}

static bool holds(const struct node *node, uintptr_t address) {
    return address >= node->begin && address < node->end;
}

/* The program's are itself, what was preloaded besides the allocator, and what these need. */
static void find_programs(struct graph *graph) {
    for (uint32_t i = 0; i < graph->count; i++)
        for_needed(graph, &graph->nodes[i], mark_needed);
    for (uint32_t i = 0; i < graph->count; i++)
        graph->nodes[i].is_programs =
            i == 0 || (!graph->nodes[i].is_needed && !holds(&graph->nodes[i], graph->allocator));
    bool is_changed = true;
    while (is_changed) {
        is_changed = false;
        for (uint32_t i = 0; i < graph->count; i++)
            if (graph->nodes[i].is_programs)
                is_changed |= for_needed(graph, &graph->nodes[i], mark_programs);
    }
}

/* _Znw and _Zna in the names of the Itanium C++ ABI. */
static bool is_new(const char *name, uintptr_t bound, const void *argument) {
    (void)bound;
    (void)argument;
    return name[0] == '_' && name[1] == 'Z' && name[2] == 'n' && (name[3] == 'w' || name[3] == 'a');
}

static bool is_runtime(struct node *needed) {
    return needed->has_spare_new;
}

/* An allocator's operators take their blocks without a call of malloc. Nobody calls those below a
 * program in C. One in C++ refers to them, or needs a library that has them, too. */
static bool is_new_hidden(struct graph *graph) {
    for (uint32_t i = 0; i < graph->count && graph->is_new_beside_malloc; i++) {
        const struct node *node = &graph->nodes[i];
        if (node != graph->new_owner && node->is_programs && !node->has_spare_new &&
            (ca_object_refers(&node->object, is_new, NULL) || for_needed(graph, node, is_runtime)))
            return true;
    }
    return false;
}

void ca_platform_find_companions(const void *malloc_below, struct ca_surroundings *found) {
    struct graph graph;
    graph.allocator = (uintptr_t)malloc_below;
    graph.count = 0;
    graph.is_cut = false;
    graph.new_owner = NULL;
    graph.is_new_beside_malloc = false;
    found->companion_count = 0;
    found->is_new_hidden = false;
    dl_iterate_phdr(add_node, &graph);
    if (graph.is_cut)
        return;
    find_programs(&graph);
    found->is_new_hidden = is_new_hidden(&graph);
    for (uint32_t i = 0; i < graph.count && found->companion_count < CA_COMPANIONS; i++) {
        const struct node *node = &graph.nodes[i];
        if (!node->is_programs)
            found->companions[found->companion_count++] = (struct ca_range){node->begin, node->end};
    }
}
