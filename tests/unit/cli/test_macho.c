/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crafted_macho.h"
#include "interpose/hook_list.h"
#include "platform/launch_parts.h"
#include "platform/macho_judge.h"

#define ALLOWS "<key>com.apple.security.cs.allow-dyld-environment-variables</key>"
#define SKIPS  "<key>com.apple.security.cs.disable-library-validation</key>"

#define COUNT_LINUX(name)
#define COUNT_BOTH(name)               +1
#define COUNT_DARWIN(name)             +1
#define COUNT_HOOK(name, systems, why) COUNT_##systems(name)
#define HOOKS_OF_DARWIN                (0 CA_HOOK_LIST(COUNT_HOOK))

static unsigned char file[3 * CRAFTED_MACHO_SIZE];
static struct ca_macho_slice slices[CA_MACHO_SLICES];
static struct ca_error err;

static const struct ca_macho_slice *read_one(const struct crafted_macho *what) {
    cr_assert_eq(ca_macho_read(file, crafted_macho(file, what), slices), 1);
    return slices;
}

/* ---- files ---- */

Test(macho_file, says_what_a_plain_program_is) {
    const struct ca_macho_slice *slice = read_one(&(struct crafted_macho){.cpu = CRAFTED_ARM64});
    cr_expect_eq(slice->arch, CA_MACHO_ARM64);
    cr_expect_eq(slice->file_type, CA_MACHO_EXECUTE);
    cr_expect_eq(slice->platform, 1);
    cr_expect_eq(slice->minimum_system, 0x000b0000);
    cr_expect(slice->has_loader);
    cr_expect(slice->is_signed);
    cr_expect_not(slice->has_restrict);
    cr_expect_not(slice->has_thread_locals);
    cr_expect_not(slice->is_platform_binary);
    cr_expect_null(slice->sanitizer);
    cr_expect_str_eq(slice->allocator, "");
}

Test(macho_file, reads_every_slice_of_a_universal_file) {
    struct crafted_macho intel = {.cpu = CRAFTED_X86_64, .subtype = 3};
    struct crafted_macho arm = {.cpu = CRAFTED_ARM64, .subtype = 0x80000002};
    cr_assert_eq(ca_macho_read(file, crafted_universal(file, &intel, &arm), slices), 2);
    cr_expect_eq(slices[0].arch, CA_MACHO_X86_64);
    cr_expect_eq(slices[1].arch, CA_MACHO_ARM64E, "bits above the subtype say something else");
    cr_expect_eq(ca_macho_find(slices, 2, CA_MACHO_ARM64E), &slices[1]);
    cr_expect_null(ca_macho_find(slices, 2, CA_MACHO_ARM64));
}

Test(macho_file, sees_pairs_thread_locals_and_go) {
    cr_expect_eq(
        read_one(&(struct crafted_macho){.section = "__interpose", .section_bytes = 44 * 16})
            ->interpose_pairs,
        44);
    cr_expect(read_one(&(struct crafted_macho){.section = "__thread_vars", .section_type = 0x13})
                  ->has_thread_locals);
    cr_expect_not(read_one(&(struct crafted_macho){.section = "__got", .section_type = 0x06})
                      ->has_thread_locals);
    cr_expect(read_one(&(struct crafted_macho){.section = "__go_buildinfo"})->is_go);
    cr_expect(read_one(&(struct crafted_macho){.segment = "__RESTRICT"})->has_restrict);
}

Test(macho_file, sees_a_sanitizer_and_an_allocator_of_its_own) {
    const struct ca_macho_slice *slice =
        read_one(&(struct crafted_macho){.library = "@rpath/libclang_rt.asan_osx_dynamic.dylib"});
    cr_expect_str_eq(slice->sanitizer, "AddressSanitizer");
    slice = read_one(&(struct crafted_macho){.symbol = "__rjem_malloc"});
    cr_expect_str_eq(slice->allocator, "_rjem_malloc");
    slice = read_one(&(struct crafted_macho){.symbol = "malloc"});
    cr_expect_str_eq(slice->allocator, "", "C's malloc has an underscore in front");
}

