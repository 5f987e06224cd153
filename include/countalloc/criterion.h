/* SPDX-License-Identifier: MIT
 *
 * countalloc/criterion.h: allocation assertions for Criterion tests.
 *
 *     #include <countalloc/criterion.h>
 *
 *     Test(parser, needs_no_memory_for_a_line) {
 *         struct parser *parser = parser_new();
 *         cr_assert_no_alloc {
 *             parser_feed(parser, "a b c");
 *         }
 *         cr_assert_allocs(le, 3, "parse") {       // le lt eq ge gt ne; the label is optional
 *             document = document_parse(text);
 *         }
 *         cr_assert_no_leak {                      // as many frees as allocations
 *             document_free(document_parse(text));
 *         }
 *         parser_free(parser);
 *     }
 *
 *     $ LD_PRELOAD=/usr/lib/libcountalloc.so COUNTALLOC_REPORT=none ./test_parser
 *     [----] test_parser.c:9: Assertion Failed
 *     [----]
 *     [----]   parse: 4 allocations in this block, at most 3 allowed (malloc 3, calloc 0,
 *     realloc 1, aligned 0; 96 bytes)              // on one line
 *
 * cr_expect_no_alloc, cr_expect_allocs and cr_expect_no_leak fail the test but go on with it.
 * <countalloc/assert.h> is the manual: what is counted (the calling thread, between the braces),
 * how a block may be left, what the compiler removes, and countalloc_permit_alloc. In addition:
 *
 *   - Blocks belong into the body of a test. Around it, also between .init and .fini, Criterion
 *     allocates for itself.
 *   - Criterion's assertions that pass allocate nothing, except under --full-stats (5 each) and for
 *     all(...) and any(...); cr_log_info allocates. Keep those behind the block or in
 *     countalloc_permit_alloc.
 *   - A test that fails inside a block (cr_assert) leaves it by longjmp: the block is not checked.
 *   - Compared here, not by Criterion, whose gt() is wrong in release 2.4.1. Messages have none of
 *     `"`, `\` and `]]>`, which that release does not escape in its JSON and XML; in a label they
 *     are replaced.
 *   - Criterion ignores the status with which a test's process ends, so a verdict must fall inside
 *     the test, as it does here.
 *
 * Without the shim the first block of a test skips that test. Criterion shows skips only with
 * --verbose and ends with status 0, so the reason is on standard error as well. With
 * COUNTALLOC_REQUIRE=1 the block fails instead.
 *
 * The preload must be in the environment of the test program (not `countalloc run`, which counts
 * one process: Criterion runs each test in another). With CMake:
 *
 *     set_tests_properties(test_parser PROPERTIES
 *         FAIL_REGULAR_EXPRESSION "Tested: 0 "
 *         ENVIRONMENT_MODIFICATION "LD_PRELOAD=path_list_prepend:/usr/lib/libcountalloc.so;\
 *     COUNTALLOC_REQUIRE=set:1;COUNTALLOC_REPORT=set:none")
 */
#ifndef COUNTALLOC_CRITERION_H
#define COUNTALLOC_CRITERION_H

#include <countalloc/assert.h>
#include <criterion/criterion.h>

#define cr_assert_no_alloc                                                                         \
    COUNTALLOC_BLOCK(countalloc_tell_cr_assert, COUNTALLOC_BLOCK_ALLOCS, COUNTALLOC_LE, 0, NULL)
#define cr_expect_no_alloc                                                                         \
    COUNTALLOC_BLOCK(countalloc_tell_cr_expect, COUNTALLOC_BLOCK_ALLOCS, COUNTALLOC_LE, 0, NULL)

/* cr_assert_allocs(OP, LIMIT [, LABEL]) { ... }; OP is one of lt le eq ne ge gt. */
#define cr_assert_allocs(op, ...)                                                                  \
    COUNTALLOC_BLOCK(countalloc_tell_cr_assert, COUNTALLOC_BLOCK_ALLOCS, COUNTALLOC_COMPARE_##op,  \
                     COUNTALLOC_FIRST(__VA_ARGS__, 0), COUNTALLOC_SECOND(__VA_ARGS__, NULL, 0))
#define cr_expect_allocs(op, ...)                                                                  \
    COUNTALLOC_BLOCK(countalloc_tell_cr_expect, COUNTALLOC_BLOCK_ALLOCS, COUNTALLOC_COMPARE_##op,  \
                     COUNTALLOC_FIRST(__VA_ARGS__, 0), COUNTALLOC_SECOND(__VA_ARGS__, NULL, 0))

#define cr_assert_no_leak                                                                          \
    COUNTALLOC_BLOCK(countalloc_tell_cr_assert, COUNTALLOC_BLOCK_LEAK, COUNTALLOC_EQ, 0, NULL)
#define cr_expect_no_leak                                                                          \
    COUNTALLOC_BLOCK(countalloc_tell_cr_expect, COUNTALLOC_BLOCK_LEAK, COUNTALLOC_EQ, 0, NULL)

/* ---- From here on nothing is for direct use ---- */

#define COUNTALLOC_COMPARE_lt COUNTALLOC_LT
#define COUNTALLOC_COMPARE_le COUNTALLOC_LE
#define COUNTALLOC_COMPARE_eq COUNTALLOC_EQ
#define COUNTALLOC_COMPARE_ne COUNTALLOC_NE
#define COUNTALLOC_COMPARE_ge COUNTALLOC_GE
#define COUNTALLOC_COMPARE_gt COUNTALLOC_GT

/* What Criterion's own assertions do, with the block's place instead of the macro's. Returns
 * whether the test may go on. */
static inline int countalloc_tell_criterion(enum countalloc_verdict verdict,
                                            const struct countalloc_block *block,
                                            const char *message) {
    if (verdict == COUNTALLOC_UNMEASURED) {
        fprintf(stderr, "%s:%d: skipped: %s\n", block->file, block->line, message);
        criterion_skip_test("%s", message);
    }
    if (verdict == COUNTALLOC_FAILED || criterion_options.full_stats) {
        struct criterion_assert_stats stats;
        memset(&stats, 0, sizeof stats);
        stats.message = message;
        stats.passed = verdict == COUNTALLOC_PASSED;
        stats.line = (unsigned)block->line;
        stats.file = block->file;
        criterion_send_assert(&stats);
    }
    if (verdict == COUNTALLOC_PASSED)
        cri_asserts_passed_incr();
    return verdict == COUNTALLOC_PASSED;
}

static inline void countalloc_tell_cr_assert(enum countalloc_verdict verdict,
                                             const struct countalloc_block *block,
                                             const char *message) {
    if (!countalloc_tell_criterion(verdict, block, message))
        criterion_abort_test();
}

static inline void countalloc_tell_cr_expect(enum countalloc_verdict verdict,
                                             const struct countalloc_block *block,
                                             const char *message) {
    if (!countalloc_tell_criterion(verdict, block, message))
        criterion_continue_test();
}

#endif
