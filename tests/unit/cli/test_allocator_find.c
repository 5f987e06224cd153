/* SPDX-License-Identifier: MIT
 *
 * Which library `--allocator` means, and why another cannot serve. */
#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crafted_elf.h"
#include "platform/cli_platform.h"
#include "temporary_folder.h"

#if defined(__x86_64__)
#define OTHER_MACHINE EM_AARCH64
#define OTHER_NAME    "aarch64"
#else
#define OTHER_MACHINE EM_X86_64
#define OTHER_NAME    "x86_64"
#endif

static struct ca_target target = {.image_path = "/bin/prog",
                                  .image.interpreter = "/lib64/ld-linux-x86-64.so.2"};
static struct ca_allocator allocator;
static struct ca_error err;
static char folder[512];

static void begin(void) {
    temporary_folder_enter();
    cr_assert_not_null(getcwd(folder, sizeof folder));
}

TestSuite(allocator_find, .init = begin, .fini = temporary_folder_remove);

static void library(const char *name, const struct crafted_elf *wanted) {
    unsigned char bytes[CRAFTED_BYTES_MAX];
    temporary_file(name, bytes, crafted_elf_write(wanted, bytes), 0644);
}

static const struct crafted_elf usable = {.symbol = "malloc", .is_symbol_dynamic = true};

static enum ca_status find(const char *name) {
    return ca_allocator_find(name, &target, &allocator, &err);
}

/* `%` in `message` is the folder. */
static void expect_error(const char *name, enum ca_status status, const char *message) {
    char wanted[1024];
    const char *mark = strchr(message, '%');
    cr_assert_eq(find(name), status, "%s", err.message);
    if (mark == NULL)
        cr_assert_str_eq(err.message, message);
    else {
        snprintf(wanted, sizeof wanted, "%.*s%s%s", (int)(mark - message), message, folder,
                 mark + 1);
        cr_assert_str_eq(err.message, wanted);
    }
}

/* ---- names ---- */

Test(allocator_find, names_without_a_library) {
    cr_assert_eq(find("libc"), CA_OK);
    cr_assert_eq(allocator.kind, CA_ALLOCATOR_LIBC);
    cr_assert_eq(find("jemalloc-inside"), CA_OK);
    cr_assert_eq(allocator.kind, CA_ALLOCATOR_INSIDE);
}

Test(allocator_find, a_name_that_is_not_known_is_usage) {
    expect_error(
        "hoard", CA_ERROR_USAGE,
        "--allocator: 'hoard' is not known; known are jemalloc, jemalloc-inside, mimalloc, "
        "tcmalloc, libc, or give a library's path");
    expect_error("", CA_ERROR_USAGE,
                 "--allocator: '' is not known; known are jemalloc, jemalloc-inside, mimalloc, "
                 "tcmalloc, libc, or give a library's path");
}

Test(allocator_find, a_file_name_is_looked_for_as_the_loader_does) {
    library("libown.so", &usable);
    expect_error("libown.so", CA_ERROR_SYSTEM,
                 "--allocator: no 'libown.so' where the loader looks; give its path");
    setenv("LD_LIBRARY_PATH", "/nowhere:.", 1);
    cr_assert_eq(find("libown.so"), CA_OK, "%s", err.message);
    cr_assert_str_eq(allocator.path, "./libown.so");
    cr_assert_eq(allocator.kind, CA_ALLOCATOR_PRELOADED);
}

Test(allocator_find, a_known_name_prefers_the_users_folders) {
    library("libmimalloc.so.3", &usable);
    library("libtcmalloc_minimal.so.4", &usable);
    setenv("LD_LIBRARY_PATH", folder, 1);
    cr_assert_eq(find("tcmalloc"), CA_OK, "%s", err.message);
    cr_assert_str_eq(strrchr(allocator.path, '/'), "/libtcmalloc_minimal.so.4");
    cr_assert_eq(strncmp(allocator.path, folder, strlen(folder)), 0);
}

