/* SPDX-License-Identifier: MIT
 *
 * 1,500 bytes of thread-local storage that must be static. */
#include <stdlib.h>
#include <string.h>

int static_storage_fill(void);

static _Thread_local char storage[1500] __attribute__((tls_model("initial-exec")));

/* How many bytes hold what was written. */
int static_storage_fill(void) {
    memset(storage, 7, sizeof storage);
    free(malloc(24));
    int count = 0;
    for (size_t i = 0; i < sizeof storage; i++)
        count += storage[i] == 7;
    return count;
}
