/* SPDX-License-Identifier: MIT
 *
 * libcountalloc-operators.so: C++'s new and delete, as they are without another allocator.
 *
 * An allocator that is preloaded usually brings operators of its own, which serve new and delete
 * without a call of malloc, and so uncounted. Preloaded between the shim and that allocator, this
 * library hands each operator to the one that the program would have without it: the next
 * definition in an object that does not define malloc, too (libstdc++'s, libc++'s, or that of a
 * library of the program). These end in malloc, and so in the shim.
 *
 * The allocator's own uses of its operators stay its own. Nothing here allocates; calls are handed
 * on by a jump, so that exceptions pass. */
#ifndef __linux__
#error "Linux only"
#endif

#include <link.h>

#include "../plain.h"
#include "objects_linux.h"

/* X(symbol, parameters, arguments): mangled as the Itanium C++ ABI has it, size_t being
 * unsigned long. */
#define NEW_OPERATORS(X)                                                                           \
    X(_Znwm, (size_t size), (size))                                                                \
    X(_Znam, (size_t size), (size))                                                                \
    X(_ZnwmRKSt9nothrow_t, (size_t size, const void *tag), (size, tag))                            \
    X(_ZnamRKSt9nothrow_t, (size_t size, const void *tag), (size, tag))                            \
    X(_ZnwmSt11align_val_t, (size_t size, size_t alignment), (size, alignment))                    \
    X(_ZnamSt11align_val_t, (size_t size, size_t alignment), (size, alignment))                    \
    X(_ZnwmSt11align_val_tRKSt9nothrow_t, (size_t size, size_t alignment, const void *tag),        \
      (size, alignment, tag))                                                                      \
    X(_ZnamSt11align_val_tRKSt9nothrow_t, (size_t size, size_t alignment, const void *tag),        \
      (size, alignment, tag))
#define DELETE_OPERATORS(X)                                                                        \
    X(_ZdlPv, (void *block), (block))                                                              \
    X(_ZdaPv, (void *block), (block))                                                              \
    X(_ZdlPvm, (void *block, size_t size), (block, size))                                          \
    X(_ZdaPvm, (void *block, size_t size), (block, size))                                          \
    X(_ZdlPvRKSt9nothrow_t, (void *block, const void *tag), (block, tag))                          \
    X(_ZdaPvRKSt9nothrow_t, (void *block, const void *tag), (block, tag))                          \
    X(_ZdlPvSt11align_val_t, (void *block, size_t alignment), (block, alignment))                  \
    X(_ZdaPvSt11align_val_t, (void *block, size_t alignment), (block, alignment))                  \
    X(_ZdlPvmSt11align_val_t, (void *block, size_t size, size_t alignment),                        \
      (block, size, alignment))                                                                    \
    X(_ZdaPvmSt11align_val_t, (void *block, size_t size, size_t alignment),                        \
      (block, size, alignment))                                                                    \
    X(_ZdlPvSt11align_val_tRKSt9nothrow_t, (void *block, size_t alignment, const void *tag),       \
      (block, alignment, tag))                                                                     \
    X(_ZdaPvSt11align_val_tRKSt9nothrow_t, (void *block, size_t alignment, const void *tag),       \
      (block, alignment, tag))
#define OPERATORS(X) NEW_OPERATORS(X) DELETE_OPERATORS(X)

enum {
#define INDEX(symbol, parameters, arguments) INDEX_##symbol,
    OPERATORS(INDEX)
#undef INDEX
    OPERATOR_COUNT
};

static const char *const names[OPERATOR_COUNT] = {
#define NAME(symbol, parameters, arguments) #symbol,
    OPERATORS(NAME)
#undef NAME
};

static void *programs[OPERATOR_COUNT]; /* NULL: not found so far */
static void *allocators[OPERATOR_COUNT];
static uintptr_t allocator_begin;
static uintptr_t allocator_end;

static void keep_allocator(const struct ca_object *object, const struct dl_phdr_info *info) {
    uintptr_t begin = UINTPTR_MAX, end = 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD)
            continue;
        begin = at < begin ? at : begin;
        end = at + segment->p_memsz > end ? at + segment->p_memsz : end;
    }
    for (int i = 0; i < OPERATOR_COUNT; i++)
        allocators[i] = ca_object_find(object, names[i]);
    allocator_begin = begin;
    allocator_end = end;
}

static void keep_programs(const struct ca_object *object) {
    for (int i = 0; i < OPERATOR_COUNT; i++)
        if (programs[i] == NULL)
            __atomic_store_n(&programs[i], ca_object_find(object, names[i]), __ATOMIC_RELAXED);
}

/* The allocator stands before what the program has, so that it is known when an operator is.
 * Threads that do this at the same time store the same. */
static int visit(struct dl_phdr_info *info, size_t info_bytes, void *argument) {
    (void)info_bytes;
    bool *is_past_self = argument;
    struct ca_object object;
    if (!ca_object_init(&object, info))
        return 0;
    if (ca_object_contains(info, (uintptr_t)names))
        *is_past_self = true;
    else if (*is_past_self && ca_object_find(&object, "malloc") == NULL)
        keep_programs(&object);
    else if (*is_past_self && allocator_end == 0)
        keep_allocator(&object, info);
    return 0;
}

static void resolve(void) {
    bool is_past_self = false;
    dl_iterate_phdr(visit, &is_past_self);
}

static uintptr_t target(int index, uintptr_t caller) {
    if (CA_UNLIKELY(__atomic_load_n(&programs[index], __ATOMIC_ACQUIRE) == NULL))
        resolve();
    if (caller - allocator_begin < allocator_end - allocator_begin && allocators[index] != NULL)
        return (uintptr_t)allocators[index];
    void *found = __atomic_load_n(&programs[index], __ATOMIC_RELAXED);
    return (uintptr_t)(found != NULL ? found : allocators[index]);
}

__attribute__((constructor)) static void start(void) {
    resolve();
}

#define NEXT(symbol) target(INDEX_##symbol, (uintptr_t)__builtin_return_address(0))

#define DEFINE_NEW(symbol, parameters, arguments)                                                  \
    __attribute__((visibility("default"))) void *symbol parameters;                                \
    void *symbol parameters {                                                                      \
        return ((void *(*)parameters)NEXT(symbol))arguments;                                       \
    }
NEW_OPERATORS(DEFINE_NEW)

#define DEFINE_DELETE(symbol, parameters, arguments)                                               \
    __attribute__((visibility("default"))) void symbol parameters;                                 \
    void symbol parameters {                                                                       \
        ((void(*) parameters)NEXT(symbol)) arguments;                                              \
    }
DELETE_OPERATORS(DEFINE_DELETE)
