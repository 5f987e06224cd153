/* SPDX-License-Identifier: MIT */
#include "budget_fixture.h"

#include <stdio.h>

static void refuse_bytes(const char *text, size_t byte_count, const char *expected) {
    struct ca_budget_file file = {.section_count = 77};
    struct ca_error err = {""};
    cr_expect_eq(ca_budget_file_parse(&file, "b.ini", text, byte_count, &err), CA_ERROR_INPUT, "%s",
                 text);
    cr_expect_str_eq(err.message, expected);
    cr_expect_eq(file.section_count, 77);
}

static void refuse(const char *text, const char *expected) {
    refuse_bytes(text, strlen(text), expected);
}

static const struct ca_budget_section *only_section(const char *text) {
    struct ca_budget_file *file = budgets_of(text);
    cr_assert_eq(file->section_count, 1);
    return file->sections;
}

Test(budget_file, the_contracts_example_is_read) {
    struct ca_budget_file *file =
        budgets_of("[defaults]\n"
                   "scope = owner              ; the threads that opened the phase | all\n"
                   "tolerance = 0\n"
                   "[logstat-v4/scan]          ; program name / phase\n"
                   "per   = line\n"
                   "rate  = 0                  ; allocations per line\n"
                   "fixed = 3                  ; once\n"
                   "[logstat-v4/scan@musl]     ; any components of the platform key\n"
                   "fixed = 1\n");
    cr_assert_eq(file->section_count, 2);
    const struct ca_budget_section *section = &file->sections[0];
    cr_assert_str_eq(section->program, "logstat-v4");
    cr_assert_str_eq(section->phase, "scan");
    cr_assert_str_eq(section->platform, "");
    cr_assert_str_eq(section->per, "line");
    cr_assert_eq(section->line, 4);
    cr_assert_eq(section->limits[CA_LIMIT_ALLOCATIONS].fixed, 3);
    cr_assert_eq(section->limits[CA_LIMIT_ALLOCATIONS].fixed_at.line, 7);
    cr_assert_eq(section->limits[CA_LIMIT_ALLOCATIONS].fixed_at.length_bytes, 1);
    cr_assert_eq(file->text[section->limits[CA_LIMIT_ALLOCATIONS].fixed_at.offset_bytes], '3');
    cr_assert_eq(file->default_scope, CA_SCOPE_OWNER);
    cr_assert_str_eq(file->sections[1].platform, "musl");
    cr_assert_eq(file->sections[1].component_count, 1);
}

Test(budget_file, every_key_is_read) {
    const struct ca_budget_section *section = only_section("[p/x]\n"
                                                           "per = line\n"
                                                           "rate = 1/3\n"
                                                           "fixed = 1\n"
                                                           "bytes.fixed = 2\n"
                                                           "bytes.rate = 0.5\n"
                                                           "bytes_peak.fixed = 3\n"
                                                           "bytes_peak.rate = 4\n"
                                                           "live_blocks.fixed = 5\n"
                                                           "live_blocks.rate = 6\n"
                                                           "scope = all\n"
                                                           "tolerance = 7\n"
                                                           "why = it must; see #12\n");
    static const uint64_t fixed[] = {1, 2, 3, 5};
    static const struct ca_ratio rates[] = {{1, 3}, {1, 2}, {4, 1}, {6, 1}};
    for (int i = 0; i < CA_LIMIT_COUNT; i++) {
        cr_assert_eq(section->limits[i].fixed, fixed[i]);
        cr_assert_eq(ca_ratio_compare(section->limits[i].rate, rates[i]), 0);
    }
    cr_assert_eq(section->scope, CA_SCOPE_ALL);
    cr_assert_eq(section->tolerance, 7);
    cr_assert_str_eq(section->why, "it must; see #12");
}

Test(budget_file, bom_crlf_tabs_indents_and_a_missing_last_newline_are_fine) {
    const struct ca_budget_section *section = only_section(
        "\xef\xbb\xbf; comment\r\n\r\n [ p/x ]\t; c\r\n\tper\t=\tline\t;c\r\n  # c\r\n  fixed=3");
    cr_assert_str_eq(section->title, "p/x");
    cr_assert_eq(section->line, 3);
    cr_assert_str_eq(section->per, "line");
    cr_assert_eq(section->limits[0].fixed, 3);
    cr_assert_eq(section->limits[0].fixed_at.line, 6);
    cr_assert_eq(only_section("\xef\xbb\xbf[p/x]\nfixed=3\n")->line, 1);
}

Test(budget_file, the_program_is_split_at_the_last_slash) {
    cr_assert_str_eq(only_section("[/usr/bin/tool/total]\nfixed=1\n")->program, "/usr/bin/tool");
    const struct ca_budget_section *section = only_section("[a@b/x@linux-musl]\nfixed=1\n");
    cr_assert_str_eq(section->program, "a@b");
    cr_assert_str_eq(section->phase, "x");
    cr_assert_str_eq(section->platform, "linux-musl");
    cr_assert_eq(section->component_count, 2);
}

