/* SPDX-License-Identifier: MIT */
#include "symbols/dwarf_units.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "flame/byte_buffer.h"

#define DEPTH_MAX 200u /* of one DIE in another; files may say anything */

/* ---- walking a unit ---- */

struct walk {
    struct ca_dwarf_unit *unit;
    struct ca_symbol_memory *memory;
};

static bool add_ranges(struct ca_address_spans *spans, Dwarf_Die *die, size_t item) {
    Dwarf_Addr base = 0;
    Dwarf_Addr begin = 0;
    Dwarf_Addr end = 0;
    ptrdiff_t at = 0;
    while ((at = dwarf_ranges(die, at, &base, &begin, &end)) > 0)
        if (!ca_address_spans_add(spans, begin, end, item))
            return false;
    return true;
}

static bool add_function(const struct walk *walk, Dwarf_Die *die) {
    struct ca_dwarf_unit *unit = walk->unit;
    size_t span_count = unit->spans.span_count;
    if (!add_ranges(&unit->spans, die, unit->function_count))
        return false;
    if (unit->spans.span_count == span_count)
        return true;
    Dwarf_Die *grown = ca_array_grown(unit->functions, unit->function_count,
                                      &unit->function_capacity, sizeof *grown);
    if (grown == NULL)
        return false;
    unit->functions = grown;
    grown[unit->function_count++] = *die;
    return true;
}

static bool is_scope(int tag) {
    switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_interface_type:
    case DW_TAG_enumeration_type: /* Rust's have methods */
    case DW_TAG_subprogram:
        return true;
    default:
        return false;
    }
}

/* Functions may be declared in these, without being named after them. */
static bool is_block(int tag) {
    return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
           tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

static bool walk_children(const struct walk *walk, Dwarf_Die *parent, Dwarf_Die *scope,
                          unsigned depth);

static bool walk_die(const struct walk *walk, Dwarf_Die *die, Dwarf_Die *scope, unsigned depth) {
    int tag = dwarf_tag(die);
    if (!is_scope(tag) && !is_block(tag))
        return true;
    if (tag == DW_TAG_subprogram && !add_function(walk, die))
        return false;
    if (is_scope(tag) && scope != NULL &&
        !ca_pointer_map_add(&walk->unit->scopes, die->addr, scope))
        return false;
    if (dwarf_haschildren(die) <= 0 || depth == DEPTH_MAX)
        return true;
    Dwarf_Die *inner = is_scope(tag) ? ca_symbol_memory_take(walk->memory, sizeof *inner) : scope;
    if (is_scope(tag)) {
        if (inner == NULL)
            return false;
        *inner = *die;
    }
    return walk_children(walk, die, inner, depth + 1);
}

static bool walk_children(const struct walk *walk, Dwarf_Die *parent, Dwarf_Die *scope,
                          unsigned depth) {
    Dwarf_Die child;
    if (dwarf_child(parent, &child) != 0)
        return true;
    do
        if (!walk_die(walk, &child, scope, depth))
            return false;
    while (dwarf_siblingof(&child, &child) == 0);
    return true;
}

static struct ca_dwarf_unit *walked(const struct ca_dwarf_units *units,
                                    struct ca_dwarf_unit *unit) {
    if (unit->is_walked)
        return unit;
    struct walk walk = {.unit = unit, .memory = units->memory};
    if (!walk_children(&walk, &unit->root, NULL, 0))
        return NULL;
    ca_address_spans_sort(&unit->spans);
    unit->is_walked = true;
    return unit;
}

/* ---- units ---- */

static struct ca_dwarf_unit *add_unit(struct ca_dwarf_units *units, const Dwarf_Die *die,
                                      const Dwarf_Die *root) {
    struct ca_dwarf_unit **grown =
        ca_array_grown(units->units, units->unit_count, &units->unit_capacity, sizeof *grown);
    if (grown == NULL)
        return NULL;
    units->units = grown;
    struct ca_dwarf_unit *unit = ca_symbol_memory_take(units->memory, sizeof *unit);
    if (unit == NULL || !ca_pointer_map_add(&units->by_root, root->addr, unit))
        return NULL;
    *unit = (struct ca_dwarf_unit){.die = *die, .root = *root};
    grown[units->unit_count++] = unit;
    return unit;
}

bool ca_dwarf_units_init(struct ca_dwarf_units *units, Dwarf *dwarf,
                         struct ca_symbol_memory *memory) {
    *units = (struct ca_dwarf_units){.memory = memory};
    Dwarf_CU *cu = NULL;
    uint8_t type = 0;
    Dwarf_Die die;
    Dwarf_Die split;
    while (dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, &split) == 0) {
        if (type == DW_UT_type || type == DW_UT_split_type)
            continue;
        bool is_split = type == DW_UT_skeleton && split.addr != NULL;
        if (!add_ranges(&units->spans, &die, units->unit_count) ||
            add_unit(units, &die, is_split ? &split : &die) == NULL)
            return false;
    }
    ca_address_spans_sort(&units->spans);
    return true;
}

void ca_dwarf_units_release(struct ca_dwarf_units *units) {
    for (size_t i = 0; i < units->unit_count; i++) {
        ca_address_spans_release(&units->units[i]->spans);
        ca_pointer_map_release(&units->units[i]->scopes);
        free(units->units[i]->functions);
    }
    free(units->units);
    ca_address_spans_release(&units->spans);
    ca_pointer_map_release(&units->by_root);
    *units = (struct ca_dwarf_units){0};
}

struct ca_dwarf_unit *ca_dwarf_units_find(struct ca_dwarf_units *units, uint64_t address) {
    size_t at = ca_address_spans_find(&units->spans, address);
    return at == CA_NO_ITEM ? NULL : walked(units, units->units[at]);
}

struct ca_dwarf_unit *ca_dwarf_units_of(struct ca_dwarf_units *units, const Dwarf_Die *die) {
    Dwarf_Die copy = *die;
    Dwarf_Die root;
    if (dwarf_diecu(&copy, &root, NULL, NULL) == NULL)
        return NULL;
    struct ca_dwarf_unit *unit = ca_pointer_map_find(&units->by_root, root.addr);
    if (unit == NULL)
        unit = add_unit(units, &root, &root);
    return unit == NULL ? NULL : walked(units, unit);
}

bool ca_dwarf_unit_function(const struct ca_dwarf_unit *unit, uint64_t address,
                            Dwarf_Die *ret_function) {
    size_t at = ca_address_spans_find(&unit->spans, address);
    if (at != CA_NO_ITEM)
        *ret_function = unit->functions[at];
    return at != CA_NO_ITEM;
}
