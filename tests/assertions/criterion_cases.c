/* SPDX-License-Identifier: MIT
 *
 * Criterion tests that test_assertions.c runs one by one; most of them must fail. C11 and C++11.
 * Before a block that matters, the next line's number goes to standard output. */
#include <countalloc/criterion.h>

#define HERE printf("%d\n", __LINE__ + 1), fflush(stdout)

static void *volatile kept;

static void allocate(size_t size_bytes) {
    kept = malloc(size_bytes);
}

Test(cases, one_too_many) {
    HERE;
    cr_assert_no_alloc {
        allocate(96);
    }
    puts("not reached");
}

Test(cases, one_more_than_allowed) {
    HERE;
    cr_assert_allocs(le, 2, "parse") {
        allocate(32);
        allocate(32);
        kept = realloc(kept, 32);
    }
    puts("not reached");
}

Test(cases, as_many_as_must_be_exceeded) {
    HERE;
    cr_assert_allocs(gt, 2) {
        allocate(1);
        allocate(1);
    }
    puts("not reached");
}

Test(cases, a_leak) {
    HERE;
    cr_assert_no_leak {
        allocate(20);
    }
    puts("not reached");
}

Test(cases, break_leaves_checked) {
    HERE;
    cr_assert_no_alloc {
        allocate(1);
        if (kept != NULL)
            break;
    }
    puts("not reached");
}

Test(cases, expectations_go_on) {
    /* An inner failure's own allocations do not count in the outer block. */
    cr_expect_allocs(eq, 1) {
        cr_expect_no_alloc {
            allocate(1);
        }
    }
    cr_expect_allocs(lt, 1) {
        kept = NULL;
    }
    HERE;
    cr_expect_no_leak {
        allocate(2);
    }
    puts("reached");
}

Test(cases, a_label_is_made_plain) {
    HERE;
    cr_assert_allocs(eq, 0, "a \"b\" \\c ]]> d\n") {
        allocate(1);
    }
}

Test(cases, everything_passes) {
    cr_assert_no_alloc {
        cr_expect_no_alloc {
            cr_assert(1);
            kept = NULL;
        }
        countalloc_permit_alloc {
            cr_log_info("may allocate");
        }
    }
    cr_assert_allocs(lt, 2) allocate(1);
    cr_assert_allocs(le, 1) allocate(1);
    cr_assert_allocs(eq, 1) allocate(1);
    cr_assert_allocs(ne, 2) allocate(1);
    cr_assert_allocs(ge, 1) allocate(1);
    cr_assert_allocs(gt, 0) allocate(1);
    cr_assert_no_leak {
        allocate(1);
        kept = realloc(kept, 100);
        free(kept);
    }
    puts("reached");
}

Test(cases, full_stats_do_not_count) {
    cr_assert_no_alloc {
        cr_assert_no_alloc {
            kept = NULL;
        }
        cr_expect_allocs(eq, 0, "inner") {
            kept = NULL;
        }
    }
    puts("reached");
}
