/* SPDX-License-Identifier: MIT
 *
 * countalloc/assert.h: allocation assertions for the tests of any framework, or of none.
 *
 *     #include <countalloc/assert.h>
 *
 *     parser_feed(parser, line);                        // once before: tables that stay
 *     countalloc_assert_no_alloc {
 *         parser_feed(parser, line);
 *     }
 *     countalloc_assert_allocs(<=, 3) {                 // any of < <= == != >= >
 *         document = document_parse(text);
 *     }
 *     countalloc_assert_allocs(==, 2 * lines, "copy") { // the message then begins with "copy: "
 *         copy_lines(lines);                            // instead of the function's name
 *     }
 *     countalloc_assert_no_leak {                       // as many frees as allocations
 *         document_free(document_parse(text));
 *     }
 *     countalloc_assert_no_alloc {
 *         step(game);
 *         countalloc_permit_alloc {                     // not held against the blocks around it
 *             log_line("stepped");
 *         }
 *     }
 *
 *     $ LD_PRELOAD=/usr/lib/libcountalloc.so ./my_test
 *     my_test.c:12: main: 1 allocation in this block, at most 0 allowed (malloc 0, calloc 0,
 *     realloc 1, aligned 0; 96 bytes)                   // on one line; then abort()
 *
 * C11 and C++11 or later, gcc or clang, nothing to link. For Criterion include
 * <countalloc/criterion.h>, which reports to Criterion and contains this header.
 *
 * What is counted
 *   - Calls made by the calling thread between the braces, by countalloc's rules (countalloc(1)):
 *     malloc, calloc, realloc, reallocarray and the aligned family when they returned a block, by
 *     whichever library they were made; C++'s new by the malloc below it. A realloc is one
 *     allocation and, when it was given a block, one free. Failed calls are no allocations;
 *     free(NULL) is no free.
 *   - A thrown C++ exception is an allocation of the C++ library's.
 *   - Other threads are never counted, not even those that the block starts. Starting one may
 *     allocate in this thread (glibc: once).
 *   - Exact: nothing that this header does is counted, whether an assertion holds or fails. One
 *     call of malloc that cannot succeed, before the program's first block, proves that the
 *     program's calls reach the shim; a report has it under "failed". A limit is evaluated once,
 *     before the block.
 *   - What the compiler removed is not there to be counted: from -O1 on, gcc and clang leave out a
 *     malloc or new whose block is only freed. -fno-builtin-malloc brings a malloc back; a new,
 *     -fno-allocation-dce with gcc and -fno-builtin with clang. Assert on the build that you ship.
 *   - The first call of much in libc allocates once (printf's buffer, localtime's zone): call it
 *     once before the block.
 *   - An assertion of your framework inside the block counts when it allocates; put it behind the
 *     block, or into countalloc_permit_alloc.
 *   - countalloc_assert_no_leak compares numbers, not blocks: a new block kept and an old one freed
 *     are even. Too many frees fail, too.
 *
 * Leaving a block
 *   - By its end, `continue`, `break`, `return` or `goto`: it is checked, and exact. The value of
 *     a return is computed inside. `break` and `continue` leave the block, not a loop around it.
 *   - By an exception: it is not checked, and says so on standard error; the exception goes on.
 *   - By longjmp or exit: it is not checked, and nothing can say so.
 *   - By a child that fork made inside it: it is not checked there, but in the parent.
 *   - Never jump into one (goto, or a case label inside). End one in the thread that began it.
 *   - Blocks nest, also on one line. An inner block's allocations count in the outer ones, too, but
 *     for permitted ones, which count only in blocks inside the permit block.
 *   - A permit block in a library reaches a block of the program when both share this header's
 *     symbol countalloc_permitted: always when they are linked together; with dlopen, when the
 *     program is linked with -rdynamic. Else the allocations do count.
 *
 * Without the shim nothing can be counted
 *   - Then a block runs unchecked, and says so on standard error, once for each place. So it does
 *     when the shim is there but does not count: in a forked child, or with another malloc in
 *     front of it, like a sanitizer's.
 *   - With COUNTALLOC_REQUIRE=1 in the environment it fails instead. Set it wherever the preload
 *     is set, so that a wrong path cannot pass.
 *   - A program whose point the counts are can skip as a whole: see countalloc_skip_status().
 *
 * Other frameworks
 *     #define COUNTALLOC_ASSERT_FAIL(file, line, message) ...
 * before the first include of this header says what happens on failure, in every block of that
 * source file: `file` and `message` are strings (borrowed), `line` an int. It is expanded in a
 * function that returns void, and may return, longjmp, or throw. The message has no line end and
 * none of `"`, `\` and `]]>`. For instance
 *     Unity    UnityFail(message, (UNITY_LINE_TYPE)line)
 *     cmocka   fail_msg("%s:%d: %s", file, line, message)
 *     gtest    ADD_FAILURE_AT(file, line) << message
 *     Catch2   FAIL_CHECK(file << ":" << line << ": " << message)
 * Without it: "FILE:LINE: MESSAGE" on standard error, then abort().
 */
