/* SPDX-License-Identifier: MIT
 *
 * Products beyond size_t fail, also where they wrap to something small.
 *
 * expect: failed=3 calloc=0 allocations=0 frees=0 bytes_requested=0 size_histogram=
 */
#include "victim.h"

int main(void) {
    static const size_t pairs[][2] = {
        {SIZE_MAX / 2, 4}, {SIZE_MAX / 8 + 2, 8}, {SIZE_MAX, SIZE_MAX}};
    for (int i = 0; i < 3; i++) {
        errno = 0;
        CHECK(calloc(pairs[i][0], pairs[i][1]) == NULL);
        CHECK(errno == ENOMEM);
    }
    return 0;
}
