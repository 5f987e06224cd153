/* SPDX-License-Identifier: MIT
 *
 * free(NULL) has its own column and is no free.
 *
 * expect: free_null=1000 free=0 frees=0 allocations=0 failed=0 bytes_requested=0
 */
#include "victim.h"

int main(void) {
    for (int i = 0; i < 1000; i++)
        free(NULL);
    return 0;
}
