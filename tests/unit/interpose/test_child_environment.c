/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "interpose/child_environment.h"
#include "interpose/mach_image.h"

static const struct ca_left_out left_out = {"INSERT", "libours.dylib"};

/* What becomes of the variable's `entry`, between two others; NULL when it is gone. */
static const char *becomes(const char *entry) {
    static char bytes[256];
    static char *copy[8];
    char *const environment[] = {"A=1", (char *)(uintptr_t)entry, "INSERTED=libours.dylib", NULL};
    struct ca_environment_room room = ca_child_environment_room(environment, &left_out);
    cr_assert_eq(room.entry_count, 4);
    cr_assert_leq(room.byte_count, sizeof bytes);
    memset(bytes, 'z', sizeof bytes);
    ca_child_environment(copy, bytes, environment, &left_out);
    cr_assert_eq(bytes[room.byte_count], 'z'); /* no byte behind the room */
    cr_assert_str_eq(copy[0], "A=1");
    bool is_there = strcmp(copy[1], "INSERTED=libours.dylib") != 0;
    cr_assert_str_eq(copy[1 + is_there], "INSERTED=libours.dylib");
    cr_assert_null(copy[2 + is_there]);
    return is_there ? copy[1] : NULL;
}

Test(child_environment, a_variable_that_named_the_library_alone_is_gone) {
    cr_expect_null(becomes("INSERT=/opt/lib/libours.dylib"));
    cr_expect_null(becomes("INSERT=libours.dylib"));
    cr_expect_null(becomes("INSERT=/a/libours.dylib:/b/libours.dylib"));
}

Test(child_environment, what_others_have_put_there_stays_in_its_order) {
    cr_expect_str_eq(becomes("INSERT=/a/libours.dylib:/b/other.dylib"), "INSERT=/b/other.dylib");
    cr_expect_str_eq(becomes("INSERT=/b/x.dylib:/a/libours.dylib:/c/y.dylib"),
                     "INSERT=/b/x.dylib:/c/y.dylib");
    cr_expect_str_eq(becomes("INSERT=/b/x.dylib:/a/libours.dylib"), "INSERT=/b/x.dylib");
}

Test(child_environment, a_name_that_only_ends_or_begins_like_the_library_s_is_another) {
    cr_expect_str_eq(becomes("INSERT=/b/not-libours.dylib"), "INSERT=/b/not-libours.dylib");
    cr_expect_str_eq(becomes("INSERT=/libours.dylib/x"), "INSERT=/libours.dylib/x");
    cr_expect_str_eq(becomes("INSERT=/b/libours.dylib2"), "INSERT=/b/libours.dylib2");
}

Test(child_environment, says_whether_the_library_is_named_at_all) {
    char *const without[] = {"INSERT=/b/other.dylib", "INSERTED=libours.dylib", NULL};
    char *const with[] = {"X=", "INSERT=/b/other.dylib:/a/libours.dylib", NULL};
    char *const nothing[] = {NULL};
    cr_expect_not(ca_child_environment_room(without, &left_out).has_library);
    cr_expect(ca_child_environment_room(with, &left_out).has_library);
    cr_expect_not(ca_child_environment_room(nothing, &left_out).has_library);
    cr_expect_eq(ca_child_environment_room(nothing, &left_out).entry_count, 1);
}

Test(child_environment, folders_are_gone_through_in_their_order_and_an_empty_one_is_this_one) {
    char path[32];
    const char *folders = "/bin::/usr/local/bin";
    ca_child_next_path(path, sizeof path, &folders, "sort");
    cr_expect_str_eq(path, "/bin/sort");
    ca_child_next_path(path, sizeof path, &folders, "sort");
    cr_expect_str_eq(path, "sort");
    ca_child_next_path(path, sizeof path, &folders, "sort");
    cr_expect_str_eq(path, "/usr/local/bin/sort");
    cr_expect_null(folders);
}

/* ---- programs for arm64e only (mach/machine.h) ---- */

#define X86_64       0x01000007u, 3u
#define X86_64H      0x01000007u, 8u
#define ARM64        0x0100000cu, 0u
#define ARM64E       0x0100000cu, 0x80000002u
#define PARENT_X86   false
#define PARENT_ARM64 true

static unsigned char bytes[CA_MACH_BEGINNING_BYTES];

static void put_big(size_t at, uint32_t value) {
    for (size_t i = 0; i < 4; i++)
        bytes[at + i] = (unsigned char)(value >> (24 - 8 * i));
}

/* A universal file of `slices`: pairs of a processor and its kind. */
static void craft(uint32_t magic, const uint32_t *slices, uint32_t slice_count) {
    size_t entry_bytes = magic == 0xcafebabe ? 20 : 32;
    memset(bytes, 0, sizeof bytes);
    put_big(0, magic);
    put_big(4, slice_count);
    for (uint32_t i = 0; i < slice_count; i++) {
        put_big(8 + i * entry_bytes, slices[2 * i]);
        put_big(12 + i * entry_bytes, slices[2 * i + 1]);
    }
}

static void craft_thin(uint32_t cpu, uint32_t subtype) {
    const uint32_t header[3] = {0xfeedfacf, cpu, subtype};
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, header, sizeof header);
}

static bool is_arm64e_only(bool parent) {
    return ca_mach_is_arm64e_only(bytes, sizeof bytes, parent);
}

Test(mach_arm64e, a_file_of_that_slice_alone_is_one_for_every_parent) {
    craft_thin(ARM64E);
    cr_expect(is_arm64e_only(PARENT_ARM64));
    cr_expect(is_arm64e_only(PARENT_X86));
    craft_thin(ARM64);
    cr_expect_not(is_arm64e_only(PARENT_ARM64));
    craft_thin(X86_64);
    cr_expect_not(is_arm64e_only(PARENT_X86));
}

Test(mach_arm64e, beside_a_slice_for_x86_64_it_is_what_a_parent_on_arm64_runs) {
    for (int i = 0; i < 2; i++) {
        craft(i == 0 ? 0xcafebabe : 0xcafebabf, (const uint32_t[]){X86_64, ARM64E}, 2);
        cr_expect(is_arm64e_only(PARENT_ARM64));
        cr_expect_not(is_arm64e_only(PARENT_X86));
    }
    craft(0xcafebabe, (const uint32_t[]){X86_64H, ARM64E}, 2);
    cr_expect_not(is_arm64e_only(PARENT_X86));
}

Test(mach_arm64e, beside_a_slice_for_arm64_it_is_not_the_only_one) {
    craft(0xcafebabe, (const uint32_t[]){X86_64, ARM64, ARM64E}, 3);
    cr_expect_not(is_arm64e_only(PARENT_ARM64));
    cr_expect_not(is_arm64e_only(PARENT_X86));
}

Test(mach_arm64e, what_is_cut_or_no_program_of_macos_is_not_one) {
    craft(0xcafebabe, (const uint32_t[]){ARM64E}, 1);
    cr_expect(ca_mach_is_arm64e_only(bytes, 32, PARENT_ARM64));
    cr_expect_not(ca_mach_is_arm64e_only(bytes, 31, PARENT_ARM64));
    put_big(4, 52); /* a Java class of version 52 */
    cr_expect_not(is_arm64e_only(PARENT_ARM64));
    craft_thin(ARM64E);
    cr_expect_not(ca_mach_is_arm64e_only(bytes, 3, PARENT_ARM64));
    memcpy(bytes, "#!/bin/sh\n", 10);
    cr_expect_not(is_arm64e_only(PARENT_ARM64));
}
