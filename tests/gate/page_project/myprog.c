/* SPDX-License-Identifier: MIT
 *
 * The program of GATE.md: reads lines, copies each. EXTRA is the regression: another copy. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copy_of(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy == NULL)
        exit(1);
    return memcpy(copy, text, size);
}

static size_t measure(const char *line) {
    char *copy = copy_of(line);
    copy[strcspn(copy, "\n")] = '\0';
#ifdef EXTRA
    size_t size = strlen(copy) + 1;
    char *another = malloc(size);
    if (another == NULL)
        exit(1);
    memcpy(another, copy, size);
    copy[0] = another[0];
    free(another);
#endif
    size_t length = strlen(copy);
    free(copy);
    return length;
}

int main(int argc, char **argv) {
    char line[256];
    size_t longest = 0;
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (file == NULL)
        return 1;
    while (fgets(line, sizeof line, file) != NULL) {
        size_t length = measure(line);
        longest = length > longest ? length : longest;
    }
    fclose(file);
    printf("%zu\n", longest);
    return 0;
}
