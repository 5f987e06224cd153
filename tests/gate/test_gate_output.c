/* SPDX-License-Identifier: MIT
 *
 * Where the reports and the program's own output go. A document on standard output has it for
 * itself; text and annotations, which are lines among others, follow what the program says. */
#include "gate_case.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Says a word on each of both outputs. */
#define PROGRAM "sh", "-c", "echo out; echo err >&2"

static struct gate_case gate;

static void begin(void) {
    gate_case_init(&gate, "[p/total]\nfixed = 1000\n");
}

static void end(void) {
    gate_case_release(&gate);
}

TestSuite(gate_output, .init = begin, .fini = end);

static void assert_json(const char *text, size_t byte_count) {
    json_error_t cause;
    json_t *root = json_loadb(text, byte_count, 0, &cause);
    cr_assert_not_null(root, "%s in %s", cause.text, text);
    cr_assert_str_eq(json_string_value(json_object_get(root, "schema")), "countalloc.check/1");
    json_decref(root);
}

Test(gate_output, json_is_all_of_standard_output) {
    CHECK(&gate, "--name", "p", "--format", "json", "--", PROGRAM);
    ASSERT_STATUS(&gate, 0);
    assert_json(gate.spawned.out, gate.spawned.out_bytes);
    cr_assert_str_eq(gate.spawned.err, "out\nerr\n");
}

Test(gate_output, junit_is_all_of_standard_output) {
    CHECK(&gate, "--name", "p", "--format", "junit", "--", PROGRAM);
    ASSERT_STATUS(&gate, 0);
    cr_assert_eq(strncmp(gate.spawned.out, "<?xml ", 6), 0, "%s", gate.spawned.out);
    cr_assert_null(strstr(gate.spawned.out, "out\n"));
    cr_assert_str_eq(gate.spawned.err, "out\nerr\n");
}

Test(gate_output, md_is_all_of_standard_output) {
    CHECK(&gate, "--name", "p", "--format", "md", "--", PROGRAM);
    ASSERT_STATUS(&gate, 0);
    cr_assert_eq(gate.spawned.out[0], '#', "%s", gate.spawned.out);
    cr_assert_null(strstr(gate.spawned.out, "out\n"));
    cr_assert_str_eq(gate.spawned.err, "out\nerr\n");
}

Test(gate_output, text_comes_after_what_the_program_says) {
    CHECK(&gate, "--name", "p", "--", PROGRAM);
    ASSERT_STATUS(&gate, 0);
    cr_assert_eq(strncmp(gate.spawned.out, "out\ncountalloc check: PASS ", 27), 0, "%s",
                 gate.spawned.out);
    cr_assert_str_eq(gate.spawned.err, "err\n");
}

Test(gate_output, annotations_come_after_what_the_program_says) {
    CHECK(&gate, "--name", "p", "--format", "github", "--", PROGRAM);
    ASSERT_STATUS(&gate, 0);
    cr_assert_eq(strncmp(gate.spawned.out, "out\n::notice ", 13), 0, "%s", gate.spawned.out);
    cr_assert_str_eq(gate.spawned.err, "err\n");
}

Test(gate_output, documents_in_files_leave_the_program_its_output) {
    size_t bytes;
    CHECK(&gate, "--name", "p", "--format", "json=report.json", "--format", "md=report.md", "--",
          PROGRAM);
    ASSERT_STATUS(&gate, 0);
    cr_assert_eq(strncmp(gate.spawned.out, "out\ncountalloc check: PASS ", 27), 0, "%s",
                 gate.spawned.out);
    cr_assert_str_eq(gate.spawned.err, "err\n");
    char *report = gate_read(&gate, "report.json");
    bytes = report != NULL ? strlen(report) : 0;
    assert_json(report != NULL ? report : "", bytes);
    free(report);
}

/* A document, written as a further file, before the text. */
Test(gate_output, a_dash_is_standard_output) {
    CHECK(&gate, "--name", "p", "--format", "json=-", "--", PROGRAM);
    ASSERT_STATUS(&gate, 0);
    cr_assert_eq(gate.spawned.out[0], '{', "%s", gate.spawned.out);
    cr_assert_not_null(strstr(gate.spawned.out, "\n}\ncountalloc check: PASS "));
    cr_assert_str_eq(gate.spawned.err, "out\nerr\n");
}

Test(gate_output, two_on_standard_output_are_usage) {
    CHECK(&gate, "--format", "json", "--format", "md", "--", PROGRAM);
    ASSERT_STATUS(&gate, 2);
    ASSERT_ERR_START(&gate, "countalloc check: two formats go to standard output; write one to a "
                            "file with --format F=FILE");
    cr_assert_str_empty(gate.spawned.out);
}
