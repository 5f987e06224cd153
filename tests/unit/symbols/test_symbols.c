/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/symbols.h"
#include "temporary_folder.h"

#define C_SOURCE   SOURCES "/inlined_calls.c"
#define CPP_SOURCE SOURCES "/cpp_calls.cc"
#define DEBUG_PATH ":.debug:" PROGRAMS "/debug"

static const char *const known_programs[] = {KNOWN_PROGRAMS};

static struct ca_record record;
static struct ca_record_module module;
static struct ca_record_frame frames[2];
static uint8_t build_id[sizeof BUILD_ID / 2];
static char path[4096];
static struct ca_symbols_options options;
static struct ca_symbols *symbols;
static struct ca_error err;

static void begin(void) {
    for (size_t i = 0; i < sizeof build_id; i++) {
        unsigned byte;
        cr_assert_eq(sscanf(&BUILD_ID[2 * i], "%2x", &byte), 1);
        build_id[i] = (uint8_t)byte;
    }
    options = (struct ca_symbols_options){.debug_path = ":.debug:/nowhere"};
    record.modules = &module;
    record.module_count = 1;
    record.frames = frames;
    module.path = path;
}

static void end(void) {
    ca_symbols_release(symbols);
}

TestSuite(symbols, .init = begin, .fini = end);

/* A frame for each line that the program `by` prints; looked up in the file `name`. */
static void frames_of(const char *name, const char *by) {
    char command[4096];
    unsigned long offset;
    snprintf(path, sizeof path, PROGRAMS "/%s", name);
    snprintf(command, sizeof command, PROGRAMS "/%s", by);
    FILE *output = popen(command, "r");
    cr_assert_not_null(output);
    record.frames_count = 0;
    while (record.frames_count < 2 && fscanf(output, "%lx", &offset) == 1)
        frames[record.frames_count++] = (struct ca_record_frame){.offset = offset};
    cr_assert_eq(pclose(output), 0);
    cr_assert_gt(record.frames_count, 0u);
}

static void resolve(void) {
    ca_symbols_release(symbols);
    symbols = NULL;
    record.note_count = 0;
    cr_assert_eq(ca_symbols_resolve(&record, &options, &symbols, &err), CA_OK, "%s", err.message);
}

static void expect_function(const struct ca_record_frame *frame, uint32_t at, const char *name,
                            const char *file, uint32_t line) {
    cr_assert_lt(at, frame->function_count, "%s: %u functions", path, frame->function_count);
    const struct ca_record_function *function = &frame->functions[at];
    cr_assert_str_eq(function->name, name, "%s: %s", path, function->name);
    cr_assert_str_eq(function->file, file, "%s: %s", path, function->file);
    cr_assert_eq(function->line, line, "%s: line %u", path, function->line);
}

static void expect_chain(void) {
    resolve();
    cr_assert_eq(frames[0].function_count, 3u, "%s: %u functions", path, frames[0].function_count);
    expect_function(&frames[0], 0, "innermost", C_SOURCE, 28);
    expect_function(&frames[0], 1, "middle", C_SOURCE, 34);
    expect_function(&frames[0], 2, "outermost", C_SOURCE, 40);
    cr_assert_eq(record.note_count, 0u, "%s", record.notes[0]);
}

static void expect_nothing(const char *note) {
    resolve();
    cr_assert_eq(frames[0].function_count, 0u);
    cr_assert_null(frames[0].functions);
    cr_assert_eq(record.note_count, 1u);
    cr_assert_str_eq(record.notes[0], note, "%s", record.notes[0]);
}

static void know_build_id(void) {
    module.build_id = build_id;
    module.build_id_bytes = sizeof build_id;
}

Test(symbols, every_kind_of_debug_information_gives_the_inlined_functions_and_their_lines) {
    for (size_t i = 0; i < sizeof known_programs / sizeof known_programs[0]; i++) {
        frames_of(known_programs[i], known_programs[i]);
        expect_chain();
    }
}

