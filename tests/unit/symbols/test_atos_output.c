/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "symbols/atos_output.h"

static struct ca_atos_function function;

static void expect(const char *line, const char *module, const char *name, const char *file,
                   uint32_t number) {
    function = (struct ca_atos_function){0};
    cr_assert(ca_atos_line_read(line, strlen(line), module, &function), "%s", line);
    cr_expect_eq(function.name_bytes, strlen(name), "%s: %zu", line, function.name_bytes);
    cr_expect(memcmp(function.name, name, strlen(name)) == 0, "%s", line);
    cr_expect_eq(function.line, number, "%s: %u", line, function.line);
    if (file == NULL) {
        cr_expect_null(function.file, "%s", line);
        return;
    }
    cr_assert_not_null(function.file, "%s", line);
    cr_expect_eq(function.file_bytes, strlen(file), "%s: %zu", line, function.file_bytes);
    cr_expect(memcmp(function.file, file, strlen(file)) == 0, "%s", line);
}

static void expect_nothing(const char *line) {
    cr_expect_not(ca_atos_line_read(line, strlen(line), "prog", &function), "%s", line);
}

/* ---- one line ---- */

Test(atos_line, has_function_file_and_line) {
    expect("main (in prog) (main.c:12)", "prog", "main", "main.c", 12);
    expect("main (in prog) (/Users/me/src/main.c:4294967295)", "prog", "main",
           "/Users/me/src/main.c", 4294967295);
}

Test(atos_line, without_debug_information_has_the_function_only) {
    expect("main (in prog) + 24", "prog", "main", NULL, 0);
    expect("main (in prog)", "prog", "main", NULL, 0);
}

Test(atos_line, names_of_cpp_and_objective_c_hold_blanks_and_parentheses) {
    expect("std::map<int, (anonymous namespace)::T>::at(int const&) const (in prog) (a.cpp:3)",
           "prog", "std::map<int, (anonymous namespace)::T>::at(int const&) const", "a.cpp", 3);
    expect("operator new(unsigned long) (in libc++abi.dylib) + 52", "libc++abi.dylib",
           "operator new(unsigned long)", NULL, 0);
    expect("void (*f(int))(int) (in prog)", "prog", "void (*f(int))(int)", NULL, 0);
    expect("-[Window draw:in:] (in prog) (Window.m:7)", "prog", "-[Window draw:in:]", "Window.m",
           7);
    expect("closure #1 in run(_:) (in prog) (run.swift:9)", "prog", "closure #1 in run(_:)",
           "run.swift", 9);
}

Test(atos_line, modules_hold_blanks_and_parentheses) {
    expect("main (in My App) (main.c:1)", "My App", "main", "main.c", 1);
    expect("main (in My App (beta) (2)) (main.c:1)", "My App (beta) (2)", "main", "main.c", 1);
    expect("main (in My App) + 8", "My App", "main", NULL, 0);
    expect("main (in a) (b.c:2)) (c.c:3)", "a) (b.c:2)", "main", "c.c", 3);
}

Test(atos_line, a_module_of_another_name_ends_where_what_follows_fits) {
    expect("main (in prog-1.2) (main.c:1)", NULL, "main", "main.c", 1);
    expect("main (in My App) (main.c:1)", "prog", "main", "main.c", 1);
    expect("main (in prog2) (main.c:1)", "prog", "main", "main.c", 1);
    expect("main (in x) + 4", "prog", "main", NULL, 0);
}

Test(atos_line, paths_hold_blanks_colons_and_what_looks_like_a_module) {
    expect("f (in prog) (/My Files (old)/a b.c:5)", "prog", "f", "/My Files (old)/a b.c", 5);
    expect("f (in prog) (/c:/d (in e)/f.c:6)", "prog", "f", "/c:/d (in e)/f.c", 6);
}

Test(atos_line, places_that_are_unknown_leave_the_function) {
    expect("f (in prog) (??:?)", "prog", "f", NULL, 0);
    expect("f (in prog) (??:0)", "prog", "f", NULL, 0);
    expect("f (in prog) (<compiler-generated>:0)", "prog", "f", NULL, 0);
    expect("f (in prog) (a.c:0)", "prog", "f", "a.c", 0);
    expect("f (in prog) (a.c:)", "prog", "f", NULL, 0);
    expect("f (in prog) (:3)", "prog", "f", NULL, 0);
    expect("f (in prog) (a.c:99999999999)", "prog", "f", NULL, 0);
    expect("f (in prog) (a.c:4294967296)", "prog", "f", NULL, 0);
    expect("f (in prog) (a.c:1x)", "prog", "f", NULL, 0);
    expect("f (in prog) ()", "prog", "f", NULL, 0);
    expect("f (in prog)(a.c:1)", "prog", "f", NULL, 0);
}

Test(atos_line, what_names_no_function_is_none) {
    expect_nothing("0x0000000100003f50");
    expect_nothing("0x100003f50 (in prog)");
    expect_nothing("0x100003f50 (in prog) + 16");
    expect_nothing("");
    expect_nothing(" (in prog) (a.c:1)");
    expect_nothing("main (in prog");
    expect_nothing("got symbolicator for prog, base address 100000000");
    expect("0xyz (in prog)", "prog", "0xyz", NULL, 0);
}

/* ---- the whole ---- */

static struct ca_atos_answer answer;

static bool begin(const char *text, size_t address_count) {
    return ca_atos_answer_begin(&answer, text, strlen(text), address_count);
}

static void expect_next(const char *lines) {
    size_t bytes = 0;
    const char *group = ca_atos_answer_next(&answer, &bytes);
    cr_assert_not_null(group, "%s", lines);
    cr_expect_eq(bytes, strlen(lines), "%s: %zu", lines, bytes);
    cr_expect(memcmp(group, lines, strlen(lines)) == 0, "%s", lines);
}

static void expect_end(void) {
    size_t bytes;
    cr_expect_null(ca_atos_answer_next(&answer, &bytes));
}

Test(atos_answer, an_empty_line_ends_what_belongs_to_an_address) {
    cr_assert(begin("a (in p)\nb (in p)\n\n0x1\n\nc (in p)\n\n", 3));
    expect_next("a (in p)\nb (in p)");
    expect_next("0x1");
    expect_next("c (in p)");
    expect_end();
}

Test(atos_answer, the_last_empty_line_may_be_missing) {
    cr_assert(begin("a (in p)\n\nb (in p)\nc (in p)", 2));
    expect_next("a (in p)");
    expect_next("b (in p)\nc (in p)");
    expect_end();
}

Test(atos_answer, without_empty_lines_each_line_is_of_one_address) {
    cr_assert(begin("a (in p)\nb (in p)\n0x1\n", 3));
    expect_next("a (in p)");
    expect_next("b (in p)");
    expect_next("0x1");
    expect_end();
}

Test(atos_answer, all_lines_are_of_a_single_address) {
    cr_assert(begin("a (in p)\nb (in p)\n", 1));
    expect_next("a (in p)\nb (in p)");
    expect_end();
}

Test(atos_answer, too_few_or_too_many_answers_are_none) {
    cr_expect_not(begin("a\nb\n", 3));
    cr_expect_not(begin("a\nb\n\nc\nd\n", 4));
    cr_expect_not(begin("a\n\nb\n\nc\n\n", 2));
    cr_expect_not(begin("", 1));
    cr_expect_not(begin("\n\n\n", 1));
    cr_expect(begin("", 0));
    expect_end();
}
