/* SPDX-License-Identifier: MIT */
#ifndef __linux__
#error "Linux only"
#endif

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "../plain.h"
#include "../shim_state.h"
#include "sys_linux.h"

extern char **environ __attribute__((weak));

void ca_platform_start(void) {
}

void ca_platform_attached(void) {
}

void ca_platform_libc(char *to, size_t size) {
    struct ca_text text = ca_text_in(to, size);
    ca_text_add(&text, ca_next.libc_version != NULL ? "glibc " : "");
    ca_text_add(&text, ca_next.libc_version != NULL ? ca_next.libc_version() : "");
}

uint32_t ca_platform_pid(void) {
    return (uint32_t)ca_sys3(SYS_getpid, 0, 0, 0);
}

uint32_t ca_platform_parent_pid(void) {
    return (uint32_t)ca_sys3(SYS_getppid, 0, 0, 0);
}

char **ca_platform_environ(void) {
    return &environ != NULL ? environ : NULL;
}

static long open_at(const char *path, int flags, int mode) {
    return ca_sys6(SYS_openat, AT_FDCWD, (long)path, flags | O_CLOEXEC, mode, 0, 0);
}

void ca_platform_close(int fd) {
    ca_sys3(SYS_close, fd, 0, 0);
}

static size_t read_all(long fd, char *buffer, size_t size) {
    size_t filled = 0;
    while (filled < size) {
        long got = ca_sys3(SYS_read, fd, (long)(buffer + filled), (long)(size - filled));
        if (got == -EINTR)
            continue;
        if (got <= 0)
            break;
        filled += (size_t)got;
    }
    return filled;
}

uint32_t ca_platform_program(char *ret_executable, size_t executable_size, char *ret_arguments,
                             size_t arguments_size) {
    long length = ca_sys6(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)ret_executable,
                          (long)(executable_size - 1), 0, 0);
    ret_executable[length > 0 ? length : 0] = '\0';
    ret_arguments[0] = '\0';
    long fd = open_at("/proc/self/cmdline", O_RDONLY, 0);
    if (fd < 0)
        return 0;
    size_t filled = read_all(fd, ret_arguments, arguments_size - 1);
    uint32_t argument_count = 0;
    for (size_t i = 0; i < filled; i++)
        argument_count += ret_arguments[i] == '\0';
    if (filled > 0 &&
        ret_arguments[filled - 1] != '\0') { /* cut: count the rest, keep only whole bytes */
        argument_count++;
        char more[512];
        size_t got;
        while ((got = read_all(fd, more, sizeof more)) > 0)
            for (size_t i = 0; i < got; i++)
                argument_count += more[i] == '\0' && i + 1 < got;
    }
    ret_arguments[filled] = '\0';
    ca_platform_close((int)fd);
    return argument_count;
}

bool ca_platform_is_parent_counted(void) {
    char path[32];
    struct ca_text text = ca_text_in(path, sizeof path);
    ca_text_add(&text, "/proc/");
    ca_text_add_number(&text, ca_platform_parent_pid());
    ca_text_add(&text, "/maps");
    long fd = open_at(path, O_RDONLY, 0);
    if (fd < 0)
        return false;
    static const char name[] = "libcountalloc";
    char window[4096];
    size_t matched = 0;
    bool is_found = false;
    size_t got;
    while (!is_found && (got = read_all(fd, window, sizeof window)) > 0)
        for (size_t i = 0; i < got && !is_found; i++) {
            matched = window[i] == name[matched] ? matched + 1 : (size_t)(window[i] == name[0]);
            is_found = matched == sizeof name - 1;
        }
    ca_platform_close((int)fd);
    return is_found;
}

