/* SPDX-License-Identifier: MIT
 *
 * pthread_getspecific reads one word of the thread's own, and pthread_setspecific writes it:
 * libpthread keeps them inside its thread structure, so neither allocates. No destructor, because
 * libc frees after the last one. As a thread ends, libpthread clears the word all the same, before
 * each round of the program's destructors (pthread_tsd.c, _pthread_tsd_cleanup_key); a thread that
 * frees in these finds its words again by its number. */
#ifndef __APPLE__
#error "macOS only"
#endif

#include "../count.h"

extern int pthread_key_create(unsigned long *ret_key, void (*destructor)(void *));
extern void *pthread_getspecific(unsigned long key);
extern int pthread_setspecific(unsigned long key, const void *value);
extern struct _opaque_pthread_t *pthread_self(void);
extern int pthread_threadid_np(struct _opaque_pthread_t *thread, uint64_t *ret_number);

static struct ca_thread_pool pool;
static unsigned long key; /* 0: none yet; libpthread's own words come first, so no key of ours is */

static struct ca_thread_words before_start = {.row = &ca_row_unattached};

/* The reserved value: whoever is called while a thread's words are made counts as a thread for
 * which no slot was left; so does one for which there are no words. */
static struct ca_thread_words initialising = {.row = &ca_row_overflowed};

bool ca_thread_words_start(void) {
    return pthread_key_create(&key, NULL) == 0;
}

static CA_COLD struct ca_thread_words *make(void) {
    if (key == 0)
        return &before_start;
    pthread_setspecific(key, &initialising);
    uint64_t number = 0; /* never 0 once it is known, and it always is of the calling thread */
    pthread_threadid_np(NULL, &number);
    struct ca_thread_words *words =
        ca_thread_pool_take(&pool, (uintptr_t)pthread_self(), number, &ca_row_unattached);
    if (words != NULL)
        pthread_setspecific(key, words);
    return words != NULL ? words : &initialising;
}

struct ca_thread_words *ca_thread_words_here(void) {
    struct ca_thread_words *words = key != 0 ? pthread_getspecific(key) : NULL;
    return CA_LIKELY(words != NULL) ? words : make();
}
