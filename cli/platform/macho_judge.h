/* SPDX-License-Identifier: MIT
 *
 * Whether macOS would load the shim into a program, from what the program's file says. What is
 * decided here is decided again, silently, by the kernel and dyld: System Integrity Protection and
 * the hardened runtime take DYLD_INSERT_LIBRARIES out of the environment, library validation
 * refuses the library. */
#ifndef CA_MACHO_JUDGE_H
#define CA_MACHO_JUDGE_H

#include "base/error.h"
#include "platform/macho_file.h"

struct ca_macho_target {
    const char *path;
    const struct ca_macho_slice *slices;
    uint32_t slice_count;
    bool is_protected;     /* its file has the flag SF_RESTRICTED */
    const char *privilege; /* "is set-user-id"; NULL: none */
};

/* The slice that a machine of `host` (CA_MACHO_ARM64 or CA_MACHO_X86_64) runs, through Rosetta if
 * need be; NULL: none that could be counted. */
const struct ca_macho_slice *ca_macho_choose(const struct ca_macho_slice *slices,
                                             uint32_t slice_count, enum ca_macho_arch host);

/* Whether System Integrity Protection guards the folder that `path` lies in. */
bool ca_macho_is_protected_path(const char *path);

/* CA_OK, or CA_ERROR_UNCOUNTABLE with the cause and the next step. `library_slices`: the shim's. */
enum ca_status ca_macho_judge(const struct ca_macho_target *target, enum ca_macho_arch host,
                              const struct ca_macho_slice *library_slices,
                              uint32_t library_slice_count, struct ca_error *err);

#endif
