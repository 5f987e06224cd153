/* SPDX-License-Identifier: MIT */
#include "symbols/dwarf_names.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "flame/byte_buffer.h"
#include "fold/demangle.h"

#define LINKS_MAX  16u    /* from a copy to its origin; files may say anything */
#define SCOPES_MAX 64u    /* around a name */
#define BYTES_MAX  16384u /* a longer name stays mangled: templates of templates fill megabytes */

static bool follow(Dwarf_Die *die, unsigned attribute_name) {
    Dwarf_Attribute attribute;
    Dwarf_Die target;
    if (dwarf_attr(die, attribute_name, &attribute) == NULL ||
        dwarf_formref_die(&attribute, &target) == NULL)
        return false;
    *die = target;
    return true;
}

Dwarf_Die ca_dwarf_origin(const Dwarf_Die *function) {
    Dwarf_Die die = *function;
    for (unsigned i = 0; i < LINKS_MAX && follow(&die, DW_AT_abstract_origin); i++)
        continue;
    return die;
}

static const char *text_of(Dwarf_Die *die, unsigned attribute_name) {
    Dwarf_Attribute attribute;
    return dwarf_formstring(dwarf_attr_integrate(die, attribute_name, &attribute));
}

/* ---- names of the source ---- */

static const char *scope_name(const Dwarf_Die *scope) {
    Dwarf_Die die = *scope;
    const char *name = text_of(&die, DW_AT_name);
    if (name != NULL)
        return name;
    return dwarf_tag(&die) == DW_TAG_namespace ? "(anonymous namespace)" : "(anonymous)";
}

/* What `thing` stands in; what is defined outside of its namespace or class says where it was
 * declared. NULL: nothing. */
static const Dwarf_Die *scope_around(struct ca_dwarf_units *units, const Dwarf_Die *thing) {
    Dwarf_Die die = ca_dwarf_origin(thing);
    for (unsigned i = 0; i < LINKS_MAX && follow(&die, DW_AT_specification); i++)
        continue;
    struct ca_dwarf_unit *unit = ca_dwarf_units_of(units, &die);
    return unit == NULL ? NULL : ca_pointer_map_find(&unit->scopes, die.addr);
}

static char *qualified(struct ca_dwarf_units *units, const Dwarf_Die *function, const char *name) {
    const Dwarf_Die *around[SCOPES_MAX];
    size_t around_count = 0;
    for (const Dwarf_Die *scope = scope_around(units, function);
         scope != NULL && around_count < SCOPES_MAX; scope = scope_around(units, scope))
        around[around_count++] = scope;
    struct ca_byte_buffer text = {0};
    bool is_whole = true;
    while (around_count > 0 && is_whole) {
        const char *piece = scope_name(around[--around_count]);
        is_whole =
            ca_byte_buffer_add(&text, piece, strlen(piece)) && ca_byte_buffer_add(&text, "::", 2);
    }
    if (is_whole && ca_byte_buffer_add(&text, name, strlen(name) + 1))
        return text.bytes;
    ca_byte_buffer_release(&text);
    return NULL;
}

/* ---- any name ---- */

char *ca_dwarf_name(struct ca_dwarf_units *units, const Dwarf_Die *function) {
    Dwarf_Die die = *function;
    const char *name = text_of(&die, DW_AT_name);
    const char *linkage = text_of(&die, DW_AT_linkage_name);
    if (linkage == NULL)
        linkage = text_of(&die, DW_AT_MIPS_linkage_name);
    char *demangled = linkage == NULL ? NULL : ca_demangle(linkage, strlen(linkage));
    if (demangled != NULL && strlen(demangled) <= BYTES_MAX)
        return demangled;
    free(demangled);
    if (name != NULL)
        return qualified(units, function, name);
    return linkage == NULL ? NULL : strdup(linkage);
}
