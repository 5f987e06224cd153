/* SPDX-License-Identifier: MIT
 *
 * A walk through a record that was parsed: members by name and type. The first error stays; after
 * it every function does nothing and returns something harmless, so that a walk needs no branches.
 * Of the JSON reader only. */
#ifndef CA_JSON_WALK_H
#define CA_JSON_WALK_H

#include <jansson.h>

#include "reader/record_reader.h"

struct ca_walk {
    struct ca_loaded_record *loaded;
    const char *shown; /* the file's name for messages */
    enum ca_status status;
    struct ca_error *err;
};

/* A JSON object and how to call it in a message. */
struct ca_place {
    const json_t *object;
    char name[160]; /* "phases[3].threads[0]"; "" is the record */
};

/* CA_ERROR_INPUT: "FILE: member 'PLACE.MEMBER' …". */
void ca_walk_complain(struct ca_walk *walk, const struct ca_place *place, const char *member,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Memory of the record; NULL, and an error of the walk, when there is none. */
void *ca_walk_take(struct ca_walk *walk, size_t element_count, size_t element_bytes);

/* Each wants the member to be there and to have its type. Texts are borrowed. */
const json_t *ca_walk_member(struct ca_walk *walk, const struct ca_place *place,
                             const char *member);
struct ca_place ca_walk_object(struct ca_walk *walk, const struct ca_place *place,
                               const char *member);
const json_t *ca_walk_array(struct ca_walk *walk, const struct ca_place *place, const char *member);
const char *ca_walk_text(struct ca_walk *walk, const struct ca_place *place, const char *member);
bool ca_walk_truth(struct ca_walk *walk, const struct ca_place *place, const char *member);
int64_t ca_walk_signed_of(struct ca_walk *walk, const struct ca_place *place, const char *member,
                          const json_t *value, int64_t lowest, int64_t highest);
int64_t ca_walk_signed(struct ca_walk *walk, const struct ca_place *place, const char *member);
uint64_t ca_walk_number(struct ca_walk *walk, const struct ca_place *place, const char *member);
uint32_t ca_walk_small_number(struct ca_walk *walk, const struct ca_place *place,
                              const char *member);

/* NULL for null. */
const char *ca_walk_text_or_null(struct ca_walk *walk, const struct ca_place *place,
                                 const char *member);

/* A member that may be missing: then it is false. */
bool ca_walk_truth_if_any(struct ca_walk *walk, const struct ca_place *place, const char *member);

/* False for null. */
bool ca_walk_is_given(struct ca_walk *walk, const struct ca_place *place, const char *member);

/* For what belongs to a figure that was not taken. */
void ca_walk_expect_null(struct ca_walk *walk, const struct ca_place *place, const char *member);

/* ---- an array of objects ---- */

struct ca_walk_list {
    const struct ca_place *place; /* kept */
    const char *member;           /* kept */
    const json_t *array;
    uint32_t count;
    uint32_t index; /* of the present element */
    uint32_t next;
};

struct ca_walk_list ca_walk_list(struct ca_walk *walk, const struct ca_place *place,
                                 const char *member);

/* Steps to the next object, at first to the first. False at the end, and after an error. */
bool ca_walk_next(struct ca_walk *walk, struct ca_walk_list *list, struct ca_place *ret_element);

#endif
