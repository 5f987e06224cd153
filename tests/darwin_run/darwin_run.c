/* SPDX-License-Identifier: MIT
 *
 * Runs a Mach-O program for x86-64 on Linux, with the libraries in DYLD_INSERT_LIBRARIES, in dyld's
 * order of events: map and move all images, bind them, give the calls of every image but its own to
 * an inserted library's __DATA,__interpose, initialise, main, exit. It is not dyld, nor is its
 * libSystem Apple's (libsystem.h); what it shows and what not is in tests/README.md.
 *
 *     darwin_run [OPTION...] PROGRAM [ARGUMENT...]
 *
 *     --no-interpose     the pairs are passed over, as by a system that ignores them
 *     --without-pair=F   the pair of the function F is passed over
 *     --calls=SHAPE      direct, nested, all: what malloc's relatives are made of (libsystem.h)
 *     --macos=VERSION    11.0 and the like: without the functions that are newer than 11
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "darwin_image.h"
#include "libsystem.h"

#define IMAGES     4u
#define PAIRS      128u
#define STUB_BYTES 32u
#define STUBS      64u

struct pair {
    const void *hook;
    const void *function;
};

struct ca_darwin_image ca_darwin_images[IMAGES];
uint32_t ca_darwin_image_count;
int ca_darwin_argc;
char **ca_darwin_argv;
char **ca_darwin_loader_argv;
int ca_darwin_loader_argc;

static const struct ca_darwin_image *interposer; /* whose pairs they are */
static struct pair pairs[PAIRS];
static size_t pair_count;

/* ---- names ---- */

/* What a name that nobody provides is bound to. */
static void missing(const char *name) {
    ca_darwin_die("called, and not provided here: ", name);
}

