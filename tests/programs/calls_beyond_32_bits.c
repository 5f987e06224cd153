/* SPDX-License-Identifier: MIT
 *
 * More calls than 32 bits hold. To have them in no time it moves its own counters forward, through
 * the region that the shim counts in; with an argument it makes them.
 *
 * expect: malloc=4294967310 free=4294967310 allocations=4294967310 frees=4294967310
 * expect: bytes_requested=103079215440 phase.main.malloc=4294967310 thread.1.malloc=4294967310
 * expect: live_blocks=0 size_histogram=32:4294967310
 * modes: run
 */
#include "victim.h"

#include <countalloc/counterfile.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define AHEAD 4294967290u

static void move_forward(void) {
    struct stat facts;
    int fd = open(getenv("COUNTALLOC_REGION"), O_RDWR);
    CHECK(fd >= 0 && fstat(fd, &facts) == 0);
    struct ca_region *region =
        mmap(NULL, (size_t)facts.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    CHECK(region != MAP_FAILED);
    struct ca_row *row = &region->rows[region->slots[1].base_row];
    row->size_class[ca_size_class(24)] += AHEAD;
    row->bytes_requested += (uint64_t)AHEAD * 24;
    row->free_calls += AHEAD;
    CHECK(countalloc_thread_counts().allocations == AHEAD);
    munmap(region, (size_t)facts.st_size);
}

int main(int argc, char **argv) {
    (void)argv;
    if (argc > 1)
        for (uint32_t i = 0; i < AHEAD; i++)
            free(malloc(24));
    else
        move_forward();
    for (int i = 0; i < 20; i++)
        free(malloc(24));
    CHECK(countalloc_thread_counts().allocations == (uint64_t)AHEAD + 20);
    CHECK(countalloc_thread_counts().frees == (uint64_t)AHEAD + 20);
    return 0;
}
