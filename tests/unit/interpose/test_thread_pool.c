/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>

#include "interpose/argument_list.h"
#include "interpose/mach_image.h"
#include "interpose/thread_pool.h"
#include <countalloc/counterfile.h>
#include <string.h>

static struct ca_thread_pool pool;
static struct ca_row first_row;

Test(thread_pool, a_thread_has_one_set_that_begins_with_the_row_and_zeros) {
    struct ca_thread_words *words = ca_thread_pool_take(&pool, 0x1000, 1, &first_row);
    cr_assert_not_null(words);
    cr_expect_eq(words->row, &first_row);
    cr_expect_eq(words->sample_left, 0);
    cr_expect_eq(words->stack.high, 0);
}

Test(thread_pool, a_later_thread_of_the_same_identity_gets_the_set_anew) {
    struct ca_thread_words *words = ca_thread_pool_take(&pool, 0x1000, 1, &first_row);
    words->sample_left = 7;
    words->stack.high = 9;
    words->row = NULL;
    cr_expect_eq(ca_thread_pool_take(&pool, 0x1000, 2, &first_row), words);
    cr_expect_eq(words->sample_left, 0);
    cr_expect_eq(words->stack.high, 0);
    cr_expect_eq(words->row, &first_row);
}

Test(thread_pool, a_thread_that_asks_again_finds_its_set_as_it_was) {
    struct ca_row attached;
    struct ca_thread_words *words = ca_thread_pool_take(&pool, 0x1000, 1, &first_row);
    words->sample_left = 7;
    words->row = &attached;
    cr_expect_eq(ca_thread_pool_take(&pool, 0x1000, 1, &first_row), words);
    cr_expect_eq(words->sample_left, 7);
    cr_expect_eq(words->row, &attached);
}

Test(thread_pool, every_thread_has_its_own_until_there_are_none) {
    for (uintptr_t thread = 1; thread <= CA_POOL_THREADS; thread++) {
        struct ca_thread_words *words = ca_thread_pool_take(&pool, thread << 12, 1, &first_row);
        cr_assert_not_null(words);
        cr_assert_eq(words->thread, thread << 12);
    }
    cr_expect_null(ca_thread_pool_take(&pool, (CA_POOL_THREADS + 1ul) << 12, 1, &first_row));
    cr_expect_eq(ca_thread_pool_take(&pool, 5ul << 12, 1, &first_row)->thread, 5ul << 12);
}

Test(argument_list, has_each_argument_with_its_nul) {
    char *const arguments[] = {"prog", "", "-x"};
    char to[16];
    memset(to, 'z', sizeof to);
    cr_expect_eq(ca_arguments_flatten(to, sizeof to, arguments, 3), 3);
    cr_expect_arr_eq(to, "prog\0\0-x\0", 10);
}

Test(argument_list, is_cut_to_its_buffer_and_still_counted_whole) {
    char *const arguments[] = {"prog", "argument", "more"};
    char to[8];
    cr_expect_eq(ca_arguments_flatten(to, sizeof to, arguments, 3), 3);
    cr_expect_arr_eq(to, "prog\0ar", 8);
}

/* ---- a header in memory ---- */

static unsigned char header[512];

static void put(size_t at, uint64_t value, size_t bytes) {
    memcpy(header + at, &value, bytes);
}

/* A segment of `name` and a UUID of 0, 1, 2, ... */
static void craft(const char *name) {
    memset(header, 0, sizeof header);
    put(0, 0xfeedfacf, 4);
    put(16, 2, 4);
    put(20, 72 + 24, 4);
    put(32, 0x19, 4);
    put(36, 72, 4);
    strcpy((char *)header + 40, name);
    put(56, 0x100000000, 8);
    put(64, 0x4000, 8);
    put(104, 0x1b, 4);
    put(108, 24, 4);
    for (uint8_t i = 0; i < 16; i++)
        header[112 + i] = i;
}

Test(mach_image, has_where_its_text_is_and_its_uuid) {
    struct ca_mach_image image;
    craft("__TEXT");
    cr_assert(ca_mach_image_read(header, &image));
    cr_expect_eq(image.text_address, 0x100000000);
    cr_expect_eq(image.text_bytes, 0x4000);
    cr_expect(image.has_uuid);
    cr_expect_eq(image.uuid[0], 0);
    cr_expect_eq(image.uuid[15], 15);
}

Test(mach_image, is_none_without_text_or_with_another_magic_number) {
    struct ca_mach_image image;
    craft("__DATA");
    cr_expect_not(ca_mach_image_read(header, &image));
    craft("__TEXT");
    put(0, 0xfeedface, 4);
    cr_expect_not(ca_mach_image_read(header, &image));
}

Test(mach_image, stops_at_a_command_that_does_not_fit) {
    struct ca_mach_image image;
    craft("__TEXT");
    put(108, 25, 4);
    cr_expect(ca_mach_image_read(header, &image));
    cr_expect_not(image.has_uuid);
    put(108, 0, 4);
    cr_expect(ca_mach_image_read(header, &image));
    cr_expect_not(image.has_uuid);
}
