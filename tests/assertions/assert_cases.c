/* SPDX-License-Identifier: MIT
 *
 * assert_cases NAME: one case for test_assertions.c, C11 and C++11. Before a block that matters,
 * the next line's number goes to standard output. */
#include <countalloc/assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "permitting_library.h"

#define HERE printf("%d\n", __LINE__ + 1), fflush(stdout)

static void *volatile kept;

static void allocate(size_t size_bytes) {
    kept = malloc(size_bytes);
}

static void allocate_and_free(size_t size_bytes) {
    kept = malloc(size_bytes);
    free(kept);
}

/* ---- what fails ---- */

static void one_malloc_too_many(void) {
    HERE;
    countalloc_assert_no_alloc {
        allocate(96);
    }
}

static void three_where_two_are_allowed(void) {
    HERE;
    countalloc_assert_allocs(<=, 2, "parse") {
        allocate(32);
        allocate(32);
        kept = realloc(kept, 64);
    }
}

static void three_where_fewer_are_allowed(void) {
    HERE;
    countalloc_assert_allocs(<, 3) {
        kept = calloc(3, 10);
        kept = calloc(3, 10);
        kept = aligned_alloc(64, 128);
    }
}

static void two_where_one_is_expected(void) {
    HERE;
    countalloc_assert_allocs(==, 1) {
        allocate(1);
        allocate(0);
    }
}

static void two_where_two_are_unexpected(void) {
    HERE;
    countalloc_assert_allocs(!=, 2) {
        allocate(1);
        allocate(1);
    }
}

static void none_where_one_is_expected(void) {
    HERE;
    countalloc_assert_allocs(>=, 1) {
        kept = NULL;
    }
}

static void two_where_more_than_two_are_expected(void) {
    HERE;
    countalloc_assert_allocs(>, 2) {
        allocate(1);
        allocate(1);
    }
}

static void a_realloc_is_an_allocation(void) {
    allocate(10);
    HERE;
    countalloc_assert_no_alloc {
        kept = realloc(kept, 5000);
    }
}

static void a_failed_call_is_named(void) {
    HERE;
    countalloc_assert_no_alloc {
        void *(*volatile call)(size_t) = malloc;
        free(call(SIZE_MAX / 2));
        allocate(7);
    }
}

static void a_block_is_leaked(void) {
    HERE;
    countalloc_assert_no_leak {
        allocate_and_free(10);
        allocate(20);
        allocate_and_free(30);
    }
}

static void a_block_from_before_is_freed(void) {
    allocate(10);
    HERE;
    countalloc_assert_no_leak {
        free(kept);
    }
}

static void break_leaves_checked(void) {
    HERE;
    countalloc_assert_no_alloc {
        allocate(1);
        if (kept != NULL)
            break;
        allocate(2);
    }
    puts("not reached");
}

static void continue_leaves_checked(void) {
    for (int i = 0; i < 2; i++) {
        HERE;
        countalloc_assert_no_alloc {
            allocate(1);
            if (kept != NULL)
                continue;
            allocate(2);
        }
    }
}

static int seven(void) {
    HERE;
    countalloc_assert_no_alloc {
        if (kept == NULL)
            return allocate(1), 7;
    }
    return 0;
}

static void return_leaves_checked(void) {
    kept = NULL;
    seven();
    puts("not reached");
}

static void goto_leaves_checked(void) {
    HERE;
    countalloc_assert_no_alloc {
        allocate(1);
        if (kept != NULL)
            goto out;
    }
out:
    puts("not reached");
}

static void the_inner_of_two_fails(void) {
    countalloc_assert_allocs(<=, 1) {
        HERE;
        countalloc_assert_no_alloc {
            allocate(1);
        }
    }
}

static void the_outer_of_two_fails(void) {
    HERE;
    countalloc_assert_allocs(<=, 1) {
        countalloc_assert_allocs(<=, 1) {
            allocate(1);
        }
        allocate(2);
    }
}

static void a_permit_around_does_not_reach_in(void) {
    countalloc_permit_alloc {
        HERE;
        countalloc_assert_no_alloc {
            allocate(1);
        }
    }
}

static void a_permit_ends_with_its_block(void) {
    HERE;
    countalloc_assert_no_alloc {
        countalloc_permit_alloc {
            allocate(1);
        }
        allocate(3);
        countalloc_permit_alloc {
            allocate(5);
        }
    }
}

static void a_label_is_made_plain(void) {
    HERE;
    countalloc_assert_allocs(<=, 0, "a \"b\" \\c ]]> d\n") {
        allocate(1);
    }
}

static void a_limit_is_negative(void) {
    HERE;
    countalloc_assert_allocs(<=, -1) {
        allocate(1);
    }
}

/* ---- what passes ---- */

static void every_comparison(void) {
    countalloc_assert_allocs(<, 2) allocate(1);
    countalloc_assert_allocs(<=, 1) allocate(1);
    countalloc_assert_allocs(<=, 2) allocate(1);
    countalloc_assert_allocs(==, 1) allocate(1);
    countalloc_assert_allocs(!=, 0) allocate(1);
    countalloc_assert_allocs(!=, 2) allocate(1);
    countalloc_assert_allocs(>=, 1) allocate(1);
    countalloc_assert_allocs(>=, 0) allocate(1);
    countalloc_assert_allocs(>, 0) allocate(1);
    countalloc_assert_allocs(==, (size_t)0) free(NULL);
    countalloc_assert_allocs(==, 1u) kept = realloc(kept, 0x1000);
}

