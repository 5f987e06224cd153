// SPDX-License-Identifier: MIT
//
// Prints two return addresses as their file has them, in hexadecimal. The first is in a method of a
// template, inlined on line 36; the second in a function of a namespace without name, on line 29.
#include <cstdint>
#include <cstdio>
#include <link.h>

static volatile std::uintptr_t address;
static volatile int steps;

extern "C" __attribute__((noinline)) void keep_caller() {
    address = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
}

namespace shop {
template <class Item> struct basket {
    __attribute__((always_inline)) void add(Item) {
        steps = 1;
        keep_caller();
        steps = 2;
    }
};

namespace {
struct till {
    __attribute__((noinline)) static void open(int) {
        steps = 3;
        keep_caller();
        steps = 4;
    }
};
} // namespace

__attribute__((noinline)) void buy(basket<long> &into) {
    into.add(5);
    steps = 5;
}
} // namespace shop

static std::uintptr_t base_address;

static int find_base(dl_phdr_info *info, std::size_t, void *) {
    base_address = info->dlpi_addr;
    return 1;
}

int main() {
    shop::basket<long> basket;
    dl_iterate_phdr(find_base, nullptr);
    shop::buy(basket);
    std::printf("%lx\n", static_cast<unsigned long>(address - base_address));
    shop::till::open(1);
    std::printf("%lx\n", static_cast<unsigned long>(address - base_address));
    return 0;
}
