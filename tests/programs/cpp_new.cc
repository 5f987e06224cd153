/* SPDX-License-Identifier: MIT
 *
 * C++: new ends in malloc, over-aligned new in aligned_alloc, and exceptions for failed ones still
 * work (each takes a block for itself, also behind nothrow).
 *
 * expect: phase.new.malloc=30 phase.new.aligned=0 phase.new.free=30 phase.new.bytes_requested=1200
 * expect: phase.over-aligned.aligned=10 phase.over-aligned.malloc=0 phase.over-aligned.free=10
 * expect: phase.nothrow.malloc=2 phase.nothrow.free=2 phase.nothrow.failed=1 phase.throws.failed=1
 * expect: phase.throws.malloc=1 phase.throws.free=1
 */
#include "victim.h"

#include <new>

struct alignas(256) Wide {
    char bytes[256];
};

int main() {
    countalloc_phase_begin("new");
    for (int i = 0; i < 10; i++) {
        delete new long(i);
        delete[] new char[32];
        delete[] new double[10];
    }
    countalloc_phase_end();
    countalloc_phase_begin("over-aligned");
    for (int i = 0; i < 10; i++) {
        Wide *wide = new Wide;
        CHECK(is_aligned(wide, 256));
        delete wide;
    }
    countalloc_phase_end();
    volatile size_t huge = PTRDIFF_MAX - 4096;
    countalloc_phase_begin("nothrow");
    delete new (std::nothrow) long(1);
    CHECK(::operator new(huge, std::nothrow) == nullptr);
    countalloc_phase_end();
    countalloc_phase_begin("throws");
    bool is_caught = false;
    try {
        ::operator delete(::operator new(huge));
    } catch (const std::bad_alloc &) {
        is_caught = true;
    }
    countalloc_phase_end();
    CHECK(is_caught);
    return 0;
}