Test(symbols, a_library_that_was_loaded_while_the_program_ran_is_a_module_like_any_other) {
    snprintf(path, sizeof path, PROGRAMS "/library.so");
    void *library = dlopen(path, RTLD_NOW);
    cr_assert_not_null(library, "%s", dlerror());
    unsigned long (*offset)(void);
    *(void **)&offset = dlsym(library, "inlined_calls_offset");
    frames[0] = (struct ca_record_frame){.offset = offset()};
    record.frames_count = 1;
    know_build_id();
    expect_chain();
}

Test(symbols, a_file_with_a_relative_name_is_in_the_folder_of_the_compiler) {
    static const char *const names[] = {"relative4", "relative5"};
    for (size_t i = 0; i < 2; i++) {
        frames_of(names[i], names[i]);
        resolve();
        cr_assert_eq(frames[0].function_count, 3u);
        expect_function(&frames[0], 0, "innermost", PROGRAMS "/source/inlined_calls.c", 28);
        expect_function(&frames[0], 1, "middle", PROGRAMS "/source/inlined_calls.c", 34);
        expect_function(&frames[0], 2, "outermost", PROGRAMS "/source/inlined_calls.c", 40);
    }
}

#ifdef HAS_CPP
Test(symbols, names_of_cpp_are_demangled_or_qualified) {
    frames_of("cpp_calls", "cpp_calls");
    resolve();
    cr_assert_eq(frames[0].function_count, 2u);
    expect_function(&frames[0], 0, "shop::basket<long>::add(long)", CPP_SOURCE, 20);
    expect_function(&frames[0], 1, "shop::buy(shop::basket<long>&)", CPP_SOURCE, 36);
    cr_assert_eq(frames[1].function_count, 1u);
    cr_assert_eq(strncmp(frames[1].functions[0].name, "shop::(anonymous namespace)::till::open",
                         strlen("shop::(anonymous namespace)::till::open")),
                 0, "%s", frames[1].functions[0].name);
    cr_assert_str_eq(frames[1].functions[0].file, CPP_SOURCE);
    cr_assert_eq(frames[1].functions[0].line, 29u);
}
#endif

/* ---- files that have less ---- */

Test(symbols, a_file_with_symbols_only_gives_the_function_alone) {
    frames_of("symbols_only", "symbols_only");
    resolve();
    cr_assert_eq(frames[0].function_count, 1u);
    cr_assert_str_eq(frames[0].functions[0].name, "outermost");
    cr_assert_null(frames[0].functions[0].file);
    cr_assert_eq(frames[0].functions[0].line, 0u);
    cr_assert_eq(record.note_count, 0u);
}

Test(symbols, a_stripped_file_gives_nothing_and_a_note) {
    frames_of("stripped", "stripped");
    expect_nothing("1 of 1 code addresses have no name: stripped (1: stripped); install debug "
                   "symbols (packages named -dbgsym, -dbg or -debuginfo), or set DEBUGINFOD_URLS");
}

Test(symbols, a_stripped_file_finds_its_debug_file_by_build_id) {
    options.debug_path = DEBUG_PATH;
    frames_of("by_build_id", "by_build_id");
    know_build_id();
    expect_chain();
}

Test(symbols, a_stripped_file_finds_its_debug_file_by_link) {
    frames_of("by_link", "by_link");
    expect_chain();
}

/* ---- files that are something else ---- */

Test(symbols, a_file_with_another_build_id_is_not_used) {
    frames_of("plain", "plain");
    know_build_id();
    build_id[19] ^= 1;
    expect_nothing("1 of 1 code addresses have no name: plain (1: the file is another build); "
                   "look names up where the files of the run are");
}

Test(symbols, a_file_without_build_id_is_not_the_module_that_had_one) {
    frames_of("by_link", "by_link");
    know_build_id();
    expect_nothing("1 of 1 code addresses have no name: by_link (1: the file is another build); "
                   "look names up where the files of the run are");
}

Test(symbols, the_debug_file_serves_for_a_module_that_is_gone) {
    options.debug_path = DEBUG_PATH;
    frames_of("gone", "by_build_id");
    know_build_id();
    expect_chain();
}

