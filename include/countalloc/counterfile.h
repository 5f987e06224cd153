/* SPDX-License-Identifier: MIT
 *
 * countalloc/counterfile.h: the counter region, the one place where shim and command meet. Format
 * version 2.
 *
 * What it is
 *   One block of memory, shared between the counted program (which writes) and anybody who may read
 * it. Under `countalloc run` it is a memfd that the command creates and holds; under a plain
 * preload it is an anonymous mapping, or the file named by COUNTALLOC_FILE. The bytes are the same
 * in all three. A reader needs nothing from the writer: the region is valid at every instant, and
 * after the program is gone, however it went.
 *
 * Encoding
 *   Little- or big-endian as the machine that wrote it (`byte_order` tells), fixed-width integers,
 * natural alignment, unused bytes zero. A region begins all zero, so everything that was never
 * written reads as 0, "none".
 *
 * Layout
 *   struct ca_region: header, images, phase table, phase hash, thread hash, slots, rows, in that
 * order, every offset fixed by the version. Rows fill the rest; `row_capacity` says how many there
 * are. A region that was made for call sites ends with a struct ca_site_table at `sites_offset`.
 *
 *     header   who created the region, how full each table is, what did not fit
 *     image    one program that ran in the process: an exec in place adds one. Facts and the
 * process-wide live figure phase    one name slot     one thread (or, past CA_DISTINCT_THREADS,
 * several that followed each other) row      the counters of one thread in one phase, or a snapshot
 * of them
 *
 * Counting
 *   Each slot has a base row, in which its thread counts while it has no phase of its own, and one
 * row for each phase that it opened. All rows of all slots (snapshots left out) add up to the
 * total.
 *
 * Call sites
 *   A site is a place that allocates, in one row: its counters have the row's one writer. It is
 * found by a 64-bit key (the return address, or a hash of the stack's) and a tag (row, kind of
 * call, process phase). All sites add up to the allocations of all rows, less what found no room.
 *   When a module is unloaded, its sites are retired: their keys become 0, so that code which comes
 * to lie at the same addresses has sites of its own.
 *
 * The process phase
 *   A thread without a phase of its own belongs to the process phase, which changes a few times in
 * a program's life
 *   ("startup", "main", "exit"). Nothing on the hot path looks at it. Instead a change copies each
 * base row that moved since the last change into a snapshot row and then publishes the new phase by
 * one store to the image's `switch_count`. The share of the process phase k is, for each slot, its
 * counters as of switch k minus those as of switch k-1; the last one's share is the base row minus
 * the last snapshot. So a change is atomic, costs the counting threads nothing, and shares always
 *   add up to the base row exactly. With several threads, a call under way during a change falls on
 * either side of it.
 *
 * Memory ordering
 *   A row has one writer, its thread (the overflow slot's rows have many and use atomic adds).
 * Counters only ever change by single aligned 8-byte stores, so a reader sees some value each
 * counter had, never a torn one. Counters of a row read one after the other are of different
 * moments, with any number of calls in between. On x86-64, where stores are seen in their order, a
 * row read from its first word to its last has free_calls <= all size classes together (for blocks
 * freed where they were taken) and bytes_requested <= what these asked for: both are stored after
 * the size class and lie before it. Whatever is referred to is complete before the reference: a
 * phase's name before the row that has the phase, a row before the slot's list that leads to it,
 * the snapshots before the switch they are for, a site's module and frames before its tag, each
 * published by a release store or compare-and-swap; and no fill level is ever behind what is
 * referred to. A call is counted in its row before it is in its site. So a reader of a running
 * program copies first, in this order: sites, frames, modules, images, slots, rows, phases, header,
 * each part loaded after the one before (acquire), and then needs no further care: sites never
 * have more than their rows, not even those of a thread that began meanwhile. Read in another
 * order, a region in use may look damaged. Readers must not trust an index all the same:
 * out-of-range values mean a damaged region.
 */