#ifndef COUNTALLOC_ASSERT_H
#define COUNTALLOC_ASSERT_H

#include <countalloc/phase.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __cplusplus
#include <exception>
#endif

#ifndef COUNTALLOC_ASSERT_FAIL
#define COUNTALLOC_ASSERT_FAIL(file, line, message)                                                \
    (fprintf(stderr, "%s:%d: %s\n", file, line, message), abort())
#endif

/* ---- The blocks ---- */

/* Fails when the block allocates. */
#define countalloc_assert_no_alloc                                                                 \
    COUNTALLOC_BLOCK(countalloc_tell_assert, COUNTALLOC_BLOCK_ALLOCS, COUNTALLOC_LE, 0, __func__)

/* countalloc_assert_allocs(OP, LIMIT [, LABEL]) { ... }: fails unless `allocations OP LIMIT`. OP is
 * one of < <= == != >= >; LIMIT an integer, which fails when negative; LABEL a string (borrowed
 * until the block's end). */
#define countalloc_assert_allocs(op, ...)                                                          \
    COUNTALLOC_BLOCK(countalloc_tell_assert, COUNTALLOC_BLOCK_ALLOCS, COUNTALLOC_TRUTH(op),        \
                     COUNTALLOC_FIRST(__VA_ARGS__, 0),                                             \
                     COUNTALLOC_SECOND(__VA_ARGS__, __func__, 0))

/* Fails unless the block frees as often as it allocates. */
#define countalloc_assert_no_leak                                                                  \
    COUNTALLOC_BLOCK(countalloc_tell_assert, COUNTALLOC_BLOCK_LEAK, COUNTALLOC_EQ, 0, __func__)

/* Allocations and frees of this block are not held against the blocks around it. Fails never. */
#define countalloc_permit_alloc                                                                    \
    COUNTALLOC_BLOCK(countalloc_tell_assert, COUNTALLOC_BLOCK_PERMIT, COUNTALLOC_GE, 0, __func__)

/* countalloc_skip_status(), below, for a test program's main:
 *
 *     int status = countalloc_skip_status();
 *     if (status != 0)
 *         return status;
 *
 * 0 when this thread's allocations are counted; else, with the reason on standard error, 77, which
 * automake and Meson take for "skipped" (CTest with SKIP_RETURN_CODE 77), or 1 with
 * COUNTALLOC_REQUIRE=1. */

/* ---- From here on nothing is for direct use, but for other headers like criterion.h ---- */

/* A comparison is what it gives for less, equal and more: bits 1, 2 and 4. */
enum countalloc_comparison {
    COUNTALLOC_LT = 1,
    COUNTALLOC_EQ = 2,
    COUNTALLOC_LE = 3,
    COUNTALLOC_GT = 4,
    COUNTALLOC_NE = 5,
    COUNTALLOC_GE = 6
};

