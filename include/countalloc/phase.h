/* SPDX-License-Identifier: MIT
 *
 * countalloc/phase.h: names the phases of a program, so that the shim can say which phase
 * allocates.
 *
 *     countalloc_phase_begin("parse");
 *     size_t lines = parse(input);
 *     countalloc_phase_units("line", lines);        // the report then has "per line"
 *     countalloc_phase_end();
 *
 * C11 and C++, any compiler flags, nothing to link. Without the shim every call is a load and a
 * branch and nothing else; with it a call looks a name up and moves one pointer. Nothing here
 * allocates, either way.
 *
 * Rules (countalloc(1) has them in full)
 *   - A phase belongs to the thread that opens it; phases nest; an allocation belongs to the
 * innermost one only.
 *   - One row per name, however often and wherever it is opened. A name is cut at 95 bytes; `/ @ ;
 * ]` and control bytes in it become `_`.
 *   - Unbalanced use is tolerated and reported: an end without a begin does nothing, a phase left
 * open stays open until its thread is gone.
 *   - At most 64 phases may be open in one thread; further ones count into the 64th and are
 * reported.
 *
 * All functions may be called from any thread, at any time after the program's constructors began
 * to run.
 */
#ifndef COUNTALLOC_PHASE_H
#define COUNTALLOC_PHASE_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A thread's own counters at one moment, over all its phases. Calls, except for the bytes. `frees`
 * as in the report: frees plus the blocks that a realloc took back. */
struct countalloc_counts {
    uint64_t allocations;
    uint64_t frees;
    uint64_t malloc_calls;
    uint64_t calloc_calls;
    uint64_t realloc_calls;
    uint64_t aligned_calls;
    uint64_t failed_calls;
    uint64_t bytes_requested;
};

/* What the shim offers: one table, found by name once. Members are only ever added at the end;
 * `size_bytes` says how far the shim's table reaches. Not for direct use. */
struct countalloc_phase_api {
    uint32_t version; /* COUNTALLOC_PHASE_API_VERSION */
    uint32_t size_bytes;
    void (*begin)(const char *name);
    void (*end)(void);
    void (*units)(const char *unit, uint64_t unit_count);
    struct countalloc_counts (*thread_counts)(void);
    uint64_t (*token)(void);
    void (*adopt)(uint64_t token);
    int (*is_active)(void);
};

#define COUNTALLOC_PHASE_API_VERSION 1u
#define COUNTALLOC_PHASE_API_SYMBOL  "countalloc_phase_api"

/* The table, or NULL without the shim. The environment is asked first, because on glibc a symbol
 * that is not found costs an allocation; and dlsym is used rather than a weak symbol, because that
 * is null in executables that are not position-independent. */
static inline const struct countalloc_phase_api *countalloc_phase_find(void) {
    static const struct countalloc_phase_api absent = {0,    0,    NULL, NULL, NULL,
                                                       NULL, NULL, NULL, NULL};
    static const struct countalloc_phase_api *found;
#if defined(__APPLE__)
    static const char variable[] = "DYLD_INSERT_LIBRARIES";
    void *const everywhere = (void *)(intptr_t)-2; /* RTLD_DEFAULT */
#else
    static const char variable[] = "LD_PRELOAD";
    void *const everywhere = NULL; /* RTLD_DEFAULT */
#endif
    const struct countalloc_phase_api *api = __atomic_load_n(&found, __ATOMIC_ACQUIRE);
    if (api == NULL) {
        const char *preload = getenv(variable);
        api = &absent;
        if (preload != NULL && strstr(preload, "countalloc") != NULL) {
            const struct countalloc_phase_api *offered =
                (const struct countalloc_phase_api *)dlsym(everywhere, COUNTALLOC_PHASE_API_SYMBOL);
            if (offered != NULL && offered->version == COUNTALLOC_PHASE_API_VERSION)
                api = offered;
        }
        __atomic_store_n(&found, api, __ATOMIC_RELEASE);
    }
    return api == &absent ? NULL : api;
}

/* Opens phase `name` (borrowed; NUL-terminated, not NULL) in this thread. */
static inline void countalloc_phase_begin(const char *name) {
    const struct countalloc_phase_api *api = countalloc_phase_find();
    if (api != NULL)
        api->begin(name);
}

/* Closes this thread's innermost phase. */
static inline void countalloc_phase_end(void) {
    const struct countalloc_phase_api *api = countalloc_phase_find();
    if (api != NULL)
        api->end();
}

/* Adds `unit_count` units of work to this thread's innermost open phase; the report divides by
 * their sum. `unit` (borrowed) is a singular noun ("line", "request"), cut at 31 bytes. A phase has
 * at most four units. */
static inline void countalloc_phase_units(const char *unit, uint64_t unit_count) {
    const struct countalloc_phase_api *api = countalloc_phase_find();
    if (api != NULL)
        api->units(unit, unit_count);
}

/* 1 when the shim is loaded and counts this process, else 0. */
static inline int countalloc_is_active(void) {
    const struct countalloc_phase_api *api = countalloc_phase_find();
    return api != NULL ? api->is_active() : 0;
}

/* This thread's counters now; all 0 without the shim (ask countalloc_is_active() to tell that from
 * a true 0). */
static inline struct countalloc_counts countalloc_thread_counts(void) {
    const struct countalloc_phase_api *api = countalloc_phase_find();
    struct countalloc_counts none = {0, 0, 0, 0, 0, 0, 0, 0};
    return api != NULL ? api->thread_counts() : none;
}

/* Names this thread's innermost phase, to be handed with a piece of work to another thread of this
 * process. 0 when no phase is open or the shim is absent. */
static inline uint64_t countalloc_phase_token(void) {
    const struct countalloc_phase_api *api = countalloc_phase_find();
    return api != NULL ? api->token() : 0;
}

/* Opens the phase that `token` names in this thread, as an adopter: its counts are kept apart from
 * those of the threads that opened the phase by name, and are not counted in its `opened`. Closed
 * by countalloc_phase_end(). Adopting 0 opens a level in which nothing changes, so that begin and
 * end stay balanced. */
static inline void countalloc_phase_adopt(uint64_t token) {
    const struct countalloc_phase_api *api = countalloc_phase_find();
    if (api != NULL)
        api->adopt(token);
}

#ifdef __cplusplus
}
#endif

#endif
