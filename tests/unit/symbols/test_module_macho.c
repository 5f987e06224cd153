/* SPDX-License-Identifier: MIT
 *
 * The names of Mach-O files as macOS looks them up, with a program in place of Apple's atos. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "crafted_image.h"
#include "platform/shared_cache.h"
#include "symbols/atos.h"
#include "symbols/symbols.h"
#include "temporary_folder.h"

#define CODE(offset) (CRAFTED_IMAGE_CODE + (offset))

static struct ca_record record;
static struct ca_record_module modules[2];
static struct ca_record_frame frames[4];
static uint8_t uuids[2][16];
static struct ca_symbols_options options;
static struct ca_symbols *symbols;
static struct ca_error err;
static unsigned char file[3 * CRAFTED_IMAGE_SIZE];
static const unsigned char *cached; /* the image that the cache has; NULL: none */

/* Takes the place of macOS's. */
bool ca_shared_cache_find(const char *path, const void **ret_header, uintptr_t *ret_slide) {
    if (cached == NULL || strcmp(path, "/usr/lib/libc++.1.dylib") != 0)
        return false;
    *ret_header = cached;
    *ret_slide = (uintptr_t)cached - (uintptr_t)CRAFTED_IMAGE_TEXT;
    return true;
}

static const struct crafted_image arm = {
    .cpu = 0x0100000c,
    .uuid = 0x22,
    .symbols = {{"_first", CODE(0), CRAFTED_EXTERNAL, 0},
                {"__Z6secondv", CODE(0x40), CRAFTED_EXTERNAL, 0}},
};
static const struct crafted_image intel = {
    .cpu = 0x01000007,
    .subtype = 3,
    .uuid = 0x11,
    .symbols = {{"_intel", CODE(0), CRAFTED_EXTERNAL, 0}},
};

static void begin(void) {
    temporary_folder_enter();
    memset(uuids[0], 0x22, 16);
    memset(uuids[1], 0x22, 16);
    modules[0] = (struct ca_record_module){"./prog", uuids[0], 16};
    modules[1] = (struct ca_record_module){"./other", uuids[1], 16};
    /* Return addresses: of the instruction behind the call. */
    frames[0] = (struct ca_record_frame){.offset = CODE(0x10)};
    frames[1] = (struct ca_record_frame){.offset = CODE(0x50)};
    record = (struct ca_record){
        .modules = modules, .module_count = 1, .frames = frames, .frames_count = 2};
    options = (struct ca_symbols_options){.atos_path = "./atos"};
    temporary_file("prog", file, crafted_images(file, &intel, &arm), 0644);
}

static void end(void) {
    ca_symbols_release(symbols);
    temporary_folder_remove();
}

TestSuite(module_macho, .init = begin, .fini = end);

/* A program that keeps its arguments and what it reads, and does `commands`. */
static void fake_atos(const char *commands) {
    char script[4096];
    int length = snprintf(script, sizeof script,
                          "#!/bin/sh\necho \"$@\" >>arguments\ncat >>addresses\n%s\n", commands);
    temporary_file("atos", script, (size_t)length, 0755);
}

static void make_bundle(const char *name, const struct crafted_image *what) {
    char path[256];
    snprintf(path, sizeof path, "mkdir -p %s.dSYM/Contents/Resources/DWARF", name);
    cr_assert_eq(system(path), 0);
    snprintf(path, sizeof path, "%s.dSYM/Contents/Resources/DWARF/%s", name, name);
    temporary_file(path, file, crafted_image(file, what), 0644);
}

static void resolve(void) {
    ca_symbols_release(symbols);
    symbols = NULL;
    record.note_count = 0;
    for (uint32_t i = 0; i < record.frames_count; i++)
        frames[i].function_count = 0;
    cr_assert_eq(ca_symbols_resolve(&record, &options, &symbols, &err), CA_OK, "%s", err.message);
}

static void expect(uint32_t frame, uint32_t at, const char *name, const char *source,
                   uint32_t line) {
    cr_assert_lt(at, frames[frame].function_count, "frame %u", frame);
    const struct ca_record_function *function = &frames[frame].functions[at];
    cr_expect_str_eq(function->name, name, "%s", function->name);
    cr_expect_eq(function->line, line, "%s: %u", name, function->line);
    if (source == NULL)
        cr_expect_null(function->file);
    else
        cr_expect_str_eq(function->file, source, "%s", function->file);
}

