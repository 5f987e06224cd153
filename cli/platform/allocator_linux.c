/* SPDX-License-Identifier: MIT
 *
 * Finding a shared library as ld.so(8) does: LD_LIBRARY_PATH, /etc/ld.so.cache, the usual folders.
 * A file for another architecture is passed over, as the loader does. */
#ifndef __linux__
#error "Linux only"
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/cli_platform.h"

#if defined(__x86_64__)
#define DEBIANS_FOLDER "x86_64-linux-gnu"
#else
#define DEBIANS_FOLDER "aarch64-linux-gnu"
#endif

#define INSIDE_NAME "jemalloc-inside"
#define LIBC_NAME   "libc"

static const struct known {
    const char *name;
    const char *files[3];
    const char *package; /* Debian's */
} known[] = {
    {"jemalloc", {"libjemalloc.so.2"}, "libjemalloc2"},
    {"mimalloc", {"libmimalloc.so.2", "libmimalloc.so.3"}, "libmimalloc2.0"},
    /* The smaller one first: the other brings a profiler, which sets variables of its own. */
    {"tcmalloc", {"libtcmalloc_minimal.so.4", "libtcmalloc.so.4"}, "libtcmalloc-minimal4"},
};

#define KNOWN_COUNT (sizeof known / sizeof known[0])

/* ---- what a file is ---- */

struct mapped {
    const unsigned char *bytes;
    size_t byte_count;
};

static bool map_file(const char *path, struct mapped *ret_mapped) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    struct stat facts;
    if (fd < 0)
        return false;
    bool is_file = fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode);
    ret_mapped->byte_count = is_file ? (size_t)facts.st_size : 0;
    void *bytes = ret_mapped->byte_count > 0
                      ? mmap(NULL, ret_mapped->byte_count, PROT_READ, MAP_PRIVATE, fd, 0)
                      : NULL;
    if (bytes == MAP_FAILED)
        bytes = NULL;
    ret_mapped->bytes = bytes;
    int kept_errno = is_file ? errno : EISDIR;
    close(fd);
    errno = kept_errno;
    return is_file;
}

static void unmap_file(struct mapped *mapped) {
    if (mapped->bytes != NULL)
        munmap((void *)(uintptr_t)mapped->bytes, mapped->byte_count);
}

static bool read_facts(const char *path, struct ca_image_facts *ret_facts) {
    struct mapped mapped;
    if (!map_file(path, &mapped))
        return false;
    *ret_facts = (struct ca_image_facts){0};
    if (mapped.bytes != NULL)
        ca_image_read(mapped.bytes, mapped.byte_count, ret_facts);
    unmap_file(&mapped);
    return true;
}

static bool is_musl(const struct ca_target *target) {
    return strstr(target->image.interpreter, "ld-musl") != NULL;
}

/* Whether `path` can serve malloc in `target`. */
static enum ca_status judge(const char *path, const struct ca_target *target,
                            struct ca_error *err) {
    struct ca_image_facts facts;
    if (!read_facts(path, &facts))
        return ca_error_set(err, CA_ERROR_SYSTEM,
                            "--allocator: cannot read '%s': %s; name a shared library", path,
                            strerror(errno));
    if (facts.kind == CA_IMAGE_KIND_FOREIGN)
        return ca_error_set(err, CA_ERROR_SYSTEM,
                            "--allocator: '%s' is for another architecture (%s); name one built "
                            "for this machine",
                            path, facts.foreign);
    if (facts.kind != CA_IMAGE_KIND_STATIC)
        return ca_error_set(err, CA_ERROR_SYSTEM,
                            "--allocator: '%s' is no shared library; name one that defines malloc",
                            path);
    if (!facts.is_malloc_exported)
        return ca_error_set(err, CA_ERROR_SYSTEM,
                            "--allocator: '%s' exports no malloc, so it cannot serve any; name a "
                            "library that defines malloc and free",
                            path);
    if (facts.is_shim)
        return ca_error_set(err, CA_ERROR_SYSTEM,
                            "--allocator: '%s' is countalloc's own library, which counts and "
                            "passes on; name an allocator",
                            path);
    if (facts.sanitizer != NULL)
        return ca_error_set(err, CA_ERROR_SYSTEM,
                            "--allocator: '%s' belongs to %s, whose malloc is not to be put "
                            "below another library; name an allocator",
                            path, facts.sanitizer);
    if (facts.libc != NULL && target->image.interpreter[0] != '\0' &&
        (strcmp(facts.libc, "musl") == 0) != is_musl(target))
        return ca_error_set(err, CA_ERROR_SYSTEM,
                            "--allocator: '%s' is built for %s, and '%s' is not; name one built "
                            "for the same libc",
                            path, facts.libc, target->image_path);
    return CA_OK;
}

/* ---- looking for a name ---- */

/* True when it is there, in `ret_path`, and for this machine. */
static bool is_usable(const char *folder, size_t folder_length, const char *file, char *ret_path) {
    struct ca_image_facts facts;
    int length = snprintf(ret_path, CA_PATH_SIZE, "%.*s%s%s", (int)folder_length, folder,
                          folder_length > 0 ? "/" : "", file);
    return length < CA_PATH_SIZE && read_facts(ret_path, &facts) &&
           facts.kind == CA_IMAGE_KIND_STATIC;
}

static bool find_in_list(const char *folders, const char *file, char *ret_path) {
    for (const char *at = folders; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, ":;");
        if (length > 0 && is_usable(at, length, file, ret_path))
            return true;
        at += length + (at[length] != '\0');
    }
    return false;
}

/* glibc's cache (sysdeps/generic/dl-cache.h): after the magic a count, and from byte 48 on entries
 * of 24 bytes, with the offsets of name and path, from the magic, in the second and third word. */
