/* SPDX-License-Identifier: MIT */
#ifndef __linux__
#error "Linux only"
#endif

#include <elf.h>
#include <link.h>

#include "../plain.h"
#include "objects_linux.h"
#include "shim_platform.h"

const char ca_platform_owner_remedy[] =
    "name countalloc first in LD_PRELOAD; an allocator inside the program itself cannot be counted";

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

static const char *path_of(const struct ca_object *object) {
    return object->path != NULL && object->path[0] != '\0' ? object->path : "the program itself";
}

static int visit(struct dl_phdr_info *info, size_t info_bytes, void *argument) {
    (void)info_bytes;
    struct search *search = argument;
    struct ca_object object;
    if (!ca_object_init(&object, info))
        return 0;
    if (ca_object_contains(info, search->self)) {
        search->is_past_self = true;
        search->has_owner = true;
        return 0;
    }
    if (!search->is_past_self) {
        if (!search->has_owner && ca_object_find(&object, "malloc") != NULL) {
            search->has_owner = true;
            ca_plain_copy(search->found->malloc_owner, path_of(&object),
                          sizeof search->found->malloc_owner);
        }
        return 0;
    }
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        void **place = (void **)((char *)search->next + wanted[i].offset);
        if (*place != NULL || (*place = ca_object_find(&object, wanted[i].name)) == NULL)
            continue;
        if (wanted[i].offset == offsetof(struct ca_next, malloc)) {
            search->malloc_base = object.base;
            ca_plain_copy(search->found->allocator, path_of(&object),
                          sizeof search->found->allocator);
            *(void **)&search->next->usable_size = ca_object_find(&object, "malloc_usable_size");
            *(void **)&search->next->mallctl = ca_object_find(&object, "mallctl");
            *(void **)&search->next->mallinfo2 = ca_object_find(&object, "mallinfo2");
            *(void **)&search->next->property =
                ca_object_find(&object, "MallocExtension_GetNumericProperty");
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
    if (!ret_found->is_allocator_libc && ret_found->malloc_owner[0] == '\0' &&
        ret_next->malloc != NULL)
        ca_platform_find_companions((const void *)(uintptr_t)ret_next->malloc, ret_found);
}
