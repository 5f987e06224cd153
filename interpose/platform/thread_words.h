/* SPDX-License-Identifier: MIT
 *
 * Words of which every thread has its own. They are declared and defined once, by these two, and
 * used by their names like any variable:
 *
 *     CA_THREAD_WORD(type, name);               in a header, or before the definition
 *     CA_THREAD_WORD_BEGIN(type, name, value);  in one source file; `value`: what it begins as
 *
 * On Linux that is initial-exec thread-local storage: one instruction, never an allocation. macOS
 * may allocate on the first use of a thread-local variable and so recurse into a hook; there the
 * words are members of struct ca_thread_words (thread_pool.h), reached through a pthread key.
 */
#ifndef CA_THREAD_WORDS_H
#define CA_THREAD_WORDS_H

#if defined(__APPLE__)

#include "../thread_pool.h"

/* The calling thread's words; a shared set before the shim has started and while a thread is given
 * its own, so that whatever is called meanwhile may count. */
struct ca_thread_words *ca_thread_words_here(void);

/* Makes the key. Once, in the initialiser. False: no key was left. */
bool ca_thread_words_start(void);

#define ca_row_here            (ca_thread_words_here()->row)
#define ca_sample_left         (ca_thread_words_here()->sample_left)
#define ca_sample_generator    (ca_thread_words_here()->sample_generator)
#define ca_sample_is_under_way (ca_thread_words_here()->sample_is_under_way)
#define ca_stack_here          (ca_thread_words_here()->stack)

#define CA_THREAD_WORD(type, name)              struct ca_thread_words
#define CA_THREAD_WORD_BEGIN(type, name, value) struct ca_thread_words

#else

#define CA_THREAD_WORD(type, name)                                                                 \
    extern CA_HIDDEN _Thread_local type name __attribute__((tls_model("initial-exec")))
#define CA_THREAD_WORD_BEGIN(type, name, value) _Thread_local type name = value

#endif

#endif
