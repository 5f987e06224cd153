/* SPDX-License-Identifier: MIT */
#include "symbols/perf_map.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "flame/byte_buffer.h"

#define HEX "0123456789abcdefABCDEF"

static FILE *open_own_file(const char *path) {
    struct stat facts;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    FILE *file = NULL;
    if (fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_uid == geteuid())
        file = fdopen(fd, "r");
    if (file == NULL)
        close(fd);
    return file;
}

/* A hexadecimal number and the blank behind it. */
static bool read_number(const char **at, uint64_t *ret_number) {
    const char *digits = strncmp(*at, "0x", 2) == 0 ? *at + 2 : *at;
    size_t digit_count = strspn(digits, HEX);
    if (digit_count == 0 || digit_count > 16 || digits[digit_count] != ' ')
        return false;
    *ret_number = strtoull(digits, NULL, 16);
    *at = digits + digit_count + 1;
    return true;
}

static bool add_line(struct ca_perf_map *map, const char *line) {
    uint64_t begin;
    uint64_t size;
    size_t length = strlen(line);
    const char *name = line;
    if (length == 0 || line[length - 1] != '\n' || !read_number(&name, &begin) ||
        !read_number(&name, &size) || size > UINT64_MAX - begin || *name == '\n')
        return true;
    const char **grown =
        ca_array_grown(map->names, map->name_count, &map->name_capacity, sizeof *grown);
    if (grown == NULL)
        return false;
    map->names = grown;
    const char *kept = ca_symbol_memory_text(map->memory, name, (size_t)(line + length - 1 - name));
    /* Equal spans: the lowest item is found, and the latest is wanted. */
    if (kept == NULL ||
        !ca_address_spans_add(&map->spans, begin, begin + size, SIZE_MAX - 1 - map->name_count))
        return false;
    grown[map->name_count++] = kept;
    return true;
}

bool ca_perf_map_init(struct ca_perf_map *map, const char *path, struct ca_symbol_memory *memory) {
    *map = (struct ca_perf_map){.memory = memory};
    FILE *file = open_own_file(path);
    if (file == NULL)
        return true;
    char *line = NULL;
    size_t line_size = 0;
    bool is_whole = true;
    while (is_whole && getline(&line, &line_size, file) > 0)
        is_whole = add_line(map, line);
    free(line);
    fclose(file);
    ca_address_spans_sort(&map->spans);
    return is_whole;
}

void ca_perf_map_release(struct ca_perf_map *map) {
    free(map->names);
    ca_address_spans_release(&map->spans);
    *map = (struct ca_perf_map){0};
}

const char *ca_perf_map_find(const struct ca_perf_map *map, uint64_t address) {
    size_t at = ca_address_spans_find(&map->spans, address);
    return at == CA_NO_ITEM ? NULL : map->names[SIZE_MAX - 1 - at];
}
