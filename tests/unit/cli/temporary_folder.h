/* SPDX-License-Identifier: MIT
 *
 * A folder for the files of one test, removed after it. */
#ifndef CA_TEMPORARY_FOLDER_H
#define CA_TEMPORARY_FOLDER_H

#include <stddef.h>
#include <sys/types.h>

/* Makes one and goes there. */
void temporary_folder_enter(void);

void temporary_folder_remove(void);

/* Writes a file. */
void temporary_file(const char *name, const void *bytes, size_t byte_count, mode_t mode);

/* The content of a file, NUL-terminated, in a static buffer; NULL when it cannot be read. */
const char *temporary_file_text(const char *name);

#endif
