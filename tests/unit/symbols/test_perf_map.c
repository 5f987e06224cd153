/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "symbols/perf_map.h"
#include "temporary_folder.h"

static struct ca_symbol_memory memory;
static struct ca_perf_map map;

static void begin(void) {
    temporary_folder_enter();
}

static void end(void) {
    ca_perf_map_release(&map);
    ca_symbol_memory_release(&memory);
    temporary_folder_remove();
}

TestSuite(perf_map, .init = begin, .fini = end);

static void read_text(const char *text) {
    temporary_file("perf.map", text, strlen(text), 0644);
    cr_assert(ca_perf_map_init(&map, "perf.map", &memory));
}

Test(perf_map, code_has_the_name_of_its_line) {
    read_text("1000 20 LazyCompile:~add /srv/shop.js:12\n0x1020 0x10 Function:sub\n");
    cr_assert_eq(map.name_count, 2u);
    cr_assert_null(ca_perf_map_find(&map, 0xfff));
    cr_assert_str_eq(ca_perf_map_find(&map, 0x101f), "LazyCompile:~add /srv/shop.js:12");
    cr_assert_str_eq(ca_perf_map_find(&map, 0x1020), "Function:sub");
    cr_assert_null(ca_perf_map_find(&map, 0x1030));
}

Test(perf_map, code_that_came_later_hides_what_was_there) {
    read_text("1000 20 old\n1000 20 new\n");
    cr_assert_str_eq(ca_perf_map_find(&map, 0x1010), "new");
}

Test(perf_map, lines_that_are_something_else_are_passed_over) {
    read_text("\nnonsense\n1000\n1000 20\n1000 20 \nxyz 20 a\n11112222333344445 1 b\n"
              "ffffffffffffffff ffffffffffffffff c\n2000 10 d\n3000 10 cut");
    cr_assert_eq(map.name_count, 1u);
    cr_assert_str_eq(ca_perf_map_find(&map, 0x2000), "d");
}

Test(perf_map, a_link_is_not_followed) {
    temporary_file("other.map", "1000 20 a\n", 10, 0644);
    cr_assert_eq(symlink("other.map", "perf.map"), 0);
    cr_assert(ca_perf_map_init(&map, "perf.map", &memory));
    cr_assert_eq(map.name_count, 0u);
}

Test(perf_map, of_another_user_nothing_is_read) {
    if (geteuid() != 0)
        cr_skip_test("only root can give a file away");
    temporary_file("perf.map", "1000 20 a\n", 10, 0644);
    cr_assert_eq(chown("perf.map", 1, 1), 0);
    cr_assert(ca_perf_map_init(&map, "perf.map", &memory));
    cr_assert_eq(map.name_count, 0u);
}

Test(perf_map, no_file_is_an_empty_map) {
    cr_assert(ca_perf_map_init(&map, "absent.map", &memory));
    cr_assert_null(ca_perf_map_find(&map, 0x1000));
}
