/* SPDX-License-Identifier: MIT */
#include "reader/json_walk.h"

#include <stdarg.h>
#include <stdio.h>

void ca_walk_complain(struct ca_walk *walk, const struct ca_place *place, const char *member,
                      const char *format, ...) {
    if (walk->status != CA_OK)
        return;
    char cause[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cause, sizeof cause, format, arguments);
    va_end(arguments);
    walk->status =
        ca_error_set(walk->err, CA_ERROR_INPUT, "%s: member '%s%s%s' %s", walk->shown, place->name,
                     place->name[0] != '\0' && member[0] != '\0' ? "." : "", member, cause);
}

void *ca_walk_take(struct ca_walk *walk, size_t element_count, size_t element_bytes) {
    void *taken = ca_loaded_record_allocate(walk->loaded, element_count, element_bytes);
    if (taken == NULL && walk->status == CA_OK)
        walk->status = ca_error_memory(walk->err);
    return taken;
}

/* ---- values ---- */

const json_t *ca_walk_member(struct ca_walk *walk, const struct ca_place *place,
                             const char *member) {
    const json_t *value = json_object_get(place->object, member);
    if (value == NULL)
        ca_walk_complain(walk, place, member, "is missing");
    return value;
}

struct ca_place ca_walk_object(struct ca_walk *walk, const struct ca_place *place,
                               const char *member) {
    struct ca_place inner = {.object = ca_walk_member(walk, place, member)};
    snprintf(inner.name, sizeof inner.name, "%.100s%s%.50s", place->name,
             place->name[0] != '\0' ? "." : "", member);
    if (inner.object != NULL && !json_is_object(inner.object)) {
        ca_walk_complain(walk, place, member, "is not an object");
        inner.object = NULL;
    }
    return inner;
}

const json_t *ca_walk_array(struct ca_walk *walk, const struct ca_place *place,
                            const char *member) {
    const json_t *value = ca_walk_member(walk, place, member);
    if (value == NULL || json_is_array(value))
        return value;
    ca_walk_complain(walk, place, member, "is not an array");
    return NULL;
}

const char *ca_walk_text(struct ca_walk *walk, const struct ca_place *place, const char *member) {
    const json_t *value = ca_walk_member(walk, place, member);
    if (value == NULL || json_is_string(value))
        return value != NULL ? json_string_value(value) : "";
    ca_walk_complain(walk, place, member, "is not a string");
    return "";
}

bool ca_walk_truth(struct ca_walk *walk, const struct ca_place *place, const char *member) {
    const json_t *value = ca_walk_member(walk, place, member);
    if (value != NULL && !json_is_boolean(value))
        ca_walk_complain(walk, place, member, "is neither true nor false");
    return json_is_true(value);
}

const char *ca_walk_text_or_null(struct ca_walk *walk, const struct ca_place *place,
                                 const char *member) {
    return ca_walk_is_given(walk, place, member) ? ca_walk_text(walk, place, member) : NULL;
}

bool ca_walk_truth_if_any(struct ca_walk *walk, const struct ca_place *place, const char *member) {
    return json_object_get(place->object, member) != NULL && ca_walk_truth(walk, place, member);
}

int64_t ca_walk_signed_of(struct ca_walk *walk, const struct ca_place *place, const char *member,
                          const json_t *value, int64_t lowest, int64_t highest) {
    int64_t number = json_integer_value(value);
    if (value == NULL)
        return 0;
    if (!json_is_integer(value))
        ca_walk_complain(walk, place, member, "is not an integer");
    else if (number < lowest || number > highest)
        ca_walk_complain(walk, place, member, "is out of range: %lld", (long long)number);
    else
        return number;
    return 0;
}

int64_t ca_walk_signed(struct ca_walk *walk, const struct ca_place *place, const char *member) {
    return ca_walk_signed_of(walk, place, member, ca_walk_member(walk, place, member), INT64_MIN,
                             INT64_MAX);
}

uint64_t ca_walk_number(struct ca_walk *walk, const struct ca_place *place, const char *member) {
    return (uint64_t)ca_walk_signed_of(walk, place, member, ca_walk_member(walk, place, member), 0,
                                       INT64_MAX);
}

uint32_t ca_walk_small_number(struct ca_walk *walk, const struct ca_place *place,
                              const char *member) {
    return (uint32_t)ca_walk_signed_of(walk, place, member, ca_walk_member(walk, place, member), 0,
                                       UINT32_MAX);
}

bool ca_walk_is_given(struct ca_walk *walk, const struct ca_place *place, const char *member) {
    const json_t *value = ca_walk_member(walk, place, member);
    return value != NULL && !json_is_null(value);
}

void ca_walk_expect_null(struct ca_walk *walk, const struct ca_place *place, const char *member) {
    if (ca_walk_is_given(walk, place, member))
        ca_walk_complain(walk, place, member, "is not null, as what it belongs to");
}

/* ---- an array of objects ---- */

struct ca_walk_list ca_walk_list(struct ca_walk *walk, const struct ca_place *place,
                                 const char *member) {
    struct ca_walk_list list = {.place = place, .member = member};
    list.array = ca_walk_array(walk, place, member);
    list.count = (uint32_t)json_array_size(list.array);
    return list;
}

bool ca_walk_next(struct ca_walk *walk, struct ca_walk_list *list, struct ca_place *ret_element) {
    if (list->next >= list->count || walk->status != CA_OK)
        return false;
    list->index = list->next++;
    ret_element->object = json_array_get(list->array, list->index);
    snprintf(ret_element->name, sizeof ret_element->name, "%.100s%s%.30s[%u]", list->place->name,
             list->place->name[0] != '\0' ? "." : "", list->member, list->index);
    if (!json_is_object(ret_element->object)) {
        ca_walk_complain(walk, ret_element, "", "is not an object");
        ret_element->object = NULL;
    }
    return true;
}
