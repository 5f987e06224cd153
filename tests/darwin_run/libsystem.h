/* SPDX-License-Identifier: MIT
 *
 * A libSystem for Mach-O programs that run on Linux: what the library, the command, logstat and the
 * victims call, and no more. A function whose binary interface is Linux' is Linux' own; the others translate
 * numbers and layouts (darwin_abi.h). errno is a word of its own with macOS's numbers.
 *
 * It is not Apple's: what malloc and its relatives call of each other is chosen by
 * `ca_darwin_calls`, so that both a system whose calls stay inside its libmalloc and one whose
 * calls go through the public names are there.
 */
#ifndef CA_LIBSYSTEM_H
#define CA_LIBSYSTEM_H

#include <stdbool.h>
#include <stddef.h>

#include "darwin_abi.h"
#include "darwin_image.h"

enum ca_darwin_calls {
    CA_DARWIN_DIRECT, /* only what is in another library of libSystem's: reallocf, reallocarray,
                         reallocarrayf, tsearch and tdelete */
    CA_DARWIN_NESTED, /* all but malloc and free are made of others, two deep where they can be */
    CA_DARWIN_ALL     /* malloc and free, too: of malloc_zone_malloc and malloc_zone_free */
};

extern enum ca_darwin_calls ca_darwin_calls;

/* What the system is: "11.0" and older lacks what `newer` says. */
extern const char *ca_darwin_version;

typedef void ca_darwin_function(void);

/* A name of libSystem's (as in C): one of the two. */
struct ca_darwin_export {
    const char *name;
    ca_darwin_function *function;
    void *data;
    bool is_newer; /* than macOS 11 */
};

#define CA_DARWIN_PASS(name)                                                                       \
    { #name, (ca_darwin_function *)name, NULL, false }
#define CA_DARWIN_HAS(name)                                                                        \
    { #name, (ca_darwin_function *)mac_##name, NULL, false }
#define CA_DARWIN_NEWER(name)                                                                      \
    { #name, (ca_darwin_function *)mac_##name, NULL, true }
#define CA_DARWIN_DATA(name, object)                                                               \
    { #name, NULL, object, false }
#define CA_DARWIN_END                                                                              \
    { NULL, NULL, NULL, false }

extern const struct ca_darwin_export ca_libsystem_memory[], ca_libsystem_files[],
    ca_libsystem_process[], ca_libsystem_threads[], ca_libsystem_signals[], ca_libsystem_command[];

/* A place from which libSystem calls one of its own public names: dyld binds it like any other
 * image's, so that an interposed function is reached. `slot`: of a pointer to a function. */
struct ca_darwin_inner {
    const char *name;
    void *slot;
};

extern const struct ca_darwin_inner ca_libsystem_inner[]; /* ends with a NULL name */

/* What libSystem allocates and frees for itself as it is initialised: 3 times 10 bytes, before any other image's initialisers. */
void ca_libsystem_start(void);

/* Puts macOS's number for Linux' errno into the program's errno. Returns `status`. */
long ca_darwin_settle(long status);

/* macOS's number of an error of Linux'. */
int ca_darwin_error(int linux_error);

/* Linux' flags of open for macOS's. */
int ca_darwin_open_flags(int flags);

struct stat;

/* macOS's facts of a file. */
struct darwin_stat ca_darwin_facts(const struct stat *facts);

/* ---- what the loader tells of itself ---- */

/* Images, the program first. */
extern struct ca_darwin_image ca_darwin_images[];
extern uint32_t ca_darwin_image_count;

/* The program's arguments, and those that this process must be given to run another. */
extern int ca_darwin_argc;
extern char **ca_darwin_argv;
extern char **ca_darwin_loader_argv;
extern int ca_darwin_loader_argc;

/* What `name` is bound to in `image`, or NULL; as dlsym gives it when `image` is NULL. */
void *ca_darwin_lookup(const struct ca_darwin_image *image, const char *name);

#endif
