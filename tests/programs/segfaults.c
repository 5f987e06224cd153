/* SPDX-License-Identifier: MIT
 *
 * A real fault, not a raised one.
 *
 * expect: malloc=10 free=0 live_blocks=10 exit_status=null signal=11 complete=false
 * modes: run
 */
#include "victim.h"

#include <sys/resource.h>

int main(void) {
    struct rlimit no_core = {0, 0};
    CHECK(setrlimit(RLIMIT_CORE, &no_core) == 0);
    for (int i = 0; i < 10; i++)
        CHECK(malloc(24) != NULL);
    *(volatile int *)(uintptr_t)8 = 1;
    return 0;
}