#ifndef COUNTALLOC_COUNTERFILE_H
#define COUNTALLOC_COUNTERFILE_H

#include <stddef.h>
#include <stdint.h>

#define CA_REGION_MAGIC      0x0a636f6c6c616163u /* "caalloc\n" read as a little-endian integer */
#define CA_REGION_VERSION    2u
#define CA_REGION_BYTE_ORDER 0x01020304u
#define CA_COUNTING_RULES    1u /* contract: any change of what is counted raises it */

/* Bytes of a region unless somebody asks for another size. Address space, not memory: what is not
 * used is never touched. */
#define CA_REGION_BYTES (32u << 20)
/* And what call sites need besides. */
#define CA_SITES_BYTES ((sizeof(struct ca_site_table) + 4095) & ~(size_t)4095)
/* The smallest region that is of use: the tables and a few rows. */
#define CA_REGION_BYTES_MIN (sizeof(struct ca_region) + 64 * sizeof(struct ca_row))

#define CA_IMAGE_CAPACITY     32u
#define CA_PHASE_CAPACITY     4096u
#define CA_PHASE_NAME_SIZE    96u /* with its NUL */
#define CA_PHASE_HASH_SIZE    16384u
#define CA_UNIT_CAPACITY      4u /* per phase */
#define CA_UNIT_NAME_SIZE     32u
#define CA_SLOT_CAPACITY      16384u
#define CA_SLOT_HASH_SIZE     65536u
#define CA_PHASE_DEPTH        64u
#define CA_SWITCH_CAPACITY    256u
#define CA_THREAD_NAME_SIZE   16u
#define CA_INJECTION_CAPACITY 32u

/* Threads beyond this many share slots with threads that are gone, so that a program which starts
 * threads for ever needs no more memory than it has threads at once. */
#define CA_DISTINCT_THREADS 1024u

/* Size classes. Class 0 is size 0; class k up to 64 holds sizes up to 16 k; the classes after it
 * double, from 2,048 bytes; the last one holds all the rest. */
#define CA_SMALL_CLASSES   65u
#define CA_LARGE_CLASSES   32u
#define CA_CLASSES         (CA_SMALL_CLASSES + CA_LARGE_CLASSES)
#define CA_SMALL_MAX_BYTES 1024u

/* `size_limit_bytes` of a row that may be counted in: the first size that is not small. */
#define CA_SIZE_LIMIT (CA_SMALL_MAX_BYTES + 1u)

/* A thread publishes its share of the live figure when it moved this far from what it last
 * published: the bound of bytes_peak_error is this times the number of other threads. */
#define CA_LIVE_STEP_BYTES 65536

/* Call sites: capacities, in entries. */
#define CA_MODULE_CAPACITY 1024u
#define CA_SITE_CAPACITY   (1u << 18)
#define CA_SITE_HASH_BITS  19u
#define CA_FRAME_CAPACITY  (1u << 20) /* of stacks: the frames above the caller */
#define CA_STACK_DEPTH_MAX 64u
#define CA_BUILD_ID_SIZE   32u

/* Phases with fixed places in the phase table. */
enum ca_phase_id {
    CA_PHASE_PROCESS = 0,  /* base rows: the process phase of the time; has no name of its own */
    CA_PHASE_OVERFLOW = 1, /* names that found no room */
    CA_PHASE_STARTUP = 2,
    CA_PHASE_MAIN = 3,
    CA_PHASE_EXIT = 4,
    CA_PHASE_FIRST_OWN = 5
};

/* Who serves the size of a block. */
enum ca_usable {
    CA_USABLE_NONE = 0,  /* nobody that can be trusted: live and peak bytes are not measured */
    CA_USABLE_CALL = 1,  /* malloc_usable_size of the object that serves malloc */
    CA_USABLE_HEADER = 2 /* glibc's chunk header, found to agree with malloc_usable_size at start */
};

