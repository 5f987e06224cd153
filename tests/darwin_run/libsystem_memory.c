/* SPDX-License-Identifier: MIT
 *
 * malloc and its relatives. Blocks are glibc's. The shapes are those of Apple's libmalloc
 * (src/malloc.c) and Libc (stdlib/FreeBSD/reallocf.c, tsearch.c). */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libsystem.h"

typedef struct zone *zone_pointer;
typedef unsigned long long type_id;

enum ca_darwin_calls ca_darwin_calls;

static struct zone { char opaque[256]; } default_zone;

/* ---- what everything ends in ---- */

static void *settle_block(void *block) {
    ca_darwin_settle(block == NULL ? -1 : 0);
    return block;
}

static void *raw_malloc(size_t size) {
    return settle_block(malloc(size));
}

static void *raw_calloc(size_t count, size_t each) {
    return settle_block(calloc(count, each));
}

/* Of 0 bytes: another block, of the smallest size (realloc(3)). */
static void *raw_realloc(void *old, size_t size) {
    return settle_block(realloc(old, size == 0 ? 1 : size));
}

static void *raw_memalign(size_t alignment, size_t size) {
    void *block = NULL;
    int status = posix_memalign(&block, alignment, size);
    errno = status;
    return status == 0 ? block : settle_block(NULL);
}

/* ---- public names as libSystem calls them ---- */

#define INNER(X)                                                                                   \
    X(void *, malloc, (size_t))                                                                    \
    X(void, free, (void *))                                                                        \
    X(void *, realloc, (void *, size_t))                                                           \
    X(void *, reallocf, (void *, size_t))                                                          \
    X(void *, malloc_zone_malloc, (zone_pointer, size_t))                                          \
    X(void *, malloc_zone_calloc, (zone_pointer, size_t, size_t))                                  \
    X(void *, malloc_zone_realloc, (zone_pointer, void *, size_t))                                 \
    X(void *, malloc_zone_valloc, (zone_pointer, size_t))                                          \
    X(void *, malloc_zone_memalign, (zone_pointer, size_t, size_t))                                \
    X(void, malloc_zone_free, (zone_pointer, void *))                                              \
    X(void *, malloc_type_zone_malloc, (zone_pointer, size_t, type_id))                            \
    X(void *, malloc_type_zone_calloc, (zone_pointer, size_t, size_t, type_id))                    \
    X(void *, malloc_type_zone_realloc, (zone_pointer, void *, size_t, type_id))                   \
    X(void *, malloc_type_zone_valloc, (zone_pointer, size_t, type_id))                            \
    X(void *, malloc_type_zone_memalign, (zone_pointer, size_t, size_t, type_id))                  \
    X(void, malloc_type_zone_free, (zone_pointer, void *, type_id))

#define INNER_DECLARE(type, name, parameters)                                                      \
    static type mac_##name parameters;                                                             \
    static type(*inner_##name) parameters = mac_##name;
#define INNER_ROW(type, name, parameters) {#name, &inner_##name},

INNER(INNER_DECLARE)

const struct ca_darwin_inner ca_libsystem_inner[] = {INNER(INNER_ROW){NULL, NULL}};

static bool is_nested(void) {
    return ca_darwin_calls >= CA_DARWIN_NESTED;
}

/* ---- stdlib.h ---- */

static void *mac_malloc(size_t size) {
    return ca_darwin_calls == CA_DARWIN_ALL ? inner_malloc_zone_malloc(&default_zone, size)
                                            : raw_malloc(size);
}

static void mac_free(void *block) {
    if (ca_darwin_calls == CA_DARWIN_ALL && block != NULL)
        inner_malloc_zone_free(&default_zone, block);
    else
        free(block);
}

static void *mac_calloc(size_t count, size_t each) {
    return is_nested() ? inner_malloc_zone_calloc(&default_zone, count, each)
                       : raw_calloc(count, each);
}

static void *mac_realloc(void *old, size_t size) {
    if (!is_nested())
        return raw_realloc(old, size);
    return old == NULL ? inner_malloc(size) : inner_malloc_zone_realloc(&default_zone, old, size);
}

static void *mac_valloc(size_t size) {
    return is_nested() ? inner_malloc_zone_valloc(&default_zone, size) : raw_memalign(4096, size);
}

/* The alignment must divide the size (aligned_alloc(3)). */
static void *mac_aligned_alloc(size_t alignment, size_t size) {
    if (alignment == 0 || size % alignment != 0) {
        errno = EINVAL;
        return settle_block(NULL);
    }
    return is_nested() ? inner_malloc_zone_memalign(&default_zone, alignment, size)
                       : raw_memalign(alignment, size);
}

static int mac_posix_memalign(void **ret_block, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0)
        return ca_darwin_error(EINVAL);
    void *block = is_nested() ? inner_malloc_zone_memalign(&default_zone, alignment, size)
                              : raw_memalign(alignment, size);
    if (block == NULL)
        return ca_darwin_error(ENOMEM);
    *ret_block = block;
    return 0;
}

