/* SPDX-License-Identifier: MIT
 *
 * The shim as a file: what it exports, what it needs, how much thread-local storage it takes. */
#include <criterion/criterion.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/hook_list.h"
#include "support/spawn.h"

static char *file;
static size_t file_bytes;

static void read_file(void) {
    file = ca_spawn_read_file(COUNTALLOC_LIBRARY, &file_bytes);
    cr_assert_not_null(file, "no " COUNTALLOC_LIBRARY);
    cr_assert(file_bytes > sizeof(Elf64_Ehdr) && memcmp(file, ELFMAG, SELFMAG) == 0);
}

static void release_file(void) {
    free(file);
}

TestSuite(shim_file, .init = read_file, .fini = release_file);

static const Elf64_Ehdr *header(void) {
    return (const Elf64_Ehdr *)(const void *)file;
}

static const Elf64_Phdr *segment(uint32_t type) {
    const Elf64_Phdr *segments = (const Elf64_Phdr *)(const void *)(file + header()->e_phoff);
    for (size_t i = 0; i < header()->e_phnum; i++)
        if (segments[i].p_type == type)
            return &segments[i];
    return NULL;
}

static const Elf64_Shdr *section(uint32_t type) {
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(const void *)(file + header()->e_shoff);
    for (size_t i = 0; i < header()->e_shnum; i++)
        if (sections[i].sh_type == type)
            return &sections[i];
    return NULL;
}

static const char *symbol_name(const Elf64_Sym *symbol) {
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(const void *)(file + header()->e_shoff);
    return file + sections[section(SHT_DYNSYM)->sh_link].sh_offset + symbol->st_name;
}

static const char *const expected[] = {
#define EXPECTED_LINUX(name) #name,
#define EXPECTED_BOTH(name)  #name,
#define EXPECTED_DARWIN(name)
#define EXPECTED(name, systems, why) EXPECTED_##systems(name)
    CA_HOOK_LIST(EXPECTED)
#undef EXPECTED
        "countalloc_phase_api",
};

#define EXPECTED_COUNT (sizeof expected / sizeof expected[0])

Test(shim_file, exports_the_hook_list_and_the_phase_table_and_nothing_more) {
    const Elf64_Shdr *table = section(SHT_DYNSYM);
    cr_assert_not_null(table);
    const Elf64_Sym *symbols = (const Elf64_Sym *)(const void *)(file + table->sh_offset);
    bool is_exported[EXPECTED_COUNT] = {false};
    for (size_t i = 1; i < table->sh_size / sizeof *symbols; i++) {
        if (symbols[i].st_shndx == SHN_UNDEF)
            continue;
        bool is_expected = false;
        for (size_t k = 0; k < EXPECTED_COUNT; k++)
            if (strcmp(expected[k], symbol_name(&symbols[i])) == 0)
                is_expected = is_exported[k] = true;
        cr_expect(is_expected, "%s is exported and not in hook_list.h", symbol_name(&symbols[i]));
    }
    for (size_t k = 0; k < EXPECTED_COUNT; k++)
        cr_expect(is_exported[k], "%s is in hook_list.h and not exported", expected[k]);
}

Test(shim_file, needs_no_other_file) {
    const Elf64_Phdr *dynamic = segment(PT_DYNAMIC);
    cr_assert_not_null(dynamic);
    for (const Elf64_Dyn *entry = (const Elf64_Dyn *)(const void *)(file + dynamic->p_offset);
         entry->d_tag != DT_NULL; entry++)
        cr_expect_neq(entry->d_tag, DT_NEEDED);
}

Test(shim_file, refers_to_no_symbol_version_so_that_one_file_serves_every_libc) {
    cr_assert_null(section(SHT_GNU_verneed));
    cr_assert_null(section(SHT_GNU_verdef));
}

Test(shim_file, needs_no_function_that_a_libc_may_lack) {
    const Elf64_Shdr *table = section(SHT_DYNSYM);
    const Elf64_Sym *symbols = (const Elf64_Sym *)(const void *)(file + table->sh_offset);
    /* The last four are what a compiler may make of an assignment. */
    static const char *const known[] = {"environ",          "__environ",    "dl_iterate_phdr",
                                        "__errno_location", "pthread_self", "memset",
                                        "memcpy",           "memmove",      "memcmp"};
    for (size_t i = 1; i < table->sh_size / sizeof *symbols; i++) {
        bool is_known = symbols[i].st_shndx != SHN_UNDEF || symbol_name(&symbols[i])[0] == '\0';
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
            is_known = is_known || strcmp(known[k], symbol_name(&symbols[i])) == 0;
        cr_expect(is_known, "undefined symbol %s", symbol_name(&symbols[i]));
    }
}

Test(shim_file, takes_one_cache_line_of_thread_local_storage) {
    const Elf64_Phdr *tls = segment(PT_TLS);
    cr_assert_not_null(tls);
    cr_assert_eq(tls->p_memsz, 56); /* the row's pointer, and six words for call sites */
}

Test(shim_file, has_no_executable_stack_and_no_text_relocation) {
    const Elf64_Phdr *stack = segment(PT_GNU_STACK);
    cr_assert_not_null(stack);
    cr_assert_eq(stack->p_flags & PF_X, 0);
    const Elf64_Phdr *dynamic = segment(PT_DYNAMIC);
    for (const Elf64_Dyn *entry = (const Elf64_Dyn *)(const void *)(file + dynamic->p_offset);
         entry->d_tag != DT_NULL; entry++)
        cr_expect_neq(entry->d_tag, DT_TEXTREL);
}
