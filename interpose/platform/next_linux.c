/* SPDX-License-Identifier: MIT */
#ifndef __linux__
#error "Linux only"
#endif

#include <elf.h>
#include <link.h>

#include "../plain.h"
#include "shim_platform.h"

/* One loaded object's symbol tables. */
struct object {
    const char *path;
    uintptr_t base;
    const ElfW(Sym) * symbols;
    const char *strings;
    const uint32_t *gnu_hash;
    const uint32_t *sysv_hash;
    const ElfW(Half) * versions;
};

struct search {
    struct ca_next *next;
    struct ca_surroundings *found;
    uintptr_t self;
    bool is_past_self;
    bool has_owner;      /* some object before the shim, or the shim, defines malloc */
    uintptr_t exit_base; /* object that defines exit */
    uintptr_t malloc_base;
};

static const struct wanted {
    const char *name;
    size_t offset;
} wanted[] = {
#define WANTED(symbol, member)                                                                     \
    { symbol, offsetof(struct ca_next, member) }
    WANTED("malloc", malloc),
    WANTED("free", free),
    WANTED("calloc", calloc),
    WANTED("realloc", realloc),
    WANTED("reallocarray", reallocarray),
    WANTED("posix_memalign", posix_memalign),
    WANTED("aligned_alloc", aligned_alloc),
    WANTED("memalign", memalign),
    WANTED("valloc", valloc),
    WANTED("pvalloc", pvalloc),
    WANTED("cfree", cfree),
    WANTED("free_sized", free_sized),
    WANTED("free_aligned_sized", free_aligned_sized),
    WANTED("exit", exit),
    WANTED("__libc_start_main", libc_start_main),
    WANTED("pthread_setname_np", pthread_setname_np),
    WANTED("execve", execve),
    WANTED("execv", execv),
    WANTED("execvp", execvp),
    WANTED("execvpe", execvpe),
    WANTED("fexecve", fexecve),
    WANTED("dlclose", dlclose),
    WANTED("_dl_find_object", find_object),
    WANTED("countalloc_unwind", unwind),
    WANTED("__register_atfork", register_atfork),
    WANTED("pthread_atfork", pthread_atfork),
    WANTED("gnu_get_libc_version", libc_version),
#undef WANTED
};

static bool object_init(struct object *object, const struct dl_phdr_info *info) {
    const ElfW(Dyn) *dynamic = NULL;
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    if (dynamic == NULL)
        return false;
    *object = (struct object){.path = info->dlpi_name, .base = info->dlpi_addr};
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        /* glibc has relocated these pointers in place; musl, and everybody for the vDSO, has not.
         */
        uintptr_t address = dynamic->d_un.d_ptr;
        if (address < object->base)
            address += object->base;
        switch (dynamic->d_tag) {
        case DT_SYMTAB:
            object->symbols = (const ElfW(Sym) *)address;
            break;
        case DT_STRTAB:
            object->strings = (const char *)address;
            break;
        case DT_GNU_HASH:
            object->gnu_hash = (const uint32_t *)address;
            break;
        case DT_HASH:
            object->sysv_hash = (const uint32_t *)address;
            break;
        case DT_VERSYM:
            object->versions = (const ElfW(Half) *)address;
            break;
        default:
            break;
        }
    }
    return object->symbols != NULL && object->strings != NULL;
}

static bool is_definition(const struct object *object, uint32_t index, const char *name) {
    const ElfW(Sym) *symbol = &object->symbols[index];
    unsigned char type = symbol->st_info & 0xf;
    return symbol->st_shndx != SHN_UNDEF && symbol->st_value != 0 &&
           (type == STT_FUNC || type == STT_NOTYPE || type == STT_GNU_IFUNC) &&
           ca_plain_is_equal(object->strings + symbol->st_name, name);
}

/* A default version hides nothing; an old one (cfree) is taken when there is no other. */
static bool is_default_version(const struct object *object, uint32_t index) {
    return object->versions == NULL || (object->versions[index] & 0x8000) == 0;
}