static void expect_note(const char *note) {
    cr_assert_eq(record.note_count, 1u, "%u: %s", record.note_count, record.notes[0]);
    cr_expect_str_eq(record.notes[0], note, "%s", record.notes[0]);
}

static void expect_symbols(void) {
    cr_assert_eq(frames[0].function_count, 1u);
    expect(0, 0, "first", NULL, 0);
    cr_assert_eq(frames[1].function_count, 1u);
    cr_expect_null(frames[1].functions[0].file);
}

/* ---- atos ---- */

Test(module_macho, one_question_has_the_addresses_of_the_calls_and_the_slice_that_ran) {
    fake_atos("echo 'inner(int) (in prog) (/src/my a.c:3)'; echo 'first (in prog) (/src/a.c:9)'\n"
              "echo; echo 'second() (in prog) + 15'; echo");
    resolve();
    cr_expect_str_eq(temporary_file_text("arguments"),
                     "-o ./prog -arch arm64 -l 0x100000000 -fullPath -i\n");
    cr_expect_str_eq(temporary_file_text("addresses"), "0x10000100f\n0x10000104f\n");
    cr_assert_eq(frames[0].function_count, 2u);
    expect(0, 0, "inner(int)", "/src/my a.c", 3);
    expect(0, 1, "first", "/src/a.c", 9);
    cr_assert_eq(frames[1].function_count, 1u);
    expect(1, 0, "second()", NULL, 0);
    cr_expect_eq(record.note_count, 0);
}

Test(module_macho, each_module_has_one_question) {
    temporary_file("other", file, crafted_image(file, &arm), 0644);
    record.module_count = 2;
    record.frames_count = 3;
    frames[2] = (struct ca_record_frame){.module = 1, .offset = CODE(0x20)};
    fake_atos("case $2 in ./other) echo 'x (in other) (x.c:1)';;\n"
              "*) echo 'a (in prog) (a.c:1)'; echo; echo 'b (in prog) (b.c:2)';; esac");
    resolve();
    cr_expect_str_eq(temporary_file_text("arguments"),
                     "-o ./prog -arch arm64 -l 0x100000000 -fullPath -i\n"
                     "-o ./other -arch arm64 -l 0x100000000 -fullPath -i\n");
    expect(0, 0, "a", "a.c", 1);
    expect(1, 0, "b", "b.c", 2);
    expect(2, 0, "x", "x.c", 1);
}

Test(module_macho, what_atos_does_not_know_the_symbol_table_does) {
    fake_atos("echo 0x10000100f; echo; echo 'second() (in prog) (b.cpp:4)'; echo");
    resolve();
    expect(0, 0, "first", NULL, 0);
    expect(1, 0, "second()", "b.cpp", 4);
    cr_expect_eq(record.note_count, 0);
}

Test(module_macho, answers_that_do_not_fit_are_asked_for_without_inlined_functions) {
    fake_atos("case $* in *-i) echo a; echo b; echo; echo c; echo; echo d;;\n"
              "*) echo 'first (in prog) (a.c:1)'; echo 'second (in prog) (b.c:2)';; esac");
    resolve();
    cr_expect_str_eq(temporary_file_text("arguments"),
                     "-o ./prog -arch arm64 -l 0x100000000 -fullPath -i\n"
                     "-o ./prog -arch arm64 -l 0x100000000 -fullPath\n");
    expect(0, 0, "first", "a.c", 1);
    expect(1, 0, "second", "b.c", 2);
    cr_expect_eq(record.note_count, 0);
}

/* ---- when it cannot ---- */

Test(module_macho, an_answer_that_never_fits_is_said) {
    fake_atos("echo 'one (in prog)'");
    resolve();
    expect_symbols();
    expect_note("no files and lines: prog (what atos prints is not understood)");
}

Test(module_macho, its_complaint_is_passed_on) {
    fake_atos("echo 'atos cannot load symbols for the file' >&2; exit 1");
    resolve();
    expect_symbols();
    expect_note("no files and lines: prog (atos: atos cannot load symbols for the file)");
}

Test(module_macho, its_status_is_passed_on) {
    fake_atos("exit 3");
    resolve();
    expect_note("no files and lines: prog (atos ended with status 3)");
}

