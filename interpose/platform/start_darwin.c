/* SPDX-License-Identifier: MIT
 *
 * The initialiser's own part on macOS. Before it the shim counts into its boot row only: libSystem
 * may not be initialised yet, and there is no thread word. */
#ifndef __APPLE__
#error "macOS only"
#endif

#include <crt_externs.h>
#include <search.h>
#include <sys/sysctl.h>

#include "../count.h"
#include "../process_phase.h"
#include "../start_test.h"
#include "loaded_darwin.h"

static bool is_started;

static int compare(const void *a, const void *b) {
    return (a > b) - (a < b);
}

/* Because it is libSystem's code, whose calls are interposed as the program's are, that allocates a
 * tree's node here and frees it again (Libc, stdlib/FreeBSD/tsearch.c, tdelete.c). */
static void allocate_and_free(void) {
    void *root = NULL;
    tsearch(&root, &root, compare);
    tdelete(&root, &root, compare);
}

void ca_platform_start(void) {
    const char *cause =
        ca_thread_words_start()
            ? ca_start_test(allocate_and_free)
            : "functions that cannot tell threads apart (pthread_key_create failed)";
    is_started = true;
    if (cause == NULL)
        return;
    ca_plain_copy(ca_shim.found.malloc_owner, cause, sizeof ca_shim.found.malloc_owner);
    ca_engine_choose(CA_STAGE_INERT);
}

void ca_platform_attached(void) {
    if (ca_shim.sites != NULL)
        ca_loaded_watch();
    ca_process_phase_begin(CA_PHASE_MAIN);
}

char **ca_platform_environ(void) {
    return is_started ? *_NSGetEnviron() : NULL;
}

void ca_platform_libc(char *to, size_t size) {
    char version[24] = "";
    size_t version_bytes = sizeof version - 1;
    if (sysctlbyname("kern.osproductversion", version, &version_bytes, NULL, 0) != 0)
        version[0] = '\0';
    struct ca_text text = ca_text_in(to, size);
    ca_text_add(&text, "macOS ");
    ca_text_add(&text, version);
}
