/* SPDX-License-Identifier: MIT */
#include "budget/budget_match.h"

#include <stdlib.h>
#include <string.h>

#include "budget/budget_judge.h"

/* The best of some sections. */
struct match {
    const struct ca_budget_section *best; /* NULL: none */
    const struct ca_budget_section *tied; /* as good as `best`; NULL: none */
};

/* Where a section keeps one of its keys. */
typedef const struct ca_budget_token *token_of(const struct ca_budget_section *section, int which);

/* What every step of resolving needs. */
struct resolver {
    const struct ca_matching *matching;
    const struct ca_budget_file *file;
    const char *key;
    struct ca_error *err;
};

static bool is_component(const char *component, size_t length, const char *key_component,
                         size_t key_length) {
    return length == key_length && memcmp(component, key_component, length) == 0;
}

bool ca_platform_is_match(const char *platform, const char *key) {
    while (*platform != '\0') {
        size_t length = strcspn(platform, "-");
        size_t key_length = strcspn(key, "-");
        if (*key == '\0')
            return false;
        if (is_component(platform, length, key, key_length))
            platform += length + (platform[length] == '-');
        key += key_length + (key[key_length] == '-');
    }
    return true;
}

/* A path that does not begin with '/' is compared with the end of the executable's, from a '/' on.
 */
bool ca_section_is_for(const struct ca_budget_section *section, const struct ca_record *record) {
    const char *program = section->program;
    if (strchr(program, '/') == NULL)
        return strcmp(program, record->name) == 0;
    size_t length = strlen(program), exe_length = strlen(record->executable);
    if (program[0] == '/' || exe_length <= length)
        return strcmp(program, record->executable) == 0;
    const char *end = record->executable + exe_length - length;
    return end[-1] == '/' && strcmp(end, program) == 0;
}

static bool is_for(const struct ca_budget_section *section, const struct ca_budget_section *budget,
                   const char *key) {
    return ca_budget_section_is_sibling(section, budget) &&
           ca_platform_is_match(section->platform, key);
}

enum ca_status ca_matching_init(struct ca_matching *matching, const struct ca_budget_file *file,
                                struct ca_error *err) {
    *matching = (struct ca_matching){
        .sections = calloc(file->section_count + 1, sizeof *matching->sections),
    };
    return matching->sections != NULL ? CA_OK : ca_error_memory(err);
}

void ca_matching_release(struct ca_matching *matching) {
    free(matching->sections);
    *matching = (struct ca_matching){NULL, 0, NULL};
}

/* The best of the matching sections where `where` finds the key `which`; of all when it is NULL. */
static struct match find_match(const struct ca_matching *matching, token_of *where, int which) {
    struct match match = {NULL, NULL};
    for (size_t i = 0; i < matching->section_count; i++) {
        const struct ca_budget_section *section = matching->sections[i];
        if (where != NULL && where(section, which)->line == 0)
            continue;
        if (match.best == NULL || section->component_count > match.best->component_count)
            match = (struct match){section, NULL};
        else if (section->component_count == match.best->component_count)
            match.tied = section;
    }
    return match;
}

void ca_matching_collect(struct ca_matching *matching, const struct ca_budget_file *file,
                         const struct ca_budget_section *budget, const char *key) {
    matching->section_count = 0;
    for (size_t i = 0; i < file->section_count; i++)
        if (is_for(&file->sections[i], budget, key))
            matching->sections[matching->section_count++] = &file->sections[i];
    matching->best = find_match(matching, NULL, 0).best;
}

static enum ca_status refuse_tie(const struct resolver *resolver, struct match match) {
    if (match.tied == NULL)
        return CA_OK;
    return ca_error_set(
        resolver->err, CA_ERROR_INPUT,
        "%.1000s:%u: [%.200s] and [%.200s] on line %u match platform %.128s equally well: give one "
        "of them a component more",
        resolver->file->path, match.tied->line, match.tied->title, match.best->title,
        match.best->line, resolver->key);
}

static const struct ca_budget_token *fixed_token(const struct ca_budget_section *section,
                                                 int kind) {
    return &section->limits[kind].fixed_at;
}

static const struct ca_budget_token *rate_token(const struct ca_budget_section *section, int kind) {
    return &section->limits[kind].rate_at;
}

static const struct ca_budget_token *per_token(const struct ca_budget_section *section,
                                               int unused) {
    (void)unused;
    return &section->per_at;
}

static const struct ca_budget_token *scope_token(const struct ca_budget_section *section,
                                                 int unused) {
    (void)unused;
    return &section->scope_at;
}

static const struct ca_budget_token *tolerance_token(const struct ca_budget_section *section,
                                                     int unused) {
    (void)unused;
    return &section->tolerance_at;
}

static const struct ca_budget_token *why_token(const struct ca_budget_section *section,
                                               int unused) {
    (void)unused;
    return &section->why_at;
}

static enum ca_status find_key(const struct resolver *resolver, token_of *where, int which,
                               const struct ca_budget_section **ret_section) {
    struct match match = find_match(resolver->matching, where, which);
    *ret_section = match.best;
    return refuse_tie(resolver, match);
}

enum ca_status ca_matching_resolve(const struct ca_matching *matching,
                                   const struct ca_budget_file *file, const char *key,
                                   struct ca_effective *ret_effective, struct ca_error *err) {
    struct resolver resolver = {matching, file, key, err};
    const struct ca_budget_section *per, *scope, *tolerance, *why;
    enum ca_status status = refuse_tie(&resolver, find_match(matching, NULL, 0));
    if (status == CA_OK)
        status = find_key(&resolver, per_token, 0, &per);
    if (status == CA_OK)
        status = find_key(&resolver, scope_token, 0, &scope);
    if (status == CA_OK)
        status = find_key(&resolver, tolerance_token, 0, &tolerance);
    if (status == CA_OK)
        status = find_key(&resolver, why_token, 0, &why);
    for (int kind = 0; kind < CA_LIMIT_COUNT && status == CA_OK; kind++) {
        status = find_key(&resolver, fixed_token, kind, &ret_effective->fixed_from[kind]);
        if (status == CA_OK)
            status = find_key(&resolver, rate_token, kind, &ret_effective->rate_from[kind]);
    }
    if (status != CA_OK)
        return status;
    ret_effective->per = per != NULL ? per->per : NULL;
    ret_effective->why = why != NULL ? why->why : NULL;
    ret_effective->scope = scope != NULL ? scope->scope : file->default_scope;
    ret_effective->tolerance = tolerance != NULL ? tolerance->tolerance : file->default_tolerance;
    return CA_OK;
}
