/* SPDX-License-Identifier: MIT */
#ifndef __APPLE__
#error "macOS only"
#endif

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysctl.h>
#include <unistd.h>

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

uint32_t ca_macho_read_file(const char *path, struct ca_macho_slice ret_slices[CA_MACHO_SLICES]) {
    struct stat facts;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    uint32_t count = 0;
    if (fd < 0)
        return 0;
    if (fstat(fd, &facts) == 0 && facts.st_size > 0) {
        size_t byte_count = (size_t)facts.st_size;
        void *bytes = mmap(NULL, byte_count, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            count = ca_macho_read(bytes, byte_count, ret_slices);
            munmap(bytes, byte_count);
        }
    }
    close(fd);
    return count;
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
