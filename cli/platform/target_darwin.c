/* SPDX-License-Identifier: MIT
 *
 * Judging a program before it runs: macho_judge.c, with what only this system can be asked. */
#ifndef __APPLE__
#error "macOS only"
#endif

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "platform/macho_judge.h"
#include "platform/macho_mapped.h"
#include "platform/target_parts.h"

/* Because env is one of the system's own programs, and what it starts has lost the variable. */
const bool ca_target_env_passes_preload = false;

/* Because those are the programs that the kernel and dyld keep other libraries from. */
const char ca_target_unattached[] = "is one of the system's own programs, for arm64e only, or "
                                    "signed with the hardened runtime";

/* Because what is refused there is the start test's finding of the system, not of the program. */
const char ca_target_disowned[] = "; what this macOS makes of interposing is not what countalloc "
                                  "knows: tell its makers which one it is (sw_vers)";

const char *ca_target_privilege(int fd, const struct stat *facts) {
    (void)fd;
    if ((facts->st_mode & S_ISUID) != 0 && facts->st_uid != getuid())
        return "is set-user-id";
    if ((facts->st_mode & S_ISGID) != 0 && facts->st_gid != getgid())
        return "is set-group-id";
    return NULL;
}

static bool is_restricted(const char *path) {
    struct stat facts;
    return stat(path, &facts) == 0 && (facts.st_flags & SF_RESTRICTED) != 0;
}

enum ca_status ca_target_judge(struct ca_target *target, const char *privilege,
                               struct ca_error *err) {
    struct ca_macho_slice slices[CA_MACHO_SLICES], library_slices[CA_MACHO_SLICES];
    char library[CA_PATH_SIZE], real_path[PATH_MAX];
    uint32_t count = ca_macho_read_file(target->image_path, slices);
    if (target->image.kind == CA_IMAGE_KIND_OTHER)
        return ca_error_set(
            err, CA_ERROR_UNEXECUTABLE,
            "'%s' is neither a program nor a script that begins with '#!'; if it is "
            "a script, name its interpreter before it",
            target->image_path);
    if (count == 0) /* it cannot be read: the handshake will tell */
        return CA_OK;
    enum ca_status status = ca_preload_find(library, err);
    if (status != CA_OK)
        return status;
    struct ca_macho_target question = {
        .path = realpath(target->image_path, real_path) != NULL ? real_path : target->image_path,
        .slices = slices,
        .slice_count = count,
        .is_protected = is_restricted(target->image_path),
        .privilege = privilege,
    };
    status = ca_macho_judge(&question, ca_macho_host(), library_slices,
                            ca_macho_read_file(library, library_slices), err);
    if (status == CA_OK && target->image.allocator[0] != '\0')
        snprintf(target->warning, sizeof target->warning,
                 "'%.300s' has an allocator of its own linked in (it defines %.60s): what it takes "
                 "from there is not counted",
                 target->image_path, target->image.allocator);
    return status;
}