Test(symbols, a_module_that_is_gone_gives_nothing_and_a_note) {
    frames_of("gone", "plain");
    expect_nothing("1 of 1 code addresses have no name: gone (1: no such file); look names up "
                   "where the files of the run are");
}

Test(symbols, a_damaged_file_gives_nothing_and_a_note, .init = temporary_folder_enter,
     .fini = temporary_folder_remove) {
    static const char text[] = "\177ELF and then nothing that it should be";
    temporary_file("damaged", text, sizeof text, 0644);
    snprintf(path, sizeof path, "damaged");
    frames[0].offset = 0x1234;
    record.frames_count = 1;
    expect_nothing("1 of 1 code addresses have no name: damaged (1: the file cannot be read); "
                   "look names up where the files of the run are");
}

/* ---- what is left alone ---- */

Test(symbols, code_made_at_run_time_has_no_name_and_no_note) {
    frames[0] = (struct ca_record_frame){.module = CA_NO_MODULE, .offset = 0x7f0000001234};
    record.frames_count = 1;
    resolve();
    cr_assert_eq(frames[0].function_count, 0u);
    cr_assert_eq(record.note_count, 0u);
}

Test(symbols, a_frame_that_has_names_keeps_them) {
    struct ca_record_function function = {.name = "known"};
    frames_of("plain", "plain");
    frames[0].functions = &function;
    frames[0].function_count = 1;
    resolve();
    cr_assert_eq(frames[0].functions, &function);
    cr_assert_eq(frames[0].function_count, 1u);
}

Test(symbols, offset_0_is_no_call) {
    frames_of("plain", "plain");
    frames[0].offset = 0;
    resolve();
    cr_assert_eq(frames[0].function_count, 0u);
}

Test(symbols, the_environment_is_as_it_was) {
    setenv("DEBUGINFOD_URLS", "http://127.0.0.1:1", 1);
    setenv("DEBUGINFOD_MAXTIME", "7", 1);
    unsetenv("DEBUGINFOD_TIMEOUT");
    frames_of("stripped", "stripped");
    for (int is_off = 0; is_off < 2; is_off++) {
        options.is_debuginfod_off = is_off != 0;
        resolve();
        cr_assert_str_eq(getenv("DEBUGINFOD_URLS"), "http://127.0.0.1:1");
        cr_assert_str_eq(getenv("DEBUGINFOD_MAXTIME"), "7");
        cr_assert_null(getenv("DEBUGINFOD_TIMEOUT"));
        cr_assert_null(getenv("DEBUGINFOD_RETRY_LIMIT"));
    }
}

/* ---- what the caller is told ---- */

static char told[CA_RECORD_NOTE_SIZE];

static void keep_note(void *target, const char *text) {
    (*(int *)target)++;
    snprintf(told, sizeof told, "%s", text);
}

Test(symbols, notes_go_where_the_caller_wants_them) {
    int note_count = 0;
    options.note = keep_note;
    options.note_target = &note_count;
    frames_of("gone", "plain");
    resolve();
    cr_assert_eq(note_count, 1);
    cr_assert_eq(record.note_count, 0u);
    cr_assert_str_eq(told, "1 of 1 code addresses have no name: gone (1: no such file); look "
                           "names up where the files of the run are");
}

static uint64_t progress_seen[4];

static void keep_progress(void *target, uint64_t done, uint64_t total) {
    uint64_t *count = target;
    cr_assert_lt(*count, 2u);
    progress_seen[2 * *count] = done;
    progress_seen[2 * *count + 1] = total;
    (*count)++;
}

Test(symbols, progress_is_told_for_each_frame) {
    uint64_t count = 0;
    options.progress = keep_progress;
    options.progress_target = &count;
    frames_of("plain", "plain");
    frames[1] = (struct ca_record_frame){.module = CA_NO_MODULE, .offset = 0x1234};
    record.frames_count = 2;
    resolve();
    cr_assert_eq(count, 2u);
    cr_assert_eq(progress_seen[0], 1u);
    cr_assert_eq(progress_seen[1], 2u);
    cr_assert_eq(progress_seen[2], 2u);
    cr_assert_eq(progress_seen[3], 2u);
}
