// SPDX-License-Identifier: MIT
//
// exception_cases NAME: what only C++ has, for test_assertions.c. A failed block throws; what
// arrives is printed.
#include <cstdio>
#include <stdexcept>
#include <string>

static void fail(const char *file, int line, const char *message) {
    throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + message);
}
#define COUNTALLOC_ASSERT_FAIL(file, line, message) fail(file, line, message)
#include <countalloc/assert.h>

#define HERE std::printf("%d\n", __LINE__ + 1), std::fflush(stdout)

static void *volatile kept;

static void allocate(size_t size_bytes) {
    kept = ::operator new(size_bytes);
}

struct unwinding {
    ~unwinding() {
        try {
            HERE;
            countalloc_assert_no_alloc {
                allocate(5);
            }
            std::puts("passed");
        } catch (const std::runtime_error &failure) {
            std::fprintf(stderr, "%s\n", failure.what());
        }
    }
};

static void a_failure_is_thrown_at_the_end() {
    HERE;
    countalloc_assert_no_alloc {
        allocate(5);
    }
}

static int five() {
    HERE;
    countalloc_assert_no_alloc {
        allocate(5);
        return 5;
    }
    return 0;
}

static void a_failure_is_thrown_at_return() {
    std::printf("passed %d\n", five());
}

static void a_failure_is_thrown_at_break() {
    HERE;
    countalloc_assert_no_alloc {
        allocate(5);
        break;
    }
}

static void an_exception_leaves_unchecked() {
    try {
        HERE;
        countalloc_assert_no_alloc {
            allocate(5);
            throw 7;
        }
    } catch (int number) {
        std::printf("caught %d\n", number);
    }
    countalloc_assert_allocs(==, 1) {
        allocate(5);
    }
}

static void an_exception_leaves_a_permit_block() {
    countalloc_assert_no_alloc {
        try {
            countalloc_permit_alloc {
                allocate(5);
                throw 7;
            }
        } catch (int) {
        }
    }
    std::puts("passed");
}

static void an_exception_inside_is_an_allocation() {
    HERE;
    countalloc_assert_allocs(==, 0) {
        try {
            throw 7;
        } catch (int) {
        }
    }
}

static void a_block_works_while_another_exception_is_in_flight() {
    try {
        unwinding object;
        throw 7;
    } catch (int) {
    }
}

template <typename T> static T *allocate_one() {
    T *block = nullptr;
    countalloc_assert_allocs(==, sizeof(T) / sizeof(T), "template") {
        block = new T();
    }
    return block;
}

static void lambdas_and_templates() {
    auto lambda = [](int count) {
        HERE;
        countalloc_assert_allocs(==, count) {
            for (int i = 0; i < count; i++)
                kept = new std::string(100, 'x'); // two
        }
    };
    kept = allocate_one<int>();
    kept = allocate_one<double>();
    lambda(0);
    lambda(3);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)();
    } cases[] = {
#define CASE(name) {#name, name}
        CASE(a_failure_is_thrown_at_the_end),
        CASE(a_failure_is_thrown_at_return),
        CASE(a_failure_is_thrown_at_break),
        CASE(an_exception_leaves_unchecked),
        CASE(an_exception_leaves_a_permit_block),
        CASE(an_exception_inside_is_an_allocation),
        CASE(a_block_works_while_another_exception_is_in_flight),
        CASE(lambdas_and_templates),
    };
    for (const auto &one : cases) {
        if (argc != 2 || std::string(one.name) != argv[1])
            continue;
        try {
            one.run();
        } catch (const std::runtime_error &failure) {
            std::fprintf(stderr, "%s\n", failure.what());
            return 1;
        }
        return 0;
    }
    return 2;
}