/* An operator's bits; does not compile for an operator that gives all or none. */
#define COUNTALLOC_BITS(op) (((0 op 1) ? 1 : 0) | ((0 op 0) ? 2 : 0) | ((1 op 0) ? 4 : 0))
#define COUNTALLOC_TRUTH(op)                                                                       \
    (COUNTALLOC_BITS(op) *                                                                         \
     (int)sizeof(char[COUNTALLOC_BITS(op) > 0 && COUNTALLOC_BITS(op) < 7 ? 1 : -1]))

#define COUNTALLOC_FIRST(first, ...)          (first)
#define COUNTALLOC_SECOND(first, second, ...) (second)

enum countalloc_block_kind {
    COUNTALLOC_BLOCK_ALLOCS,
    COUNTALLOC_BLOCK_LEAK,
    COUNTALLOC_BLOCK_PERMIT
};

enum countalloc_verdict {
    COUNTALLOC_PASSED,
    COUNTALLOC_FAILED,
    COUNTALLOC_UNMEASURED /* and not required to be measured */
};

struct countalloc_block;

/* Tells a framework. May return, longjmp, or throw. */
typedef void countalloc_tell(enum countalloc_verdict verdict, const struct countalloc_block *block,
                             const char *message);

struct countalloc_block {
    countalloc_tell *tell;
    const char *file;
    const char *name; /* or NULL */
    int *is_noted;    /* 1 once this place said that it is not measured */
    int64_t limit;
    int line;
    int comparison; /* enum countalloc_comparison */
    enum countalloc_block_kind kind;
    int is_open;
    int is_measured;
    struct countalloc_counts permitted_before;
    struct countalloc_counts before;
};

#ifdef __cplusplus
extern "C" {
#endif

/* One in the program, whichever of its sources include this. */
#define COUNTALLOC_ONE __attribute__((weak, visibility("default")))

/* What this thread's permit blocks permitted so far. */
__extension__ extern __thread struct countalloc_counts countalloc_permitted;
__extension__ COUNTALLOC_ONE __thread struct countalloc_counts countalloc_permitted;

/* Whether the program's calls reach the shim: 0 not tried, 1 yes, 2 no. */
extern int countalloc_probed;
COUNTALLOC_ONE int countalloc_probed;

#ifdef __cplusplus
}
#endif

static inline struct countalloc_counts countalloc_counts_minus(struct countalloc_counts counts,
                                                               struct countalloc_counts less) {
    counts.allocations -= less.allocations;
    counts.frees -= less.frees;
    counts.malloc_calls -= less.malloc_calls;
    counts.calloc_calls -= less.calloc_calls;
    counts.realloc_calls -= less.realloc_calls;
    counts.aligned_calls -= less.aligned_calls;
    counts.failed_calls -= less.failed_calls;
    counts.bytes_requested -= less.bytes_requested;
    return counts;
}

static inline struct countalloc_counts countalloc_counts_plus(struct countalloc_counts counts,
                                                              struct countalloc_counts more) {
    struct countalloc_counts none = {0, 0, 0, 0, 0, 0, 0, 0};
    return countalloc_counts_minus(counts, countalloc_counts_minus(none, more));
}

/* The shim says that it counts; this asks whether it counts us. A call that cannot succeed is no
 * allocation, so that no budget sees it. */
static inline int countalloc_is_reached(void) {
    int probed = __atomic_load_n(&countalloc_probed, __ATOMIC_RELAXED);
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) ||                         \
    __has_feature(thread_sanitizer)
    probed = 2; /* its malloc would end the program */
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    probed = 2;
#endif
    if (probed == 0) {
        void *(*volatile allocate)(size_t) = malloc;
        uint64_t failed_calls = countalloc_thread_counts().failed_calls;
        free(allocate(SIZE_MAX));
        probed = countalloc_thread_counts().failed_calls == failed_calls + 1 ? 1 : 2;
        __atomic_store_n(&countalloc_probed, probed, __ATOMIC_RELAXED);
    }
    return probed == 1;
}

