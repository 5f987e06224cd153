/* SPDX-License-Identifier: MIT
 *
 * A library for LD_AUDIT (rtld-audit(7)): it allocates in a namespace of its own. */
#include <stdlib.h>

unsigned la_version(unsigned version);

unsigned la_version(unsigned version) {
    free(malloc(100));
    return version;
}
