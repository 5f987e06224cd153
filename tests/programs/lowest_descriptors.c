/* SPDX-License-Identifier: MIT
 *
 * A program's descriptors have the numbers they would have without the shim.
 *
 * expect: malloc=0 allocations=0
 */
#include "victim.h"

#include <fcntl.h>

int main(void) {
    for (int fd = 3; fd < 10; fd++)
        CHECK(open("/dev/null", O_RDONLY) == fd);
    CHECK(dup(0) == 10);
    return 0;
}
