/* SPDX-License-Identifier: MIT */
#include "gate_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gate_case_init(struct gate_case *gate, const char *budgets) {
    memset(gate, 0, sizeof *gate);
    gate->folder = ca_spawn_make_directory();
    cr_assert_not_null(gate->folder);
    if (budgets != NULL)
        gate_write(gate, "b.ini", budgets);
}

void gate_case_release(struct gate_case *gate) {
    ca_spawned_release(&gate->spawned);
    ca_spawn_remove_directory(gate->folder);
}

static const char *path_of(const struct gate_case *gate, const char *name, char *buffer,
                           size_t size) {
    cr_assert_lt((size_t)snprintf(buffer, size, "%s/%s", gate->folder, name), size);
    return buffer;
}

void gate_write(const struct gate_case *gate, const char *name, const char *text) {
    char path[4096];
    FILE *file = fopen(path_of(gate, name, path, sizeof path), "wb");
    cr_assert_not_null(file);
    fputs(text, file);
    cr_assert_eq(fclose(file), 0);
}

char *gate_read(const struct gate_case *gate, const char *name) {
    char path[4096];
    return ca_spawn_read_file(path_of(gate, name, path, sizeof path), NULL);
}

int gate_run(struct gate_case *gate, const char *const *arguments) {
    const char *environment[16] = {
        "CI",      "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY",
        "GIT_DIR", "GIT_WORK_TREE",  "GIT_CONFIG_GLOBAL=/dev/null",
    };
    size_t count = 6;
    for (size_t i = 0; gate->environment[i] != NULL; i++)
        environment[count++] = gate->environment[i];
    ca_spawned_release(&gate->spawned);
    const struct ca_spawn spawn = {.argv = arguments,
                                   .environment = environment,
                                   .directory = gate->folder,
                                   .stdin_path = gate->stdin_path};
    cr_assert(ca_spawn_run(&spawn, &gate->spawned), "cannot start %s", arguments[0]);
    cr_assert_not(gate->spawned.is_hung);
    gate->status =
        gate->spawned.signal != 0 ? 128 + gate->spawned.signal : gate->spawned.exit_status;
    return gate->status;
}

bool gate_has_line(const char *text, const char *line) {
    size_t length = strlen(line);
    for (const char *at = text; *at != '\0';) {
        size_t here = strcspn(at, "\n");
        if (here == length && memcmp(at, line, length) == 0)
            return true;
        at += here + (at[here] == '\n');
    }
    return false;
}

bool gate_has_start(const char *text, const char *start) {
    for (const char *at = text; *at != '\0';) {
        if (strncmp(at, start, strlen(start)) == 0)
            return true;
        size_t here = strcspn(at, "\n");
        at += here + (at[here] == '\n');
    }
    return false;
}
