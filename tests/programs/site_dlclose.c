/* SPDX-License-Identifier: MIT
 *
 * Code that is unloaded, and other code that comes to lie at the same addresses: each library has its
 * own sites. One that comes back is counted with its first life.
 *
 * run: --sites
 * env: COUNTALLOC_SITES=1
 * expect: in.site_first.so.allocations=10 in.site_second.so.allocations=7
 * expect: rest.allocations=0
 */
#include <dlfcn.h>
#include <link.h>

#include "victim.h"

static uintptr_t load_and_take(const char *name, int count) {
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 64);
    CHECK(length > 0);
    path[length] = '\0';
    strcpy(strrchr(path, '/') + 1, name);
    void *library = dlopen(path, RTLD_NOW);
    CHECK(library != NULL);
    void (*take)(int) = (void (*)(int))(uintptr_t)dlsym(library, "take_blocks");
    CHECK(take != NULL);
    take(count);
    CHECK(dlclose(library) == 0);
    return (uintptr_t)take;
}

int main(void) {
    uintptr_t first = load_and_take("site_first.so", 6);
    uintptr_t second = load_and_take("site_second.so", 7);
    uintptr_t again = load_and_take("site_first.so", 4);
    CHECK(first == second && second == again); /* else nothing is shown */
    return 0;
}