Test(budget_file, an_empty_file_has_no_sections) {
    cr_assert_eq(budgets_of("")->section_count, 0);
    cr_assert_eq(budgets_of("; nothing\n\n")->section_count, 0);
}

Test(budget_file, long_names_and_lines_are_whole) {
    char text[2000];
    snprintf(text, sizeof text, "[%0100d/%095d]\nwhy = %01000d\nfixed = 5\n", 1, 2, 3);
    const struct ca_budget_section *section = only_section(text);
    cr_assert_eq(strlen(section->program), 100);
    cr_assert_eq(strlen(section->phase), 95);
    cr_assert_eq(strlen(section->why), 1000);
    cr_assert_eq(section->limits[0].fixed, 5);
    cr_assert_eq(section->limits[0].fixed_at.line, 3);
}

Test(budget_file, sections_that_are_wrong_name_their_line) {
    refuse("\n[p/x\nfixed = 1\n", "b.ini:2: missing ']' behind the section's name");
    refuse("[p/x ; ]\n", "b.ini:1: missing ']' behind the section's name");
    refuse("[p/x] fixed = 1\n",
           "b.ini:1: 'fixed = 1' behind ']': only a comment, which begins with ';', may follow");
    refuse("[p/x] # c\n",
           "b.ini:1: '# c' behind ']': only a comment, which begins with ';', may follow");
    refuse("[default]\n", "b.ini:1: unknown section [default]: a section is [defaults] or "
                          "[PROGRAM/PHASE], where PHASE may be total");
    refuse("[]\n", "b.ini:1: unknown section []: a section is [defaults] or "
                   "[PROGRAM/PHASE], where PHASE may be total");
    refuse("[/x]\n", "b.ini:1: [/x]: empty program before '/'");
    refuse("[p/]\n", "b.ini:1: [p/]: empty phase behind '/'");
    refuse("[p/@musl]\n", "b.ini:1: [p/@musl]: empty phase behind '/'");
    refuse("[p /x]\n", "b.ini:1: [p /x]: blank beside '/' or '@'");
    refuse("[p/x@ musl]\n", "b.ini:1: [p/x@ musl]: blank beside '/' or '@'");
    refuse("[p/x@a@b]\n", "b.ini:1: [p/x@a@b]: more than one '@'");
    static const char *const empty[] = {"[p/x@]", "[p/x@-musl]", "[p/x@linux-]", "[p/x@a--b]"};
    for (size_t i = 0; i < 4; i++) {
        char expected[300];
        snprintf(expected, sizeof expected,
                 "b.ini:1: %s: empty component of the platform behind '@': write components of the "
                 "platform key with '-' between them, as @linux-musl",
                 empty[i]);
        refuse(empty[i], expected);
    }
    refuse("[p/x]\nfixed = 1\n\n[q/x]\nfixed = 1\n[ p/x ]\n",
           "b.ini:6: [p/x] again: it is on line 1 already");
    refuse("[defaults]\n[p/x]\nfixed=1\n[defaults]\n",
           "b.ini:4: [defaults] again: it is on line 1 already");
    refuse("[p/x]\nwhy = nothing else\n",
           "b.ini:1: [p/x] limits nothing: give it fixed, or per and rate");
    refuse("[p/x]\n\nrate = 2\n", "b.ini:3: [p/x]: a rate without a unit: add 'per = UNIT'");
}

Test(budget_file, names_that_are_too_long_name_their_line) {
    char text[2000];
    snprintf(text, sizeof text, "[p/%096d]\nfixed = 1\n", 0);
    refuse(text, "b.ini:1: phase name of 96 bytes is too long: a phase has at most 95");
    snprintf(text, sizeof text, "[%01024d/x]\nfixed = 1\n", 0);
    refuse(text, "b.ini:1: program name of 1024 bytes is too long: at most 1023 can be compared");
    snprintf(text, sizeof text, "[p/x]\nper = %032d\n", 0);
    refuse(text, "b.ini:2: unit name of 32 bytes is too long: a unit has at most 31");
}

Test(budget_file, keys_that_are_wrong_name_their_line) {
    refuse("fixed = 0\n[p/x]\n",
           "b.ini:1: 'fixed' before any section: [PROGRAM/PHASE] or [defaults] comes first");
    refuse("[p/x]\nfixed = 0\nfixde = 1\n", "b.ini:3: unknown key 'fixde': did you mean 'fixed'");
    refuse("[p/x]\nFixed = 0\n", "b.ini:2: unknown key 'Fixed': did you mean 'fixed'");
    refuse("[p/x]\nbytes_peak = 0\n",
           "b.ini:2: unknown key 'bytes_peak': did you mean 'bytes_peak.fixed'");
    refuse(
        "[p/x]\nthreshold = 0\n",
        "b.ini:2: unknown key 'threshold': there are per, rate, fixed, bytes.*, bytes_peak.* and "
        "live_blocks.* (each .fixed and .rate), scope, tolerance, why");
    refuse("[defaults]\nfixed = 0\n",
           "b.ini:2: unknown key 'fixed' in [defaults], which has scope and tolerance");
    refuse("[p/x]\nfixed = 0\n\n  fixed = 1\n", "b.ini:4: 'fixed' again: it is on line 2 already");
    refuse("[p/x]\nwhy = a\nwhy = b\n", "b.ini:3: 'why' again: it is on line 2 already");
    refuse("[defaults]\nscope = all\nscope = all\n",
           "b.ini:3: 'scope' again: it is on line 2 already");
    refuse("[p/x]\nfixed: 3\n", "b.ini:2: neither [SECTION] nor KEY = VALUE: 'fixed: 3'");
    refuse("[p/x]\n= 3\n", "b.ini:2: no key before '='");
}