Test(module_macho, a_missing_atos_is_said_with_what_to_install) {
    options.atos_path = NULL;
    resolve();
    expect_symbols();
    expect_note("no files and lines: prog (atos is missing: install Xcode's command line tools "
                "with 'xcode-select --install')");
}

Test(module_macho, an_atos_that_hangs_is_given_up_once_for_all_modules) {
    temporary_file("other", file, crafted_image(file, &arm), 0644);
    record.module_count = 2;
    record.frames_count = 3;
    frames[2] = (struct ca_record_frame){.module = 1, .offset = CODE(0x20)};
    options.atos_seconds = 1;
    fake_atos("exec sleep 1000");
    resolve();
    cr_expect_str_eq(temporary_file_text("arguments"),
                     "-o ./prog -arch arm64 -l 0x100000000 -fullPath -i\n");
    expect_symbols();
    expect(2, 0, "first", NULL, 0);
    expect_note("no files and lines: prog (atos was given up after 1 s), other (atos was given up "
                "after 1 s)");
}

Test(module_macho, without_time_left_it_is_not_started) {
    struct ca_atos atos;
    struct ca_atos_reply reply;
    const uint64_t address = CODE(0);
    const struct ca_atos_question question = {"./prog", "arm64", 0, &address, 1};
    ca_atos_init(&atos, "./absent", 0);
    cr_expect_eq(ca_atos_ask(&atos, &question, &reply, &err), CA_ERROR_SYSTEM);
    cr_expect_str_eq(err.message, "atos was given up after 0 s");
    ca_atos_init(&atos, "./absent", 1);
    cr_expect_eq(ca_atos_ask(&atos, &question, &reply, &err), CA_ERROR_PROGRAM_ABSENT);
    cr_expect_str_eq(err.message, "cannot execute './absent': No such file or directory");
}

/* ---- bundles ---- */

Test(module_macho, a_bundle_of_the_same_build_is_what_atos_reads) {
    make_bundle("prog", &arm);
    fake_atos("echo 'first (in prog) (a.c:1)'; echo 'second (in prog) (b.c:2)'");
    resolve();
    cr_expect_str_eq(temporary_file_text("arguments"),
                     "-o ./prog.dSYM/Contents/Resources/DWARF/prog -arch arm64 -l 0x100000000 "
                     "-fullPath -i\n");
    expect(1, 0, "second", "b.c", 2);
    cr_expect_eq(record.note_count, 0);
}

Test(module_macho, a_bundle_of_another_build_is_refused_and_said) {
    struct crafted_image stale = arm;
    stale.uuid = 0x23;
    make_bundle("prog", &stale);
    fake_atos("echo 'first (in prog) + 4'; echo 'second (in prog) + 4'");
    resolve();
    cr_expect_str_eq(temporary_file_text("arguments"),
                     "-o ./prog -arch arm64 -l 0x100000000 -fullPath -i\n");
    expect_note("no files and lines: prog (its .dSYM is of another build)");
    /* The compiler's own files may still be there, and atos finds them. */
    fake_atos("echo 'first (in prog) (a.c:1)'; echo 'second (in prog) (b.c:2)'");
    resolve();
    cr_expect_eq(record.note_count, 0);
}

Test(module_macho, a_stripped_program_gets_its_names_from_its_bundle) {
    struct crafted_image stripped = arm;
    stripped.symbols[0].name = NULL;
    temporary_file("prog", file, crafted_image(file, &stripped), 0644);
    make_bundle("prog", &arm);
    fake_atos("exit 1");
    resolve();
    expect(0, 0, "first", NULL, 0);
}

/* ---- modules ---- */

static void expect_nameless(const char *note) {
    resolve();
    cr_expect_eq(frames[0].function_count, 0u);
    cr_expect_eq(frames[1].function_count, 0u);
    expect_note(note);
}

Test(module_macho, a_file_that_is_another_build_names_nothing) {
    fake_atos("exit 1");
    uuids[0][15] = 0x23;
    expect_nameless("2 of 2 code addresses have no name: prog (2: the file is another build); look "
                    "names up where the files of the run are");
    cr_expect_null(temporary_file_text("arguments"));
}