/* Why nothing is counted here and what to do about it; NULL when it is. */
static inline const char *countalloc_unmeasured_reason(void) {
    if (countalloc_phase_find() == NULL)
        return "not measured: countalloc is not loaded; run this program with "
               "LD_PRELOAD=libcountalloc.so (macOS: DYLD_INSERT_LIBRARIES=libcountalloc.dylib)";
    if (!countalloc_is_active())
        return "not measured: countalloc is loaded but does not count here (a forked child, a "
               "process that countalloc run does not follow, or another malloc in front); "
               "countalloc doctor -- PROGRAM says why";
    if (!countalloc_is_reached())
        return "not measured: countalloc is loaded but this program's calls do not reach it (a "
               "sanitizer, "
               "Valgrind, or "
               "an allocator of its own); countalloc doctor -- PROGRAM says why";
    return NULL;
}

static inline int countalloc_is_required(void) {
    const char *value = getenv("COUNTALLOC_REQUIRE");
    return value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
}

static inline int countalloc_skip_status(void) {
    const char *reason = countalloc_unmeasured_reason();
    if (reason == NULL)
        return 0;
    int is_required = countalloc_is_required();
    fprintf(stderr, "%s: %s\n",
            is_required ? "failed, because COUNTALLOC_REQUIRE is set" : "skipped", reason);
    return is_required ? 1 : 77;
}

/* ---- messages ---- */

/* `name` without what breaks a line, JSON, or XML's CDATA. */
static inline void countalloc_plain_name(char *plain, size_t size, const char *name) {
    size_t i = 0;
    for (; name != NULL && name[i] != '\0' && i + 1 < size; i++) {
        plain[i] = name[i];
        if (name[i] == '"')
            plain[i] = '\'';
        else if (name[i] == '\\')
            plain[i] = '/';
        else if ((name[i] > 0 && name[i] < ' ') || name[i] == 127 ||
                 (name[i] == '>' && i >= 1 && name[i - 1] == ']'))
            plain[i] = '_';
    }
    plain[i] = '\0';
}

static inline const char *countalloc_plural(uint64_t count) {
    return count == 1 ? "" : "s";
}

static inline void countalloc_describe(char *message, size_t size,
                                       const struct countalloc_block *block,
                                       const struct countalloc_counts *counts) {
    static const char *const before_limit[] = {
        "", "fewer than ", "exactly ", "at most ", "more than ", "any number but ", "at least "};
    char name[96];
    char asked[96];
    char failed[48] = "";
    countalloc_plain_name(name, sizeof name, block->name);
    if (block->kind == COUNTALLOC_BLOCK_ALLOCS) {
        snprintf(asked, sizeof asked, " in this block, %s%lld %s",
                 before_limit[block->comparison & 7], (long long)block->limit,
                 block->comparison == COUNTALLOC_LT || block->comparison == COUNTALLOC_LE
                     ? "allowed"
                     : "expected");
    } else {
        int is_leak = counts->allocations > counts->frees;
        uint64_t difference =
            is_leak ? counts->allocations - counts->frees : counts->frees - counts->allocations;
        snprintf(asked, sizeof asked, " and %llu free%s in this block, %llu %s",
                 (unsigned long long)counts->frees, countalloc_plural(counts->frees),
                 (unsigned long long)difference,
                 is_leak ? "not freed" : "more freed than allocated");
    }
    if (counts->failed_calls != 0)
        snprintf(failed, sizeof failed, "; %llu failed", (unsigned long long)counts->failed_calls);
    snprintf(message, size,
             "%s%s%llu allocation%s%s (malloc %llu, calloc %llu, realloc %llu, aligned %llu; %llu "
             "byte%s%s)",
             name, name[0] != '\0' ? ": " : "", (unsigned long long)counts->allocations,
             countalloc_plural(counts->allocations), asked,
             (unsigned long long)counts->malloc_calls, (unsigned long long)counts->calloc_calls,
             (unsigned long long)counts->realloc_calls, (unsigned long long)counts->aligned_calls,
             (unsigned long long)counts->bytes_requested,
             countalloc_plural(counts->bytes_requested), failed);
}

