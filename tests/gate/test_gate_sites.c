/* SPDX-License-Identifier: MIT
 *
 * New call sites, from a run to the failure that names them: site_program.c in two versions. */
#include "gate_case.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define OLD COUNTALLOC_GATE_SITES_OLD
#define NEW COUNTALLOC_GATE_SITES_NEW

static struct gate_case gate;

static void begin(void) {
    gate_case_init(&gate, "[p/scan]\nper = line\nrate = 1\nfixed = 7\nwhy = measured\n");
}

static void end(void) {
    gate_case_release(&gate);
}

TestSuite(gate_sites, .init = begin, .fini = end);

#define RECORD(file, ...) CHECK(&gate, "--sites", "-o", file, "--name", "p", "--", __VA_ARGS__)

/* The lines of the output that are about sites. */
static void assert_site_lines(const char *wanted) {
    char found[4096] = "";
    for (const char *line = gate.spawned.out; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        if (strncmp(line, "    new ", 8) == 0 || strncmp(line, "    grown ", 10) == 0 ||
            strncmp(line, "    largest ", 12) == 0 || strncmp(line, "    others ", 11) == 0 ||
            strncmp(line, "    note ", 9) == 0 || strncmp(line, "  where:", 8) == 0)
            strncat(found, line, length + 1);
        line += length + (line[length] == '\n');
    }
    cr_assert_str_eq(found, wanted, "wanted:\n%s\nfound:\n%s\nin:\n%s%s", wanted, found,
                     gate.spawned.out, gate.spawned.err);
}

Test(gate_sites, diff_names_the_new_ones_first) {
    RECORD("old.json", OLD, "1000");
    ASSERT_STATUS(&gate, 0);
    RECORD("new.json", NEW, "1000");
    ASSERT_STATUS(&gate, 1);
    COUNTALLOC(&gate, "diff", "--by", "site", "old.json", "new.json");
    ASSERT_STATUS(&gate, 0);
    const char *body = strstr(gate.spawned.out, "\n\n");
    cr_assert_not_null(body, "%s", gate.spawned.out);
    cr_assert_str_eq(
        body,
        "\n\n"
        "new: keep_line scan.c:201, in phase scan\n"
        "  allocations        0 -> 1000                           +1000   0 -> 1 per line\n"
        "  bytes requested    0 -> 3000                           +3000   0 -> 3 per line\n"
        "\n"
        "grown: add_word scan.c:108, in phase scan\n"
        "  allocations        5 -> 8                                 +3   0.005 -> 0.008 per line\n"
        "  bytes requested    50 -> 80                              +30   0.05 -> 0.08 per line\n"
        "\n"
        "gone: forget scan.c:301, in phase scan\n"
        "  allocations        2 -> 0                                 -2   0.002 -> 0 per line\n"
        "  bytes requested    2 -> 0                                 -2   0.002 -> 0 per line\n"
        "\n"
        "2 the same\n"
        "  allocations        1001 -> 1001                            0\n"
        "  bytes requested    24007 -> 24007                          0\n"
        "\n"
        "all sites\n"
        "  allocations        1008 -> 2009                        +1001   1.008 -> 2.009 per line\n"
        "  bytes requested    24059 -> 27087                      +3028   24.059 -> 27.087 per "
        "line\n");
    ASSERT_OUT(&gate, "countalloc diff: +1001 allocations, +3028 bytes requested; sites: 1 new, 1 "
                      "grown, 0 shrunk, 1 gone, 2 the same");
}

Test(gate_sites, diff_of_the_same_program_has_none) {
    RECORD("old.json", OLD, "10");
    RECORD("new.json", OLD, "10");
    COUNTALLOC(&gate, "diff", "--by", "site", "--exit-code", "old.json", "new.json");
    ASSERT_STATUS(&gate, 0);
    ASSERT_OUT(&gate, "countalloc diff: no site differs (4 sites)");
    RECORD("new.json", OLD, "11");
    COUNTALLOC(&gate, "diff", "--by", "site", "--exit-code", "old.json", "new.json");
    ASSERT_STATUS(&gate, 1);
}

