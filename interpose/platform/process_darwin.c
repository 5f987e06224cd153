/* SPDX-License-Identifier: MIT
 *
 * The system calls the shim makes, by libSystem's wrappers: the numbers behind them are no contract
 * on macOS. They may set errno, which is put back. */
#ifndef __APPLE__
#error "macOS only"
#endif

#include <crt_externs.h>
#include <errno.h>
#include <fcntl.h>
#include <libproc.h>
#include <mach-o/dyld.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../argument_list.h"
#include "../plain.h"
#include "shim_platform.h"

/* `status` as the kernel would give it, and errno as it was. */
static int settle(int status, int kept_errno) {
    int result = status < 0 ? -errno : status;
    errno = kept_errno;
    return result;
}

uint32_t ca_platform_pid(void) {
    return (uint32_t)getpid();
}

uint32_t ca_platform_parent_pid(void) {
    return (uint32_t)getppid();
}

static int open_file(const char *path, int flags, mode_t mode) {
    int kept_errno = errno;
    return settle(open(path, flags | O_CLOEXEC, mode), kept_errno);
}

void ca_platform_close(int fd) {
    int kept_errno = errno;
    settle(close(fd), kept_errno);
}

uint32_t ca_platform_program(char *ret_executable, size_t executable_size, char *ret_arguments,
                             size_t arguments_size) {
    uint32_t size = (uint32_t)executable_size;
    if (_NSGetExecutablePath(ret_executable, &size) != 0)
        ret_executable[0] = '\0';
    return ca_arguments_flatten(ret_arguments, arguments_size, *_NSGetArgv(),
                                (uint32_t)*_NSGetArgc());
}

/* The parent's mappings, one after the other. */
bool ca_platform_is_parent_counted(void) {
    int kept_errno = errno;
    struct proc_regionwithpathinfo region;
    bool is_found = false;
    uint64_t address = 0;
    while (!is_found && proc_pidinfo(getppid(), PROC_PIDREGIONPATHINFO, address, &region,
                                     sizeof region) == (int)sizeof region) {
        const char *name = ca_plain_basename(region.prp_vip.vip_path);
        is_found = ca_plain_is_equal(name, "libcountalloc.dylib");
        address = region.prp_prinfo.pri_address + region.prp_prinfo.pri_size;
    }
    errno = kept_errno;
    return is_found;
}

static void *map(size_t bytes, int flags, int fd) {
    int kept_errno = errno;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
    errno = kept_errno;
    return memory == MAP_FAILED ? NULL : memory;
}

void *ca_platform_map(size_t bytes) {
    return map(bytes, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1);
}

void ca_platform_unmap(void *memory, size_t bytes) {
    int kept_errno = errno;
    settle(munmap(memory, bytes), kept_errno);
}

int ca_platform_map_file(const char *path, void **ret_memory, size_t *ret_bytes) {
    int fd = open_file(path, O_RDWR, 0);
    if (fd < 0)
        return fd;
    int kept_errno = errno;
    off_t size = lseek(fd, 0, SEEK_END);
    errno = kept_errno;
    void *memory = size >= 4096 ? map((size_t)size, MAP_SHARED, fd) : NULL;
    ca_platform_close(fd);
    if (memory == NULL)
        return size < 4096 ? -EINVAL : -ENOMEM;
    *ret_memory = memory;
    *ret_bytes = (size_t)size;
    return 0;
}

/* Whether the file at `path` may be replaced: 0, or -EEXIST. Absent is fine. */
static int check_replaceable(const char *path, uint64_t magic) {
    int fd = open_file(path, O_RDWR | O_NOFOLLOW, 0);
    if (fd < 0)
        return 0;
    int kept_errno = errno;
    uint64_t begins = 0;
    ssize_t got = read(fd, &begins, sizeof begins);
    errno = kept_errno;
    ca_platform_close(fd);
    return got == 0 || (got == (ssize_t)sizeof begins && begins == magic) ? 0 : -EEXIST;
}

/* Because a mapped file without blocks would kill the program when the disk is full. */
static int reserve(int fd, size_t bytes) {
    int kept_errno = errno;
    fstore_t store = {
        .fst_flags = F_ALLOCATEALL, .fst_posmode = F_PEOFPOSMODE, .fst_length = (off_t)bytes};
    int status = fcntl(fd, F_PREALLOCATE, &store);
    if (status != 0 && (errno == ENOTSUP || errno == EINVAL))
        status = 0;
    return settle(status != 0 ? status : ftruncate(fd, (off_t)bytes), kept_errno);
}

int ca_platform_create_file(const char *path, size_t bytes, uint64_t magic, void **ret_memory) {
    int status = check_replaceable(path, magic);
    if (status < 0)
        return status;
    int kept_errno = errno;
    unlink(path); /* not truncated: whoever has the old one mapped must not lose it */
    errno = kept_errno;
    int fd = open_file(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        return fd;
    status = reserve(fd, bytes);
    void *memory = status == 0 ? map(bytes, MAP_SHARED, fd) : NULL;
    ca_platform_close(fd);
    if (memory == NULL) {
        settle(unlink(path), kept_errno);
        return status == 0 ? -ENOMEM : status;
    }
    *ret_memory = memory;
    return 0;
}

static bool identity_of(int fd, uint64_t ret_identity[2]) {
    int kept_errno = errno;
    struct stat facts;
    if (settle(fstat(fd, &facts), kept_errno) < 0)
        return false;
    ret_identity[0] = (uint64_t)facts.st_dev;
    ret_identity[1] = facts.st_ino;
    return true;
}

int ca_platform_keep_open(int fd, uint64_t ret_identity[2]) {
    if (!identity_of(fd, ret_identity))
        return -EBADF;
    int kept_errno = errno;
    struct rlimit limit = {1024, 1024};
    getrlimit(RLIMIT_NOFILE, &limit);
    int first = limit.rlim_cur > 4096 ? 4080 : (int)limit.rlim_cur - 16;
    return settle(first >= 48 ? fcntl(fd, F_DUPFD_CLOEXEC, first) : -1, kept_errno);
}

bool ca_platform_is_same_file(int fd, const uint64_t identity[2]) {
    uint64_t now[2];
    return identity_of(fd, now) && now[0] == identity[0] && now[1] == identity[1];
}

int ca_platform_open_output(const char *path) {
    return open_file(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
}

void ca_platform_write(int fd, const char *bytes, size_t byte_count) {
    int kept_errno = errno;
    while (byte_count > 0) {
        ssize_t written = write(fd, bytes, byte_count);
        if (written < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (written <= 0)
            break;
        bytes += written;
        byte_count -= (size_t)written;
    }
    errno = kept_errno;
}
