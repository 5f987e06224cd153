/* SPDX-License-Identifier: MIT */
#include "region.h"

#include <errno.h>

#include "plain.h"
#include "region_init.h"

void ca_region_complain(const char *what, const char *path, int negative_errno,
                        const char *next_step) {
    char line[1024];
    struct ca_text text = ca_text_in(line, sizeof line);
    ca_text_add(&text, "countalloc: not counting process ");
    ca_text_add_number(&text, ca_shim.pid);
    ca_text_add(&text, ": ");
    ca_text_add(&text, what);
    ca_text_add(&text, path);
    if (negative_errno != 0) {
        ca_text_add(&text, ": error ");
        ca_text_add_number(&text, (uint64_t)-negative_errno);
    }
    ca_text_add(&text, "; ");
    ca_text_add(&text, next_step);
    ca_text_add(&text, "\n");
    ca_platform_write(2, line, text.length);
}

/* Takes a mapped region into use when it is one that this shim can write. */
static struct ca_region *accept(void *memory, size_t bytes) {
    struct ca_region *region = memory;
    if (bytes < CA_REGION_BYTES_MIN || region->header.magic != CA_REGION_MAGIC ||
        region->header.version != CA_REGION_VERSION ||
        region->header.byte_order != CA_REGION_BYTE_ORDER) {
        ca_platform_unmap(memory, bytes);
        return NULL;
    }
    uint32_t fitting = ca_region_row_capacity(bytes);
    ca_shim.row_capacity =
        fitting < region->header.row_capacity ? fitting : region->header.row_capacity;
    ca_shim.region_bytes = bytes;
    return region;
}

/* Under `countalloc run`. */
static struct ca_region *open_given(const char *path) {
    void *memory;
    size_t bytes;
    int status = ca_platform_map_file(path, &memory, &bytes);
    if (status < 0) {
        /* A child may have lost the right or the file; only who is waited for by `run` is missed,
         * and `run` says so. */
        return NULL;
    }
    struct ca_region *region = accept(memory, bytes);
    if (region == NULL) {
        ca_region_complain("no counter region of this version: ", path, 0,
                           "use countalloc and its library from one build");
        return NULL;
    }
    if (region->header.target_pid != ca_shim.pid) {
        ca_platform_unmap(memory, bytes);
        return NULL;
    }
    return region;
}

/* COUNTALLOC_FILE with %p and %n filled in. */
static void expand_path(char *to, size_t size, const char *pattern) {
    char executable[1024];
    char arguments[4];
    ca_platform_program(executable, sizeof executable, arguments, sizeof arguments);
    struct ca_text text = ca_text_in(to, size);
    for (; *pattern != '\0'; pattern++) {
        char literal[2] = {*pattern, '\0'};
        if (pattern[0] == '%' && pattern[1] == 'p')
            ca_text_add_number(&text, ca_shim.pid);
        else if (pattern[0] == '%' && pattern[1] == 'n')
            ca_text_add(&text, ca_plain_basename(executable));
        else {
            ca_text_add(&text, literal);
            continue;
        }
        pattern++;
    }
}

static struct ca_region *open_file(const char *pattern, const struct ca_wanted *wanted) {
    const size_t region_bytes = ca_region_bytes_for(wanted);
    char path[1024];
    expand_path(path, sizeof path, pattern);
    void *memory;
    size_t bytes;
    /* The image before this one, in the same process, may have made it already. */
    if (ca_platform_map_file(path, &memory, &bytes) == 0) {
        struct ca_region *region = memory;
        if (bytes >= CA_REGION_BYTES_MIN && region->header.magic == CA_REGION_MAGIC &&
            region->header.target_pid == ca_shim.pid)
            return accept(memory, bytes);
        ca_platform_unmap(memory, bytes);
    }
    int status = ca_platform_create_file(path, region_bytes, CA_REGION_MAGIC, &memory);
    if (status < 0) {
        ca_region_complain(
            "cannot create COUNTALLOC_FILE ", path, status,
            status == -EEXIST ? "it exists and is no counter file: remove it or name another"
            : wanted->stack_depth == 0 && wanted->sample_bytes == 0
                ? "name a file in a directory that can be written, with 32 MiB free"
                : "name a file in a directory that can be written, with 68 MiB free");
        return NULL;
    }
    ca_region_init(memory, region_bytes, ca_shim.pid, ca_shim.pid, wanted);
    return accept(memory, region_bytes);
}

static struct ca_region *make_own(const struct ca_wanted *wanted) {
    size_t bytes = ca_region_bytes_for(wanted);
    void *memory;
    while ((memory = ca_platform_map(bytes)) == NULL && bytes / 2 >= CA_REGION_BYTES_MIN)
        bytes /= 2;
    if (memory == NULL) {
        ca_region_complain("no room for counters", "", 0,
                           "allow at least 8 MiB more address space");
        return NULL;
    }
    ca_region_init(memory, bytes, ca_shim.pid, ca_shim.pid, wanted);
    return accept(memory, bytes);
}

static bool is_on(const char *value) {
    return value != NULL && value[0] != '\0' && !ca_plain_is_equal(value, "0") &&
           !ca_plain_is_equal(value, "off");
}

#define USUAL_DEPTH 32u

/* Frames of a site: COUNTALLOC_STACKS (a number, or anything else for the usual depth), else
 * COUNTALLOC_SITES; "0", "off" and nothing are no. */
static uint32_t wanted_depth(char *const *environment) {
    const char *stacks = ca_plain_getenv(environment, "COUNTALLOC_STACKS");
    const char *sites = ca_plain_getenv(environment, "COUNTALLOC_SITES");
    if (is_on(stacks)) {
        uint32_t depth = 0;
        while (*stacks >= '0' && *stacks <= '9' && depth <= CA_STACK_DEPTH_MAX)
            depth = depth * 10 + (uint32_t)(*stacks++ - '0');
        if (*stacks != '\0' || depth < 2)
            return USUAL_DEPTH;
        return depth < CA_STACK_DEPTH_MAX ? depth : CA_STACK_DEPTH_MAX;
    }
    return is_on(sites) ? 1 : 0;
}

struct ca_region *ca_region_open(char *const *environment) {
    const char *given = ca_plain_getenv(environment, CA_REGION_VARIABLE);
    if (given != NULL && given[0] != '\0')
        return open_given(given);

    const char *live = ca_plain_getenv(environment, "COUNTALLOC_LIVE");
    const char *report = ca_plain_getenv(environment, "COUNTALLOC_REPORT");
    const char *file = ca_plain_getenv(environment, "COUNTALLOC_FILE");
    const char *follow = ca_plain_getenv(environment, "COUNTALLOC_FOLLOW");
    const struct ca_wanted wanted = {
        .is_live = live == NULL || !ca_plain_is_equal(live, "off"),
        .stack_depth = wanted_depth(environment),
    };
    bool is_speaking =
        (follow != NULL && ca_plain_is_equal(follow, "all")) || !ca_platform_is_parent_counted();
    ca_shim.is_plain = is_speaking && (report == NULL || !ca_plain_is_equal(report, "none"));
    const char *report_file = ca_plain_getenv(environment, "COUNTALLOC_REPORT_FILE");
    if (ca_shim.is_plain && (report_file == NULL || report_file[0] == '\0')) {
        ca_shim.report_fd = ca_platform_keep_open(2, ca_shim.report_identity);
        ca_shim.has_stderr = ca_shim.report_fd != -EBADF;
    }
    return is_speaking && file != NULL && file[0] != '\0' ? open_file(file, &wanted)
                                                          : make_own(&wanted);
}
