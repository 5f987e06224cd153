/* SPDX-License-Identifier: MIT
 *
 * What the command needs of a system: looking at a program before it runs, sharing a region with
 * it, running it with the shim preloaded. Files of this folder named *_linux.c or *_darwin.c
 * implement it, *_posix.c what they have in common. Nothing here prints or exits; paths are
 * borrowed unless a comment says otherwise.
 */
#ifndef CA_CLI_PLATFORM_H
#define CA_CLI_PLATFORM_H

#include "interpose/region_init.h"
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

#define CA_PATH_SIZE 4096

/* ---- what an executable file says about itself (images_linux.c) ---- */

enum ca_image_kind {
    CA_IMAGE_KIND_OTHER = 0, /* no executable of this system's format, or a damaged one */
    CA_IMAGE_KIND_FOREIGN,   /* another architecture or word size: `foreign` says which */
    CA_IMAGE_KIND_STATIC,    /* no loader takes part when it starts, so nothing can be preloaded */
    CA_IMAGE_KIND_DYNAMIC,
    CA_IMAGE_KIND_LOADER /* the loader itself, started by name with a program to load */
};

struct ca_image_facts {
    enum ca_image_kind kind;
    char foreign[64];      /* "32-bit", "aarch64": what makes it foreign */
    char interpreter[256]; /* path of the loader; "" without one */
    const char *sanitizer; /* "AddressSanitizer" etc. whose runtime owns malloc; NULL: none */
    char allocator[64]; /* "malloc", "_rjem_malloc": the executable's own definition; "" without one
                         */
    bool is_malloc_exported; /* it defines the dynamic symbol `malloc`: its own calls and the
                                libraries' go there */
    bool is_go;
    bool is_shim;     /* a library of countalloc that counts */
    const char *libc; /* "glibc", "musl" that it needs; NULL: none by name */
};

/* Reads the facts from the bytes of a file, which may hold anything. */
void ca_image_read(const unsigned char *bytes, size_t byte_count, struct ca_image_facts *ret_facts);

/* ---- the program to run (target_linux.c) ---- */

struct ca_target {
    char path[CA_PATH_SIZE];       /* what will be executed: PROG, or where PATH has it */
    char image_path[CA_PATH_SIZE]; /* the binary that will run: `path`, or the interpreter of a
                                      script */
    struct ca_image_facts image;
    char warning[512]; /* what may limit the counting, for a note; "" when nothing is known to */
};

/* Finds `program` as execvp does, follows scripts to their interpreter, and says whether it can be
 * executed and counted. CA_ERROR_PROGRAM_ABSENT, CA_ERROR_UNEXECUTABLE; CA_ERROR_UNCOUNTABLE with
 * the cause and the next step, and `ret_target` filled, when it runs but cannot be counted. */
enum ca_status ca_target_inspect(const char *program, struct ca_target *ret_target,
                                 struct ca_error *err);

/* What may be the matter with a program that a counted process became and that was never counted,
 * for messages: "is static or set-id". */
extern const char ca_target_unattached[];

/* Why a program is not counted whose malloc belongs to somebody else, and what to do; follows
 * "its malloc calls go to SOMEBODY". */
extern const char ca_target_disowned[];

/* ---- the region (shared_region_linux.c) ---- */

struct ca_shared_region {
    struct ca_region *region;
    size_t region_bytes;
    int fd;
    char path[1088]; /* where another process of this user opens it */
};

/* How another process gets there, for messages: "through /proc". */
extern const char ca_shared_region_way[];

/* Creates a region of `region_bytes`, or what fits of it, that nobody can shrink, and initialises
 * it for what is `wanted`; the process that counts in it enters itself as `target_pid`. */
enum ca_status ca_shared_region_open(struct ca_shared_region *region, size_t region_bytes,
                                     const struct ca_wanted *wanted, struct ca_error *err);
void ca_shared_region_close(struct ca_shared_region *region);

/* ---- the allocator below the shim (allocator_linux.c) ---- */

enum ca_allocator_kind {
    CA_ALLOCATOR_PRELOADED, /* the library at `path` */
    CA_ALLOCATOR_INSIDE,    /* jemalloc, in a shim of its own */
    CA_ALLOCATOR_LIBC       /* libc's own */
};

struct ca_allocator {
    enum ca_allocator_kind kind;
    const char *name; /* as it was asked for; kept */
    char path[CA_PATH_SIZE];
};

