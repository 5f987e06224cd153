/* SPDX-License-Identifier: MIT
 *
 * What target_posix.c needs of a system. */
#ifndef CA_TARGET_PARTS_H
#define CA_TARGET_PARTS_H

#include <sys/stat.h>

#include "platform/cli_platform.h"

/* What the file open as `fd`, with `facts`, would give whoever executes it, so that the loader
 * ignores preloaded libraries: "is set-user-id". NULL: nothing. */
const char *ca_target_privilege(int fd, const struct stat *facts);

/* Whether the binary at `target->image_path`, whose `image` was read, can be counted: CA_OK, with a
 * warning perhaps; CA_ERROR_UNEXECUTABLE; CA_ERROR_UNCOUNTABLE with the cause and the next step. */
enum ca_status ca_target_judge(struct ca_target *target, const char *privilege,
                               struct ca_error *err);

/* Whether a program that `env` starts still has the preload. */
extern const bool ca_target_env_passes_preload;

#endif