static inline void countalloc_tell_assert(enum countalloc_verdict verdict,
                                          const struct countalloc_block *block,
                                          const char *message) {
    const char *file = block->file;
    int line = block->line;
    if (verdict == COUNTALLOC_FAILED) {
        COUNTALLOC_ASSERT_FAIL(file, line, message);
    } else if (verdict == COUNTALLOC_UNMEASURED &&
               __atomic_exchange_n(block->is_noted, 1, __ATOMIC_RELAXED) == 0) {
        fprintf(stderr, "%s:%d: %s\n", file, line, message);
    }
}

/* ---- a block's life ---- */

/* Telling is not the program's doing. What does not come back needs no account. */
static inline void countalloc_block_tell(const struct countalloc_block *block,
                                         enum countalloc_verdict verdict, const char *message) {
    struct countalloc_counts before = countalloc_thread_counts();
    block->tell(verdict, block, message);
    countalloc_permitted = countalloc_counts_plus(
        countalloc_permitted, countalloc_counts_minus(countalloc_thread_counts(), before));
}

static inline void countalloc_block_refuse(struct countalloc_block *block, const char *reason,
                                           int is_failure) {
    char message[512];
    char name[96];
    countalloc_plain_name(name, sizeof name, block->name);
    snprintf(message, sizeof message, "%s%s%s%s", name, name[0] != '\0' ? ": " : "", reason,
             is_failure && countalloc_is_required() ? " (COUNTALLOC_REQUIRE is set)" : "");
    countalloc_block_tell(block, is_failure ? COUNTALLOC_FAILED : COUNTALLOC_UNMEASURED, message);
}

static inline struct countalloc_block countalloc_block_open(countalloc_tell *tell, const char *file,
                                                            int line, int *is_noted,
                                                            enum countalloc_block_kind kind,
                                                            int comparison, int64_t limit,
                                                            const char *name) {
    int kept_errno = errno;
    struct countalloc_block block;
    const char *reason = countalloc_unmeasured_reason();
    memset(&block, 0, sizeof block);
    block.tell = tell;
    block.file = file;
    block.name = name;
    block.is_noted = is_noted;
    block.limit = limit;
    block.line = line;
    block.comparison = comparison;
    block.kind = kind;
    block.is_open = 1;
    if (limit < 0)
        countalloc_block_refuse(&block, "the limit of this block is negative", 1);
    else if (reason == NULL)
        block.is_measured = 1;
    else if (kind != COUNTALLOC_BLOCK_PERMIT)
        countalloc_block_refuse(&block, reason, countalloc_is_required());
    errno = kept_errno;
    /* Last, and in this order: the first touch of a thread's variable may allocate. */
    block.permitted_before = countalloc_permitted;
    block.before = countalloc_thread_counts();
    return block;
}

static inline void countalloc_block_check(const struct countalloc_block *block,
                                          const struct countalloc_counts *counts) {
    char message[512];
    uint64_t actual = counts->allocations;
    uint64_t wanted = block->kind == COUNTALLOC_BLOCK_LEAK ? counts->frees : (uint64_t)block->limit;
    int relation = actual < wanted    ? COUNTALLOC_LT
                   : actual == wanted ? COUNTALLOC_EQ
                                      : COUNTALLOC_GT;
    countalloc_describe(message, sizeof message, block, counts);
    countalloc_block_tell(
        block, (block->comparison & relation) != 0 ? COUNTALLOC_PASSED : COUNTALLOC_FAILED,
        message);
}

