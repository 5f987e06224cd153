/* SPDX-License-Identifier: MIT */
#ifndef __APPLE__
#error "macOS only"
#endif

#include <stdio.h>
#include <sys/sysctl.h>

#include "platform/cli_platform.h"
#include "platform/macho_judge.h"
#include "platform/macho_mapped.h"

/* Because a process under Rosetta is told that it runs on an Intel processor. */
enum ca_macho_arch ca_macho_host(void) {
    int is_arm = 0;
    size_t bytes = sizeof is_arm;
    if (sysctlbyname("hw.optional.arm64", &is_arm, &bytes, NULL, 0) != 0)
        is_arm = 0;
    return is_arm != 0 ? CA_MACHO_ARM64 : CA_MACHO_X86_64;
}

void ca_image_read(const unsigned char *bytes, size_t byte_count,
                   struct ca_image_facts *ret_facts) {
    struct ca_macho_slice slices[CA_MACHO_SLICES];
    uint32_t count = ca_macho_read(bytes, byte_count, slices);
    *ret_facts = (struct ca_image_facts){0};
    if (count == 0)
        return;
    const struct ca_macho_slice *slice = ca_macho_choose(slices, count, ca_macho_host());
    ret_facts->kind = CA_IMAGE_KIND_FOREIGN;
    if (slice == NULL) {
        snprintf(ret_facts->foreign, sizeof ret_facts->foreign, "%s",
                 ca_macho_arch_name(slices[0].arch));
        return;
    }
    ret_facts->kind = slice->has_loader ? CA_IMAGE_KIND_DYNAMIC : CA_IMAGE_KIND_STATIC;
    ret_facts->sanitizer = slice->sanitizer;
    ret_facts->is_go = slice->is_go;
    /* Interposing does not care who exports malloc: only calls inside the program pass it by. */
    snprintf(ret_facts->allocator, sizeof ret_facts->allocator, "%s", slice->allocator);
}