enum ca_image_state {
    CA_IMAGE_UNUSED = 0,
    CA_IMAGE_LOADED = 1,  /* the shim is here but malloc is somebody else's: nothing is counted */
    CA_IMAGE_ATTACHED = 2 /* counting */
};

enum ca_image_flag {
    CA_IMAGE_LIVE = 1u << 0,           /* bytes_live and bytes_peak are measured */
    CA_IMAGE_FINISHED = 1u << 1,       /* the shim's destructor ran */
    CA_IMAGE_NESTED_INEXACT = 1u << 2, /* an entry below is made of others: counted as these */
    CA_IMAGE_NAMESPACE = 1u << 3,      /* objects in a namespace of their own are not counted */
    CA_IMAGE_NEW_HIDDEN = 1u << 4,     /* C++'s new and delete are served past the shim */
    CA_IMAGE_STATISTICS = 1u << 5,     /* the allocator said the figures below of itself */
    CA_IMAGE_LEFT_ALONE = 1u << 6      /* macOS: it started a program for arm64e only, uncounted */
};

/* The counters of one thread in one phase. 1,024 bytes. Calls unless a name says bytes. */
struct ca_row {
    /* What a malloc/free pair touches besides its size class: one cache line. */
    uint64_t size_limit_bytes; /* CA_SIZE_LIMIT; 0 in a row that must not be counted in */
    uint64_t bytes_requested;
    uint64_t free_calls; /* free(p), p not NULL, and the sized forms */
    int64_t bytes_live;  /* usable bytes taken here less those given back here */
    int64_t live_max;    /* highest bytes_live, as of the last free, since it was last published */
    int64_t live_above;  /* publish when bytes_live exceeds this */
    int64_t live_below;  /* publish when bytes_live falls below this */
    /* A free of a block at or below this address leaves the fast path: 0 in a row in use, so that
     * NULL does; UINT64_MAX where nothing may be counted. */
    uint64_t cold_block;
    uint64_t size_class[CA_CLASSES]; /* allocations by size asked for, and all of them together */
    uint64_t calloc_calls;
    uint64_t realloc_calls; /* realloc and reallocarray that returned a block */
    uint64_t aligned_calls;
    uint64_t free_null;
    uint64_t failed_calls;
    uint64_t realloc_in_place;
    uint64_t realloc_moved;
    uint64_t realloc_grown;
    uint64_t realloc_shrunk;
    uint64_t realloc_released;             /* realloc(p, 0) that took p back and returned NULL */
    uint64_t opened;                       /* times this thread opened the phase */
    uint64_t unit_count[CA_UNIT_CAPACITY]; /* by the phase's `unit_name` */
    uint32_t phase; /* enum ca_phase_id or an own phase; of a snapshot, the number of its switch */
    uint32_t is_adopted; /* 1: this thread adopted the phase, its counts are not the owner's */
    uint32_t next_row;   /* next row of the same list of the slot; 0 ends it */
    uint32_t slot;
    int64_t live_published; /* the part of bytes_live that the image's figure already has */
    uint64_t site_tag;      /* of sites in this row; 0 in one that several threads share */
    uint64_t site_last;     /* the writer's own: where the site lies that it counted last */
    uint64_t unused[3];
};

/* What a snapshot copies and a share subtracts: the words from bytes_requested up to `phase`. */
#define CA_ROW_COUNTERS                                                                            \
    ((offsetof(struct ca_row, phase) - offsetof(struct ca_row, bytes_requested)) / sizeof(uint64_t))

struct ca_slot {
    uint64_t thread_key;   /* pthread_self() of the thread: unique among the living */
    uint32_t number;       /* from 1 in order of appearance; 1 is the thread that attached first */
    uint32_t thread_count; /* threads that used this slot, one after the other */
    uint32_t image;        /* index into `images` */
    uint32_t unused;
    uint32_t base_row;
    uint32_t phase_rows;    /* first of the list of rows by phase */
    uint32_t snapshot_rows; /* first of the list of snapshots, newest first */
    uint32_t current_row;
    uint32_t depth; /* open phases */
    uint32_t is_named;
    char name[CA_THREAD_NAME_SIZE];
    uint32_t open_rows[CA_PHASE_DEPTH]; /* rows to return to, outermost first */
};

