/* SPDX-License-Identifier: MIT */
#include "platform/macho_judge.h"

#include <string.h>

static bool begins_with(const char *text, const char *beginning) {
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

bool ca_macho_is_protected_path(const char *path) {
    if (begins_with(path, "/usr/local/"))
        return false;
    return begins_with(path, "/System/") || begins_with(path, "/usr/") ||
           begins_with(path, "/bin/") || begins_with(path, "/sbin/");
}

const struct ca_macho_slice *ca_macho_choose(const struct ca_macho_slice *slices,
                                             uint32_t slice_count, enum ca_macho_arch host) {
    const struct ca_macho_slice *slice = ca_macho_find(slices, slice_count, host);
    if (slice == NULL && host == CA_MACHO_ARM64 &&
        ca_macho_find(slices, slice_count, CA_MACHO_ARM64E) != NULL)
        return NULL;
    if (slice == NULL)
        slice = ca_macho_find(slices, slice_count, CA_MACHO_X86_64);
    return slice != NULL ? slice : ca_macho_find(slices, slice_count, CA_MACHO_X86_64H);
}

static bool has_intel(const struct ca_macho_target *target) {
    return ca_macho_find(target->slices, target->slice_count, CA_MACHO_X86_64) != NULL;
}

static enum ca_status refuse_protected(const struct ca_macho_target *target,
                                       const struct ca_macho_slice *slice, struct ca_error *err) {
    const char *base = strrchr(target->path, '/');
    base = base != NULL ? base + 1 : target->path;
    if (slice == NULL && has_intel(target))
        return ca_error_set(err, CA_ERROR_UNCOUNTABLE,
                            "'%s' is guarded by System Integrity Protection, which takes the "
                            "preload variable from it, and its part for this machine is built for "
                            "arm64e, which would not run as a copy; copy its part for Intel, which "
                            "Rosetta runs, and sign that: ditto --arch x86_64 '%s' ./%s && "
                            "codesign --force --sign - ./%s",
                            target->path, target->path, base, base);
    if (slice == NULL)
        return ca_error_set(err, CA_ERROR_UNCOUNTABLE,
                            "'%s' is one of the system's own programs: System Integrity Protection "
                            "takes the preload variable from it, and a copy would not run, because "
                            "it is built for arm64e only; count a build of it that is not Apple's",
                            target->path);
    return ca_error_set(err, CA_ERROR_UNCOUNTABLE,
                        "'%s' is guarded by System Integrity Protection, which takes the preload "
                        "variable from it; copy it and sign the copy again: cp '%s' . && codesign "
                        "--force --sign - ./%s",
                        target->path, target->path, base);
}

static enum ca_status refuse_signature(const struct ca_macho_target *target, const char *what,
                                       const char *missing, struct ca_error *err) {
    return ca_error_set(
        err, CA_ERROR_UNCOUNTABLE,
        "'%s' is signed with %s%s, so macOS keeps other libraries out of it; copy it "
        "and re-sign the copy without: codesign --force --sign - COPY",
        target->path, what, missing);
}

static enum ca_status judge_signature(const struct ca_macho_target *target,
                                      const struct ca_macho_slice *slice, struct ca_error *err) {
    if (slice->has_restrict || (slice->signature_flags & CA_CS_RESTRICT) != 0)
        return refuse_signature(target, "the restricted flag", "", err);
    bool is_hardened = (slice->signature_flags & CA_CS_RUNTIME) != 0;
    bool is_validated = is_hardened || (slice->signature_flags & CA_CS_REQUIRE_LV) != 0;
    if (is_hardened && !slice->allows_dyld_variables)
        return refuse_signature(target, "the hardened runtime",
                                " and without the entitlement "
                                "com.apple.security.cs.allow-dyld-environment-variables",
                                err);
    if (is_validated && !slice->skips_library_validation)
        return refuse_signature(
            target, is_hardened ? "the hardened runtime" : "library validation",
            " and without the entitlement com.apple.security.cs.disable-library-validation", err);
    return CA_OK;
}

static enum ca_status judge_slice(const struct ca_macho_target *target, enum ca_macho_arch host,
                                  const struct ca_macho_slice *slice, struct ca_error *err) {
    bool is_signing_pointers =
        host == CA_MACHO_ARM64 &&
        ca_macho_find(target->slices, target->slice_count, CA_MACHO_ARM64E) != NULL;
    if (slice == NULL && is_signing_pointers && has_intel(target))
        return ca_error_set(err, CA_ERROR_UNCOUNTABLE,
                            "'%s' would run here as arm64e, into which no library for arm64 can be "
                            "loaded; build it for arm64 (-arch arm64), or count its part for "
                            "Intel, which Rosetta runs: ditto --arch x86_64 '%s' COPY",
                            target->path, target->path);
    if (slice == NULL && is_signing_pointers)
        return ca_error_set(err, CA_ERROR_UNCOUNTABLE,
                            "'%s' is built for arm64e only, into which no library for arm64 can be "
                            "loaded; build it for arm64 (-arch arm64)",
                            target->path);
    if (slice == NULL)
        return ca_error_set(err, CA_ERROR_UNCOUNTABLE,
                            "'%s' has no code for this machine (%s); build it with -arch %s",
                            target->path, ca_macho_arch_name(host), ca_macho_arch_name(host));
    if (!slice->has_loader)
        return ca_error_set(
            err, CA_ERROR_UNCOUNTABLE,
            "'%s' starts without dyld, so nothing can be preloaded into it; link it "
            "dynamically to count it",
            target->path);
    if (slice->sanitizer != NULL)
        return ca_error_set(
            err, CA_ERROR_UNCOUNTABLE,
            "'%s' is built with %s, whose runtime has its own malloc; count a build "
            "without -fsanitize",
            target->path, slice->sanitizer);
    return CA_OK;
}

enum ca_status ca_macho_judge(const struct ca_macho_target *target, enum ca_macho_arch host,
                              const struct ca_macho_slice *library_slices,
                              uint32_t library_slice_count, struct ca_error *err) {
    const struct ca_macho_slice *slice = ca_macho_choose(target->slices, target->slice_count, host);
    if (target->is_protected || ca_macho_is_protected_path(target->path))
        return refuse_protected(target, slice, err);
    enum ca_status status = judge_slice(target, host, slice, err);
    if (status != CA_OK)
        return status;
    if (target->privilege != NULL)
        return ca_error_set(
            err, CA_ERROR_UNCOUNTABLE,
            "'%s' %s, and for such programs dyld ignores preloaded libraries; count "
            "a copy without that right",
            target->path, target->privilege);
    status = judge_signature(target, slice, err);
    if (status != CA_OK)
        return status;
    enum ca_macho_arch needed = slice->arch == CA_MACHO_X86_64H ? CA_MACHO_X86_64 : slice->arch;
    if (ca_macho_find(library_slices, library_slice_count, needed) == NULL)
        return ca_error_set(err, CA_ERROR_UNCOUNTABLE,
                            "'%s' runs as %s, and countalloc's library has no code for that; use a "
                            "universal libcountalloc.dylib",
                            target->path, ca_macho_arch_name(needed));
    return CA_OK;
}
