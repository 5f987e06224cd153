/* SPDX-License-Identifier: MIT */
#include "data_file.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

bool data_file_load(struct data_file *file, const char *name, const char *extension) {
    char path[1024];
    snprintf(path, sizeof path, FOLD_DATA "/%s.%s", name, extension);
    FILE *from = fopen(path, "rb");
    if (from == NULL)
        return false;
    snprintf(file->name, sizeof file->name, "%s", name);
    file->byte_count = fread(file->bytes, 1, sizeof file->bytes, from);
    fclose(from);
    return file->byte_count < sizeof file->bytes;
}

size_t data_file_each(void (*use)(const struct data_file *file)) {
    static struct data_file file;
    size_t count = 0;
    DIR *folder = opendir(FOLD_DATA);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        size_t length = strlen(entry->d_name);
        char name[256];
        if (length < 4 || strcmp(entry->d_name + length - 3, ".in") != 0)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(length - 3), entry->d_name);
        if (!data_file_load(&file, name, "in"))
            return 0;
        use(&file);
        count++;
    }
    if (folder != NULL)
        closedir(folder);
    return count;
}
