/* SPDX-License-Identifier: MIT
 *
 * _exit runs no destructor, also not the shim's.
 *
 * expect: malloc=10 free=4 live_blocks=6 bytes_live=144 exit_status=3 complete=true
 * modes: run
 */
#include "victim.h"

int main(void) {
    for (int i = 0; i < 6; i++)
        CHECK(malloc(24) != NULL);
    for (int i = 0; i < 4; i++)
        free(malloc(24));
    _exit(3);
}
