/* SPDX-License-Identifier: MIT */
#include "temporary_folder.h"

#include <criterion/criterion.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/countalloc-test-XXXXXX";

void temporary_folder_enter(void) {
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
}

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *place) {
    (void)facts, (void)kind, (void)place;
    return remove(path);
}

void temporary_folder_remove(void) {
    cr_assert_eq(chdir("/"), 0);
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

void temporary_file(const char *name, const void *bytes, size_t byte_count, mode_t mode) {
    FILE *file = fopen(name, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(bytes, 1, byte_count, file), byte_count);
    fclose(file);
    cr_assert_eq(chmod(name, mode), 0);
}

const char *temporary_file_text(const char *name) {
    static char text[1 << 16];
    FILE *file = fopen(name, "rb");
    if (file == NULL)
        return NULL;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}
