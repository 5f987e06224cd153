/* SPDX-License-Identifier: MIT
 *
 * Judging a program before it runs. What is decided here is decided again, silently, by the
 * kernel and the loader: ld.so(8), and linux/security/commoncap.c for when the loader is told to
 * ignore LD_PRELOAD. */
#ifndef __linux__
#error "Linux only"
#endif

#include <linux/capability.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "platform/target_parts.h"

/* ---- set-id and capabilities ---- */

/* Whether privileges that the file carries count at all. */
static bool is_privilege_ignored(int fd) {
    struct statvfs mount;
    return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ||
           (fstatvfs(fd, &mount) == 0 && (mount.f_flag & ST_NOSUID) != 0);
}

static bool has_file_capabilities(int fd) {
    struct vfs_ns_cap_data data = {0};
    ssize_t got = fgetxattr(fd, "security.capability", &data, sizeof data);
    return got >= (ssize_t)XATTR_CAPS_SZ_1 &&
           ((data.magic_etc & VFS_CAP_FLAGS_EFFECTIVE) != 0 || data.data[0].permitted != 0 ||
            (got >= (ssize_t)XATTR_CAPS_SZ_2 && data.data[1].permitted != 0));
}

/* Because the kernel sets AT_SECURE when the new effective id differs from the real one, or a user
 * other than root gains capabilities; then the loader ignores our preload. NULL: it does not. */
const char *ca_target_privilege(int fd, const struct stat *facts) {
    bool is_ignored = is_privilege_ignored(fd);
    uid_t user = geteuid();
    gid_t group = getegid();
    if (!is_ignored && (facts->st_mode & S_ISUID) != 0)
        user = facts->st_uid;
    if (!is_ignored && (facts->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP))
        group = facts->st_gid;
    if (user != getuid())
        return (facts->st_mode & S_ISUID) != 0 ? "is set-user-id"
                                               : "would run with changed user ids";
    if (group != getgid())
        return (facts->st_mode & S_ISGID) != 0 ? "is set-group-id"
                                               : "would run with changed group ids";
    if (!is_ignored && getuid() != 0 && has_file_capabilities(fd))
        return "has file capabilities";
    return NULL;
}

/* ---- judging ---- */

const bool ca_target_env_passes_preload = true;

const char ca_target_unattached[] = "is static or set-id";

/* Because the loader takes the first definition in its order. */
const char ca_target_disowned[] =
    ", which comes before any preloaded library; link it without that allocator, or with it as a "
    "shared library, to count it";

enum ca_status ca_target_judge(struct ca_target *target, const char *privilege,
                               struct ca_error *err) {
    const struct ca_image_facts *image = &target->image;
    const char *path = target->image_path;
    if (image->kind == CA_IMAGE_KIND_OTHER)
        return ca_error_set(
            err, CA_ERROR_UNEXECUTABLE,
            "'%s' is neither a program nor a script that begins with '#!'; if it is a script, "
            "name its interpreter before it",
            path);
    if (image->kind == CA_IMAGE_KIND_FOREIGN)
        return ca_error_set(err, CA_ERROR_UNCOUNTABLE,
                            "'%s' is a program for another architecture (%s), which this "
                            "countalloc cannot be loaded "
                            "into; use a countalloc built for it",
                            path, image->foreign);
    if (image->kind == CA_IMAGE_KIND_STATIC)
        return ca_error_set(err, CA_ERROR_UNCOUNTABLE,
                            "'%s' is statically linked%s, so nothing can be preloaded into it; %s",
                            path, image->is_go ? " (Go)" : "",
                            image->is_go
                                ? "Go's own heap is not malloc's in any case: use its profiler"
                                : "link it dynamically (without -static) to count it");
    if (image->interpreter[0] != '\0' && access(image->interpreter, F_OK) != 0)
        return ca_error_set(
            err, CA_ERROR_UNEXECUTABLE,
            "'%s' needs the loader '%s', which is not here; install the libc it was built for",
            path, image->interpreter);
    if (privilege != NULL)
        return ca_error_set(err, CA_ERROR_UNCOUNTABLE,
                            "'%s' %s, and for such programs the loader ignores preloaded "
                            "libraries; run it as its owner, "
                            "or count a copy without that right",
                            path, privilege);
    if (image->sanitizer != NULL)
        return ca_error_set(err, CA_ERROR_UNCOUNTABLE,
                            "'%s' is built with %s, whose runtime has its own malloc; count a "
                            "build without -fsanitize",
                            path, image->sanitizer);
    if (image->allocator[0] != '\0')
        snprintf(target->warning, sizeof target->warning,
                 "'%.300s' has an allocator of its own linked in (it defines %.60s): what it takes "
                 "from there is not counted",
                 path, image->allocator);
    return CA_OK;
}