Test(gate_sites, diff_sums_up_what_it_does_not_show) {
    RECORD("old.json", OLD, "1000");
    RECORD("new.json", NEW, "1000");
    COUNTALLOC(&gate, "diff", "--by", "site", "--top", "1", "old.json", "new.json");
    ASSERT_OUT(&gate, "2 more that differ");
    ASSERT_OUT(&gate, "  allocations        7 -> 8                                 +1");
    cr_assert_null(strstr(gate.spawned.out, "add_word"));
    COUNTALLOC(&gate, "diff", "--top", "1", "old.json", "new.json");
    ASSERT_STATUS(&gate, 2);
    ASSERT_ERR(&gate, "countalloc diff: '--top' is for '--by site'");
    COUNTALLOC(&gate, "diff", "--by", "site", "--format", "md", "--top", "1", "old.json",
               "new.json");
    ASSERT_OUT(&gate, "| new: keep\\_line scan.c:201 | allocations | 0 | 1000 | +1000 | 0 -&gt; 1 "
                      "per line |");
    ASSERT_OUT(&gate, "| 2 more that differ | allocations | 7 | 8 | +1 |  |");
    ASSERT_OUT(&gate, "| all sites | allocations | 1008 | 2009 | +1001 | 1.008 -&gt; 2.009 per "
                      "line |");
}

Test(gate_sites, diff_in_json_adds_up) {
    RECORD("old.json", OLD, "1000");
    RECORD("new.json", NEW, "1000");
    COUNTALLOC(&gate, "diff", "--by", "site", "--format", "json", "old.json", "new.json");
    json_t *root = json_loads(gate.spawned.out, JSON_REJECT_DUPLICATES, NULL);
    json_int_t before, after, sums[2] = {0, 0}, all[2];
    size_t index;
    json_t *site, *by_site = json_object_get(root, "by_site");
    json_array_foreach(json_object_get(by_site, "sites"), index, site) {
        cr_assert_eq(json_unpack(site, "{s:[I, I]}", "allocations", &before, &after), 0);
        sums[0] += before;
        sums[1] += after;
    }
    cr_assert_eq(index, 3);
    cr_assert_eq(json_unpack(by_site, "{s:{s:[I, I]}, s:{s:[I, I]}}", "same", "allocations",
                             &before, &after, "sum", "allocations", &all[0], &all[1]),
                 0);
    cr_assert(sums[0] + before == all[0] && sums[1] + after == all[1]);
    cr_assert(all[0] == 1008 && all[1] == 2009);
    json_decref(root);
}

Test(gate_sites, diff_wants_sites_in_both) {
    RECORD("new.json", NEW, "10");
    COUNTALLOC(&gate, "run", "-q", "-o", "old.json", "--", OLD, "10");
    COUNTALLOC(&gate, "diff", "--by", "site", "old.json", "new.json");
    ASSERT_STATUS(&gate, 2);
    ASSERT_ERR(&gate, "countalloc diff: 'old.json' has no call sites: record it again with "
                      "'countalloc run --sites -o FILE', or compare by phase");
}

/* ---- check ---- */

Test(gate_sites, a_failure_names_what_is_new_and_what_has_grown) {
    RECORD("old.json", OLD, "1000");
    CHECK(&gate, "--against", "old.json", "--name", "p", "--", NEW, "1000");
    ASSERT_STATUS(&gate, 1);
    assert_site_lines("    new      keep_line scan.c:201  +1000 allocations\n"
                      "    grown    add_word scan.c:108  +3 allocations (5 -> 8)\n"
                      "    others   1 with less: -2 allocations\n");
}

Test(gate_sites, other_input_is_said) {
    RECORD("old.json", OLD, "500");
    CHECK(&gate, "--against", "old.json", "--name", "p", "--", NEW, "1000");
    assert_site_lines(
        "    new      keep_line scan.c:201  +1000 allocations\n"
        "    grown    copy_line scan.c:104  +500 allocations (500 -> 1000)\n"
        "    grown    add_word scan.c:108  +3 allocations (5 -> 8)\n"
        "    others   1 with less: -2 allocations\n"
        "    note     'line' was 500 in old.json and is 1000 now: a site can have grown with its "
        "input alone\n");
}

Test(gate_sites, records_are_held_against_records) {
    RECORD("old.json", OLD, "1000");
    RECORD("new.json", NEW, "1000");
    CHECK(&gate, "--against", "old.json", "new.json");
    ASSERT_STATUS(&gate, 1);
    assert_site_lines("    new      keep_line scan.c:201  +1000 allocations\n"
                      "    grown    add_word scan.c:108  +3 allocations (5 -> 8)\n"
                      "    others   1 with less: -2 allocations\n");
}

Test(gate_sites, without_an_older_record_they_are_the_largest) {
    CHECK(&gate, "--sites", "--name", "p", "--", NEW, "1000");
    ASSERT_STATUS(&gate, 1);
    assert_site_lines("    largest  copy_line scan.c:104  1000 allocations\n"
                      "    largest  keep_line scan.c:201  1000 allocations\n"
                      "    largest  add_word scan.c:108  8 allocations\n"
                      "    note     the largest sites; '--against RECORD' of a version within the "
                      "budget names those that are new\n");
}