/* Tables: https://refspecs.linuxfoundation.org/elf/gabi4+/ch5.dynamic.html#hash and, for
 * DT_GNU_HASH, https://sourceware.org/legacy-ml/binutils/2006-10/msg00377.html. Index 0 is "none".
 */
static uint32_t find_index(const struct object *object, const char *name) {
    uint32_t old_version = 0;
    if (object->gnu_hash != NULL) {
        uint32_t hash = 5381;
        for (const char *c = name; *c != '\0'; c++)
            hash = hash * 33 + (unsigned char)*c;
        uint32_t bucket_count = object->gnu_hash[0];
        uint32_t first = object->gnu_hash[1];
        uint32_t bloom_count = object->gnu_hash[2];
        const ElfW(Addr) *bloom = (const ElfW(Addr) *)(object->gnu_hash + 4);
        const uint32_t *buckets = (const uint32_t *)(bloom + bloom_count);
        const uint32_t *chain = buckets + bucket_count;
        if (bucket_count == 0)
            return 0;
        uint32_t index = buckets[hash % bucket_count];
        if (index < first)
            return 0;
        for (;; index++) {
            uint32_t entry = chain[index - first];
            if ((entry | 1) == (hash | 1) && is_definition(object, index, name)) {
                if (is_default_version(object, index))
                    return index;
                old_version = index;
            }
            if (entry & 1)
                return old_version;
        }
    }
    if (object->sysv_hash != NULL)
        for (uint32_t index = 1; index < object->sysv_hash[1]; index++)
            if (is_definition(object, index, name)) {
                if (is_default_version(object, index))
                    return index;
                old_version = index;
            }
    return old_version;
}

static void *find(const struct object *object, const char *name) {
    uint32_t index = find_index(object, name);
    if (index == 0)
        return NULL;
    uintptr_t address = object->base + object->symbols[index].st_value;
    if ((object->symbols[index].st_info & 0xf) == STT_GNU_IFUNC)
        address = ((uintptr_t(*)(void))address)();
    return (void *)address;
}

static bool contains(const struct dl_phdr_info *info, uintptr_t address) {
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD &&
            address - (info->dlpi_addr + segment->p_vaddr) < segment->p_memsz)
            return true;
    }
    return false;
}

static const char *path_of(const struct object *object) {
    return object->path != NULL && object->path[0] != '\0' ? object->path : "the program itself";
}

static int visit(struct dl_phdr_info *info, size_t info_bytes, void *argument) {
    (void)info_bytes;
    struct search *search = argument;
    struct object object;
    if (!object_init(&object, info))
        return 0;
    if (contains(info, search->self)) {
        search->is_past_self = true;
        search->has_owner = true;
        return 0;
    }
    if (!search->is_past_self) {
        if (!search->has_owner && find(&object, "malloc") != NULL) {
            search->has_owner = true;
            ca_plain_copy(search->found->malloc_owner, path_of(&object),
                          sizeof search->found->malloc_owner);
        }
        return 0;
    }
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        void **place = (void **)((char *)search->next + wanted[i].offset);
        if (*place != NULL || (*place = find(&object, wanted[i].name)) == NULL)
            continue;
        if (wanted[i].offset == offsetof(struct ca_next, malloc)) {
            search->malloc_base = object.base;
            ca_plain_copy(search->found->allocator, path_of(&object),
                          sizeof search->found->allocator);
            *(void **)&search->next->usable_size = find(&object, "malloc_usable_size");
            *(void **)&search->next->mallctl = find(&object, "mallctl");
            *(void **)&search->next->mallinfo2 = find(&object, "mallinfo2");
        }
        if (wanted[i].offset == offsetof(struct ca_next, exit))
            search->exit_base = object.base;
    }
    return 0;
}

void ca_platform_resolve(struct ca_next *ret_next, struct ca_surroundings *ret_found,
                         const void *self) {
    struct search search = {.next = ret_next, .found = ret_found, .self = (uintptr_t)self};
    dl_iterate_phdr(visit, &search);
    ret_found->is_allocator_libc =
        search.malloc_base != 0 && search.malloc_base == search.exit_base;
}
