/* SPDX-License-Identifier: MIT
 *
 * One use of the command in a folder of its own, where budgets and records are files with short
 * names. CI and GitHub's variables are unset unless a test sets them. */
#ifndef CA_GATE_CASE_H
#define CA_GATE_CASE_H

#include <criterion/criterion.h>

#include "support/spawn.h"

struct gate_case {
    char *folder;
    const char *environment[8]; /* further settings, as in struct ca_spawn; NULL-ended */
    const char *stdin_path;     /* NULL: /dev/null */
    int status;                 /* of the latest run; 128 + N for signal N */
    struct ca_spawned spawned;  /* what it said */
};

/* Makes the folder and, unless `budgets` is NULL, its file "b.ini". */
void gate_case_init(struct gate_case *gate, const char *budgets);

/* Removes both. */
void gate_case_release(struct gate_case *gate);

/* Writes file `name` of the folder. */
void gate_write(const struct gate_case *gate, const char *name, const char *text);

/* The whole of file `name`; to be freed. NULL: there is none. */
char *gate_read(const struct gate_case *gate, const char *name);

/* Runs a command in the folder; `arguments` are NULL-ended. Returns its status. */
int gate_run(struct gate_case *gate, const char *const *arguments);

/* `countalloc check -b b.ini ARGUMENTS...`, and the same of any command. */
#define CHECK(gate, ...)                                                                           \
    gate_run(gate,                                                                                 \
             (const char *const[]){COUNTALLOC_COMMAND, "check", "-b", "b.ini", __VA_ARGS__, NULL})
#define COUNTALLOC(gate, ...)                                                                      \
    gate_run(gate, (const char *const[]){COUNTALLOC_COMMAND, __VA_ARGS__, NULL})
#define RUN(gate, ...) gate_run(gate, (const char *const[]){__VA_ARGS__, NULL})

/* Whether one line of the output, or of standard error, is `line`. */
bool gate_has_line(const char *text, const char *line);

/* The same for the beginning of a line. */
bool gate_has_start(const char *text, const char *start);

#define ASSERT_STATUS(gate, wanted)                                                                \
    cr_assert((gate)->status == (wanted), "status %d, not %d\n%s%s", (gate)->status, wanted,       \
              (gate)->spawned.out, (gate)->spawned.err)
#define ASSERT_OUT(gate, line)                                                                     \
    cr_assert(gate_has_line((gate)->spawned.out, line), "no line '%s' in\n%s%s", line,             \
              (gate)->spawned.out, (gate)->spawned.err)
#define ASSERT_OUT_START(gate, start)                                                              \
    cr_assert(gate_has_start((gate)->spawned.out, start), "no line begins with '%s' in\n%s%s",     \
              start, (gate)->spawned.out, (gate)->spawned.err)
#define ASSERT_ERR_START(gate, start)                                                              \
    cr_assert(gate_has_start((gate)->spawned.err, start), "no line begins with '%s' in\n%s",       \
              start, (gate)->spawned.err)
#define ASSERT_ERR(gate, line)                                                                     \
    cr_assert(gate_has_line((gate)->spawned.err, line), "no line '%s' in\n%s", line,               \
              (gate)->spawned.err)

#endif