static void mac_vfree(void *block) {
    if (is_nested())
        inner_free(block);
    else
        free(block);
}

static size_t mac_malloc_size(const void *block) {
    return malloc_usable_size((void *)(uintptr_t)block);
}

/* ---- Libc's, another library than libmalloc ---- */

static void *mac_reallocf(void *old, size_t size) {
    void *block = inner_realloc(old, size);
    if (block == NULL && old != NULL && size != 0)
        inner_free(old);
    return block;
}

static bool is_overflow(size_t count, size_t each, size_t *ret_product) {
    errno = ENOMEM;
    return __builtin_mul_overflow(count, each, ret_product);
}

static void *mac_reallocarray(void *old, size_t count, size_t each) {
    size_t size;
    return is_overflow(count, each, &size) ? settle_block(NULL) : inner_realloc(old, size);
}

static void *mac_reallocarrayf(void *old, size_t count, size_t each) {
    size_t size;
    return is_overflow(count, each, &size) ? settle_block(NULL) : inner_reallocf(old, size);
}

struct node {
    const void *key;
    struct node *left, *right;
};

static void *mac_tsearch(const void *key, void **root, int (*compare)(const void *, const void *)) {
    struct node **at = (struct node **)root;
    while (*at != NULL) {
        int order = compare(key, (*at)->key);
        if (order == 0)
            return *at;
        at = order < 0 ? &(*at)->left : &(*at)->right;
    }
    *at = inner_malloc(sizeof **at);
    if (*at != NULL)
        **at = (struct node){key, NULL, NULL};
    return *at;
}

static void *mac_tdelete(const void *key, void **root, int (*compare)(const void *, const void *)) {
    struct node **at = (struct node **)root;
    while (*at != NULL) {
        struct node *node = *at;
        int order = compare(key, node->key);
        if (order == 0) {
            if (node->left != NULL && node->right != NULL)
                ca_darwin_die("tdelete", ": of a node between two others");
            *at = node->left != NULL ? node->left : node->right;
            inner_free(node);
            return root; /* some pointer that is not NULL */
        }
        at = order < 0 ? &node->left : &node->right;
    }
    return NULL;
}

/* ---- malloc/malloc.h ---- */

static zone_pointer mac_malloc_default_zone(void) {
    return &default_zone;
}

static void *mac_malloc_zone_malloc(zone_pointer zone, size_t size) {
    (void)zone;
    return raw_malloc(size);
}

static void *mac_malloc_zone_calloc(zone_pointer zone, size_t count, size_t each) {
    (void)zone;
    return raw_calloc(count, each);
}

static void *mac_malloc_zone_realloc(zone_pointer zone, void *old, size_t size) {
    (void)zone;
    return raw_realloc(old, size);
}

static void *mac_malloc_zone_valloc(zone_pointer zone, size_t size) {
    (void)zone;
    return raw_memalign(4096, size);
}

static void *mac_malloc_zone_memalign(zone_pointer zone, size_t alignment, size_t size) {
    (void)zone;
    return raw_memalign(alignment, size);
}

static void mac_malloc_zone_free(zone_pointer zone, void *block) {
    (void)zone;
    free(block);
}

static unsigned mac_malloc_zone_batch_malloc(zone_pointer zone, size_t size, void **ret_blocks,
                                             unsigned wanted_count) {
    (void)zone;
    unsigned count = 0;
    while (count < wanted_count && (ret_blocks[count] = raw_malloc(size)) != NULL)
        count++;
    return count;
}

static void mac_malloc_zone_batch_free(zone_pointer zone, void **blocks, unsigned count) {
    (void)zone;
    for (unsigned i = 0; i < count; i++)
        free(blocks[i]);
}

/* ---- malloc/_malloc_type.h ---- */

static void *mac_malloc_type_malloc(size_t size, type_id type) {
    return is_nested() ? inner_malloc_type_zone_malloc(&default_zone, size, type)
                       : raw_malloc(size);
}

static void *mac_malloc_type_calloc(size_t count, size_t each, type_id type) {
    return is_nested() ? inner_malloc_type_zone_calloc(&default_zone, count, each, type)
                       : raw_calloc(count, each);
}

static void *mac_malloc_type_realloc(void *old, size_t size, type_id type) {
    return is_nested() ? inner_malloc_type_zone_realloc(&default_zone, old, size, type)
                       : raw_realloc(old, size);
}

static void *mac_malloc_type_valloc(size_t size, type_id type) {
    return is_nested() ? inner_malloc_type_zone_valloc(&default_zone, size, type)
                       : raw_memalign(4096, size);
}

static void *mac_malloc_type_aligned_alloc(size_t alignment, size_t size, type_id type) {
    return is_nested() ? inner_malloc_type_zone_memalign(&default_zone, alignment, size, type)
                       : raw_memalign(alignment, size);
}

static int mac_malloc_type_posix_memalign(void **ret_block, size_t alignment, size_t size,
                                          type_id type) {
    *ret_block = mac_malloc_type_aligned_alloc(alignment, size, type);
    return *ret_block == NULL ? ca_darwin_error(ENOMEM) : 0;
}