struct ca_phase {
    uint32_t state; /* 0 unused, 1 ready */
    uint32_t unit_name_count;
    uint64_t bytes_peak; /* highest process-wide live figure published while the phase was innermost
                            somewhere */
    char name[CA_PHASE_NAME_SIZE];
    char unit_name[CA_UNIT_CAPACITY][CA_UNIT_NAME_SIZE];
    uint32_t unit_state[CA_UNIT_CAPACITY]; /* 0 free, 1 being written, 2 ready */
};

struct ca_image {
    uint32_t state; /* enum ca_image_state */
    uint32_t flags; /* enum ca_image_flag */
    uint32_t pid;
    uint32_t parent_pid;
    uint32_t usable; /* enum ca_usable */
    uint32_t argument_count;
    uint32_t unbalanced_ends; /* countalloc_phase_end without a phase */
    uint32_t too_deep;        /* phases begun beyond CA_PHASE_DEPTH */
    int64_t live_published; /* process-wide live bytes as far as the threads have published them */
    int64_t live_peak;
    uint32_t
        switch_count; /* process phases begun; switch_phase[switch_count - 1] is the present one */
    uint32_t switch_lock; /* pid of whoever is changing the process phase, 0 when nobody is */
    uint16_t switch_phase[CA_SWITCH_CAPACITY];
    char executable[1024];
    char arguments[1024];   /* NUL after each; cut when longer, argument_count says how many there
                               were */
    char allocator[512];    /* path of the object that serves malloc below the shim */
    char malloc_owner[512]; /* path of the object the program's malloc calls reach, when that is not
                               the shim */
    char libc[32];          /* "glibc 2.36", "musl", "" when unknown */
    char bypass[512]; /* path of a library whose calls of malloc passed the shim by, if there was
                         one */
    /* The allocator's own figures at the end, in bytes; with CA_IMAGE_STATISTICS only. */
    uint64_t allocator_used_bytes; /* in blocks that the program holds */
    uint64_t
        allocator_held_bytes; /* taken from the system for them: the difference is fragmentation */
    uint64_t allocator_active_bytes; /* in pages that have such blocks; 0: it has no such figure */
    char exec_path[512];    /* a program this image is about to become; empty again when the exec
                               failed */
    uint32_t process_phase; /* switch_phase[switch_count - 1], for the counting of sites */
    char unused[4];
};

/* Allocations that the shim makes on purpose, to show that a budget would notice them: each frees a
 * block of one byte again. Once for each, when the phase is first opened (a process phase: begun).
 */
struct ca_injection {
    char phase[CA_PHASE_NAME_SIZE];
    uint64_t allocation_count;
};

struct ca_header {
    uint64_t magic;
    uint32_t version;
    uint32_t byte_order;
    uint64_t region_bytes;
    uint32_t rules;
    uint32_t row_capacity;
    uint32_t creator_pid; /* `countalloc run`, or the program itself */
    uint32_t target_pid;  /* the process that may count here */
    uint32_t is_live_wanted;
    uint32_t is_statistics_wanted; /* of the allocator below, from the shim's destructor */
    uint32_t is_finished; /* 1 when the creator knows that nothing will be written any more */
    /* Fill levels; entries below them are complete unless their own state says otherwise. */
    uint32_t image_count;
    uint32_t slot_count;
    uint32_t row_count;
    uint32_t phase_count;
    uint32_t thread_count; /* threads ever seen */
    /* What did not fit, in events. */
    uint32_t images_dropped;
    uint32_t threads_overflowed; /* threads that count in the overflow slot */
    uint32_t phases_overflowed;  /* begins of a name that found no room in the table */
    uint32_t rows_overflowed;    /* begins of a phase for which no row was left: counted in the
                                    overflow phase */
    uint32_t units_dropped;
    uint32_t switches_dropped;
    uint32_t injection_count; /* written by the creator before the program starts */
    struct ca_injection injections[CA_INJECTION_CAPACITY];
    uint64_t sites_offset; /* of the struct ca_site_table, from the region's begin; 0: none */
    uint64_t sample_bytes; /* one allocation in so many bytes has its whole stack taken; 0: none */
    uint32_t stack_depth;  /* frames of a site: 0 no sites, 1 the caller, more: stacks */
    char unused[644];
};

