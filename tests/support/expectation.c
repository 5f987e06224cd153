/* SPDX-License-Identifier: MIT */
#include "expectation.h"

#include <stdlib.h>
#include <string.h>

#include "spawn.h"

static void add_to(const char **list, size_t capacity, char *word) {
    size_t count = 0;
    while (list[count] != NULL)
        count++;
    if (count + 1 < capacity)
        list[count] = word;
}

static void add_figure(struct ca_expectation *expectation, char *word) {
    char *value = strchr(word, '=');
    if (value == NULL || expectation->figure_count == CA_EXPECTATION_WORDS)
        return;
    *value = '\0';
    expectation->figures[expectation->figure_count].name = word;
    expectation->figures[expectation->figure_count].value = value + 1;
    expectation->figure_count++;
}

static void add_line(struct ca_expectation *expectation, char *line) {
    line += strspn(line, " *");
    char *words = strchr(line, ':');
    if (words == NULL || strchr(" \t", words[1]) == NULL)
        return;
    *words++ = '\0';
    words += strspn(words, " ");
    if (strcmp(line, "note") == 0) {
        if (expectation->note_count < sizeof expectation->notes / sizeof expectation->notes[0])
            expectation->notes[expectation->note_count++] = words;
        return;
    }
    char *rest;
    for (char *word = strtok_r(words, " \t", &rest); word != NULL;
         word = strtok_r(NULL, " \t", &rest)) {
        if (strcmp(line, "expect") == 0)
            add_figure(expectation, word);
        else if (strcmp(line, "args") == 0)
            add_to(expectation->arguments, 16, word);
        else if (strcmp(line, "env") == 0)
            add_to(expectation->environment, 16, word);
        else if (strcmp(line, "run") == 0)
            add_to(expectation->run_options, 16, word);
        else if (strcmp(line, "modes") == 0)
            expectation->has_plain_mode = expectation->has_plain_mode || strcmp(word, "plain") == 0;
        else if (strcmp(line, "valgrind") == 0)
            expectation->has_valgrind = strcmp(word, "yes") == 0;
    }
}

bool ca_expectation_init(struct ca_expectation *expectation, const char *source_path) {
    *expectation = (struct ca_expectation){.text = ca_spawn_read_file(source_path, NULL)};
    char *comment = expectation->text != NULL ? strstr(expectation->text, "/*") : NULL;
    char *end = comment != NULL ? strstr(comment, "*/") : NULL;
    if (end == NULL)
        return false;
    *end = '\0';
    expectation->has_plain_mode = strstr(comment, "\n * modes:") == NULL;
    char *rest;
    for (char *line = strtok_r(comment, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest))
        add_line(expectation, line);
    return expectation->figure_count > 0;
}

void ca_expectation_release(struct ca_expectation *expectation) {
    free(expectation->text);
    *expectation = (struct ca_expectation){.text = NULL};
}
