/* SPDX-License-Identifier: MIT
 *
 * A Mach-O image of x86-64 in this process's memory: mapped, moved, bound, as dyld does it, as far
 * as the files that scripts/cross_darwin.sh makes need it. Sources: mach-o/loader.h,
 * mach-o/fat.h; the opcodes of LC_DYLD_INFO_ONLY ibidem; the trie of exported names as dyld's
 * MachOLoaded::trieWalk reads it. The files are our own, so they are believed; what is not known
 * (chained fixups, weak definitions, thread-local variables) ends the process instead of being
 * passed over.
 */
#ifndef CA_DARWIN_IMAGE_H
#define CA_DARWIN_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The status this process ends with when it, not the program it runs, has failed. */
#define CA_DARWIN_FAILED 120

#define CA_DARWIN_SEGMENTS 8u

struct ca_darwin_segment {
    char name[17];
    unsigned char *begin; /* where it is now */
    uint64_t byte_count;
    int protection; /* of mmap, once everything is bound */
};

struct ca_darwin_part {
    const unsigned char *bytes; /* in __LINKEDIT */
    uint32_t byte_count;
};

struct ca_darwin_image {
    const char *path;      /* kept */
    unsigned char *header; /* the beginning of __TEXT */
    intptr_t slide;        /* what was added to the file's addresses */
    struct ca_darwin_segment segments[CA_DARWIN_SEGMENTS];
    uint32_t segment_count;
    struct ca_darwin_part rebases, binds, lazy_binds, exports;
    uint64_t entry_offset; /* of main from the header; 0: none */
};

/* What a name is bound to: `name` as in C, without the underscore. NULL only when `is_weak`. */
typedef void *ca_darwin_resolver(const struct ca_darwin_image *image, const char *name,
                                 bool is_weak);

/* Maps the x86-64 slice of `path` (kept) and moves its pointers. False: it has none (a message
 * in `ret_why`, static). */
bool ca_darwin_image_load(const char *path, struct ca_darwin_image *ret_image,
                          const char **ret_why);

/* Binds every name it imports, those that could wait included. */
void ca_darwin_image_bind(const struct ca_darwin_image *image, ca_darwin_resolver *resolve);

/* Gives the segments the protection that the file asks for. */
void ca_darwin_image_protect(const struct ca_darwin_image *image);

/* A section, or NULL. */
void *ca_darwin_image_section(const struct ca_darwin_image *image, const char *segment,
                              const char *section, size_t *ret_bytes);

/* What it exports as `name` (as in C), or NULL. */
void *ca_darwin_image_find(const struct ca_darwin_image *image, const char *name);

/* Whether `address` is in one of its segments. */
bool ca_darwin_image_has(const struct ca_darwin_image *image, const void *address);

/* Says on fd 2 what is wrong and ends the process with CA_DARWIN_FAILED. */
_Noreturn void ca_darwin_die(const char *what, const char *name);

#endif
