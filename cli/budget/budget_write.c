/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "budget/budget_update.h"

bool ca_budget_is_read_only(void) {
    const char *value = getenv("CI");
    return value != NULL && value[0] != '\0';
}

static enum ca_status fail(const struct ca_budget_file *file, struct ca_error *err) {
    return ca_error_set(err, CA_ERROR_SYSTEM, "cannot write '%s': %s; it is as it was", file->path,
                        strerror(errno));
}

static bool write_all(int fd, const char *bytes, size_t byte_count) {
    while (byte_count > 0) {
        ssize_t written = write(fd, bytes, byte_count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        bytes += written;
        byte_count -= (size_t)written;
    }
    return true;
}

/* Somebody may have edited the file while the program ran. */
static enum ca_status check_unchanged(const struct ca_budget_file *file, const char *real,
                                      struct ca_error *err) {
    FILE *stream = fopen(real, "re");
    char *now = malloc(file->byte_count + 1);
    size_t byte_count =
        stream != NULL && now != NULL ? fread(now, 1, file->byte_count + 1, stream) : 0;
    bool is_same = stream != NULL && now != NULL && byte_count == file->byte_count &&
                   memcmp(now, file->text, byte_count) == 0;
    free(now);
    if (stream != NULL)
        fclose(stream);
    return is_same
               ? CA_OK
               : ca_error_set(err, CA_ERROR_SYSTEM,
                              "'%s' has changed since it was read: nothing was written; try again",
                              file->path);
}

static enum ca_status replace(const struct ca_budget_file *file, const struct ca_budget_plan *plan,
                              const char *real, char *temporary, struct ca_error *err) {
    struct stat facts;
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0)
        return fail(file, err);
    bool is_written = stat(real, &facts) == 0 && write_all(fd, plan->text, plan->byte_count);
    if (is_written && (facts.st_uid != geteuid() || facts.st_gid != getegid()))
        is_written = fchown(fd, facts.st_uid, facts.st_gid) == 0;
    /* After the owner: changing that takes set-id bits away. */
    is_written = is_written && fchmod(fd, facts.st_mode & 07777) == 0 && fsync(fd) == 0;
    int kept_errno = errno;
    if (close(fd) != 0 && is_written) {
        is_written = false;
        kept_errno = errno;
    }
    enum ca_status status = is_written ? check_unchanged(file, real, err) : CA_OK;
    if (is_written && status == CA_OK && rename(temporary, real) == 0)
        return CA_OK;
    if (is_written)
        kept_errno = errno;
    unlink(temporary);
    errno = kept_errno;
    return status != CA_OK ? status : fail(file, err);
}

enum ca_status ca_budget_plan_write(const struct ca_budget_file *file,
                                    const struct ca_budget_plan *plan, struct ca_error *err) {
    if (strcmp(file->path, "-") == 0)
        return ca_error_set(err, CA_ERROR_USAGE,
                            "budgets from standard input cannot be updated: give the file with -b");
    if (plan->edit_count == 0)
        return CA_OK;
    char *real = realpath(file->path, NULL);
    if (real == NULL)
        return fail(file, err);
    char *temporary;
    enum ca_status status = CA_OK;
    if (asprintf(&temporary, "%s.XXXXXX", real) < 0) {
        status = ca_error_memory(err);
    } else {
        status =
            access(real, W_OK) == 0 ? replace(file, plan, real, temporary, err) : fail(file, err);
        free(temporary);
    }
    free(real);
    return status;
}
