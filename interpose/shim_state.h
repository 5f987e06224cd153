/* SPDX-License-Identifier: MIT
 *
 * All state of the shim: this struct, one word per thread, and the engine (count.h). malloc has no
 * argument to carry it, which is why it is global. Written while an image starts, forks or ends;
 * read everywhere.
 */
#ifndef CA_SHIM_STATE_H
#define CA_SHIM_STATE_H

#include <countalloc/counterfile.h>

#include "platform/shim_platform.h"

enum ca_stage {
    CA_STAGE_FIRST = 0, /* nothing happened yet */
    CA_STAGE_RESOLVING, /* looking for the allocator below; calls are served by the arena */
    CA_STAGE_BOOT,      /* counting into `boot_row`: the environment is not there yet */
    CA_STAGE_COUNTING,
    CA_STAGE_INERT /* calls are passed on uncounted */
};

/* Entries of the allocator below that may be made of calls to others through the public names. */
enum ca_entry {
    CA_ENTRY_CALLOC,
    CA_ENTRY_REALLOC,
    CA_ENTRY_REALLOCARRAY,
    CA_ENTRY_POSIX_MEMALIGN,
    CA_ENTRY_ALIGNED_ALLOC,
    CA_ENTRY_MEMALIGN,
    CA_ENTRY_VALLOC,
    CA_ENTRY_PVALLOC,
    CA_ENTRY_FIRST_OF_SYSTEM, /* the system's own (platform/hooks_darwin.h) */
    CA_ENTRY_COUNT = CA_ENTRY_FIRST_OF_SYSTEM + 24
};

enum ca_kind {
    CA_KIND_MALLOC,
    CA_KIND_CALLOC,
    CA_KIND_REALLOC,
    CA_KIND_ALIGNED
};

/* What is taken of a call besides its counts (site.h): CALLER or STACK, and SAMPLE, or one alone.
 */
enum ca_where {
    CA_WHERE_NONE = 0,
    CA_WHERE_CALLER = 1,
    CA_WHERE_STACK = 2,
    CA_WHERE_SAMPLE = 4,
    CA_WHERE_BOOT = 8 /* not known yet: the caller is kept */
};

struct ca_shim_state {
    enum ca_stage stage;
    uint32_t where; /* of enum ca_where */
    bool is_live;   /* bytes_live and bytes_peak are measured */
    bool is_plain;  /* nobody started us: the shim reports by itself */
    bool is_region_mapped;
    enum ca_usable usable;
    struct ca_region *region; /* NULL before attaching */
    size_t region_bytes;      /* as mapped, which may be less than its header says */
    uint32_t row_capacity;    /* likewise */
    struct ca_image *image;
    uint32_t image_index;
    uint32_t pid;
    struct ca_site_table *sites; /* in the region; NULL: none are wanted */
    struct ca_site *site_list;   /* its parts */
    const uint32_t *site_cells;
    uint32_t stack_depth;
    uint64_t sample_bytes;
    uintptr_t stack_end;                      /* an address above all frames of the main thread */
    const struct ca_stack_bounds *main_stack; /* that thread's */
    struct ca_surroundings found;
    bool is_settled[CA_ENTRY_COUNT]; /* the entry is known not to nest (outermost.h) */
    bool has_stderr;                 /* there was one at start: `report_identity` is its */
    int report_fd;                   /* a copy of it, or -1 */
    uint64_t report_identity[2];
    int (*program_main)(int, char **, char **);
    intptr_t key_offset; /* thread key less pthread_self(), the same in every thread */
    struct ca_row boot_row;
};

#define CA_HIDDEN                                                                                  \
    __attribute__((visibility("hidden"))) /* reached without the global offset table */

extern CA_HIDDEN struct ca_shim_state ca_shim;
extern CA_HIDDEN struct ca_next ca_next;

#endif