Test(budget_file, values_that_are_wrong_name_their_line) {
    refuse("[p/x]\nfixed = 0 # x\n", "b.ini:2: fixed: '0 # x' is no number: '#' does not begin a "
                                     "comment behind a value, ';' does");
    refuse("[p/x]\r\nfixed = -1\r\n", "b.ini:2: fixed: '-1' is negative");
    refuse("[p/x]\nfixed = 3;4\n", "b.ini:2: fixed: '3;4' is no whole number");
    refuse("[p/x]\nfixed =\n", "b.ini:2: 'fixed' has no value");
    refuse("[p/x]\nfixed = ; three\n", "b.ini:2: 'fixed' has no value");
    refuse("[p/x]\nfixed = 0.5\n", "b.ini:2: fixed: '0.5' is no whole number");
    refuse("[p/x]\nfixed = 18446744073709551616\n",
           "b.ini:2: fixed: '18446744073709551616' does not fit in 64 bits");
    refuse("[p/x]\nper = line\nrate = 1/0\n", "b.ini:3: rate: '1/0' divides by 0");
    refuse("[p/x]\nrate = 2%\n",
           "b.ini:2: rate: '2%' is no number: a rate is an integer, N/D or a decimal like 0.25");
    refuse("[p/x]\nbytes.rate = x\n",
           "b.ini:2: bytes.rate: 'x' is no number: a rate is an integer, "
           "N/D or a decimal like 0.25");
    refuse("[p/x]\ntolerance = 3%\n", "b.ini:2: tolerance: '3%' is no whole number");
    refuse("[defaults]\ntolerance = -3\n", "b.ini:2: tolerance: '-3' is negative");
    refuse("[p/x]\nscope = thread\n", "b.ini:2: scope: 'thread' is neither owner nor all");
    refuse("[defaults]\nscope = Owner\n", "b.ini:2: scope: 'Owner' is neither owner nor all");
    refuse("[p/x]\nwhy =  \n", "b.ini:2: 'why' has no value");
    refuse("[p/x]\nper =\n", "b.ini:2: 'per' has no value");
}

Test(budget_file, what_is_no_text_is_refused) {
    refuse_bytes("[p/x]\nfixed = \0"
                 "3\n",
                 17, "b.ini:2: control byte 0x00: a budget file is plain text in UTF-8");
    refuse("[p/x]\rfixed = 3\n",
           "b.ini:1: control byte 0x0d: a budget file is plain text in UTF-8");
    refuse_bytes("\xff\xfe[\0p\0", 6,
                 "b.ini:1: control byte 0x00: a budget file is plain text in UTF-8");
}

Test(budget_file, a_file_that_is_not_there_says_so) {
    struct ca_budget_file file;
    struct ca_error err;
    cr_assert_eq(ca_budget_file_read(&file, "/nonexistent/b.ini", &err), CA_ERROR_SYSTEM);
    cr_assert_str_eq(err.message, "cannot read '/nonexistent/b.ini': No such file or directory");
    cr_assert_eq(ca_budget_file_read(&file, "/", &err), CA_ERROR_SYSTEM);
    cr_assert_str_eq(err.message, "cannot read '/': Is a directory");
}

/* Every way to cut an example short, and every byte of it replaced, ends in a file or in an error,
 * never elsewhere. */
Test(budget_file, no_text_leads_out_of_bounds) {
    static const char example[] =
        "\xef\xbb\xbf[defaults]\r\ntolerance = 1\n[p/x@a-b] ; c\n per\t= l "
        ";c\nrate=1.5\nfixed = 3\n[/a/b/y]\nbytes.fixed=9";
    static const char bytes[] = "\0\n\r []=;#/@-.0\xff";
    char text[sizeof example];
    for (size_t length = 0; length < sizeof example; length++) {
        for (size_t at = 0; at < length; at++)
            for (size_t b = 0; b < sizeof bytes - 1; b++) {
                struct ca_budget_file file;
                struct ca_error err;
                memcpy(text, example, sizeof example);
                text[at] = bytes[b];
                if (ca_budget_file_parse(&file, "b.ini", text, length, &err) == CA_OK)
                    ca_budget_file_release(&file);
            }
    }
}