/* Finds what `--allocator NAME` means for `target`, which was inspected: jemalloc, mimalloc and
 * tcmalloc (looked for as the loader would), jemalloc-inside, libc, a file name that the loader
 * knows, or a path. CA_ERROR_USAGE for any other; CA_ERROR_SYSTEM with the cause and the next step
 * when it is not there or cannot serve malloc in `target`. */
enum ca_status ca_allocator_find(const char *name, const struct ca_target *target,
                                 struct ca_allocator *ret_allocator, struct ca_error *err);

/* Whether the object `served_by`, as the region has it (struct ca_image, `allocator`), is it. */
bool ca_allocator_is(const struct ca_allocator *allocator, const char *served_by);

/* ---- preloading (preload_linux.c) ---- */

/* Finds the shim: COUNTALLOC_LIBRARY, or beside the command that is running. Fails when it is
 * absent, or when its path cannot be given to the loader. `ret_path`: CA_PATH_SIZE bytes. */
enum ca_status ca_preload_find(char *ret_path, struct ca_error *err);

/* What `allocator` needs beside the shim at `library`: the operators to preload behind it in
 * `ret_operators`, or another shim in place of `library`; the rest stays as it is. Both of
 * CA_PATH_SIZE bytes. */
enum ca_status ca_preload_find_for(const struct ca_allocator *allocator, char *library,
                                   char *ret_operators, struct ca_error *err);

/* Finds the unwinder that samples need, beside the shim at `library`. */
enum ca_status ca_preload_find_unwinder(const char *library, char *ret_path, struct ca_error *err);

/* The environment of this process with `libraries` (NULL-terminated, the shim first) preloaded
 * before whatever the user preloads, and the region at `region_path`. `is_padded`: it has the same
 * size whatever is preloaded (up to about 1 KiB). Returned: free with
 * ca_preload_environment_free. */
enum ca_status ca_preload_environment(const char *const *libraries, bool is_padded,
                                      const char *region_path, char ***ret_environment,
                                      struct ca_error *err);
void ca_preload_environment_free(char **environment);

/* The absolute path of the running command, in CA_PATH_SIZE bytes. */
enum ca_status ca_own_path(char *ret_path, struct ca_error *err);

/* ---- running (launch_linux.c) ---- */

/* Occupies descriptors 0 to 2 where they are closed, so that no file of ours gets one of their
 * numbers. A program that is executed finds them closed as they were. */
void ca_standard_descriptors_occupy(void);

#define CA_SIGNALS_CHANGED 9u

/* The signals of this process while it runs programs and reports on them. */
struct ca_signals {
    sigset_t awaited; /* blocked: taken only while a program runs */
    sigset_t mask_before;
    struct {
        int number;
        struct sigaction before;
    } changed[CA_SIGNALS_CHANGED];
    size_t changed_count;
};

/* From here on INT, QUIT, PIPE and XFSZ are ignored (the terminal gives the first two to the
 * program itself); TERM, HUP, USR1 and USR2 wait until a program runs, and are passed on to it. So
 * nothing ends this process before it has reported. */
void ca_signals_take(struct ca_signals *signals);
void ca_signals_give_back(const struct ca_signals *signals);

struct ca_launch {
    const char *path;    /* executed as it stands, never through a shell */
    char **arguments;    /* NULL-terminated, arguments[0] included */
    char **environment;  /* NULL: this process's */
    uint32_t *ret_pid;   /* the child writes its pid here before it executes; NULL: not wanted */
    uint64_t timeout_ns; /* 0: none */
    bool is_output_on_stderr;         /* its standard output is this process's standard error */
    const struct ca_signals *signals; /* taken */
};

struct ca_outcome {
    pid_t pid;
    int exit_status; /* when signal is 0 */
    int signal;      /* that killed it; 0: none */
    bool is_timed_out;
    uint64_t wall_ns;
    uint64_t user_ns;
    uint64_t system_ns;
    uint64_t max_rss_bytes;
};

/* Runs a program to its end. It gets this process's descriptors (but for
 * is_output_on_stderr), and its signal mask and dispositions as they were before they were taken.
 * After `timeout_ns` the program gets TERM, 2 s later KILL. CA_ERROR_PROGRAM_ABSENT or
 * CA_ERROR_UNEXECUTABLE when it could not be executed. */
enum ca_status ca_launch_run(const struct ca_launch *launch, struct ca_outcome *ret_outcome,
                             struct ca_error *err);

#endif
