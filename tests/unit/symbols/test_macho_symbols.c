/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "crafted_image.h"
#include "symbols/macho_symbols.h"

#define CODE(offset) (CRAFTED_IMAGE_CODE + (offset))

static unsigned char file[3 * CRAFTED_IMAGE_SIZE];
static struct ca_macho_slice slices[CA_MACHO_SLICES];
static struct ca_macho_symbols symbols;

static void end(void) {
    ca_macho_symbols_release(&symbols);
}

TestSuite(macho_symbols, .fini = end);

static void read_view(const struct ca_macho_view *view) {
    ca_macho_symbols_release(&symbols);
    cr_assert(ca_macho_symbols_init(&symbols, view));
}

static void read_one(const struct crafted_image *what) {
    cr_assert_eq(ca_macho_read(file, crafted_image(file, what), slices), 1);
    struct ca_macho_view view = ca_macho_view_of_file(file, slices);
    read_view(&view);
}

static void expect(uint64_t address, const char *name) {
    const char *found = ca_macho_symbols_find(&symbols, address);
    if (name == NULL)
        cr_expect_null(found, "0x%lx: %s", (unsigned long)address, found);
    else
        cr_expect_str_eq(found != NULL ? found : "none", name, "0x%lx: %s", (unsigned long)address,
                         found);
}

Test(macho_symbols, a_function_extends_to_the_next_or_to_the_end_of_its_section) {
    read_one(&(struct crafted_image){.symbols = {
                                         {"_second", CODE(0x40), CRAFTED_LOCAL, 0},
                                         {"_first", CODE(0x10), CRAFTED_EXTERNAL, 0},
                                         {"_stub", CRAFTED_IMAGE_STUBS + 8, CRAFTED_LOCAL, 2},
                                     }});
    expect(CODE(0x0f), NULL);
    expect(CODE(0x10), "_first");
    expect(CODE(0x3f), "_first");
    expect(CODE(0x40), "_second");
    expect(CODE(0xff), "_second");
    expect(CODE(0x100), NULL);
    expect(CRAFTED_IMAGE_STUBS + 8, "_stub");
    expect(CRAFTED_IMAGE_STUBS + 0x1f, "_stub");
    expect(CRAFTED_IMAGE_STUBS + 0x20, NULL);
}

Test(macho_symbols, data_debug_symbols_and_those_of_other_files_are_no_functions) {
    read_one(&(struct crafted_image){.symbols = {
                                         {"_code", CODE(0), CRAFTED_EXTERNAL, 0},
                                         {"_data", CRAFTED_IMAGE_DATA, CRAFTED_EXTERNAL, 3},
                                         {"_stab", CODE(0x20), CRAFTED_DEBUG, 0},
                                         {"_undefined", CODE(0x30), 0x01, 0},
                                         {"_absolute", CODE(0x40), 0x03, 0},
                                         {"_elsewhere", CODE(0x50), CRAFTED_LOCAL, 2},
                                         {"_nowhere", CODE(0x60), CRAFTED_LOCAL, 4},
                                         {"", CODE(0x70), CRAFTED_LOCAL, 0},
                                     }});
    expect(CODE(0x80), "_code");
    expect(CRAFTED_IMAGE_DATA, NULL);
    cr_expect_eq(symbols.name_count, 1);
}

Test(macho_symbols, of_several_names_the_first_that_others_see_is_taken) {
    read_one(&(struct crafted_image){.symbols = {
                                         {"ltmp0", CODE(0), CRAFTED_LOCAL, 0},
                                         {"_one", CODE(0), CRAFTED_EXTERNAL, 0},
                                         {"_other", CODE(0), CRAFTED_EXTERNAL, 0},
                                         {"_local", CODE(0x10), CRAFTED_LOCAL, 0},
                                         {"_local2", CODE(0x10), CRAFTED_LOCAL, 0},
                                     }});
    expect(CODE(0x0f), "_one");
    expect(CODE(0x10), "_local");
}

Test(macho_symbols, a_function_without_name_is_not_taken_for_the_one_before) {
    /* 0x1000 and 0x20 behind __TEXT's beginning, then 0x90. */
    static const unsigned char starts[] = {0x80, 0x20, 0x20, 0x90, 0x01, 0, 0x10};
    struct crafted_image what = {.symbols = {{"_named", CODE(0), CRAFTED_EXTERNAL, 0},
                                             {"<redacted>", CODE(0x90), CRAFTED_LOCAL, 0},
                                             {"_later", CODE(0xa0), CRAFTED_EXTERNAL, 0}},
                                 .starts = starts,
                                 .starts_bytes = sizeof starts};
    read_one(&what);
    expect(CODE(0x1f), "_named");
    expect(CODE(0x20), NULL);
    expect(CODE(0x8f), NULL);
    expect(CODE(0x90), NULL);
    expect(CODE(0x9f), NULL);
    expect(CODE(0xa0), "_later");
    expect(CODE(0xaf), "_later");
    expect(CODE(0xb0), NULL);
    expect(CODE(0xc0), NULL);
}