Test(gate_sites, over_before_as_now_has_nothing_new) {
    gate_write(&gate, "b.ini", "[p/total]\nfixed = 3\n");
    RECORD("old.json", OLD, "10");
    ASSERT_STATUS(&gate, 1);
    CHECK(&gate, "--against", "old.json", "old.json");
    assert_site_lines("    largest  copy_line scan.c:3  10 allocations, in phase scan\n"
                      "    largest  add_word scan.c:7  5 allocations, in phase scan\n"
                      "    largest  forget scan.c:301  2 allocations, in phase scan\n"
                      "    largest  main scan.c:400  1 allocation, in phase main\n"
                      "    note     no site is new or has grown against old.json: these are the "
                      "largest\n");
}

Test(gate_sites, bytes_are_named_when_bytes_are_over) {
    gate_write(&gate, "b.ini", "[p/scan]\nbytes.fixed = 24052\n");
    RECORD("old.json", OLD, "1000");
    ASSERT_STATUS(&gate, 0);
    CHECK(&gate, "--against", "old.json", "--name", "p", "--", NEW, "1000");
    assert_site_lines("    new      keep_line scan.c:201  +3000 bytes\n"
                      "    grown    add_word scan.c:108  +30 bytes (50 -> 80)\n"
                      "    others   1 with less: -2 bytes\n");
}

Test(gate_sites, without_sites_the_command_that_names_them_is_named) {
    CHECK(&gate, "--name", "p", "--", NEW, "10");
    ASSERT_STATUS(&gate, 1);
    assert_site_lines("  where:     countalloc check --sites -b b.ini --name p -- " NEW " 10\n");
}

Test(gate_sites, within_the_budget_nothing_is_said) {
    RECORD("old.json", OLD, "1000");
    CHECK(&gate, "--against", "old.json", "--name", "p", "--", OLD, "1000");
    ASSERT_STATUS(&gate, 0);
    assert_site_lines("");
}

Test(gate_sites, callers_are_named_with_stacks) {
    CHECK(&gate, "--stacks=4", "-o", "old.json", "--name", "p", "--", OLD, "1000");
    ASSERT_STATUS(&gate, 0);
    CHECK(&gate, "--against", "old.json", "--name", "p", "--", NEW, "1000");
    ASSERT_OUT_START(&gate, "    new      keep_line scan.c:201  +1000 allocations, called by scan, "
                            "main");
}

Test(gate_sites, a_record_that_cannot_be_held_against_is_refused) {
    RECORD("new.json", NEW, "10");
    COUNTALLOC(&gate, "run", "-q", "-o", "old.json", "--name", "p", "--", OLD, "10");
    CHECK(&gate, "--against", "old.json", "new.json");
    ASSERT_STATUS(&gate, 2);
    ASSERT_ERR(&gate, "countalloc check: --against old.json: it has no call sites: record it again "
                      "with 'countalloc run --sites -o FILE'");
    COUNTALLOC(&gate, "run", "-q", "--sites", "-o", "old.json", "--name", "q", "--", OLD, "10");
    CHECK(&gate, "--against", "old.json", "new.json");
    ASSERT_STATUS(&gate, 2);
    ASSERT_ERR(&gate, "countalloc check: --against old.json: it is of program 'q', and no such "
                      "program is checked (--name gives one another name)");
    CHECK(&gate, "--sites", "new.json");
    ASSERT_STATUS(&gate, 2);
}

Test(gate_sites, the_self_test_needs_none) {
    RECORD("old.json", OLD, "10");
    CHECK(&gate, "--self-test", "--against", "old.json", "--name", "p", "--", OLD, "10");
    ASSERT_STATUS(&gate, 0);
}

Test(gate_sites, an_annotation_is_on_the_line_when_it_is_in_the_repository) {
    RECORD("old.json", OLD, "1000");
    RUN(&gate, "mkdir", ".git", "src");
    gate_write(&gate, "src/scan.c", "");
    RECORD("new.json", NEW, "1000");
    CHECK(&gate, "--against", "old.json", "--format", "github", "new.json");
    cr_assert_null(strstr(gate.spawned.out, "::warning"), "%s", gate.spawned.out);
    gate_write(&gate, "edit", "s#\"file\": \"[^\"]*scan.c\"#\"file\": \"./src/scan.c\"#g\n");
    RUN(&gate, "sed", "-i", "-f", "edit", "new.json");
    CHECK(&gate, "--against", "old.json", "--format", "github", "new.json");
    ASSERT_OUT(&gate, "::warning file=src/scan.c,line=201,title=p/scan::new: keep_line  +1000 "
                      "allocations");
    ASSERT_OUT(&gate, "::warning file=src/scan.c,line=108,title=p/scan::grown: add_word  +3 "
                      "allocations (5 -> 8)");
}
