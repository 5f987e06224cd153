/* SPDX-License-Identifier: MIT
 *
 * Opens a phase that somebody else will have to close. */
#include <countalloc/phase.h>
#include <stdlib.h>

void opens_a_phase(void);

void opens_a_phase(void) {
    static char name[] = "of_a_library";
    countalloc_phase_begin(name);
    for (int i = 0; i < 3; i++)
        free(malloc(24));
}
