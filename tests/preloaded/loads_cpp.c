/* SPDX-License-Identifier: MIT
 *
 * A program in C that loads the libraries it is given. */
#include <dlfcn.h>
#include <stddef.h>

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (dlopen(argv[i], RTLD_NOW) == NULL)
            return 1;
    return 0;
}