static void every_nesting(void) {
    countalloc_assert_allocs(==, 3) {
        countalloc_assert_allocs(==, 2) {
            countalloc_assert_no_alloc {
                kept = NULL;
            }
            allocate(1);
            allocate(1);
        }
        allocate(1);
    }
    /* Two on one line, and one in another on one line. */
    /* clang-format off */
    countalloc_assert_no_alloc { kept = NULL; } countalloc_assert_allocs(==, 1) { allocate(1); }
    countalloc_assert_allocs(==, 1) { countalloc_assert_allocs(==, 1) { allocate(1); } }
    /* clang-format on */
    if (kept == NULL)
        countalloc_assert_no_alloc allocate(1);
    else
        countalloc_assert_allocs(==, 1) allocate(1);
}

static int every_way_out(int way) {
    for (int i = 0; i < 3; i++) {
        countalloc_assert_allocs(==, 1) {
            allocate(1);
            if (way == 0)
                break;
            if (way == 1)
                continue;
            if (way == 2)
                goto out;
            if (way == 3)
                return 3;
        }
    }
out:
    return way;
}

static void permits(void) {
    countalloc_assert_no_alloc {
        countalloc_permit_alloc {
            allocate(1);
            countalloc_assert_allocs(==, 1) {
                allocate(1);
                countalloc_permit_alloc {
                    allocate_and_free(1);
                }
            }
            countalloc_permit_alloc allocate(1);
        }
        countalloc_permit_alloc {
            allocate(1);
            if (kept != NULL)
                break;
        }
        log_with_permission();
        log_with_permission();
    }
    countalloc_assert_no_leak {
        countalloc_permit_alloc allocate(1);
        allocate_and_free(1);
        log_with_permission();
    }
}

static void *allocate_much(void *unused) {
    for (int i = 0; i < 100; i++)
        allocate_and_free(10);
    countalloc_assert_allocs(==, 2) {
        allocate(1);
        allocate(1);
    }
    return unused;
}

static void a_thread(void) {
    pthread_t thread;
    countalloc_permit_alloc {
        pthread_create(&thread, NULL, allocate_much, NULL);
        pthread_join(thread, NULL);
    }
    countalloc_assert_allocs(<=, 1) {
        pthread_create(&thread, NULL, allocate_much, NULL);
        pthread_join(thread, NULL);
    }
}

static int limit_calls;

static int limit(void) {
    limit_calls++;
    allocate(1);
    return 0;
}

static void the_rest(void) {
    errno = 33;
    countalloc_assert_no_alloc {
        errno = 44;
    }
    if (errno != 44)
        puts("errno was not kept");
    countalloc_assert_allocs(==, limit()) {
        if (limit_calls != 1)
            puts("the limit was not evaluated once, before the block");
    }
    countalloc_assert_no_leak {
        allocate(10);
        kept = realloc(kept, 10000);
        kept = realloc(kept, 100000);
        free(kept);
    }
    if (!library_block_sees(2))
        puts("the library's block does not see two");
}

static void everything_passes(void) {
    every_comparison();
    every_nesting();
    for (int way = 0; way < 5; way++)
        if (every_way_out(way) != way)
            puts("went another way");
    permits();
    a_thread();
    the_rest();
    puts("done");
}

/* ---- without the shim ---- */

static void two_places_three_times(void) {
    int count = 0;
    for (int i = 0; i < 3; i++) {
        HERE;
        countalloc_assert_no_alloc {
            allocate(1);
            count++;
        }
        countalloc_permit_alloc count++;
        HERE;
        countalloc_assert_allocs(==, 0, "second") count++;
    }
    printf("ran %d\n", count);
}

static void status_to_skip_with(void) {
    exit(countalloc_skip_status());
}

static void a_forked_child(void) {
    int status = 0;
    pid_t child;
    countalloc_assert_no_alloc {
        child = fork();
        if (child == 0)
            break;
        waitpid(child, &status, 0);
    }
    if (child == 0) {
        HERE;
        countalloc_assert_no_alloc allocate(1);
        _exit(5);
    }
    printf("child %d\n", WEXITSTATUS(status));
}

/* ---- */

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
#define CASE(name)                                                                                 \
    { #name, name }
    CASE(one_malloc_too_many),
    CASE(three_where_two_are_allowed),
    CASE(three_where_fewer_are_allowed),
    CASE(two_where_one_is_expected),
    CASE(two_where_two_are_unexpected),
    CASE(none_where_one_is_expected),
    CASE(two_where_more_than_two_are_expected),
    CASE(a_realloc_is_an_allocation),
    CASE(a_failed_call_is_named),
    CASE(a_block_is_leaked),
    CASE(a_block_from_before_is_freed),
    CASE(break_leaves_checked),
    CASE(continue_leaves_checked),
    CASE(return_leaves_checked),
    CASE(goto_leaves_checked),
    CASE(the_inner_of_two_fails),
    CASE(the_outer_of_two_fails),
    CASE(a_permit_around_does_not_reach_in),
    CASE(a_permit_ends_with_its_block),
    CASE(a_label_is_made_plain),
    CASE(a_limit_is_negative),
    CASE(everything_passes),
    CASE(two_places_three_times),
    CASE(status_to_skip_with),
    CASE(a_forked_child),
};

int main(int argc, char **argv) {
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof cases[0]; i++) {
        if (strcmp(cases[i].name, argv[1]) == 0) {
            cases[i].run();
            return 0;
        }
    }
    return 2;
}