Test(macho_file, reads_flags_and_entitlements_of_the_signature) {
    const struct ca_macho_slice *slice =
        read_one(&(struct crafted_macho){.signature_flags = CA_CS_RUNTIME,
                                         .signature_platform = 15,
                                         .entitlements = ALLOWS "\n\t<true/>" SKIPS "<false/>"});
    cr_expect_eq(slice->signature_flags, CA_CS_RUNTIME);
    cr_expect(slice->is_platform_binary);
    cr_expect(slice->allows_dyld_variables);
    cr_expect_not(slice->skips_library_validation);
}

Test(macho_file, survives_a_file_cut_anywhere) {
    struct crafted_macho what = {.cpu = CRAFTED_ARM64, .entitlements = ALLOWS "<true/>"};
    size_t size = crafted_macho(file, &what);
    for (size_t cut = 0; cut < size; cut += 3) {
        unsigned char *exact = malloc(cut + 1);
        memcpy(exact, file, cut);
        uint32_t count = ca_macho_read(exact, cut, slices);
        cr_expect_eq(count, cut < 32 + 152 + 24 + 88 + 76 + 24 + 16 ? 0 : 1, "cut at %zu", cut);
        free(exact);
    }
}

Test(macho_file, survives_any_byte_changed) {
    struct crafted_macho what = {.cpu = CRAFTED_ARM64, .entitlements = ALLOWS "<true/>"};
    for (size_t at = 0; at < 512; at++)
        for (unsigned value = 0; value < 256; value += 85) {
            size_t size = crafted_macho(file, &what);
            file[at] = (unsigned char)value;
            cr_assert_leq(ca_macho_read(file, size, slices), 1);
        }
}

/* ---- judging ---- */

static struct ca_macho_slice library[2] = {{.arch = CA_MACHO_ARM64}, {.arch = CA_MACHO_X86_64}};

static enum ca_status judge(const char *path, const struct ca_macho_slice *slice,
                            enum ca_macho_arch host) {
    struct ca_macho_target target = {.path = path, .slices = slice, .slice_count = 1};
    return ca_macho_judge(&target, host, library, 2, &err);
}

static void expect_refused(const struct ca_macho_slice *slice, const char *because) {
    cr_expect_eq(judge("/opt/p", slice, CA_MACHO_ARM64), CA_ERROR_UNCOUNTABLE);
    cr_expect_not_null(strstr(err.message, because), "'%s' in: %s", because, err.message);
}

static const struct ca_macho_slice plain = {.arch = CA_MACHO_ARM64, .has_loader = true};

Test(macho_judge, lets_a_plain_program_be_counted) {
    struct ca_macho_slice intel = {.arch = CA_MACHO_X86_64, .has_loader = true};
    cr_expect_eq(judge("/opt/p", &plain, CA_MACHO_ARM64), CA_OK);
    cr_expect_eq(judge("/opt/p", &intel, CA_MACHO_X86_64), CA_OK);
    cr_expect_eq(judge("/opt/p", &intel, CA_MACHO_ARM64), CA_OK, "through Rosetta");
}

Test(macho_judge, refuses_what_integrity_protection_guards_and_says_copy_it) {
    cr_expect_eq(judge("/usr/bin/sort", &plain, CA_MACHO_ARM64), CA_ERROR_UNCOUNTABLE);
    cr_expect_str_eq(
        err.message,
        "'/usr/bin/sort' is guarded by System Integrity Protection, which takes the "
        "preload variable from it; copy it and sign the copy again: cp '/usr/bin/sort' . "
        "&& codesign --force --sign - ./sort");
    cr_expect(ca_macho_is_protected_path("/bin/ls"));
    cr_expect(ca_macho_is_protected_path("/sbin/mount"));
    cr_expect(ca_macho_is_protected_path("/System/Applications/Chess.app/Contents/MacOS/Chess"));
    cr_expect_not(ca_macho_is_protected_path("/usr/local/bin/ls"));
    cr_expect_not(ca_macho_is_protected_path("/opt/homebrew/bin/ls"));
    struct ca_macho_target flagged = {
        .path = "/opt/p", .slices = &plain, .slice_count = 1, .is_protected = true};
    cr_expect_eq(ca_macho_judge(&flagged, CA_MACHO_ARM64, library, 2, &err), CA_ERROR_UNCOUNTABLE);
}