/* A function of its own for `name`: mov rdi, name; mov rax, missing; jmp rax. */
static void *stub_for(const char *name) {
    static unsigned char *stubs, *at;
    if (stubs == NULL)
        stubs = at = mmap(NULL, (size_t)STUBS * STUB_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stubs == MAP_FAILED || at == stubs + (size_t)STUBS * STUB_BYTES)
        ca_darwin_die("no room for one more name that is not provided: ", name);
    static const unsigned char code[] = {0x48, 0xbf, 0, 0, 0, 0, 0, 0, 0, 0,    0x48,
                                         0xb8, 0,    0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
    void (*function)(const char *) = missing;
    memcpy(at, code, sizeof code);
    memcpy(at + 2, &name, sizeof name);
    memcpy(at + 12, &function, sizeof function);
    at += STUB_BYTES;
    return at - STUB_BYTES;
}

static void *find_in_libsystem(const char *name) {
    static const struct ca_darwin_export *const tables[] = {
        ca_libsystem_memory,  ca_libsystem_files,   ca_libsystem_process,
        ca_libsystem_threads, ca_libsystem_signals, ca_libsystem_command};
    bool is_old = strncmp(ca_darwin_version, "11", 2) == 0;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        for (const struct ca_darwin_export *row = tables[i]; row->name != NULL; row++) {
            if (strcmp(row->name, name) != 0)
                continue;
            void *address = row->data;
            if (row->function != NULL)
                memcpy(&address, &row->function, sizeof address);
            return row->is_newer && is_old ? NULL : address;
        }
    return NULL;
}

static void *interposed(const struct ca_darwin_image *image, void *address) {
    for (size_t i = 0; i < pair_count && image != interposer; i++)
        if (pairs[i].function == address && address != NULL)
            return (void *)(uintptr_t)pairs[i].hook;
    return address;
}

void *ca_darwin_lookup(const struct ca_darwin_image *image, const char *name) {
    for (uint32_t i = 0; i < ca_darwin_image_count && image == NULL; i++) {
        void *address = ca_darwin_image_find(&ca_darwin_images[i], name);
        if (address != NULL)
            return address;
    }
    return interposed(image, find_in_libsystem(name));
}

static void *resolve(const struct ca_darwin_image *image, const char *name, bool is_weak) {
    void *address = ca_darwin_lookup(image, name);
    return address != NULL || is_weak ? address : stub_for(name);
}

/* ---- interposing ---- */

static void take_pairs(const struct ca_darwin_image *image, const char *left_out) {
    size_t bytes;
    const struct pair *found = ca_darwin_image_section(image, "__DATA", "__interpose", &bytes);
    const void *skipped = left_out != NULL ? find_in_libsystem(left_out) : NULL;
    if (left_out != NULL && skipped == NULL)
        ca_darwin_die("--without-pair: no such function: ", left_out);
    for (size_t i = 0; i < bytes / sizeof *found; i++) {
        if (pair_count == PAIRS)
            ca_darwin_die("too many pairs in ", image->path);
        if (found[i].function != skipped)
            pairs[pair_count++] = found[i];
    }
    interposer = image;
}

static void bind_libsystem(void) {
    for (const struct ca_darwin_inner *inner = ca_libsystem_inner; inner->name != NULL; inner++) {
        void *address = interposed(NULL, find_in_libsystem(inner->name));
        if (address != NULL)
            memcpy(inner->slot, &address, sizeof address);
    }
}

/* ---- images ---- */

static void load(const char *path) {
    const char *why;
    if (ca_darwin_image_count == IMAGES)
        ca_darwin_die("too many images: ", path);
    if (!ca_darwin_image_load(path, &ca_darwin_images[ca_darwin_image_count], &why)) {
        fprintf(stderr, "darwin_run: cannot load %s: %s\n", path, why);
        _exit(CA_DARWIN_FAILED);
    }
    ca_darwin_image_count++;
}

static void load_inserted(void) {
    const char *inserted = getenv("DYLD_INSERT_LIBRARIES");
    char *paths = strdup(inserted != NULL ? inserted : ""); /* images keep them */
    char *rest = NULL;
    for (char *path = strtok_r(paths, ":", &rest); path != NULL; path = strtok_r(NULL, ":", &rest))
        load(path);
}

typedef void initialiser(int, char **, char **, char **, const void *);
typedef int main_function(int, char **, char **, char **);

static void initialise(const struct ca_darwin_image *image) {
    size_t bytes;
    initialiser **functions =
        ca_darwin_image_section(image, "__DATA_CONST", "__mod_init_func", &bytes);
    static char *apple[] = {NULL};
    for (size_t i = 0; i < bytes / sizeof *functions; i++)
        functions[i](ca_darwin_argc, ca_darwin_argv, environ, apple, NULL);
}

static int run(bool is_interposing, const char *left_out) {
    load(ca_darwin_argv[0]);
    load_inserted();
    for (uint32_t i = 1; i < ca_darwin_image_count; i++) {
        ca_darwin_image_bind(&ca_darwin_images[i], resolve);
        if (is_interposing)
            take_pairs(&ca_darwin_images[i], left_out);
    }
    ca_darwin_image_bind(&ca_darwin_images[0], resolve);
    bind_libsystem();
    for (uint32_t i = 0; i < ca_darwin_image_count; i++)
        ca_darwin_image_protect(&ca_darwin_images[i]);
    ca_libsystem_start();
    for (uint32_t i = 1; i < ca_darwin_image_count; i++)
        initialise(&ca_darwin_images[i]);
    initialise(&ca_darwin_images[0]);
    void *entry = ca_darwin_images[0].header + ca_darwin_images[0].entry_offset;
    main_function *program_main;
    memcpy(&program_main, &entry, sizeof entry);
    return program_main(ca_darwin_argc, ca_darwin_argv, environ, NULL);
}

static const char *value_of(const char *argument, const char *option) {
    size_t length = strlen(option);
    return strncmp(argument, option, length) == 0 ? argument + length : NULL;
}

int main(int argc, char **argv) {
    bool is_interposing = true;
    const char *left_out = NULL, *value;
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        if (strcmp(argv[i], "--no-interpose") == 0)
            is_interposing = false;
        else if ((value = value_of(argv[i], "--without-pair=")) != NULL)
            left_out = value;
        else if ((value = value_of(argv[i], "--macos=")) != NULL)
            ca_darwin_version = value;
        else if (strcmp(argv[i], "--calls=direct") == 0)
            ca_darwin_calls = CA_DARWIN_DIRECT;
        else if (strcmp(argv[i], "--calls=nested") == 0)
            ca_darwin_calls = CA_DARWIN_NESTED;
        else if (strcmp(argv[i], "--calls=all") == 0)
            ca_darwin_calls = CA_DARWIN_ALL;
        else
            ca_darwin_die("unknown option ", argv[i]);
    }
    if (i == argc)
        ca_darwin_die("no program", "");
    ca_darwin_loader_argv = argv;
    ca_darwin_loader_argc = i;
    ca_darwin_argc = argc - i;
    ca_darwin_argv = argv + i;
    exit(run(is_interposing, left_out));
}
