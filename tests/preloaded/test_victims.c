/* SPDX-License-Identifier: MIT
 *
 * Every program of tests/programs/ under the shim, held against the counts that its first comment
 * promises. With COUNTALLOC_VICTIM=NAME in the environment only that one. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/expectation.h"
#include "support/record_of.h"
#include "victim_list.h"

struct victim {
    char name[64];
    char source[512];
    char program[512];
    enum ca_how how;
};

static const struct {
    const char *name;
    const char *source;
    const char *program;
} listed[] = {
#define VICTIM(name, source, program) {name, source, program},
    VICTIM_LIST(VICTIM)
#undef VICTIM
};

#define LISTED_COUNT (sizeof listed / sizeof listed[0])

ParameterizedTestParameters(victim, counts_what_its_first_comment_says) {
    static struct victim victims[LISTED_COUNT * 2];
    const char *only = getenv("COUNTALLOC_VICTIM");
    size_t count = 0;
    for (size_t i = 0; i < LISTED_COUNT * 2; i++) {
        if (only != NULL && strcmp(only, listed[i / 2].name) != 0)
            continue;
        struct victim *victim = &victims[count++];
        snprintf(victim->name, sizeof victim->name, "%s", listed[i / 2].name);
        snprintf(victim->source, sizeof victim->source, "%s", listed[i / 2].source);
        snprintf(victim->program, sizeof victim->program, "%s", listed[i / 2].program);
        victim->how = i % 2 == 0 ? CA_HOW_RUN : CA_HOW_PLAIN;
    }
    return cr_make_param_array(struct victim, victims, count);
}

/* What the victim printed as "WORD=VALUE". */
static bool find_said(const char *out, const char *word, char *ret_text, size_t size) {
    size_t length = strlen(word);
    for (const char *line = out; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, word, length) == 0 && line[length] == '=') {
            snprintf(ret_text, size, "%.*s", (int)strcspn(line + length + 1, "\n"),
                     line + length + 1);
            return true;
        }
    }
    return false;
}

static void check_figure(const struct ca_recorded *recorded, const char *name, const char *value,
                         char *problems, size_t size) {
    static char seen[16384];
    static char wanted[16384];
    bool is_negated = strncmp(value, "-@", 2) == 0;
    size_t length = strlen(problems);
    snprintf(wanted, sizeof wanted, "%s", value);
    if (value[0] == '@' || is_negated) {
        char said[16000];
        if (!find_said(recorded->spawned.out, value + 1 + is_negated, said, sizeof said)) {
            snprintf(problems + length, size - length, "  %s: the victim did not say %s\n", name,
                     value);
            return;
        }
        snprintf(wanted, sizeof wanted, "%s%s", is_negated && strcmp(said, "0") != 0 ? "-" : "",
                 said);
    }
    if (!ca_recorded_text(recorded, name, seen, sizeof seen))
        snprintf(seen, sizeof seen, "(not in the record)");
    if (strcmp(seen, wanted) != 0)
        snprintf(problems + length, size - length, "  %s: is %.3000s, should be %.3000s\n", name,
                 seen, wanted);
}

static bool is_named(const struct ca_expectation *expectation, const char *name) {
    for (size_t i = 0; i < expectation->figure_count; i++)
        if (strcmp(expectation->figures[i].name, name) == 0)
            return true;
    return false;
}

static void check_all(const struct ca_recorded *recorded, const struct ca_expectation *expectation,
                      enum ca_how how, char *problems, size_t size) {
    static const char *const usual[][2] = {{"rules", "1"},
                                           {"attached", "true"},
                                           {"exit_status", "0"},
                                           {"signal", "null"},
                                           {"complete", "true"}};
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        if (!is_named(expectation, usual[i][0]) &&
            !(how == CA_HOW_PLAIN && strcmp(usual[i][0], "exit_status") == 0))
            check_figure(recorded, usual[i][0], usual[i][1], problems, size);
    for (size_t i = 0; i < expectation->figure_count; i++) {
        const char *name = expectation->figures[i].name;
        /* The shim by itself does not know how its program will end. */
        if (how == CA_HOW_PLAIN &&
            (strcmp(name, "exit_status") == 0 || strcmp(name, "signal") == 0))
            continue;
        check_figure(recorded, name, expectation->figures[i].value, problems, size);
    }
    for (size_t i = 0; i < expectation->note_count; i++) {
        size_t length = strlen(problems);
        if (!ca_recorded_has_note(recorded, expectation->notes[i]))
            snprintf(problems + length, size - length, "  no note says \"%s\"\n",
                     expectation->notes[i]);
    }
    ca_recorded_check_sums(recorded, problems, size);
}

ParameterizedTest(struct victim *victim, victim, counts_what_its_first_comment_says) {
    struct ca_expectation expectation;
    static char problems[32768];
    problems[0] = '\0';
    cr_assert(ca_expectation_init(&expectation, victim->source), "%s expects nothing",
              victim->source);
    if (victim->how == CA_HOW_PLAIN && !expectation.has_plain_mode) {
        ca_expectation_release(&expectation);
        cr_skip_test("only under `countalloc run`");
    }
    const char *argv[18] = {victim->program};
    for (size_t i = 0; expectation.arguments[i] != NULL; i++)
        argv[i + 1] = expectation.arguments[i];
    struct ca_record_request request = {
        .how = victim->how,
        .spawn = {.argv = argv, .environment = expectation.environment},
        .run_options = expectation.run_options,
    };
    struct ca_recorded recorded;
    if (ca_recorded_init(&recorded, &request))
        check_all(&recorded, &expectation, victim->how, problems, sizeof problems);
    cr_assert(recorded.root != NULL, "%s: %s", victim->name, recorded.problem);
    cr_assert_eq(problems[0], '\0', "%s (%s):\n%sstderr: %.800s", victim->name,
                 victim->how == CA_HOW_RUN ? "countalloc run" : "plain preload", problems,
                 recorded.spawned.err);
    ca_recorded_release(&recorded);
    ca_expectation_release(&expectation);
}

Test(victim_list, has_every_source_of_the_folder) {
    DIR *folder = opendir(COUNTALLOC_PROGRAMS);
    cr_assert_not_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const char *ending = strrchr(entry->d_name, '.');
        if (ending == NULL || (strcmp(ending, ".c") != 0 && strcmp(ending, ".cc") != 0))
            continue;
        bool is_listed = false;
        for (size_t i = 0; i < LISTED_COUNT; i++)
            is_listed = is_listed || strcmp(strrchr(listed[i].source, '/') + 1, entry->d_name) == 0;
        cr_expect(is_listed, "tests/programs/%s is not in tests/programs/CMakeLists.txt",
                  entry->d_name);
    }
    closedir(folder);
}