Test(allocator_find, a_file_for_another_architecture_is_passed_over) {
    library("libown.so", &(struct crafted_elf){.symbol = "malloc",
                                               .is_symbol_dynamic = true,
                                               .machine = OTHER_MACHINE});
    mkdir("second", 0755);
    library("second/libown.so", &usable);
    setenv("LD_LIBRARY_PATH", ".:second", 1);
    cr_assert_eq(find("libown.so"), CA_OK, "%s", err.message);
    cr_assert_str_eq(allocator.path, "second/libown.so");
}

/* Only where it is not installed can this be seen. */
Test(allocator_find, a_known_name_that_is_not_installed_says_how_to_get_it) {
    static const struct {
        const char *name;
        const char *message;
    } known[] = {
        {"jemalloc", "--allocator jemalloc: no libjemalloc.so.2 where the loader looks; install it "
                     "(Debian: apt install libjemalloc2), or give its path"},
        {"mimalloc", "--allocator mimalloc: no libmimalloc.so.2 where the loader looks; install it "
                     "(Debian: apt install libmimalloc2.0), or give its path"},
        {"tcmalloc",
         "--allocator tcmalloc: no libtcmalloc_minimal.so.4 where the loader looks; install it "
         "(Debian: apt install libtcmalloc-minimal4), or give its path"},
    };
    int absent_count = 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (find(known[i].name) == CA_OK)
            continue;
        cr_assert_str_eq(err.message, known[i].message);
        absent_count++;
    }
    if (absent_count == 0)
        cr_skip_test("all that are known are installed");
}

/* ---- paths ---- */

Test(allocator_find, a_path_is_made_absolute) {
    char wanted[600];
    library("libown.so", &usable);
    cr_assert_eq(find("./libown.so"), CA_OK, "%s", err.message);
    snprintf(wanted, sizeof wanted, "%s/libown.so", folder);
    cr_assert_str_eq(allocator.path, wanted);
}

Test(allocator_find, a_path_that_is_not_there) {
    expect_error("./libown.so", CA_ERROR_SYSTEM,
                 "--allocator: cannot find './libown.so': No such file or directory");
}

Test(allocator_find, a_folder_is_no_library) {
    expect_error("./.", CA_ERROR_SYSTEM,
                 "--allocator: cannot read '%': Is a directory; name a shared library");
}

Test(allocator_find, a_file_that_is_no_elf) {
    temporary_file("text.so", "malloc\n", 7, 0644);
    expect_error("./text.so", CA_ERROR_SYSTEM,
                 "--allocator: '%/text.so' is no shared library; name one that defines malloc");
    temporary_file("empty.so", "", 0, 0644);
    expect_error("./empty.so", CA_ERROR_SYSTEM,
                 "--allocator: '%/empty.so' is no shared library; name one that defines malloc");
    temporary_file("half.so", "\177ELF\2\1\1", 7, 0644);
    expect_error("./half.so", CA_ERROR_SYSTEM,
                 "--allocator: '%/half.so' is no shared library; name one that defines malloc");
}

Test(allocator_find, a_program_is_no_library) {
    library("prog", &(struct crafted_elf){.symbol = "malloc",
                                          .is_symbol_dynamic = true,
                                          .interpreter = "/lib/ld.so"});
    expect_error("./prog", CA_ERROR_SYSTEM,
                 "--allocator: '%/prog' is no shared library; name one that defines malloc");
}

Test(allocator_find, another_architecture_and_word_size) {
    library("other.so", &(struct crafted_elf){.symbol = "malloc",
                                              .is_symbol_dynamic = true,
                                              .machine = OTHER_MACHINE});
    expect_error("./other.so", CA_ERROR_SYSTEM,
                 "--allocator: '%/other.so' is for another architecture (" OTHER_NAME
                 "); name one built for this machine");
    library("small.so", &(struct crafted_elf){.symbol = "malloc",
                                              .is_symbol_dynamic = true,
                                              .elf_class = ELFCLASS32,
                                              .machine = EM_386});
    expect_error(
        "./small.so", CA_ERROR_SYSTEM,
        "--allocator: '%/small.so' is for another architecture (32-bit x86); name one built "
        "for this machine");
}