Test(module_macho, a_file_that_is_gone_or_no_such_file_names_nothing) {
    remove("prog");
    expect_nameless("2 of 2 code addresses have no name: prog (2: no such file); look names up "
                    "where the files of the run are");
    temporary_file("prog", "text", 4, 0644);
    expect_nameless("2 of 2 code addresses have no name: prog (2: the file cannot be read); look "
                    "names up where the files of the run are");
    remove("prog");
    cr_assert_eq(mkfifo("prog", 0644), 0);
    expect_nameless("2 of 2 code addresses have no name: prog (2: the file cannot be read); look "
                    "names up where the files of the run are");
}

Test(module_macho, without_uuid_a_file_with_one_slice_is_taken_to_be_it) {
    fake_atos("echo 'first (in prog) (a.c:1)'; echo 'second (in prog) (b.c:2)'");
    modules[0].build_id_bytes = 0;
    expect_nameless("2 of 2 code addresses have no name: prog (2: the file has several builds); "
                    "look names up where the files of the run are");
    temporary_file("prog", file, crafted_image(file, &intel), 0644);
    resolve();
    cr_expect_str_eq(temporary_file_text("arguments"),
                     "-o ./prog -arch x86_64 -l 0x100000000 -fullPath -i\n");
    expect(0, 0, "first", "a.c", 1);
}

Test(module_macho, a_stripped_program_says_what_would_help) {
    struct crafted_image stripped = arm;
    stripped.symbols[0].name = NULL;
    temporary_file("prog", file, crafted_image(file, &stripped), 0644);
    fake_atos("echo 0x10000100f; echo 0x10000104f");
    expect_nameless("2 of 2 code addresses have no name: prog (2: stripped); keep the .dSYM bundle "
                    "beside a stripped program (dsymutil makes it)");
}

Test(module_macho, a_library_of_the_systems_is_looked_up_in_the_shared_cache) {
    size_t tables_at = CRAFTED_IMAGE_LINKEDIT - CRAFTED_IMAGE_TEXT;
    unsigned char *loaded = calloc(1, tables_at + CRAFTED_IMAGE_SIZE);
    crafted_image(file, &arm);
    memcpy(loaded, file, CRAFTED_IMAGE_TABLES);
    memcpy(loaded + tables_at, file + CRAFTED_IMAGE_TABLES,
           CRAFTED_IMAGE_SIZE - CRAFTED_IMAGE_TABLES);
    modules[0].path = "/usr/lib/libc++.1.dylib";
    fake_atos("exit 1");
    expect_nameless("2 of 2 code addresses have no name: libc++.1.dylib (2: not in this system's "
                    "shared cache); look names up where the files of the run are");
    cached = loaded;
    resolve();
    expect_symbols();
    cr_expect_eq(record.note_count, 0);
    cr_expect_null(temporary_file_text("arguments"));
    uuids[0][0] = 0x23;
    expect_nameless("2 of 2 code addresses have no name: libc++.1.dylib (2: not in this system's "
                    "shared cache); look names up where the files of the run are");
    free(loaded);
}

/* ---- where atos is ---- */

static void make(const char *path) {
    char command[256];
    snprintf(command, sizeof command, "mkdir -p \"$(dirname '%s')\" && : >'%s' && chmod +x '%s'",
             path, path, path);
    cr_assert_eq(system(command), 0);
}

Test(module_macho, atos_is_where_xcode_or_its_command_line_tools_are) {
    char path[CA_ATOS_PATH_SIZE];
    make("root/usr/bin/atos");
    cr_expect_not(ca_atos_find("root", path), "it would offer to install the tools");
    make("root/Library/Developer/CommandLineTools/usr/bin/cc");
    cr_assert(ca_atos_find("root", path));
    cr_expect_str_eq(path, "root/usr/bin/atos");
    make("root/Library/Developer/CommandLineTools/usr/bin/atos");
    cr_assert(ca_atos_find("root", path));
    cr_expect_str_eq(path, "root/Library/Developer/CommandLineTools/usr/bin/atos");
    make("root/var/db/xcode_select_link/usr/bin/atos");
    cr_assert(ca_atos_find("root", path));
    cr_expect_str_eq(path, "root/var/db/xcode_select_link/usr/bin/atos");
    remove("root/usr/bin/atos");
    remove("root/var/db/xcode_select_link/usr/bin/atos");
    remove("root/Library/Developer/CommandLineTools/usr/bin/atos");
    cr_expect_not(ca_atos_find("root", path));
}