static inline void countalloc_block_close(struct countalloc_block *block) {
    struct countalloc_counts spent =
        countalloc_counts_minus(countalloc_thread_counts(), block->before);
    int kept_errno = errno;
    if (block->is_open && block->is_measured && countalloc_is_active()) {
        block->is_open = 0;
        if (block->kind == COUNTALLOC_BLOCK_PERMIT) {
            countalloc_permitted = countalloc_counts_plus(block->permitted_before, spent);
        } else {
            spent = countalloc_counts_minus(
                spent, countalloc_counts_minus(countalloc_permitted, block->permitted_before));
            countalloc_block_check(block, &spent);
        }
    }
    block->is_open = 0;
    errno = kept_errno;
}

/* ---- the statement ----
 *
 * A loop that runs once. The end of its block variable sees every other way out; `once` is a
 * variable that never leaves the compiler's sight, so that it knows that the body is run. */

#define COUNTALLOC_BLOCK(tell, kind, comparison, limit, name)                                      \
    COUNTALLOC_BLOCK_NAMED(__COUNTER__, tell, kind, comparison, limit, name)
#define COUNTALLOC_BLOCK_NAMED(number, ...) COUNTALLOC_BLOCK_LOOP(number, __VA_ARGS__)

#define COUNTALLOC_NOTED                                                                           \
    (__extension__({                                                                               \
        static int countalloc_is_noted;                                                            \
        &countalloc_is_noted;                                                                      \
    }))

#ifdef __cplusplus

namespace {

class countalloc_scope {
  public:
    countalloc_block block;

    countalloc_scope(countalloc_tell *tell, const char *file, int line, int *is_noted,
                     countalloc_block_kind kind, int comparison, int64_t limit, const char *name)
        : block(), exceptions(exceptions_now()) {
        block = countalloc_block_open(tell, file, line, is_noted, kind, comparison, limit, name);
    }

    countalloc_scope(const countalloc_scope &) = delete;
    countalloc_scope &operator=(const countalloc_scope &) = delete;

    ~countalloc_scope() noexcept(false) {
        if (!block.is_open)
            return;
        if (exceptions_now() <= exceptions || block.kind == COUNTALLOC_BLOCK_PERMIT)
            countalloc_block_close(&block);
        else if (block.is_measured)
            fprintf(stderr, "%s:%d: left by an exception: its allocations are not checked\n",
                    block.file, block.line);
    }

  private:
    int exceptions;

    static int exceptions_now() {
#ifdef __cpp_lib_uncaught_exceptions
        return std::uncaught_exceptions();
#else
        return std::uncaught_exception() ? 1 : 0;
#endif
    }
};

} // namespace

#define COUNTALLOC_BLOCK_LOOP(number, tell, kind, comparison, limit, name)                         \
    for (int countalloc_once_##number = 1; countalloc_once_##number; countalloc_once_##number = 0) \
        for (countalloc_scope countalloc_block_##number(tell, __FILE__, __LINE__,                  \
                                                        COUNTALLOC_NOTED, kind, comparison,        \
                                                        static_cast<int64_t>(limit), name);        \
             countalloc_once_##number; countalloc_once_##number = 0,                               \
                                       countalloc_block_close(&countalloc_block_##number.block))

#else

static inline void countalloc_block_leave(struct countalloc_block *block) {
    if (block->is_open)
        countalloc_block_close(block);
}

#define COUNTALLOC_BLOCK_LOOP(number, tell, kind, comparison, limit, name)                         \
    for (int countalloc_once_##number = 1; countalloc_once_##number; countalloc_once_##number = 0) \
        for (struct countalloc_block countalloc_block_##number                                     \
             __attribute__((cleanup(countalloc_block_leave))) =                                    \
                 countalloc_block_open(tell, __FILE__, __LINE__, COUNTALLOC_NOTED, kind,           \
                                       comparison, (int64_t)(limit), name);                        \
             countalloc_once_##number;                                                             \
             countalloc_once_##number = 0, countalloc_block_close(&countalloc_block_##number))

#endif

#endif
