/* SPDX-License-Identifier: MIT
 *
 * A program in C++ with operators of its own, made of malloc, that every library is given, too: an
 * allocator that uses new itself comes back to the counted malloc. */
#include <cstdlib>
#include <new>

void *operator new(std::size_t size) {
    void *block = std::malloc(size);
    if (block == nullptr)
        std::abort();
    return block;
}

void operator delete(void *block) noexcept {
    std::free(block);
}

void operator delete(void *block, std::size_t) noexcept {
    std::free(block);
}

int main() {
    for (int i = 0; i < 10; i++) {
        int *volatile number = new int(i);
        delete number;
    }
    return 0;
}
