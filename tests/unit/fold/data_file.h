/* SPDX-License-Identifier: MIT
 *
 * The files of data/: NAME.in with NAME.folded (and NAME.notes), or with NAME.error. To add a case,
 * add the files. */
#ifndef DATA_FILE_H
#define DATA_FILE_H

#include <stdbool.h>
#include <stddef.h>

#define DATA_FILE_SIZE 16384

struct data_file {
    char name[256]; /* without ".in" */
    char bytes[DATA_FILE_SIZE];
    size_t byte_count;
};

/* Loads "NAME.EXTENSION". False when there is none. */
bool data_file_load(struct data_file *file, const char *name, const char *extension);

/* Calls `use` with each .in file, in no order; returns how many there were. */
size_t data_file_each(void (*use)(const struct data_file *file));

#endif
