/* SPDX-License-Identifier: MIT
 *
 * Prototypes of what the macOS hooks stand in front of and of the hooks themselves: ca_hook_NAME
 * for each NAME that hook_list.h has for macOS, with the type of NAME. A hook calls NAME itself,
 * because dyld leaves the calls of the image that interposes alone.
 *
 * Sources: the headers of libmalloc (malloc/malloc.h, malloc/_malloc.h, malloc/_malloc_type.h; the
 * macOS that each entry appeared in is said there) and of Libc. Declared here and not included,
 * because the entries may be newer than the headers that the shim is built with; those are weak,
 * and dyld passes over a pair whose function is not there.
 */
#ifndef CA_HOOKS_DARWIN_H
#define CA_HOOKS_DARWIN_H

#ifndef __APPLE__
#error "macOS only"
#endif

#include <malloc/malloc.h>
#include <spawn.h>
#include <stdlib.h>
#include <unistd.h>

#include "../count.h"
#include "../hook_list.h"

#define CA_NEWER extern __attribute__((weak_import))

typedef unsigned long long ca_type_id; /* malloc_type_id_t */
typedef uint64_t ca_malloc_options;    /* malloc_zone_malloc_options_t */

extern void vfree(void *block);
CA_NEWER void *reallocarray(void *old, size_t count, size_t each);
CA_NEWER void *reallocarrayf(void *old, size_t count, size_t each);
extern int pthread_setname_np(const char *name);
extern int dlclose(void *object);

CA_NEWER void *malloc_type_malloc(size_t size, ca_type_id type);
CA_NEWER void *malloc_type_calloc(size_t count, size_t each, ca_type_id type);
CA_NEWER void malloc_type_free(void *block, ca_type_id type);
CA_NEWER void *malloc_type_realloc(void *old, size_t size, ca_type_id type);
CA_NEWER void *malloc_type_valloc(size_t size, ca_type_id type);
CA_NEWER void *malloc_type_aligned_alloc(size_t alignment, size_t size, ca_type_id type);
CA_NEWER int malloc_type_posix_memalign(void **ret_block, size_t alignment, size_t size,
                                        ca_type_id type);
CA_NEWER void *malloc_type_zone_malloc(malloc_zone_t *zone, size_t size, ca_type_id type);
CA_NEWER void *malloc_type_zone_calloc(malloc_zone_t *zone, size_t count, size_t each,
                                       ca_type_id type);
CA_NEWER void malloc_type_zone_free(malloc_zone_t *zone, void *block, ca_type_id type);
CA_NEWER void *malloc_type_zone_realloc(malloc_zone_t *zone, void *old, size_t size,
                                        ca_type_id type);
CA_NEWER void *malloc_type_zone_valloc(malloc_zone_t *zone, size_t size, ca_type_id type);
CA_NEWER void *malloc_type_zone_memalign(malloc_zone_t *zone, size_t alignment, size_t size,
                                         ca_type_id type);
CA_NEWER void *malloc_zone_malloc_with_options(malloc_zone_t *zone, size_t alignment, size_t size,
                                               ca_malloc_options options);
CA_NEWER void *malloc_type_zone_malloc_with_options(malloc_zone_t *zone, size_t alignment,
                                                    size_t size, ca_type_id type,
                                                    ca_malloc_options options);

/* One line for each hook of macOS. */
#define CA_DARWIN_LINUX(name, how)
#define CA_DARWIN_BOTH(name, how)   how(name)
#define CA_DARWIN_DARWIN(name, how) how(name)

#define CA_DECLARE_HOOK(name)              extern CA_HIDDEN __typeof__(name) ca_hook_##name;
#define CA_DECLARE_ROW(name, systems, why) CA_DARWIN_##systems(name, CA_DECLARE_HOOK)
CA_HOOK_LIST(CA_DECLARE_ROW)

/* Entries that may be made of others, behind the ones that all systems have (enum ca_entry). */
enum ca_darwin_entry {
    CA_ENTRY_REALLOCF = CA_ENTRY_FIRST_OF_SYSTEM,
    CA_ENTRY_REALLOCARRAYF,
    CA_ENTRY_VFREE,
    CA_ENTRY_ZONE_MALLOC,
    CA_ENTRY_ZONE_CALLOC,
    CA_ENTRY_ZONE_VALLOC,
    CA_ENTRY_ZONE_MEMALIGN,
    CA_ENTRY_ZONE_REALLOC,
    CA_ENTRY_ZONE_FREE,
    CA_ENTRY_ZONE_OPTIONS,
    CA_ENTRY_TYPE_MALLOC,
    CA_ENTRY_TYPE_CALLOC,
    CA_ENTRY_TYPE_VALLOC,
    CA_ENTRY_TYPE_ALIGNED_ALLOC,
    CA_ENTRY_TYPE_POSIX_MEMALIGN,
    CA_ENTRY_TYPE_REALLOC,
    CA_ENTRY_TYPE_FREE,
    CA_ENTRY_TYPE_ZONE_MALLOC,
    CA_ENTRY_TYPE_ZONE_CALLOC,
    CA_ENTRY_TYPE_ZONE_VALLOC,
    CA_ENTRY_TYPE_ZONE_MEMALIGN,
    CA_ENTRY_TYPE_ZONE_REALLOC,
    CA_ENTRY_TYPE_ZONE_FREE,
    CA_ENTRY_TYPE_ZONE_OPTIONS,
    CA_ENTRY_DARWIN_END
};

_Static_assert(CA_ENTRY_DARWIN_END <= (int)CA_ENTRY_COUNT, "is_settled has room for them");

#define CA_ENTRY_OF(entry) ((enum ca_entry)(entry))

#endif
