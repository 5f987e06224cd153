/* SPDX-License-Identifier: MIT */
#include "writers/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"

#define TEMPORARY_SUFFIX ".XXXXXX"

static enum ca_status fail(const char *path, struct ca_error *err) {
    return ca_error_set(err, CA_ERROR_SYSTEM, "cannot write '%s': %s", path, strerror(errno));
}

/* The descriptor that a path stands for, or -1. Opening such a path anew would write over what the
 * program wrote there. */
static int descriptor_in(const char *path) {
    uint64_t number;
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
        return 1;
    if (strcmp(path, "/dev/stderr") == 0)
        return 2;
    if (strncmp(path, "/dev/fd/", 8) == 0 && ca_number_parse(path + 8, &number) &&
        number < 1u << 20)
        return (int)number;
    return -1;
}

static enum ca_status open_special(struct ca_output *output, int standing_for,
                                   struct ca_error *err) {
    /* Above the numbers that programs care about, should the program look. */
    int fd = standing_for >= 0 ? standing_for : open(output->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return fail(output->path, err);
    output->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    int kept_errno = errno;
    if (standing_for < 0)
        close(fd);
    errno = kept_errno;
    return output->fd >= 0 ? CA_OK : fail(output->path, err);
}

enum ca_status ca_output_open(struct ca_output *output, const char *path, struct ca_error *err) {
    *output = (struct ca_output){.path = path, .fd = -1};
    if (path[0] == '\0')
        return ca_error_set(err, CA_ERROR_USAGE, "an output's file name is empty");
    int standing_for = descriptor_in(path);
    struct stat facts;
    if (standing_for >= 0 || (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode)))
        return open_special(output, standing_for, err);
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_CREAT | O_EXCL, 0666);
    if (fd >= 0) {
        unlink(path); /* it is not there until it is whole */
    } else {
        /* Also where the path is a symbolic link that leads nowhere yet. */
        bool is_new = stat(path, &facts) != 0;
        fd = open(path, O_WRONLY | O_CLOEXEC | O_CREAT, 0666);
        if (fd < 0)
            return fail(path, err);
        char *real = is_new ? realpath(path, NULL) : NULL;
        if (real != NULL)
            unlink(real);
        free(real);
    }
    close(fd);
    return CA_OK;
}

/* A file beside `path`, to be renamed to it. -1 when it cannot be, or when a new file would not be
 * what the old one was. */
static int open_temporary(const char *path, char *ret_name, size_t name_size) {
    struct stat facts;
    bool is_new = stat(path, &facts) != 0;
    if (!is_new && (facts.st_nlink != 1 || facts.st_uid != geteuid()))
        return -1;
    if ((size_t)snprintf(ret_name, name_size, "%s" TEMPORARY_SUFFIX, path) >= name_size)
        return -1;
    int fd = mkostemp(ret_name, O_CLOEXEC);
    if (fd < 0)
        return -1;
    mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, is_new ? 0666 & ~mask : facts.st_mode & 07777);
    return fd;
}

static enum ca_status write_regular(const char *path, const char *shown,
                                    const struct ca_writer *writer, const struct ca_record *record,
                                    struct ca_error *err) {
    char name[4096];
    int fd = open_temporary(path, name, sizeof name);
    bool is_temporary = fd >= 0;
    if (!is_temporary)
        fd = open(path, O_WRONLY | O_CLOEXEC | O_CREAT | O_TRUNC, 0666);
    if (fd < 0)
        return fail(shown, err);
    enum ca_status status = ca_writer_write(writer, record, fd, shown, err);
    if (close(fd) != 0 && status == CA_OK)
        status = fail(shown, err);
    if (is_temporary && status == CA_OK && rename(name, path) != 0)
        status = fail(shown, err);
    if (is_temporary && status != CA_OK)
        unlink(name);
    return status;
}

enum ca_status ca_output_write(const struct ca_output *output, const struct ca_writer *writer,
                               const struct ca_record *record, struct ca_error *err) {
    if (output->fd >= 0)
        return ca_writer_write(writer, record, output->fd, output->path, err);
    /* A symbolic link stays one. */
    char *real = realpath(output->path, NULL);
    enum ca_status status =
        write_regular(real != NULL ? real : output->path, output->path, writer, record, err);
    free(real);
    return status;
}

void ca_output_close(struct ca_output *output) {
    if (output->fd >= 0)
        close(output->fd);
    output->fd = -1;
}