/* ---- call sites ---- */

/* An object that code was loaded from: a generation of it, because one that was unloaded and loaded
 * again is another module. Module 0 is memory that belongs to no object: code made at run time. */
struct ca_module {
    uint32_t state; /* 0 unused, 1 ready */
    uint32_t image;
    uint32_t is_gone; /* 1: unloaded */
    uint32_t build_id_bytes;
    uint64_t begin; /* addresses [begin, end) were its */
    uint64_t end;
    uint64_t base; /* what was added to the addresses of its file */
    uint8_t build_id[CA_BUILD_ID_SIZE];
    char path[440];
};

/* A return address. */
struct ca_frame {
    uint64_t offset; /* as the module's file has it; of module 0 the address itself */
    uint32_t module;
    uint32_t unused;
};

enum ca_site_flag {
    CA_SITE_CUT = 1u << 0 /* the stack goes on above its last frame */
};

struct ca_site {
    uint64_t key; /* 0: retired */
    uint64_t tag;
    uint64_t allocations; /* of a sampled site: their estimate, in 256ths */
    uint64_t bytes_requested;
    struct ca_frame caller;
    uint32_t frames;      /* index of the frame above the caller; the rest follow, outermost last */
    uint16_t frame_count; /* with the caller */
    uint16_t flags;
    uint64_t samples; /* of a sampled site, else 0 */
};

/* Tag of a site: bits 0 to 11 the process phase (base rows only), 12 and 13 the kind of call, 14
 * whether it was sampled, 16 and up the row; the highest bit in rows that several threads share. */
#define CA_TAG_PHASE_MASK 0xfffull
#define CA_TAG_KIND_SHIFT 12u
#define CA_TAG_SAMPLED    (1ull << 14)
#define CA_TAG_ROW_SHIFT  16u
#define CA_TAG_SHARED     (1ull << 63)

struct ca_site_table {
    uint32_t module_count; /* the first is module 0 */
    uint32_t site_count;   /* the first is the one for what found no room, of all rows */
    uint32_t frame_count;
    uint32_t modules_dropped; /* addresses of those are module 0's */
    uint32_t frames_dropped;  /* stacks that kept their caller only */
    uint32_t unused[11];
    struct ca_module modules[CA_MODULE_CAPACITY];
    uint32_t cells[1u << CA_SITE_HASH_BITS]; /* site by ca_site_cell(), open addressing; 0: empty */
    struct ca_site sites[CA_SITE_CAPACITY];
    struct ca_frame frames[CA_FRAME_CAPACITY];
};

struct ca_region {
    struct ca_header header;
    struct ca_image images[CA_IMAGE_CAPACITY];
    struct ca_phase phases[CA_PHASE_CAPACITY];
    uint16_t phase_hash[CA_PHASE_HASH_SIZE]; /* phase id by name, open addressing by ca_name_hash();
                                                0 is an empty cell */
    uint16_t slot_hash[CA_SLOT_HASH_SIZE];   /* slot index by thread_key, open addressing by
                                                ca_key_hash(); 0 is an empty cell */
    struct ca_slot slots[CA_SLOT_CAPACITY];  /* slot 0 is the overflow slot */
    struct ca_row rows[]; /* row 0 is the overflow slot's base row, row 1 its overflow phase */
};