static bool find_in_cache(const char *file, char *ret_path) {
    static const char magic[] = "glibc-ld.so.cache1.1";
    struct mapped cache;
    if (!map_file("/etc/ld.so.cache", &cache))
        return false;
    const unsigned char *begin =
        cache.bytes != NULL ? memmem(cache.bytes, cache.byte_count, magic, sizeof magic - 1) : NULL;
    size_t size = begin != NULL ? cache.byte_count - (size_t)(begin - cache.bytes) : 0;
    uint32_t count = 0;
    bool is_found = false;
    if (size >= 48)
        memcpy(&count, begin + sizeof magic - 1, sizeof count);
    for (uint32_t i = 0; i < count && 48 + (i + 1) * (size_t)24 <= size && !is_found; i++) {
        uint32_t words[3];
        memcpy(words, begin + 48 + i * (size_t)24, sizeof words);
        if (words[1] >= size || words[2] >= size ||
            memchr(begin + words[1], '\0', size - words[1]) == NULL ||
            memchr(begin + words[2], '\0', size - words[2]) == NULL)
            continue;
        const char *path = (const char *)begin + words[2];
        is_found =
            strcmp((const char *)begin + words[1], file) == 0 && is_usable("", 0, path, ret_path);
    }
    unmap_file(&cache);
    return is_found;
}

static bool find_file(const char *file, char *ret_path) {
    return find_in_list(getenv("LD_LIBRARY_PATH"), file, ret_path) ||
           find_in_cache(file, ret_path) ||
           find_in_list("/lib/" DEBIANS_FOLDER ":/usr/lib/" DEBIANS_FOLDER
                        ":/lib64:/usr/lib64:/lib:/usr/lib:/usr/local/lib",
                        file, ret_path);
}

static enum ca_status find_known(const struct known *wanted, struct ca_allocator *ret_allocator,
                                 struct ca_error *err) {
    for (size_t i = 0; i < sizeof wanted->files / sizeof wanted->files[0]; i++)
        if (wanted->files[i] != NULL && find_file(wanted->files[i], ret_allocator->path))
            return CA_OK;
    return ca_error_set(err, CA_ERROR_SYSTEM,
                        "--allocator %s: no %s where the loader looks; install it (Debian: apt "
                        "install %s), or give its path",
                        wanted->name, wanted->files[0], wanted->package);
}

static enum ca_status find_path(const char *name, const struct ca_target *target,
                                struct ca_allocator *ret_allocator, struct ca_error *err) {
    if (strchr(name, '/') != NULL) {
        char *resolved = realpath(name, NULL);
        bool fits = resolved != NULL && strlen(resolved) < CA_PATH_SIZE;
        if (fits)
            strcpy(ret_allocator->path, resolved);
        free(resolved);
        if (!fits)
            return ca_error_set(err, CA_ERROR_SYSTEM, "--allocator: cannot find '%s': %s", name,
                                strerror(errno));
        return judge(ret_allocator->path, target, err);
    }
    for (size_t i = 0; i < KNOWN_COUNT; i++)
        if (strcmp(name, known[i].name) == 0) {
            enum ca_status status = find_known(&known[i], ret_allocator, err);
            return status == CA_OK ? judge(ret_allocator->path, target, err) : status;
        }
    if (strstr(name, ".so") == NULL)
        return ca_error_set(err, CA_ERROR_USAGE,
                            "--allocator: '%s' is not known; known are jemalloc, " INSIDE_NAME
                            ", mimalloc, tcmalloc, " LIBC_NAME ", or give a library's path",
                            name);
    if (!find_file(name, ret_allocator->path))
        return ca_error_set(err, CA_ERROR_SYSTEM,
                            "--allocator: no '%s' where the loader looks; give its path", name);
    return judge(ret_allocator->path, target, err);
}

enum ca_status ca_allocator_find(const char *name, const struct ca_target *target,
                                 struct ca_allocator *ret_allocator, struct ca_error *err) {
    *ret_allocator = (struct ca_allocator){.name = name, .kind = CA_ALLOCATOR_PRELOADED};
    if (strcmp(name, LIBC_NAME) == 0) {
        ret_allocator->kind = CA_ALLOCATOR_LIBC;
        return CA_OK;
    }
    if (strcmp(name, INSIDE_NAME) == 0) {
        ret_allocator->kind = CA_ALLOCATOR_INSIDE;
        if (is_musl(target))
            return ca_error_set(err, CA_ERROR_SYSTEM,
                                "--allocator " INSIDE_NAME ": '%s' runs on musl, and the jemalloc "
                                "inside is built for glibc; use --allocator jemalloc",
                                target->image_path);
        return CA_OK;
    }
    return find_path(name, target, ret_allocator, err);
}

/* ---- afterwards ---- */

static bool is_same_file(const char *a, const char *b) {
    struct stat first, second;
    return strcmp(a, b) == 0 || (stat(a, &first) == 0 && stat(b, &second) == 0 &&
                                 first.st_dev == second.st_dev && first.st_ino == second.st_ino);
}

bool ca_allocator_is(const struct ca_allocator *allocator, const char *served_by) {
    const char *slash = strrchr(served_by, '/');
    const char *file = slash != NULL ? slash + 1 : served_by;
    switch (allocator->kind) {
    case CA_ALLOCATOR_LIBC:
        return strncmp(file, "libc.", 5) == 0 || strncmp(file, "ld-musl", 7) == 0;
    case CA_ALLOCATOR_INSIDE:
        return strcmp(served_by, "libjemalloc.a") == 0;
    case CA_ALLOCATOR_PRELOADED:
        break;
    }
    return is_same_file(allocator->path, served_by);
}
