/* SPDX-License-Identifier: MIT */
#include "record_of.h"

#include "record_sites_of.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_WORDS 64u

struct words {
    const char *words[MOST_WORDS + 1];
    size_t count;
};

static void add_word(struct words *words, const char *word) {
    if (words->count < MOST_WORDS)
        words->words[words->count++] = word;
}

static void add_words(struct words *words, const char *const *more) {
    for (; more != NULL && *more != NULL; more++)
        add_word(words, *more);
}

/* The shim under test: libcountalloc.so, unless a test is told of another. */
static const char *library(void) {
    const char *other = getenv("COUNTALLOC_TEST_LIBRARY");
    return other != NULL ? other : COUNTALLOC_LIBRARY;
}

/* Whether stacks and samples are to be taken besides what a test asks for. */
static bool has_stacks(void) {
    return getenv("COUNTALLOC_TEST_STACKS") != NULL;
}

static void start(struct ca_recorded *recorded, const struct ca_record_request *request,
                  const char *record_path) {
    struct ca_spawn spawn = request->spawn;
    struct words argv = {.count = 0};
    struct words environment = {.count = 0};
    char report_file[4200];
    char preload[4200];
    snprintf(report_file, sizeof report_file, "COUNTALLOC_REPORT_FILE=%s", record_path);
    if (request->how == CA_HOW_RUN) {
        static const char *const run[] = {COUNTALLOC_COMMAND, "run", "-q", "-o", NULL};
        add_words(&argv, run);
        add_word(&argv, record_path);
        add_words(&argv, request->run_options);
        if (has_stacks()) {
            add_word(&argv, "--stacks");
            if (strcmp(getenv("COUNTALLOC_TEST_STACKS"), "exact") != 0)
                add_word(&argv, "--sample=4k");
        }
        add_word(&argv, "--");
        snprintf(preload, sizeof preload, "COUNTALLOC_LIBRARY=%s", library());
        /* One variable more than Valgrind's run has would show in programs that copy theirs. */
        if (getenv("COUNTALLOC_TEST_LIBRARY") != NULL)
            add_word(&environment, preload);
    } else {
        snprintf(preload, sizeof preload, "LD_PRELOAD=%s", library());
        add_word(&environment, preload);
        add_word(&environment, "COUNTALLOC_REPORT=json");
        add_word(&environment, report_file);
        if (has_stacks())
            add_word(&environment, "COUNTALLOC_STACKS=32");
    }
    add_words(&argv, spawn.argv);
    add_words(&environment, spawn.environment);
    spawn.argv = argv.words;
    spawn.environment = environment.words;
    if (!ca_spawn_run(&spawn, &recorded->spawned)) {
        snprintf(recorded->problem, sizeof recorded->problem, "%s could not be started",
                 argv.words[0]);
        return;
    }
    json_error_t error;
    recorded->root = json_load_file(record_path, JSON_REJECT_DUPLICATES, &error);
    if (recorded->root == NULL)
        snprintf(recorded->problem, sizeof recorded->problem,
                 "no record (%s); exit status %d, signal %d; stderr: %.700s", error.text,
                 recorded->spawned.exit_status, recorded->spawned.signal, recorded->spawned.err);
}

bool ca_recorded_init(struct ca_recorded *recorded, const struct ca_record_request *request) {
    *recorded = (struct ca_recorded){.root = NULL};
    char *directory = ca_spawn_make_directory();
    if (directory == NULL) {
        snprintf(recorded->problem, sizeof recorded->problem, "no temporary directory");
        return false;
    }
    char record_path[4096];
    snprintf(record_path, sizeof record_path, "%s/record.json", directory);
    start(recorded, request, record_path);
    unlink(record_path);
    rmdir(directory);
    free(directory);
    return recorded->root != NULL;
}

void ca_recorded_release(struct ca_recorded *recorded) {
    if (recorded->root != NULL)
        json_decref(recorded->root);
    ca_spawned_release(&recorded->spawned);
    recorded->root = NULL;
}

/* ---- figures by name ---- */

/* Splits "WORD.rest": true when `path` begins with `word` and a dot. */
static bool begins(const char *path, const char *word, const char **ret_rest) {
    size_t length = strlen(word);
    if (strncmp(path, word, length) != 0 || path[length] != '.')
        return false;
    *ret_rest = path + length + 1;
    return true;
}

/* "N.rest" */
static bool begins_number(const char *path, long long *ret_number, const char **ret_rest) {
    char *end;
    *ret_number = strtoll(path, &end, 10);
    if (end == path || *end != '.')
        return false;
    *ret_rest = end + 1;
    return true;
}

static json_t *element_numbered(json_t *array, long long number) {
    size_t at;
    json_t *element;
    json_array_foreach(array, at, element) {
        if (json_integer_value(json_object_get(element, "number")) == number)
            return element;
    }
    return NULL;
}

