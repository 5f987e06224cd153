/* SPDX-License-Identifier: MIT
 *
 * A program that is killed at no particular moment: what it had counted by itself, in memory that
 * outlives it, is what the record says, but for the call under way. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/record_of.h"

Test(killed, in_mid_run_loses_at_most_the_call_under_way) {
    char *directory = ca_spawn_make_directory();
    cr_assert_not_null(directory);
    char path[4200];
    snprintf(path, sizeof path, "%s/shared", directory);
    for (int round = 0; round < 5; round++) {
        uint64_t shared[2] = {0, 0}; /* begun, done */
        FILE *file = fopen(path, "w");
        cr_assert(file != NULL && fwrite(shared, sizeof shared, 1, file) == 1 && fclose(file) == 0);
        const char *argv[] = {COUNTALLOC_VICTIMS "/counts_along", path, NULL};
        struct ca_record_request request = {.how = CA_HOW_RUN, .spawn = {.argv = argv}};
        struct ca_recorded recorded;
        cr_assert(ca_recorded_init(&recorded, &request), "%s", recorded.problem);
        size_t bytes = 0;
        char *kept = ca_spawn_read_file(path, &bytes);
        cr_assert_eq(bytes, sizeof shared);
        memcpy(shared, kept, sizeof shared);
        free(kept);
        uint64_t counted = (uint64_t)ca_recorded_integer(&recorded, "malloc");
        uint64_t freed = (uint64_t)ca_recorded_integer(&recorded, "free");
        cr_assert_eq(recorded.spawned.exit_status, 128 + 9);
        cr_assert_eq(ca_recorded_integer(&recorded, "signal"), 9);
        cr_assert(shared[1] >= 100000 && counted >= shared[1] && counted <= shared[0],
                  "%llu counted, %llu begun, %llu done", (unsigned long long)counted,
                  (unsigned long long)shared[0], (unsigned long long)shared[1]);
        cr_assert(freed == counted || freed + 1 == counted);
        ca_recorded_release(&recorded);
    }
    ca_spawn_remove_directory(directory);
}