/* FNV-1a, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/). `name`: borrowed, NUL-terminated.
 */
static inline uint64_t ca_name_hash(const char *name) {
    uint64_t hash = 0xcbf29ce484222325u;
    while (*name != '\0')
        hash = (hash ^ (unsigned char)*name++) * 0x100000001b3u;
    return hash;
}

/* Fibonacci hashing: thread keys differ in their upper bits only. */
static inline uint32_t ca_key_hash(uint64_t thread_key) {
    return (uint32_t)((thread_key * 0x9e3779b97f4a7c15u) >> 48);
}

/* The highest that `row` had live since it last published. */
static inline int64_t ca_live_highest(const struct ca_row *row) {
    return row->bytes_live > row->live_max ? row->bytes_live : row->live_max;
}

/* What the tag of all sites of row `row` begins with. */
static inline uint64_t ca_site_tag(uint32_t row) {
    return (uint64_t)row << CA_TAG_ROW_SHIFT;
}

/* The cell where the search for a site begins. */
static inline uint32_t ca_site_cell(uint64_t key, uint64_t tag) {
    return (uint32_t)(((key ^ tag << 24) * 0x9e3779b97f4a7c15u) >> (64u - CA_SITE_HASH_BITS));
}

/* The size class of a request of more than CA_SMALL_MAX_BYTES. */
static inline uint32_t ca_large_class(uint64_t size_bytes) {
    uint32_t doubling =
        63u - (uint32_t)__builtin_clzll((size_bytes - 1) >> 10); /* 0 for 1,025 to 2,048 */
    return doubling < CA_LARGE_CLASSES - 1 ? CA_SMALL_CLASSES + doubling : CA_CLASSES - 1;
}

/* The size class of a request of `size_bytes`. */
static inline uint32_t ca_size_class(uint64_t size_bytes) {
    if (size_bytes <= CA_SMALL_MAX_BYTES)
        return (uint32_t)((size_bytes + 15) >> 4);
    return ca_large_class(size_bytes);
}

/* The largest request that `size_class` holds. For the last it is INT64_MAX: no larger one can
 * succeed, and JSON readers have it. */
static inline uint64_t ca_class_upper_bytes(uint32_t size_class) {
    if (size_class < CA_SMALL_CLASSES)
        return (uint64_t)size_class * 16;
    if (size_class == CA_CLASSES - 1)
        return INT64_MAX;
    return (uint64_t)2048 << (size_class - CA_SMALL_CLASSES);
}

#ifdef __cplusplus
#define CA_FILE_ASSERT(claim) static_assert(claim, #claim)
#else
#define CA_FILE_ASSERT(claim) _Static_assert(claim, #claim)
#endif
CA_FILE_ASSERT(sizeof(struct ca_row) == 1024);
CA_FILE_ASSERT(offsetof(struct ca_row, size_class) == 64);
CA_FILE_ASSERT(offsetof(struct ca_row, calloc_calls) == 840);
CA_FILE_ASSERT(offsetof(struct ca_row, phase) == 960);
CA_FILE_ASSERT(sizeof(struct ca_slot) == 320);
CA_FILE_ASSERT(sizeof(struct ca_phase) == 256);
CA_FILE_ASSERT(sizeof(struct ca_image) == 4728);
CA_FILE_ASSERT(sizeof(struct ca_header) == 4096);
CA_FILE_ASSERT(offsetof(struct ca_region, images) == 4096);
CA_FILE_ASSERT(sizeof(struct ca_region) % 64 == 0);
CA_FILE_ASSERT(sizeof(struct ca_module) == 512);
CA_FILE_ASSERT(sizeof(struct ca_site) == 64);
CA_FILE_ASSERT(offsetof(struct ca_site_table, modules) == 64);
CA_FILE_ASSERT(offsetof(struct ca_site_table, sites) % 64 == 0);
#undef CA_FILE_ASSERT

#endif