Test(allocator_find, a_library_without_malloc) {
    library("none.so", &(struct crafted_elf){.symbol = "calloc", .is_symbol_dynamic = true});
    expect_error("./none.so", CA_ERROR_SYSTEM,
                 "--allocator: '%/none.so' exports no malloc, so it cannot serve any; name a "
                 "library that defines malloc and free");
    library("user.so", &(struct crafted_elf){.symbol = "malloc",
                                             .is_symbol_dynamic = true,
                                             .is_symbol_undefined = true});
    expect_error("./user.so", CA_ERROR_SYSTEM,
                 "--allocator: '%/user.so' exports no malloc, so it cannot serve any; name a "
                 "library that defines malloc and free");
    library("hidden.so", &(struct crafted_elf){.symbol = "malloc"});
    expect_error("./hidden.so", CA_ERROR_SYSTEM,
                 "--allocator: '%/hidden.so' exports no malloc, so it cannot serve any; name a "
                 "library that defines malloc and free");
}

Test(allocator_find, a_sanitizer_runtime) {
    library("libasan.so.8", &(struct crafted_elf){.symbol = "malloc",
                                                  .is_symbol_dynamic = true,
                                                  .needed = "libasan.so.8"});
    expect_error("./libasan.so.8", CA_ERROR_SYSTEM,
                 "--allocator: '%/libasan.so.8' belongs to AddressSanitizer, whose malloc is not "
                 "to be put below another library; name an allocator");
}

Test(allocator_find, a_library_for_another_libc) {
    library("musl.so", &(struct crafted_elf){.symbol = "malloc",
                                             .is_symbol_dynamic = true,
                                             .needed = "libc.musl-x86_64.so.1"});
    library("glibc.so", &(struct crafted_elf){
                            .symbol = "malloc", .is_symbol_dynamic = true, .needed = "libc.so.6"});
    expect_error("./musl.so", CA_ERROR_SYSTEM,
                 "--allocator: '%/musl.so' is built for musl, and '/bin/prog' is not; name one "
                 "built for the same libc");
    cr_assert_eq(find("./glibc.so"), CA_OK, "%s", err.message);
    strcpy(target.image.interpreter, "/lib/ld-musl-x86_64.so.1");
    expect_error("./glibc.so", CA_ERROR_SYSTEM,
                 "--allocator: '%/glibc.so' is built for glibc, and '/bin/prog' is not; name one "
                 "built for the same libc");
    cr_assert_eq(find("./musl.so"), CA_OK, "%s", err.message);
    expect_error("jemalloc-inside", CA_ERROR_SYSTEM,
                 "--allocator jemalloc-inside: '/bin/prog' runs on musl, and the jemalloc inside "
                 "is built for glibc; use --allocator jemalloc");
}

/* ---- afterwards ---- */

Test(allocator_find, who_served_is_told_by_its_file) {
    library("libown.so", &usable);
    library("libother.so", &usable);
    cr_assert_eq(symlink("libown.so", "link.so"), 0);
    cr_assert_eq(find("./libown.so"), CA_OK, "%s", err.message);
    cr_assert(ca_allocator_is(&allocator, allocator.path));
    cr_assert(ca_allocator_is(&allocator, "link.so"));
    cr_assert_not(ca_allocator_is(&allocator, "libother.so"));
    cr_assert_not(ca_allocator_is(&allocator, "/lib/libc.so.6"));

    cr_assert_eq(find("libc"), CA_OK);
    cr_assert(ca_allocator_is(&allocator, "/lib/x86_64-linux-gnu/libc.so.6"));
    cr_assert(ca_allocator_is(&allocator, "/lib/ld-musl-x86_64.so.1"));
    cr_assert_not(ca_allocator_is(&allocator, "/usr/lib/libjemalloc.so.2"));
    cr_assert_not(ca_allocator_is(&allocator, "libjemalloc.a"));

    cr_assert_eq(find("jemalloc-inside"), CA_OK);
    cr_assert(ca_allocator_is(&allocator, "libjemalloc.a"));
    cr_assert_not(ca_allocator_is(&allocator, "/usr/lib/libjemalloc.so.2"));
}