static void *map(size_t bytes, int flags, long fd) {
    long address = ca_sys6(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
    return address < 0 && address > -4096 ? NULL : (void *)address;
}

void *ca_platform_map(size_t bytes) {
    void *memory = map(bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    /* Most of it stays untouched; a huge page would be zeroed whole, and show in the program's peak
     * memory. */
    if (memory != NULL)
        ca_sys3(SYS_madvise, (long)memory, (long)bytes, MADV_NOHUGEPAGE);
    return memory;
}

void ca_platform_unmap(void *memory, size_t bytes) {
    ca_sys3(SYS_munmap, (long)memory, (long)bytes, 0);
}

static int64_t file_size(long fd) {
    return ca_sys3(SYS_lseek, fd, 0, SEEK_END);
}

int ca_platform_map_file(const char *path, void **ret_memory, size_t *ret_bytes) {
    long fd = open_at(path, O_RDWR, 0);
    if (fd < 0)
        return (int)fd;
    int64_t size = file_size(fd);
    size_t bytes = size > 0 ? (size_t)size : 0;
    void *memory = NULL;
    while (bytes >= 4096 && (memory = map(bytes, MAP_SHARED, fd)) == NULL)
        bytes = bytes / 2 & ~(size_t)4095;
    ca_platform_close((int)fd);
    if (memory == NULL)
        return size < 4096 ? -EINVAL : -ENOMEM;
    *ret_memory = memory;
    *ret_bytes = bytes;
    return 0;
}

/* A file beyond the limit would not fail but raise SIGXFSZ, which ends the program. */
static bool is_too_long(size_t bytes) {
    struct rlimit longest;
    return ca_sys6(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&longest, 0, 0) == 0 &&
           longest.rlim_cur < bytes;
}

int ca_platform_create_file(const char *path, size_t bytes, uint64_t magic, void **ret_memory) {
    if (is_too_long(bytes))
        return -EFBIG;
    long fd = open_at(path, O_RDWR | O_NOFOLLOW, 0);
    if (fd >= 0) {
        uint64_t begins = 0;
        size_t got = read_all(fd, (char *)&begins, sizeof begins);
        ca_platform_close((int)fd);
        if (got != 0 && (got != sizeof begins || begins != magic))
            return -EEXIST;
        /* Replaced, not truncated: whoever has the old one mapped must not lose it. */
        ca_sys3(SYS_unlinkat, AT_FDCWD, (long)path, 0);
    }
    fd = open_at(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        return (int)fd;
    long status = ca_sys3(SYS_ftruncate, fd, (long)bytes, 0);
    if (status == 0) {
        status = ca_sys6(SYS_fallocate, fd, 0, 0, (long)bytes, 0, 0);
        if (status == -EOPNOTSUPP || status == -ENOSYS)
            status = 0;
    }
    void *memory = status == 0 ? map(bytes, MAP_SHARED, fd) : NULL;
    ca_platform_close((int)fd);
    if (memory == NULL) {
        ca_sys3(SYS_unlinkat, AT_FDCWD, (long)path, 0);
        return status == 0 ? -ENOMEM : (int)status;
    }
    *ret_memory = memory;
    return 0;
}

static bool identity_of(int fd, uint64_t ret_identity[2]) {
    struct stat facts;
    if (ca_sys3(SYS_fstat, fd, (long)&facts, 0) < 0)
        return false;
    ret_identity[0] = facts.st_dev;
    ret_identity[1] = facts.st_ino;
    return true;
}

int ca_platform_keep_open(int fd, uint64_t ret_identity[2]) {
    if (!identity_of(fd, ret_identity))
        return -EBADF;
    struct rlimit limit = {1024, 1024};
    ca_sys6(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, (long)&limit, 0, 0);
    /* Not above 4,096: a fork copies the table of descriptors up to the highest one. Not below 64:
     * a program with so few needs them itself. */
    long end = limit.rlim_cur > 4096 ? 4096 : (long)limit.rlim_cur;
    for (long at = end - 1; at > end - 17 && at >= 64; at--) {
        /* F_DUPFD takes the lowest free number from `at` up: asking downwards finds the highest. */
        long copy = ca_sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, at);
        if (copy >= 0)
            return (int)copy;
    }
    return -EMFILE;
}

bool ca_platform_is_same_file(int fd, const uint64_t identity[2]) {
    uint64_t now[2];
    return identity_of(fd, now) && now[0] == identity[0] && now[1] == identity[1];
}

int ca_platform_open_output(const char *path) {
    return (int)open_at(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
}

void ca_platform_write(int fd, const char *bytes, size_t byte_count) {
    while (byte_count > 0) {
        long written = ca_sys3(SYS_write, fd, (long)bytes, (long)byte_count);
        if (written == -EINTR || written == -EAGAIN)
            continue;
        if (written <= 0)
            return;
        bytes += written;
        byte_count -= (size_t)written;
    }
}
