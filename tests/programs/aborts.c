/* SPDX-License-Identifier: MIT
 *
 * abort() in mid-run.
 *
 * expect: malloc=10 free=10 exit_status=null signal=6 complete=false phase.work.malloc=10
 * modes: run
 */
#include "victim.h"

int main(void) {
    countalloc_phase_begin("work");
    for (int i = 0; i < 10; i++)
        free(malloc(24));
    abort();
}
