/* SPDX-License-Identifier: MIT
 *
 * Takes a thousand blocks of 100 bytes and a large one, gives back every other, and says as the last
 * thing it does how its allocator stands: "used=N held=N active=N", what it has no figure for left
 * out. */
#include <dlfcn.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int mallctl_function(const char *name, void *old, size_t *old_bytes, void *new,
                             size_t new_bytes);
typedef int property_function(const char *name, size_t *value);

static char said[256];

static void say(const char *name, size_t bytes) {
    size_t length = strlen(said);
    snprintf(said + length, sizeof said - length, "%s=%zu ", name, bytes);
}

static size_t mallctl_bytes(mallctl_function *mallctl, const char *name) {
    size_t value = 0, value_bytes = sizeof value;
    mallctl(name, &value, &value_bytes, NULL, 0);
    return value;
}

static size_t property_bytes(property_function *property, const char *name) {
    size_t value = 0;
    property(name, &value);
    return value;
}

static void ask(void) {
    mallctl_function *mallctl = (mallctl_function *)dlsym(RTLD_DEFAULT, "mallctl");
    property_function *property =
        (property_function *)dlsym(RTLD_DEFAULT, "MallocExtension_GetNumericProperty");
    if (mallctl != NULL) {
        uint64_t epoch = 1;
        mallctl("epoch", NULL, NULL, &epoch, sizeof epoch);
        say("used", mallctl_bytes(mallctl, "stats.allocated"));
        say("held", mallctl_bytes(mallctl, "stats.resident"));
        say("active", mallctl_bytes(mallctl, "stats.active"));
    } else if (property != NULL) {
        say("used", property_bytes(property, "generic.current_allocated_bytes"));
        say("held", property_bytes(property, "generic.heap_size") -
                        property_bytes(property, "tcmalloc.pageheap_unmapped_bytes"));
    } else if (dlsym(RTLD_DEFAULT, "mi_malloc") == NULL) {
        struct mallinfo2 info = mallinfo2();
        say("used", info.uordblks + info.hblkhd);
        say("held", info.arena + info.hblkhd);
    }
}

int main(void) {
    void *blocks[1000];
    void *large = malloc(1000000);
    for (int i = 0; i < 1000; i++)
        blocks[i] = malloc(100);
    for (int i = 0; i < 1000; i += 2)
        free(blocks[i]);
    ask(); /* dlsym and snprintf have allocated by now what they do */
    said[0] = '\0';
    ask();
    return write(STDOUT_FILENO, said, strlen(said)) == (ssize_t)strlen(said) && large != NULL ? 0
                                                                                              : 1;
}
