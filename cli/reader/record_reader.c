/* SPDX-License-Identifier: MIT */
#include "reader/record_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_BYTES (64u << 10)

struct ca_memory_block {
    struct ca_memory_block *next;
    _Alignas(16) char bytes[];
};

void *ca_loaded_record_allocate(struct ca_loaded_record *loaded, size_t element_count,
                                size_t element_bytes) {
    size_t bytes;
    if (__builtin_mul_overflow(element_count, element_bytes, &bytes) ||
        __builtin_add_overflow(bytes, sizeof(struct ca_memory_block), &bytes))
        return NULL;
    struct ca_memory_block *block = calloc(1, bytes);
    if (block == NULL)
        return NULL;
    block->next = loaded->memory;
    loaded->memory = block;
    return block->bytes;
}

void ca_loaded_record_release(struct ca_loaded_record *loaded) {
    while (loaded->memory != NULL) {
        struct ca_memory_block *next = loaded->memory->next;
        free(loaded->memory);
        loaded->memory = next;
    }
    ca_symbols_release(loaded->symbols);
    loaded->symbols = NULL;
    json_decref(loaded->json);
    loaded->json = NULL;
}

/* Copied, not mapped: a mapped file that somebody cuts kills its reader. */
static enum ca_status read_whole(struct ca_loaded_record *loaded, int fd, const char *shown,
                                 char **ret_bytes, size_t *ret_byte_count, struct ca_error *err) {
    struct stat facts;
    size_t capacity = FIRST_BYTES, filled = 0;
    if (fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0 &&
        facts.st_size < CA_READER_BYTES_MAX)
        capacity = (size_t)facts.st_size + 1;
    char *bytes = ca_loaded_record_allocate(loaded, capacity, 1);
    while (bytes != NULL) {
        ssize_t got = read(fd, bytes + filled, capacity - filled);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return ca_error_set(err, CA_ERROR_SYSTEM, "cannot read '%s': %s", shown,
                                strerror(errno));
        if (got == 0) {
            *ret_bytes = bytes;
            *ret_byte_count = filled;
            return CA_OK;
        }
        filled += (size_t)got;
        if (filled < capacity)
            continue;
        if (filled >= CA_READER_BYTES_MAX)
            return ca_error_set(err, CA_ERROR_INPUT,
                                "'%s' is too large for a record: more than %u MiB", shown,
                                CA_READER_BYTES_MAX >> 20);
        char *larger = ca_loaded_record_allocate(loaded, capacity, 2);
        if (larger != NULL)
            memcpy(larger, bytes, filled);
        bytes = larger;
        capacity *= 2;
    }
    return ca_error_memory(err);
}

/* In either byte order, so that a counter file from another machine is told from a text file. */
static bool begins_with_magic(const char *bytes, size_t byte_count) {
    uint64_t magic;
    if (byte_count < sizeof magic)
        return false;
    memcpy(&magic, bytes, sizeof magic);
    return magic == CA_REGION_MAGIC || __builtin_bswap64(magic) == CA_REGION_MAGIC;
}

static bool read_again(int fd, char *bytes, size_t from, size_t to) {
    while (from < to) {
        ssize_t got = pread(fd, bytes + from, to - from, (off_t)from);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        from += (size_t)got;
    }
    return true;
}

/* Reads the parts of a counter file again, each after those that refer to it (counterfile.h,
 * "Memory ordering"): its program may be running. What cannot be read again stays as it is. */
static void read_in_order(int fd, char *bytes, size_t byte_count) {
    if (byte_count < CA_REGION_BYTES_MIN)
        return;
    uint64_t offset = ((const struct ca_region *)(const void *)bytes)->header.sites_offset;
    bool has_sites = offset >= CA_REGION_BYTES_MIN && offset <= byte_count &&
                     byte_count - offset >= sizeof(struct ca_site_table);
    size_t table = has_sites ? (size_t)offset : byte_count;
    size_t sites = has_sites ? table + offsetof(struct ca_site_table, sites) : byte_count;
    const struct {
        size_t from, to;
    } parts[] = {
        {sites, byte_count}, /* and the frames behind them */
        {table, sites},      /* modules */
        {offsetof(struct ca_region, images), offsetof(struct ca_region, phases)},
        {offsetof(struct ca_region, slots), offsetof(struct ca_region, rows)},
        {offsetof(struct ca_region, rows), table},
        {offsetof(struct ca_region, phases), offsetof(struct ca_region, phase_hash)},
        {0, offsetof(struct ca_region, images)},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (!read_again(fd, bytes, parts[i].from, parts[i].to))
            return;
}

static enum ca_status load(struct ca_loaded_record *loaded, int fd, const char *shown,
                           struct ca_error *err) {
    char *bytes = NULL;
    size_t byte_count = 0;
    enum ca_status status = read_whole(loaded, fd, shown, &bytes, &byte_count, err);
    if (status != CA_OK)
        return status;
    if (byte_count == 0)
        return ca_error_set(err, CA_ERROR_INPUT, "'%s' is empty", shown);
    if (begins_with_magic(bytes, byte_count))
        read_in_order(fd, bytes, byte_count);
    return begins_with_magic(bytes, byte_count)
               ? ca_record_load_counters(loaded, bytes, byte_count, shown, err)
               : ca_record_load_json(loaded, bytes, byte_count, shown, err);
}

enum ca_status ca_record_load(struct ca_loaded_record *ret_loaded, const char *path,
                              struct ca_error *err) {
    *ret_loaded = (struct ca_loaded_record){0};
    if (strcmp(path, "-") == 0)
        return load(ret_loaded, STDIN_FILENO, "standard input", err);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return ca_error_set(err, CA_ERROR_SYSTEM, "cannot read '%s': %s", path, strerror(errno));
    enum ca_status status = load(ret_loaded, fd, path, err);
    close(fd);
    return status;
}