Test(macho_symbols, beginnings_that_are_cut_or_too_long_are_survived) {
    static const unsigned char cut[] = {0x80, 0x20, 0x80};
    static const unsigned char long_one[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                             0xff, 0xff, 0xff, 0xff, 0x7f, 0x80, 0x20};
    struct crafted_image what = {.symbols = {{"_named", CODE(0), CRAFTED_EXTERNAL, 0}},
                                 .starts = cut,
                                 .starts_bytes = sizeof cut};
    read_one(&what);
    expect(CODE(0xff), "_named");
    what.starts = long_one;
    what.starts_bytes = sizeof long_one;
    read_one(&what);
    expect(CODE(0xff), "_named");
}

Test(macho_symbols, each_slice_of_a_universal_file_has_its_own) {
    struct crafted_image intel = {.cpu = 0x01000007,
                                  .subtype = 3,
                                  .uuid = 0x11,
                                  .symbols = {{"_intel", CODE(0), CRAFTED_EXTERNAL, 0}}};
    struct crafted_image arm = {
        .cpu = 0x0100000c, .uuid = 0x22, .symbols = {{"_arm", CODE(0), CRAFTED_EXTERNAL, 0}}};
    uint8_t wanted[CA_MACHO_UUID_BYTES];
    cr_assert_eq(ca_macho_read(file, crafted_images(file, &intel, &arm), slices), 2);
    memset(wanted, 0x22, sizeof wanted);
    const struct ca_macho_slice *slice = ca_macho_find_build(slices, 2, wanted);
    cr_assert_eq(slice, &slices[1]);
    cr_expect_eq(slice->arch, CA_MACHO_ARM64);
    cr_expect_eq(slice->text_address, CRAFTED_IMAGE_TEXT);
    struct ca_macho_view view = ca_macho_view_of_file(file, slice);
    read_view(&view);
    expect(CODE(0), "_arm");
    view = ca_macho_view_of_file(file, &slices[0]);
    read_view(&view);
    expect(CODE(0), "_intel");
    memset(wanted, 0x33, sizeof wanted);
    cr_expect_null(ca_macho_find_build(slices, 2, wanted));
}

/* As dyld maps it: the tables are where __LINKEDIT is loaded, not where the file has them. */
Test(macho_symbols, a_loaded_image_has_its_tables_in_its_last_segment) {
    static const unsigned char starts[] = {0x80, 0x20, 0x20};
    struct crafted_image what = {.symbols = {{"_named", CODE(0), CRAFTED_EXTERNAL, 0}},
                                 .starts = starts,
                                 .starts_bytes = sizeof starts};
    crafted_image(file, &what);
    size_t tables_at = CRAFTED_IMAGE_LINKEDIT - CRAFTED_IMAGE_TEXT;
    unsigned char *loaded = calloc(1, tables_at + CRAFTED_IMAGE_SIZE);
    memcpy(loaded, file, CRAFTED_IMAGE_TABLES);
    memcpy(loaded + tables_at, file + CRAFTED_IMAGE_TABLES,
           CRAFTED_IMAGE_SIZE - CRAFTED_IMAGE_TABLES);
    struct ca_macho_view view;
    cr_assert(
        ca_macho_view_of_loaded(loaded, (uintptr_t)loaded - (uintptr_t)CRAFTED_IMAGE_TEXT, &view));
    read_view(&view);
    expect(CODE(0x1f), "_named");
    expect(CODE(0x20), NULL);
    loaded[0] = 0;
    cr_expect_not(ca_macho_view_of_loaded(loaded, 0, &view));
    free(loaded);
}

Test(macho_symbols, damaged_tables_are_read_as_far_as_they_are_whole) {
    struct crafted_image what = {.symbols = {{"_one", CODE(0), CRAFTED_EXTERNAL, 0},
                                             {"_second", CODE(0x10), CRAFTED_EXTERNAL, 0}},
                                 .names_bytes = 6};
    read_one(&what);
    expect(CODE(0x20), "_one");
    what.names_bytes = CRAFTED_IMAGE_SIZE;
    read_one(&what);
    expect(CODE(0), NULL);
}

/* Wherever a file ends or has another byte: nothing outside of it is read (the sanitizers see it). */
Test(macho_symbols, any_byte_may_be_wrong) {
    static const unsigned char starts[] = {0x80, 0x20, 0x20};
    struct crafted_image what = {.uuid = 0x11,
                                 .symbols = {{"_one", CODE(0), CRAFTED_EXTERNAL, 0}},
                                 .starts = starts,
                                 .starts_bytes = sizeof starts};
    for (size_t at = 0; at < 1024; at++) {
        static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
        for (size_t i = 0; i < sizeof values; i++) {
            unsigned char *copy = malloc(CRAFTED_IMAGE_SIZE);
            crafted_image(copy, &what);
            copy[at] = values[i];
            if (ca_macho_read(copy, CRAFTED_IMAGE_SIZE, slices) == 1) {
                struct ca_macho_view view = ca_macho_view_of_file(copy, slices);
                read_view(&view);
                ca_macho_symbols_find(&symbols, CODE(0));
            }
            ca_macho_symbols_release(&symbols);
            free(copy);
        }
    }
    for (size_t bytes = 0; bytes < CRAFTED_IMAGE_SIZE; bytes += 7) {
        crafted_image(file, &what);
        unsigned char *cut = malloc(bytes + 1);
        memcpy(cut, file, bytes);
        struct ca_macho_view view = {.commands = {cut, bytes}, .tables = {cut, bytes}};
        read_view(&view);
        ca_macho_symbols_release(&symbols);
        free(cut);
    }
}
