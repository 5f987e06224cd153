/* SPDX-License-Identifier: MIT
 *
 * A record: what a counter region says, summed up by phase, thread and process. The shim builds one
 * when it reports by itself, the command when a program it ran is gone, or from a JSON record; the
 * writers of this folder turn one into text or JSON.
 *
 * Plain values and borrowed strings, so that it can be built and written without allocating:
 * strings point into the region (or wherever the builder got them from) and must outlive the
 * record; arrays lie in memory that the caller handed over.
 */
#ifndef CA_RECORD_H
#define CA_RECORD_H

#include <countalloc/counterfile.h>
#include <stdbool.h>

#define CA_RECORD_SCHEMA    "countalloc.record/1"
#define CA_RECORD_NOTES     32u
#define CA_RECORD_NOTE_SIZE 640u

/* COUNTS of the record: calls, unless the name says bytes. `malloc_calls` etc. are JSON's "malloc"
 * etc. */
struct ca_counts {
    uint64_t allocations; /* = malloc + calloc + realloc + aligned */
    uint64_t frees;       /* = free + each realloc that took a block back */
    uint64_t malloc_calls;
    uint64_t calloc_calls;
    uint64_t realloc_calls;
    uint64_t aligned_calls;
    uint64_t free_calls;
    uint64_t free_null;
    uint64_t failed_calls;
    uint64_t realloc_in_place;
    uint64_t realloc_moved;
    uint64_t realloc_grown;
    uint64_t realloc_shrunk;
    uint64_t bytes_requested;
    int64_t live_blocks; /* = allocations - frees; negative where a phase freed another's blocks */
    bool has_live;       /* bytes_live was measured; else JSON null, text "not measured" */
    bool has_peak;       /* bytes_peak and its error likewise: never of a single thread */
    int64_t bytes_live;
    int64_t bytes_peak;
    uint64_t bytes_peak_error; /* the peak may be this much too low; 0 with one thread */
    uint64_t size_class[CA_CLASSES];
};

struct ca_units {
    const char *name;
    uint64_t unit_count;
};

/* A thread's part of a phase. */
struct ca_share {
    uint32_t thread; /* its number */
    bool is_adopted; /* it adopted the phase: not counted by scope "owner" */
    uint64_t opened;
    struct ca_counts counts;
};

struct ca_record_phase {
    const char *name;
    bool is_process_phase; /* startup, main, exit, or named from outside: scope "all" always */
    uint64_t opened;
    struct ca_units units[CA_UNIT_CAPACITY];
    uint32_t units_count;
    struct ca_counts counts;
    struct ca_share *shares; /* share_count elements, by thread number, owners before adopters */
    uint32_t share_count;
};

struct ca_record_thread {
    uint32_t number;  /* 0: threads for which no slot was left, together */
    const char *name; /* NULL when it was not set */
    uint32_t
        thread_count; /* more than 1: short-lived threads that followed each other in one place */
    uint32_t process; /* index into `processes` */
    struct ca_counts counts;
};

struct ca_record_process {
    uint32_t pid;
    uint32_t parent_pid;
    const char *executable;
    const char *arguments; /* argument_count strings, a NUL after each; may be cut, then fewer
                              strings follow than it says */
    size_t argument_bytes;
    uint32_t argument_count;
    bool is_complete;
    struct ca_counts counts;
};

/* ---- call sites ---- */

/* What a module is: a file that code was loaded from. */
struct ca_record_module {
    const char *path;
    const uint8_t *build_id; /* build_id_bytes; 0: it has none */
    uint32_t build_id_bytes;
};

struct ca_record_function {
    const char *name; /* demangled; NULL: unknown */
    const char *file; /* NULL: unknown */
    uint32_t line;    /* 0: unknown */
};

#define CA_NO_MODULE UINT32_MAX

/* A return address, once for each that occurs: the call is at `offset` - 1. */
struct ca_record_frame {
    uint32_t module; /* index into `modules`; CA_NO_MODULE: code that was made at run time */
    uint64_t offset; /* as the module's file has it; without module: the address */
    struct ca_record_function *functions; /* function_count: the innermost inlined one first, the
                                             function that the code lies in last; none as long as
                                             nobody looked */
    uint32_t function_count;
};

/* What was allocated by one place (or one stack) in one phase, by all threads. */
struct ca_record_site {
    uint32_t phase;         /* index into `phases` */
    const uint32_t *frames; /* frame_count indices into `frames`, the caller first */
    uint32_t frame_count;   /* 0: the allocations of the phase that no site has */
    bool is_cut;            /* the stack goes on above its last frame */
    uint64_t allocations;   /* = malloc + calloc + realloc + aligned */
    uint64_t malloc_calls;
    uint64_t calloc_calls;
    uint64_t realloc_calls;
    uint64_t aligned_calls;
    uint64_t bytes_requested;
};

/* An estimate: what was allocated by one stack in one phase, from samples taken once in so many
 * bytes. Relative error of a sum over n samples: 1 / sqrt(n). */
