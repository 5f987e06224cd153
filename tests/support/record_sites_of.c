/* SPDX-License-Identifier: MIT */
#include "record_sites_of.h"

#include <stdio.h>
#include <string.h>

static long long of(const json_t *object, const char *key) {
    return json_integer_value(json_object_get(object, key));
}

static const json_t *frame_of(const json_t *root, const json_t *site, size_t at) {
    json_int_t index = json_integer_value(json_array_get(json_object_get(site, "frames"), at));
    return json_array_get(json_object_get(root, "frames"), (size_t)index);
}

static size_t frame_count(const json_t *site) {
    return json_array_size(json_object_get(site, "frames"));
}

static bool has_function(const json_t *frame, const char *function) {
    size_t at;
    json_t *candidate;
    json_array_foreach(json_object_get(frame, "functions"), at, candidate) {
        const char *name = json_string_value(json_object_get(candidate, "name"));
        if (name != NULL && strcmp(name, function) == 0)
            return true;
    }
    return false;
}

static bool is_site_of(const json_t *root, const json_t *site, const char *function) {
    return frame_count(site) > 0 && has_function(frame_of(root, site, 0), function);
}

static bool is_under(const json_t *root, const json_t *site, const char *function) {
    for (size_t i = 0; i < frame_count(site); i++)
        if (has_function(frame_of(root, site, i), function))
            return true;
    return false;
}

static bool is_in(const json_t *root, const json_t *site, const char *module) {
    if (frame_count(site) == 0)
        return false;
    const json_t *index = json_object_get(frame_of(root, site, 0), "module");
    if (!json_is_integer(index))
        return strcmp(module, "[anonymous]") == 0;
    const json_t *modules = json_object_get(root, "modules");
    const json_t *found = json_array_get(modules, (size_t)json_integer_value(index));
    const char *path = json_string_value(json_object_get(found, "path"));
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    return slash != NULL && strcmp(slash + 1, module) == 0;
}

static bool is_rest(const json_t *root, const json_t *site, const char *nothing) {
    (void)root;
    (void)nothing;
    return frame_count(site) == 0;
}

static bool is_cut(const json_t *root, const json_t *site, const char *nothing) {
    (void)root;
    (void)nothing;
    return json_is_true(json_object_get(site, "cut"));
}

static const struct {
    const char *word;
    bool has_name;
    bool (*is_wanted)(const json_t *root, const json_t *site, const char *name);
} selections[] = {{"site.", true, is_site_of},
                  {"under.", true, is_under},
                  {"in.", true, is_in},
                  {"rest.", false, is_rest},
                  {"cut.", false, is_cut}};

static bool number_text(long long number, char *ret_text, size_t size) {
    return snprintf(ret_text, size, "%lld", number) > 0;
}

static bool sum_text(const json_t *root, const char *path, char *ret_text, size_t size) {
    for (size_t i = 0; i < sizeof selections / sizeof selections[0]; i++) {
        size_t length = strlen(selections[i].word);
        if (strncmp(path, selections[i].word, length) != 0)
            continue;
        const char *key = selections[i].has_name ? strrchr(path, '.') + 1 : path + length;
        char name[256] = "";
        if (key > path + length)
            snprintf(name, sizeof name, "%.*s", (int)(key - 1 - (path + length)), path + length);
        long long sum = 0;
        size_t at;
        json_t *site;
        json_array_foreach(json_object_get(root, "sites"), at, site) {
            if (selections[i].is_wanted(root, site, name))
                sum += of(site, key);
        }
        return number_text(sum, ret_text, size);
    }
    return false;
}

bool ca_sites_text(const json_t *root, const char *path, char *ret_text, size_t size) {
    long long site_count = 0;
    long long longest_stack = 0;
    long long samples = 0;
    size_t at;
    json_t *site;
    if (sum_text(root, path, ret_text, size))
        return true;
    json_array_foreach(json_object_get(root, "sites"), at, site) {
        site_count += frame_count(site) > 0;
        if ((long long)frame_count(site) > longest_stack)
            longest_stack = (long long)frame_count(site);
    }
    json_array_foreach(json_object_get(root, "samples"), at, site) samples += of(site, "samples");
    if (strcmp(path, "site_count") == 0)
        return number_text(site_count, ret_text, size);
    if (strcmp(path, "longest_stack") == 0)
        return number_text(longest_stack, ret_text, size);
    if (strcmp(path, "sample_bytes") == 0)
        return number_text(of(root, "sample_bytes"), ret_text, size);
    if (strcmp(path, "samples") == 0)
        return number_text(samples, ret_text, size);
    return false;
}

void ca_sites_check(const json_t *root, const json_t *phase, char *problems, size_t size) {
    static const char *const keys[] = {"allocations", "malloc",  "calloc",
                                       "realloc",     "aligned", "bytes_requested"};
    const char *name = json_string_value(json_object_get(phase, "name"));
    if (of(root, "stack_depth") == 0)
        return;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        long long sum = 0;
        size_t at;
        json_t *site;
        json_array_foreach(json_object_get(root, "sites"), at, site) {
            if (strcmp(json_string_value(json_object_get(site, "phase")), name) == 0)
                sum += of(site, keys[i]);
        }
        size_t filled = strlen(problems);
        if (sum != of(phase, keys[i]))
            snprintf(problems + filled, size - filled, "sites of %s: %s %lld, the phase has %lld\n",
                     name, keys[i], sum, of(phase, keys[i]));
    }
}