Test(macho_judge, says_that_a_copy_of_an_arm64e_program_would_not_run) {
    struct ca_macho_slice apples = {.arch = CA_MACHO_ARM64E, .has_loader = true};
    cr_expect_eq(judge("/bin/ls", &apples, CA_MACHO_ARM64), CA_ERROR_UNCOUNTABLE);
    cr_expect_not_null(strstr(err.message, "arm64e only; count a build of it that is not Apple's"));
    expect_refused(&apples, "arm64e only, into which no library for arm64");
    cr_expect_eq(judge("/opt/p", &apples, CA_MACHO_X86_64), CA_ERROR_UNCOUNTABLE);
    cr_expect_str_eq(err.message, "'/opt/p' has no code for this machine (x86_64); build it with "
                                  "-arch x86_64");
}

Test(macho_judge, says_that_the_intel_part_of_an_arm64e_program_can_be_counted) {
    static const struct ca_macho_slice both[] = {{.arch = CA_MACHO_X86_64, .has_loader = true},
                                                 {.arch = CA_MACHO_ARM64E, .has_loader = true}};
    struct ca_macho_target target = {.path = "/bin/ls", .slices = both, .slice_count = 2};
    cr_expect_eq(ca_macho_judge(&target, CA_MACHO_ARM64, library, 2, &err), CA_ERROR_UNCOUNTABLE);
    cr_expect_not_null(strstr(err.message, "ditto --arch x86_64 '/bin/ls' ./ls && codesign --force "
                                           "--sign - ./ls"),
                       "%s", err.message);
    cr_expect_eq(ca_macho_judge(&target, CA_MACHO_X86_64, library, 2, &err), CA_ERROR_UNCOUNTABLE);
    cr_expect_not_null(strstr(err.message, "cp '/bin/ls' . && codesign"), "%s", err.message);
    target.path = "/opt/ls";
    cr_expect_eq(ca_macho_judge(&target, CA_MACHO_ARM64, library, 2, &err), CA_ERROR_UNCOUNTABLE);
    cr_expect_str_eq(err.message,
                     "'/opt/ls' would run here as arm64e, into which no library for arm64 can be "
                     "loaded; build it for arm64 (-arch arm64), or count its part for Intel, which "
                     "Rosetta runs: ditto --arch x86_64 '/opt/ls' COPY");
    cr_expect_eq(ca_macho_judge(&target, CA_MACHO_X86_64, library, 2, &err), CA_OK);
}

Test(macho_judge, refuses_a_hardened_runtime_without_both_entitlements) {
    struct ca_macho_slice slice = plain;
    slice.signature_flags = CA_CS_RUNTIME;
    expect_refused(&slice, "com.apple.security.cs.allow-dyld-environment-variables");
    cr_expect_not_null(strstr(err.message, "re-sign the copy without: codesign --force --sign -"));
    slice.allows_dyld_variables = true;
    expect_refused(&slice, "com.apple.security.cs.disable-library-validation");
    slice.skips_library_validation = true;
    cr_expect_eq(judge("/opt/p", &slice, CA_MACHO_ARM64), CA_OK);
}

Test(macho_judge, refuses_library_validation_and_restricted_programs) {
    struct ca_macho_slice slice = plain;
    slice.signature_flags = CA_CS_REQUIRE_LV;
    expect_refused(&slice, "signed with library validation");
    slice.signature_flags = CA_CS_RESTRICT;
    expect_refused(&slice, "the restricted flag");
    slice = plain;
    slice.has_restrict = true;
    expect_refused(&slice, "the restricted flag");
}

