/* SPDX-License-Identifier: MIT */
#include "platform/macho_mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int ca_macho_map(const char *path, struct ca_macho_mapped *ret_file) {
    struct stat facts;
    /* Not to wait for a pipe of that name, nor to get a terminal. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return errno;
    int error_number = fstat(fd, &facts) != 0 ? errno : 0;
    if (error_number == 0 && (!S_ISREG(facts.st_mode) || facts.st_size == 0))
        error_number = EINVAL;
    void *bytes = NULL;
    if (error_number == 0) {
        bytes = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        error_number = bytes == MAP_FAILED ? errno : 0;
    }
    close(fd);
    if (error_number != 0)
        return error_number;
    ret_file->bytes = bytes;
    ret_file->byte_count = (size_t)facts.st_size;
    ret_file->slice_count = ca_macho_read(bytes, ret_file->byte_count, ret_file->slices);
    return 0;
}

void ca_macho_unmap(struct ca_macho_mapped *file) {
    if (file->bytes != NULL)
        munmap((void *)(uintptr_t)file->bytes, file->byte_count);
    *file = (struct ca_macho_mapped){0};
}

uint32_t ca_macho_read_file(const char *path, struct ca_macho_slice ret_slices[CA_MACHO_SLICES]) {
    struct ca_macho_mapped file;
    if (ca_macho_map(path, &file) != 0)
        return 0;
    uint32_t count = file.slice_count;
    memcpy(ret_slices, file.slices, count * sizeof *ret_slices);
    ca_macho_unmap(&file);
    return count;
}
