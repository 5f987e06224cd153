/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crafted_elf.h"
#include "platform/cli_platform.h"
#include "temporary_folder.h"

static struct ca_target target;
static struct ca_error err;

TestSuite(target, .init = temporary_folder_enter, .fini = temporary_folder_remove);

static void script(const char *name, const char *text) {
    temporary_file(name, text, strlen(text), 0755);
}

static void program(const char *name, const struct crafted_elf *wanted) {
    unsigned char bytes[CRAFTED_BYTES_MAX];
    temporary_file(name, bytes, crafted_elf_write(wanted, bytes), 0755);
}

/* A loader that is there: this test's own. */
static const char *loader(void) {
    static struct ca_target own;
    cr_assert_eq(ca_target_inspect("/proc/self/exe", &own, &err), CA_OK, "%s", err.message);
    return own.image.interpreter;
}

Test(target, absent_program_is_absent) {
    cr_assert_eq(ca_target_inspect("./nothing", &target, &err), CA_ERROR_PROGRAM_ABSENT);
    cr_assert_eq(ca_target_inspect("no-such-program-anywhere", &target, &err),
                 CA_ERROR_PROGRAM_ABSENT);
    cr_assert_eq(ca_target_inspect("", &target, &err), CA_ERROR_PROGRAM_ABSENT);
}

Test(target, directory_and_text_and_half_an_elf_cannot_be_executed) {
    script("text", "echo hello\n");
    script("empty", "");
    temporary_file("half", "\177ELF\2\1\1", 7, 0755);
    cr_assert_eq(ca_target_inspect("/", &target, &err), CA_ERROR_UNEXECUTABLE);
    cr_assert_eq(ca_target_inspect("./text", &target, &err), CA_ERROR_UNEXECUTABLE);
    cr_assert_eq(ca_target_inspect("./empty", &target, &err), CA_ERROR_UNEXECUTABLE);
    cr_assert_eq(ca_target_inspect("./half", &target, &err), CA_ERROR_UNEXECUTABLE);
}

Test(target, file_without_the_right_cannot_be_executed) {
    temporary_file("plain", "#!/bin/sh\n", 10, 0644);
    cr_assert_eq(ca_target_inspect("./plain", &target, &err), CA_ERROR_UNEXECUTABLE);
    setenv("PATH", "/nowhere:.", 1);
    cr_assert_eq(ca_target_inspect("plain", &target, &err), CA_ERROR_UNEXECUTABLE);
}

Test(target, name_is_looked_for_in_path) {
    program("tool", &(struct crafted_elf){.interpreter = loader()});
    setenv("PATH", "/nowhere:", 1); /* an empty element is the current directory */
    cr_assert_eq(ca_target_inspect("tool", &target, &err), CA_OK, "%s", err.message);
    cr_assert_str_eq(target.path, "tool");
}

Test(target, script_is_judged_by_its_interpreter) {
    program("interpreter", &(struct crafted_elf){.interpreter = loader()});
    script("one", "#! ./interpreter -x\n");
    script("two", "#!./one");
    cr_assert_eq(ca_target_inspect("./two", &target, &err), CA_OK, "%s", err.message);
    cr_assert_str_eq(target.path, "./two");
    cr_assert_str_eq(target.image_path, "./interpreter");
}

Test(target, env_line_leads_to_what_env_starts) {
    program("tool", &(struct crafted_elf){0});
    setenv("PATH", ".", 1);
    script("plain", "#!/usr/bin/env tool\n");
    script("split", "#!/usr/bin/env -S A=b tool -x\n");
    cr_assert_eq(ca_target_inspect("./plain", &target, &err), CA_ERROR_UNCOUNTABLE);
    cr_assert_str_eq(target.image_path, "./tool");
    cr_assert_eq(ca_target_inspect("./split", &target, &err), CA_ERROR_UNCOUNTABLE);
}

Test(target, missing_interpreter_is_named) {
    script("lost", "#!/nowhere/interpreter\n");
    script("bare", "#!\n");
    script("circle", "#!./circle\n");
    cr_assert_eq(ca_target_inspect("./lost", &target, &err), CA_ERROR_UNEXECUTABLE);
    cr_assert_not_null(strstr(err.message, "/nowhere/interpreter"));
    cr_assert_eq(ca_target_inspect("./bare", &target, &err), CA_ERROR_UNEXECUTABLE);
    cr_assert_eq(ca_target_inspect("./circle", &target, &err), CA_ERROR_UNEXECUTABLE);
}

Test(target, missing_loader_is_named) {
    program("strange", &(struct crafted_elf){.interpreter = "/nowhere/ld.so"});
    cr_assert_eq(ca_target_inspect("./strange", &target, &err), CA_ERROR_UNEXECUTABLE);
    cr_assert_not_null(strstr(err.message, "/nowhere/ld.so"));
}

Test(target, what_cannot_be_counted_is_refused_with_its_cause) {
    program("static", &(struct crafted_elf){0});
    program("asan", &(struct crafted_elf){.interpreter = loader(), .symbol = "__asan_init"});
    program("foreign", &(struct crafted_elf){.machine = EM_S390});
    cr_assert_eq(ca_target_inspect("./static", &target, &err), CA_ERROR_UNCOUNTABLE);
    cr_assert_not_null(strstr(err.message, "statically linked"));
    cr_assert_eq(ca_target_inspect("./asan", &target, &err), CA_ERROR_UNCOUNTABLE);
    cr_assert_not_null(strstr(err.message, "AddressSanitizer"));
    cr_assert_eq(ca_target_inspect("./foreign", &target, &err), CA_ERROR_UNCOUNTABLE);
    cr_assert_not_null(strstr(err.message, "s390"));
}

Test(target, own_allocator_is_a_warning) {
    program("own", &(struct crafted_elf){.interpreter = loader(), .symbol = "je_malloc"});
    cr_assert_eq(ca_target_inspect("./own", &target, &err), CA_OK);
    cr_assert_not_null(strstr(target.warning, "je_malloc"));
}

Test(target, set_id_counts_only_where_it_changes_the_user) {
    program("setuid", &(struct crafted_elf){.interpreter = loader()});
    cr_assert_eq(chmod("setuid", 04755), 0);
    cr_assert_eq(ca_target_inspect("./setuid", &target, &err), CA_OK, "%s", err.message);
    if (getuid() != 0)
        return; /* only root can make a file of somebody else's */
    cr_assert_eq(chown("setuid", 65534, 65534), 0);
    cr_assert_eq(chmod("setuid", 04755), 0);
    cr_assert_eq(ca_target_inspect("./setuid", &target, &err), CA_ERROR_UNCOUNTABLE);
    cr_assert_not_null(strstr(err.message, "set-user-id"));
    cr_assert_eq(chmod("setuid", 02745),
                 0); /* without the group's right to execute it means nothing */
    cr_assert_eq(ca_target_inspect("./setuid", &target, &err), CA_OK);
    cr_assert_eq(chmod("setuid", 02755), 0);
    cr_assert_eq(ca_target_inspect("./setuid", &target, &err), CA_ERROR_UNCOUNTABLE);
    cr_assert_not_null(strstr(err.message, "set-group-id"));
}