static void mac_malloc_type_free(void *block, type_id type) {
    if (is_nested())
        inner_malloc_type_zone_free(&default_zone, block, type);
    else
        free(block);
}

static void *mac_malloc_type_zone_malloc(zone_pointer zone, size_t size, type_id type) {
    (void)type;
    return is_nested() ? inner_malloc_zone_malloc(zone, size) : raw_malloc(size);
}

static void *mac_malloc_type_zone_calloc(zone_pointer zone, size_t count, size_t each,
                                         type_id type) {
    (void)type;
    return is_nested() ? inner_malloc_zone_calloc(zone, count, each) : raw_calloc(count, each);
}

static void *mac_malloc_type_zone_realloc(zone_pointer zone, void *old, size_t size, type_id type) {
    (void)type;
    return is_nested() ? inner_malloc_zone_realloc(zone, old, size) : raw_realloc(old, size);
}

static void *mac_malloc_type_zone_valloc(zone_pointer zone, size_t size, type_id type) {
    (void)type;
    return is_nested() ? inner_malloc_zone_valloc(zone, size) : raw_memalign(4096, size);
}

static void *mac_malloc_type_zone_memalign(zone_pointer zone, size_t alignment, size_t size,
                                           type_id type) {
    (void)type;
    return is_nested() ? inner_malloc_zone_memalign(zone, alignment, size)
                       : raw_memalign(alignment, size);
}

static void mac_malloc_type_zone_free(zone_pointer zone, void *block, type_id type) {
    (void)type;
    if (is_nested())
        inner_malloc_zone_free(zone, block);
    else
        free(block);
}

/* Bit 0 of the options: cleared. */
static void *mac_malloc_zone_malloc_with_options(zone_pointer zone, size_t alignment, size_t size,
                                                 uint64_t options) {
    (void)zone;
    void *block = alignment <= 16 ? raw_malloc(size) : raw_memalign(alignment, size);
    return block != NULL && (options & 1) != 0 ? memset(block, 0, size) : block;
}

static void *mac_malloc_type_zone_malloc_with_options(zone_pointer zone, size_t alignment,
                                                      size_t size, type_id type, uint64_t options) {
    (void)type;
    return mac_malloc_zone_malloc_with_options(zone, alignment, size, options);
}

void ca_libsystem_start(void) {
    for (size_t i = 0; i < 3; i++)
        inner_free(inner_malloc(10));
}

const struct ca_darwin_export ca_libsystem_memory[] = {
    CA_DARWIN_HAS(malloc),
    CA_DARWIN_HAS(free),
    CA_DARWIN_HAS(calloc),
    CA_DARWIN_HAS(realloc),
    CA_DARWIN_HAS(valloc),
    CA_DARWIN_HAS(aligned_alloc),
    CA_DARWIN_HAS(posix_memalign),
    CA_DARWIN_HAS(vfree),
    CA_DARWIN_HAS(malloc_size),
    CA_DARWIN_HAS(reallocf),
    CA_DARWIN_HAS(tsearch),
    CA_DARWIN_HAS(tdelete),
    CA_DARWIN_HAS(malloc_default_zone),
    CA_DARWIN_HAS(malloc_zone_malloc),
    CA_DARWIN_HAS(malloc_zone_calloc),
    CA_DARWIN_HAS(malloc_zone_realloc),
    CA_DARWIN_HAS(malloc_zone_valloc),
    CA_DARWIN_HAS(malloc_zone_memalign),
    CA_DARWIN_HAS(malloc_zone_free),
    CA_DARWIN_HAS(malloc_zone_batch_malloc),
    CA_DARWIN_HAS(malloc_zone_batch_free),
    CA_DARWIN_NEWER(reallocarray),
    CA_DARWIN_NEWER(reallocarrayf),
    CA_DARWIN_NEWER(malloc_type_malloc),
    CA_DARWIN_NEWER(malloc_type_calloc),
    CA_DARWIN_NEWER(malloc_type_realloc),
    CA_DARWIN_NEWER(malloc_type_valloc),
    CA_DARWIN_NEWER(malloc_type_aligned_alloc),
    CA_DARWIN_NEWER(malloc_type_posix_memalign),
    CA_DARWIN_NEWER(malloc_type_free),
    CA_DARWIN_NEWER(malloc_type_zone_malloc),
    CA_DARWIN_NEWER(malloc_type_zone_calloc),
    CA_DARWIN_NEWER(malloc_type_zone_realloc),
    CA_DARWIN_NEWER(malloc_type_zone_valloc),
    CA_DARWIN_NEWER(malloc_type_zone_memalign),
    CA_DARWIN_NEWER(malloc_type_zone_free),
    CA_DARWIN_NEWER(malloc_zone_malloc_with_options),
    CA_DARWIN_NEWER(malloc_type_zone_malloc_with_options),
    CA_DARWIN_END,
};