static bool value_text(const json_t *value, char *ret_text, size_t size) {
    if (json_is_string(value))
        snprintf(ret_text, size, "%s", json_string_value(value));
    else if (json_is_integer(value))
        snprintf(ret_text, size, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        snprintf(ret_text, size, "%.9g", json_real_value(value));
    else if (json_is_boolean(value))
        snprintf(ret_text, size, "%s", json_is_true(value) ? "true" : "false");
    else if (json_is_null(value))
        snprintf(ret_text, size, "null");
    else
        return false;
    return true;
}

static bool histogram_text(const json_t *histogram, char *ret_text, size_t size) {
    size_t at;
    json_t *pair;
    size_t length = 0;
    ret_text[0] = '\0';
    json_array_foreach(histogram, at, pair) {
        if (length >= size)
            return false;
        length +=
            (size_t)snprintf(ret_text + length, size - length, "%s%llu:%lld", at > 0 ? "," : "",
                             (unsigned long long)json_integer_value(json_array_get(pair, 0)),
                             (long long)json_integer_value(json_array_get(pair, 1)));
    }
    return json_is_array(histogram);
}

/* A figure of an object that carries COUNTS. */
static bool counts_text(const json_t *counts, const char *path, char *ret_text, size_t size) {
    const char *rest;
    if (counts == NULL)
        return false;
    if (strcmp(path, "size_histogram") == 0)
        return histogram_text(json_object_get(counts, path), ret_text, size);
    if (begins(path, "unit", &rest))
        return value_text(json_object_get(json_object_get(counts, "units"), rest), ret_text, size);
    if (begins(path, "per", &rest)) {
        char unit[64];
        size_t length = strcspn(rest, ".");
        if (rest[length] != '.' || length >= sizeof unit)
            return false;
        memcpy(unit, rest, length);
        unit[length] = '\0';
        const json_t *per = json_object_get(json_object_get(counts, "per"), unit);
        return value_text(json_object_get(per, rest + length + 1), ret_text, size);
    }
    return value_text(json_object_get(counts, path), ret_text, size);
}

/* "NAME.KEY": names may hold dots, so each phase is asked whether it is meant. */
static bool phase_text(const json_t *root, const char *path, char *ret_text, size_t size) {
    size_t at;
    json_t *phase;
    json_array_foreach(json_object_get(root, "phases"), at, phase) {
        const char *rest;
        const char *of_thread;
        long long number;
        if (!begins(path, json_string_value(json_object_get(phase, "name")), &rest))
            continue;
        if (begins(rest, "thread", &of_thread))
            return begins_number(of_thread, &number, &rest) &&
                   counts_text(element_numbered(json_object_get(phase, "threads"), number), rest,
                               ret_text, size);
        if (counts_text(phase, rest, ret_text, size))
            return true;
    }
    return false;
}

static bool list_phases(const json_t *phases, char *ret_text, size_t size) {
    size_t at;
    json_t *phase;
    size_t length = 0;
    ret_text[0] = '\0';
    json_array_foreach(phases, at, phase) {
        if (length < size)
            length += (size_t)snprintf(ret_text + length, size - length, "%s%s", at > 0 ? "," : "",
                                       json_string_value(json_object_get(phase, "name")));
    }
    return length < size;
}

static long long threads_ever(const json_t *threads) {
    size_t at;
    json_t *thread;
    long long sum = 0;
    json_array_foreach(threads, at, thread) {
        sum += json_integer_value(json_object_get(thread, "thread_count"));
    }
    return sum;
}

bool ca_recorded_text(const struct ca_recorded *recorded, const char *path, char *ret_text,
                      size_t size) {
    const json_t *root = recorded->root;
    const char *rest;
    long long number;
    const json_t *threads = json_object_get(root, "threads");
    if (begins(path, "phase", &rest))
        return phase_text(root, rest, ret_text, size);
    if (begins(path, "thread", &rest))
        return begins_number(rest, &number, &rest) &&
               counts_text(element_numbered(json_object_get(root, "threads"), number), rest,
                           ret_text, size);
    if (begins(path, "process", &rest))
        return begins_number(rest, &number, &rest) && number > 0 &&
               counts_text(json_array_get(json_object_get(root, "processes"), (size_t)number - 1),
                           rest, ret_text, size);
    if (ca_sites_text(root, path, ret_text, size))
        return true;
    if (strcmp(path, "phases") == 0)
        return list_phases(json_object_get(root, "phases"), ret_text, size);
    if (strcmp(path, "phase_count") == 0)
        return snprintf(ret_text, size, "%zu", json_array_size(json_object_get(root, "phases"))) >
               0;
    if (strcmp(path, "thread_rows") == 0)
        return snprintf(ret_text, size, "%zu", json_array_size(threads)) > 0;
    if (strcmp(path, "threads_ever") == 0)
        return snprintf(ret_text, size, "%lld", threads_ever(threads)) > 0;
    if (strcmp(path, "process_count") == 0)
        return snprintf(ret_text, size, "%zu",
                        json_array_size(json_object_get(root, "processes"))) > 0;
    static const char *const places[][2] = {{"attached", "coverage"}, {"level", "coverage"},
                                            {"complete", "program"},  {"exit_status", "program"},
                                            {"signal", "program"},    {"name", "program"}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (strcmp(path, places[i][0]) == 0)
            return value_text(json_object_get(json_object_get(root, places[i][1]), path), ret_text,
                              size);
    if (strcmp(path, "rules") == 0)
        return value_text(json_object_get(root, path), ret_text, size);
    return counts_text(json_object_get(root, "total"), path, ret_text, size);
}

long long ca_recorded_integer(const struct ca_recorded *recorded, const char *path) {
    char text[64];
    char *end;
    if (!ca_recorded_text(recorded, path, text, sizeof text))
        return LLONG_MIN;
    long long number = strtoll(text, &end, 10);
    return end != text && *end == '\0' ? number : LLONG_MIN;
}

bool ca_recorded_has_note(const struct ca_recorded *recorded, const char *part) {
    size_t at;
    json_t *note;
    const json_t *notes = json_object_get(json_object_get(recorded->root, "coverage"), "notes");
    json_array_foreach(notes, at, note) {
        if (strstr(json_string_value(note), part) != NULL)
            return true;
    }
    return false;
}

/* ---- sums ---- */

static void complain(char *problems, size_t size, const char *where, const char *what,
                     long long seen, long long wanted) {
    size_t length = strlen(problems);
    if (length + 1 < size)
        snprintf(problems + length, size - length, "  %s: %s is %lld, should be %lld\n", where,
                 what, seen, wanted);
}

static long long of(const json_t *counts, const char *key) {
    return (long long)json_integer_value(json_object_get(counts, key));
}

static void check_counts(const json_t *counts, const char *where, char *problems, size_t size) {
    long long kinds =
        of(counts, "malloc") + of(counts, "calloc") + of(counts, "realloc") + of(counts, "aligned");
    if (kinds != of(counts, "allocations"))
        complain(problems, size, where, "malloc + calloc + realloc + aligned", kinds,
                 of(counts, "allocations"));
    if (of(counts, "live_blocks") != of(counts, "allocations") - of(counts, "frees"))
        complain(problems, size, where, "live_blocks", of(counts, "live_blocks"),
                 of(counts, "allocations") - of(counts, "frees"));
    long long in_classes = 0;
    size_t at;
    json_t *pair;
    json_array_foreach(json_object_get(counts, "size_histogram"), at, pair) {
        in_classes += (long long)json_integer_value(json_array_get(pair, 1));
    }
    if (in_classes != of(counts, "allocations"))
        complain(problems, size, where, "the histogram's sum", in_classes,
                 of(counts, "allocations"));
}

static void check_parts(const json_t *parts, const json_t *whole, const char *where, char *problems,
                        size_t size) {
    static const char *const keys[] = {
        "allocations",   "frees",         "malloc",         "calloc",          "realloc",
        "aligned",       "free",          "free_null",      "failed",          "realloc_in_place",
        "realloc_moved", "realloc_grown", "realloc_shrunk", "bytes_requested", "live_blocks",
        "bytes_live"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        long long sum = 0;
        size_t at;
        json_t *part;
        json_array_foreach(parts, at, part) {
            sum += of(part, keys[i]);
        }
        if (sum != of(whole, keys[i]))
            complain(problems, size, where, keys[i], sum, of(whole, keys[i]));
    }
}

void ca_recorded_check_sums(const struct ca_recorded *recorded, char *problems, size_t size) {
    const json_t *total = json_object_get(recorded->root, "total");
    size_t at;
    json_t *phase;
    check_counts(total, "total", problems, size);
    check_parts(json_object_get(recorded->root, "phases"), total, "sum of the phases", problems,
                size);
    check_parts(json_object_get(recorded->root, "threads"), total, "sum of the threads", problems,
                size);
    check_parts(json_object_get(recorded->root, "processes"), total, "sum of the processes",
                problems, size);
    json_array_foreach(json_object_get(recorded->root, "phases"), at, phase) {
        const char *name = json_string_value(json_object_get(phase, "name"));
        check_counts(phase, name, problems, size);
        check_parts(json_object_get(phase, "threads"), phase, name, problems, size);
        ca_sites_check(recorded->root, phase, problems, size);
    }
}
