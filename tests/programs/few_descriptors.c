/* SPDX-License-Identifier: MIT
 *
 * A limit of three descriptors, set by the program: it goes on to print and to be counted. (A
 * report file could not be opened then: test_plain_preload has that case.)
 *
 * expect: malloc=11 free=10 phase.said.malloc=1
 * modes: run
 */
#include "victim.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>

int main(void) {
    struct rlimit three = {3, 3};
    CHECK(setrlimit(RLIMIT_NOFILE, &three) == 0);
    CHECK(open("/dev/null", O_RDONLY) == -1 && errno == EMFILE);
    for (int i = 0; i < 9; i++)
        free(malloc(24));
    countalloc_phase_begin("said");
    CHECK(printf("said=1\n") == 7 && fflush(stdout) == 0); /* stdio takes a buffer */
    countalloc_phase_end();
    free(malloc(24));
    return 0;
}
