// SPDX-License-Identifier: MIT
//
// Allocation assertions in C++, where a failure is an exception as in most of its test frameworks.
#include <stdexcept>
#include <string>

#define COUNTALLOC_ASSERT_FAIL(file, line, message)                                                \
    throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + (message))
#include <countalloc/assert.h>
#include <iostream>
#include <vector>

static void a_reserved_vector_does_not_grow() {
    std::vector<int> numbers;
    numbers.reserve(100);
    countalloc_assert_no_alloc {
        for (int i = 0; i < 100; i++)
            numbers.push_back(i);
    }
}

static void a_moved_string_keeps_its_memory() {
    std::string text(1000, 'x');
    std::string taken;
    countalloc_assert_no_alloc {
        taken = std::move(text);
    }
    std::string copy;
    countalloc_assert_allocs(==, 1, "copy") {
        copy = taken;
    }
}

static void a_scope_gives_back_what_it_took() {
    countalloc_assert_no_leak {
        std::vector<std::string> lines(10, std::string(100, 'x'));
        lines.emplace_back(200, 'y');
    }
}

int main() {
    int status = countalloc_skip_status();
    if (status != 0)
        return status;
    try {
        a_reserved_vector_does_not_grow();
        a_moved_string_keeps_its_memory();
        a_scope_gives_back_what_it_took();
    } catch (const std::exception &failure) {
        std::cerr << failure.what() << '\n';
        return 1;
    }
    return 0;
}