Test(macho_judge, refuses_a_missing_slice_of_either) {
    cr_expect_eq(judge("/opt/p", &plain, CA_MACHO_X86_64), CA_ERROR_UNCOUNTABLE);
    cr_expect_str_eq(err.message, "'/opt/p' has no code for this machine (x86_64); build it with "
                                  "-arch x86_64");
    struct ca_macho_slice intel = {.arch = CA_MACHO_X86_64, .has_loader = true};
    struct ca_macho_target target = {.path = "/opt/p", .slices = &intel, .slice_count = 1};
    cr_expect_eq(ca_macho_judge(&target, CA_MACHO_ARM64, library, 1, &err), CA_ERROR_UNCOUNTABLE);
    cr_expect_str_eq(err.message,
                     "'/opt/p' runs as x86_64, and countalloc's library has no code for "
                     "that; use a universal libcountalloc.dylib");
}

Test(macho_judge, refuses_set_id_static_and_sanitized_programs) {
    struct ca_macho_target target = {
        .path = "/opt/p", .slices = &plain, .slice_count = 1, .privilege = "is set-user-id"};
    cr_expect_eq(ca_macho_judge(&target, CA_MACHO_ARM64, library, 2, &err), CA_ERROR_UNCOUNTABLE);
    cr_expect_not_null(strstr(err.message, "is set-user-id"));
    struct ca_macho_slice slice = plain;
    slice.has_loader = false;
    expect_refused(&slice, "starts without dyld");
    slice = plain;
    slice.sanitizer = "AddressSanitizer";
    expect_refused(&slice, "AddressSanitizer");
}

/* ---- the timer of a wait ---- */

Test(launch_limit, is_rounded_up_and_never_stops_the_timer) {
    struct timeval limit = ca_launch_limit(0);
    cr_expect_eq(limit.tv_sec, 0);
    cr_expect_eq(limit.tv_usec, 1);
    limit = ca_launch_limit(1000);
    cr_expect_eq(limit.tv_usec, 1);
    limit = ca_launch_limit(3000000001u);
    cr_expect_eq(limit.tv_sec, 3);
    cr_expect_eq(limit.tv_usec, 1);
}

/* ---- the files of a cross build, when there is one ---- */

Test(macho_file, says_of_our_own_files_what_the_inspection_says) {
    const char *folder = getenv("COUNTALLOC_DARWIN_FILES");
    char path[4096];
    if (folder == NULL)
        cr_skip_test("no cross build: scripts/cross_darwin.sh makes one");
    static const char *const names[] = {"libcountalloc.dylib", "countalloc", "logstat"};
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        FILE *stream = fopen(path, "rb");
        cr_assert_not_null(stream, "%s", path);
        size_t size = 64u << 20;
        unsigned char *bytes = malloc(size);
        size = fread(bytes, 1, size, stream);
        fclose(stream);
        cr_assert_eq(ca_macho_read(bytes, size, slices), 2);
        for (size_t k = 0; k < 2; k++) {
            cr_expect_eq(slices[k].platform, 1);
            cr_expect_eq(slices[k].minimum_system, 0x000b0000);
            cr_expect_eq(slices[k].file_type, i == 0 ? CA_MACHO_DYLIB : CA_MACHO_EXECUTE);
            cr_expect_eq(slices[k].has_loader, i != 0);
            cr_expect_not(slices[k].has_thread_locals);
            cr_expect_eq(slices[k].interpose_pairs, i == 0 ? HOOKS_OF_DARWIN : 0);
            cr_expect_eq(slices[k].is_signed, slices[k].arch == CA_MACHO_ARM64);
            cr_expect(slices[k].has_uuid);
            cr_expect_eq(slices[k].text_address, i == 0 ? 0 : 0x100000000u);
            cr_expect_eq(ca_macho_find_build(slices, 2, slices[k].uuid), &slices[k]);
        }
        cr_expect_not_null(ca_macho_find(slices, 2, CA_MACHO_ARM64));
        cr_expect_not_null(ca_macho_find(slices, 2, CA_MACHO_X86_64));
        free(bytes);
    }
}
