/* SPDX-License-Identifier: MIT
 *
 * What the shim needs of a system: every file of this folder named *_linux.c or *_darwin.c
 * implements a part of it. Nothing here allocates, sets errno or may be interposed by the program.
 * Paths and buffers are borrowed. Failures are negative errno values.
 */
#ifndef CA_SHIM_PLATFORM_H
#define CA_SHIM_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- the allocator below, and libc ---- */

/* glibc's struct mallinfo2 (malloc.h), which another libc's headers lack. Bytes. */
struct ca_mallinfo {
    size_t heap_bytes;
    size_t free_chunk_count;
    size_t fastbin_chunk_count;
    size_t mapped_chunk_count;
    size_t mapped_bytes;
    size_t unused;
    size_t fastbin_bytes;
    size_t used_bytes;
    size_t free_bytes;
    size_t releasable_bytes;
};

/* Functions that our hooks pass their calls on to: the next definition after the shim's own, in the
 * order in which the loader searches. NULL where the system has none. */
struct ca_next {
    void *(*malloc)(size_t);
    void (*free)(void *);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*reallocarray)(void *, size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    void *(*memalign)(size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
    void (*cfree)(void *);
    void (*free_sized)(void *, size_t);
    void (*free_aligned_sized)(void *, size_t, size_t);
    void (*exit)(int);
    int (*libc_start_main)(int (*)(int, char **, char **), int, char **, void (*)(void),
                           void (*)(void), void (*)(void), void *);
    int (*pthread_setname_np)(unsigned long, const char *);
    int (*execve)(const char *, char *const *, char *const *);
    int (*execv)(const char *, char *const *);
    int (*execvp)(const char *, char *const *);
    int (*execvpe)(const char *, char *const *, char *const *);
    int (*fexecve)(int, char *const *, char *const *);
    int (*dlclose)(void *);
    int (*find_object)(void *, void *);    /* glibc 2.35 and later */
    unsigned (*unwind)(void **, unsigned); /* libcountalloc-unwind, when it is preloaded */
    int (*register_atfork)(void (*)(void), void (*)(void), void (*)(void), void *); /* glibc */
    int (*pthread_atfork)(void (*)(void), void (*)(void), void (*)(void));          /* others */
    const char *(*libc_version)(void);                                              /* glibc */
    /* Of the object that serves malloc, and only of that one. */
    size_t (*usable_size)(void *);
    int (*mallctl)(const char *, void *, size_t *, void *, size_t); /* jemalloc */
    struct ca_mallinfo (*mallinfo2)(void);                          /* glibc */
    int (*property)(const char *, size_t *);                        /* tcmalloc */
};

#define CA_COMPANIONS 16u

struct ca_range {
    uintptr_t begin;
    uintptr_t end;
};

/* What was found on the way. Paths are cut to their buffers. */
struct ca_surroundings {
    char allocator[512];    /* path of the object that `malloc` is in */
    char malloc_owner[512]; /* path of the object the program's malloc calls reach; "" when that is
                               the shim */
    bool is_allocator_libc; /* `malloc` is in the same object as `exit` */
    bool is_allocator_inside; /* it is the one linked into the shim (allocator_inside.h) */
    struct ca_range companions[CA_COMPANIONS]; /* ca_platform_find_companions */
    uint32_t companion_count;
    bool is_new_hidden; /* likewise */
};

/* What to do where malloc belongs to somebody else. */
extern const char ca_platform_owner_remedy[];

/* Fills both. Looks symbols up by itself in the loaded objects' tables, because dlsym may allocate,
 * leaves its errors in dlerror for the program to find, and is not there in a process without
 * libdl. `self`: an address inside the shim. */
void ca_platform_resolve(struct ca_next *ret_next, struct ca_surroundings *ret_found,
                         const void *self);

/* Finds, for an allocator that neither the program nor a library of its own asked for, that is, a
 * preloaded one, its code and that of the libraries which only it needs (libstdc++ in a program in
 * C). What these allocate for themselves before the program begins is not the program's.
 * And whether C++'s new and delete, in a program that has C++ in it, are those of an object that
 * defines malloc, and so pass the shim by. */
void ca_platform_find_companions(const void *malloc_below, struct ca_surroundings *found);

/* Finds a loaded object whose calls of malloc are bound to `malloc_below` and so pass the shim by
 * (RTLD_DEEPBIND does that); its path goes to `ret_path`. A call that was never made may not be
 * bound yet, and an object that is gone is not seen. `*ret_is_namespace`: there are objects in a
 * namespace of their own (dlmopen), which have a libc of their own, too. */
bool ca_platform_find_bypass(const void *malloc_below, char *ret_path, size_t path_size,
                             bool *ret_is_namespace);

/* ---- stacks and modules ---- */

/* Addresses [low, high) of a stack that can be read. */
struct ca_stack_bounds {
    uintptr_t low;
    uintptr_t high;
    uintptr_t floor; /* below it is no stack of this thread: found out already */
};

/* Makes `bounds` (all zero at first; the calling thread's) include `frame` if that lies on the
 * stack the thread was started on. False when it does not. Costs a system call for each page of
 * stack the first time the thread is that deep. */
bool ca_platform_stack(uintptr_t frame, struct ca_stack_bounds *bounds);

/* A loaded object. */
struct ca_loaded {
    uintptr_t begin; /* its mapping, which begins with the file's */
    uintptr_t end;
    uintptr_t base; /* what was added to its file's addresses */
    char path[448]; /* cut to it; "" for the program itself */
};

/* The loaded object that `address` lies in, found without the loader's lock. False: none. */
bool ca_platform_find_loaded(uintptr_t address, struct ca_loaded *ret_loaded);

/* The object's build id, cut to `size`. Returns its bytes; 0 when it has none. */
uint32_t ca_platform_build_id(const struct ca_loaded *loaded, uint8_t *ret_id, uint32_t size);

/* ---- the process ---- */

/* The system's own part of the initialiser, once the allocator below is known: on macOS the thread
 * words and the start test, which may leave the shim inert. */
void ca_platform_start(void);

/* And when the region is attached: on macOS `startup` ends here. */
void ca_platform_attached(void);

/* Libc's name and version for the record: "glibc 2.36", "macOS 14.5"; "" when it does not say. */
void ca_platform_libc(char *to, size_t size);

uint32_t ca_platform_pid(void);
uint32_t ca_platform_parent_pid(void);

/* The process's environment as it stands, or NULL when libc has not set it up yet. */
char **ca_platform_environ(void);

/* Path of the running program; its arguments, each with its NUL, in `ret_arguments`, cut to its
 * size. Returns their number; 0 when the system does not say. */
uint32_t ca_platform_program(char *ret_executable, size_t executable_size, char *ret_arguments,
                             size_t arguments_size);

/* Whether the parent process has this library mapped. False when that cannot be seen. */
bool ca_platform_is_parent_counted(void);

/* ---- memory and files ---- */

/* Maps `bytes` of zeroed memory. NULL on failure. */
void *ca_platform_map(size_t bytes);

/* Maps the counter region in `path`, as far as the address space allows, and closes the file again.
 * `*ret_bytes`: bytes mapped. */
int ca_platform_map_file(const char *path, void **ret_memory, size_t *ret_bytes);

/* Creates `path` anew with `bytes` that the disk really has, and maps it. A file that is there
 * already is replaced when it begins with `magic` or is empty, else -EEXIST. */
int ca_platform_create_file(const char *path, size_t bytes, uint64_t magic, void **ret_memory);

void ca_platform_unmap(void *memory, size_t bytes);

/* A second descriptor for what `fd` refers to, closed on exec, as high as the limit allows, so that
 * the program's own descriptors keep their numbers. Negative when `fd` is not open.
 * `*ret_identity`: for ca_platform_is_same_file. */
int ca_platform_keep_open(int fd, uint64_t ret_identity[2]);

/* Whether `fd` still refers to what it did: a program may close every descriptor and open its own
 * files under their numbers. */
bool ca_platform_is_same_file(int fd, const uint64_t identity[2]);

void ca_platform_close(int fd);

/* Opens `path` for writing from its start. A descriptor or a negative errno. */
int ca_platform_open_output(const char *path);

/* Writes all of it, or as much as goes. */
void ca_platform_write(int fd, const char *bytes, size_t byte_count);

#endif
