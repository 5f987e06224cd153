/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "crafted_elf.h"
#include "platform/cli_platform.h"

#define LOADER "/lib64/ld-linux-x86-64.so.2"

static struct ca_image_facts facts;
static unsigned char bytes[CRAFTED_BYTES_MAX];

static void read_crafted(const struct crafted_elf *wanted) {
    ca_image_read(bytes, crafted_elf_write(wanted, bytes), &facts);
}

Test(images, own_executable_is_dynamic) {
    static unsigned char own[1 << 24];
    FILE *file = fopen("/proc/self/exe", "rb");
    ca_image_read(own, fread(own, 1, sizeof own, file), &facts);
    fclose(file);
    cr_assert_eq(facts.kind, CA_IMAGE_KIND_DYNAMIC);
    cr_assert_str_neq(facts.interpreter, "");
    cr_assert_str_eq(facts.allocator, "");
}

Test(images, interpreter_makes_it_dynamic) {
    read_crafted(&(struct crafted_elf){.interpreter = LOADER});
    cr_assert_eq(facts.kind, CA_IMAGE_KIND_DYNAMIC);
    cr_assert_str_eq(facts.interpreter, LOADER);
}

Test(images, no_interpreter_makes_it_static) {
    read_crafted(&(struct crafted_elf){.has_go_section = true});
    cr_assert_eq(facts.kind, CA_IMAGE_KIND_STATIC);
    cr_assert(facts.is_go);
}

Test(images, loader_is_told_by_its_soname) {
    read_crafted(&(struct crafted_elf){.soname = "ld-linux-x86-64.so.2"});
    cr_assert_eq(facts.kind, CA_IMAGE_KIND_LOADER);
}

Test(images, other_machines_and_classes_are_foreign) {
    read_crafted(&(struct crafted_elf){.machine = EM_S390});
    cr_assert_eq(facts.kind, CA_IMAGE_KIND_FOREIGN);
    cr_assert_str_eq(facts.foreign, "s390");
    read_crafted(&(struct crafted_elf){.machine = EM_386, .elf_class = ELFCLASS32});
    cr_assert_eq(facts.kind, CA_IMAGE_KIND_FOREIGN);
    cr_assert_str_eq(facts.foreign, "32-bit x86");
    read_crafted(&(struct crafted_elf){.machine = 60000});
    cr_assert_str_eq(facts.foreign, "64-bit, of machine number 60000");
}

Test(images, text_and_nothing_are_other) {
    ca_image_read((const unsigned char *)"echo hello\n", 11, &facts);
    cr_assert_eq(facts.kind, CA_IMAGE_KIND_OTHER);
    ca_image_read(bytes, 0, &facts);
    cr_assert_eq(facts.kind, CA_IMAGE_KIND_OTHER);
}

Test(images, exported_malloc_is_told_from_a_hidden_one) {
    read_crafted(&(struct crafted_elf){
        .interpreter = LOADER, .symbol = "malloc", .is_symbol_dynamic = true});
    cr_assert_str_eq(facts.allocator, "malloc");
    cr_assert(facts.is_malloc_exported);
    read_crafted(&(struct crafted_elf){.interpreter = LOADER, .symbol = "malloc"});
    cr_assert_str_eq(facts.allocator, "malloc");
    cr_assert_not(facts.is_malloc_exported);
}

Test(images, undefined_malloc_is_no_allocator) {
    read_crafted(&(struct crafted_elf){.interpreter = LOADER,
                                       .symbol = "malloc",
                                       .is_symbol_undefined = true,
                                       .is_symbol_dynamic = true});
    cr_assert_str_eq(facts.allocator, "");
}

Test(images, prefixed_allocator_is_named) {
    read_crafted(&(struct crafted_elf){.interpreter = LOADER, .symbol = "_rjem_malloc"});
    cr_assert_str_eq(facts.allocator, "_rjem_malloc");
    cr_assert_not(facts.is_malloc_exported);
}

Test(images, symbols_are_found_without_sections) {
    read_crafted(
        &(struct crafted_elf){.interpreter = LOADER, .symbol = "malloc", .has_no_sections = true});
    cr_assert(facts.is_malloc_exported);
}

Test(images, sanitizers_are_named_by_symbol_and_by_library) {
    read_crafted(&(struct crafted_elf){
        .interpreter = LOADER, .symbol = "__asan_init", .is_symbol_undefined = true});
    cr_assert_str_eq(facts.sanitizer, "AddressSanitizer");
    read_crafted(&(struct crafted_elf){.interpreter = LOADER, .symbol = "__msan_init"});
    cr_assert_str_eq(facts.sanitizer, "MemorySanitizer");
    read_crafted(&(struct crafted_elf){.interpreter = LOADER, .needed = "libtsan.so.2"});
    cr_assert_str_eq(facts.sanitizer, "ThreadSanitizer");
    read_crafted(&(struct crafted_elf){.interpreter = LOADER, .needed = "libubsan.so.1"});
    cr_assert_null(facts.sanitizer);
}

Test(images, weak_reference_to_a_sanitizer_is_none) {
    read_crafted(&(struct crafted_elf){.interpreter = LOADER,
                                       .symbol = "__asan_init",
                                       .is_symbol_undefined = true,
                                       .is_symbol_weak = true});
    cr_assert_null(facts.sanitizer);
}

/* A page that cannot be read lies right behind the bytes. */
static unsigned char *at_the_edge(const unsigned char *from, size_t byte_count) {
    static unsigned char *map;
    const size_t room = 1 << 24;
    if (map == NULL) {
        map = mmap(NULL, room + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        cr_assert_neq(map, MAP_FAILED);
        cr_assert_eq(mprotect(map + room, 4096, PROT_NONE), 0);
    }
    return memcpy(map + room - byte_count, from, byte_count);
}

Test(images, every_prefix_is_read_within_its_bounds) {
    static unsigned char own[1 << 24];
    FILE *file = fopen("/proc/self/exe", "rb");
    size_t byte_count = fread(own, 1, sizeof own, file);
    fclose(file);
    for (size_t length = 0; length < byte_count; length += length < 2048 ? 1 : 211)
        ca_image_read(at_the_edge(own, length), length, &facts);
    size_t crafted = crafted_elf_write(
        &(struct crafted_elf){.interpreter = LOADER, .symbol = "malloc", .needed = "libc.so.6"},
        bytes);
    for (size_t length = 0; length <= crafted; length++)
        ca_image_read(at_the_edge(bytes, length), length, &facts);
}

Test(images, damaged_bytes_are_read_within_their_bounds) {
    static const unsigned char extremes[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    struct crafted_elf wanted = {.interpreter = LOADER, .symbol = "malloc", .needed = "libc.so.6"};
    srand(1);
    for (int round = 0; round < 200000; round++) {
        wanted.has_no_sections = round % 3 == 0;
        size_t byte_count = round % 8 == 0 ? crafted_elf_write(&wanted, bytes) : 2048;
        for (int k = rand() % 4; k >= 0; k--) {
            size_t at = (size_t)rand() % 2048;
            bytes[at] = rand() % 2 != 0 ? (unsigned char)rand() : extremes[rand() % 5];
        }
        memcpy(bytes, ELFMAG, SELFMAG);
        ca_image_read(at_the_edge(bytes, byte_count), byte_count, &facts);
    }
}