struct ca_record_sample {
    uint32_t phase;
    const uint32_t *frames;
    uint32_t frame_count;
    bool is_cut;
    uint64_t samples;
    uint64_t allocations;
    uint64_t bytes_requested;
};

enum ca_level {
    CA_LEVEL_NONE = 0,
    CA_LEVEL_PARTIAL,
    CA_LEVEL_FULL
};

struct ca_record {
    const char *version;
    uint32_t rules;
    /* program */
    const char *name; /* --name, else the executable's basename */
    const char *executable;
    const char *arguments; /* as in struct ca_record_process */
    size_t argument_bytes;
    uint32_t argument_count;
    uint32_t pid;
    bool has_exit_status;
    int exit_status;
    int signal;        /* 0: none */
    bool is_complete;  /* false: died by a signal */
    bool is_timed_out; /* `--timeout` ended it */
    /* platform */
    const char *platform_key;
    const char *os;
    const char *arch;
    const char *libc;
    const char *allocator;
    const char *allocator_path; /* of the library that --allocator preloaded; NULL: none */
    bool has_allocator_bytes; /* the allocator said the two below, at the end of the program */
    uint64_t allocator_used_bytes;
    uint64_t allocator_held_bytes;
    uint64_t allocator_active_bytes; /* 0: it has no such figure */
    /* coverage */
    bool is_attached;
    enum ca_level level;
    char notes[CA_RECORD_NOTES][CA_RECORD_NOTE_SIZE];
    uint32_t note_count;
    /* resources; not known inside the shim */
    bool has_resources;
    uint64_t wall_ns;
    uint64_t user_ns;
    uint64_t system_ns;
    uint64_t max_rss_bytes;
    /* counts */
    struct ca_counts total;
    struct ca_units total_units[CA_UNIT_CAPACITY];
    uint32_t total_units_count;
    struct ca_record_phase *phases; /* phase_count: startup, main, own phases as they were first
                                       opened, overflow, exit */
    uint32_t phase_count;
    struct ca_record_thread *threads; /* thread_count, by number */
    uint32_t thread_count;
    struct ca_record_process *processes; /* process_count, as they attached */
    uint32_t process_count;
    /* call sites */
    uint32_t stack_depth;  /* frames of a site: 0 not measured, 1 the caller, more: stacks */
    uint64_t sample_bytes; /* 0: no samples were taken */
    struct ca_record_module *modules; /* module_count */
    uint32_t module_count;
    struct ca_record_frame *frames; /* frames_count */
    uint32_t frames_count;
    struct ca_record_site *sites; /* site_count, by phase, then by allocations, most first; for each
                                     phase they add up to its counts */
    uint32_t site_count;
    struct ca_record_sample *samples; /* sample_count, likewise */
    uint32_t sample_count;
    char platform_key_text[128];
    char allocator_text[64];
};

/* The most memory that ca_record_build can need for `region`. */
size_t ca_record_build_bytes(const struct ca_region *region, size_t region_bytes);

/* Fills `record` (zeroed by it) from `region`, which may be in use: counters are read once each.
 * `memory`: zeroed, `memory_bytes` = ca_record_build_bytes() of it, 16-byte aligned, must outlive
 * the record. Sets everything but exit status, signal and resources. Returns false, with the cause
 * in notes[0], when the region is damaged or of another version. */
bool ca_record_build(struct ca_record *record, const struct ca_region *region, size_t region_bytes,
                     void *memory, size_t memory_bytes);

/* Adds a note (cut to its size); dropped silently when there are CA_RECORD_NOTES already. */
void ca_record_note(struct ca_record *record, const char *text);

/* ---- call sites, as people read them ---- */

#define CA_FUNCTION_NAME_SIZE 320u

/* How many functions a frame stands for: 1 when they are not known. */
uint32_t ca_record_function_count(const struct ca_record_frame *frame);

/* The name of function `function` of `frame`, 0 being the innermost: the record's own, or, where it
 * has none, in `buffer`, of CA_FUNCTION_NAME_SIZE bytes: "libx.so+0x1f2b", with the return address;
 * "[anonymous]" for code that was made at run time. */
const char *ca_record_function_name(const struct ca_record *record,
                                    const struct ca_record_frame *frame, uint32_t function,
                                    char *buffer);

/* ---- writing ---- */

/* Where text goes: collected in `buffer` and handed on when full. Never allocates. */
struct ca_out {
    void (*write)(void *target, const char *bytes, size_t byte_count);
    void *target; /* kept */
    size_t length;
    char buffer[4096];
};

void ca_out_init(struct ca_out *out, void (*write)(void *, const char *, size_t), void *target);
void ca_out_text(struct ca_out *out, const char *text);
void ca_out_bytes(struct ca_out *out, const char *bytes, size_t byte_count);
void ca_out_flush(struct ca_out *out);

/* The report a person reads: verdict first, phases as rows, one screen. UTF-8 is passed on; control
 * bytes are not. */
void ca_record_write_text(const struct ca_record *record, struct ca_out *out);

/* The JSON record (contract, section 5). Bytes that are not UTF-8 become U+FFFD. */
void ca_record_write_json(const struct ca_record *record, struct ca_out *out);

#endif
