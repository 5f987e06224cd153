/* SPDX-License-Identifier: MIT
 *
 * Errors, files, memory from the kernel, and what has Linux' own binary interface. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "darwin_abi.h"
#include "libsystem.h"

/* ---- errno ---- */

static _Thread_local int program_errno;

static int *mac___error(void) {
    return &program_errno;
}

int ca_darwin_error(int linux_error) {
    switch (linux_error) {
    case EAGAIN:
        return DARWIN_EAGAIN;
    case EDEADLK:
        return DARWIN_EDEADLK;
    case EOPNOTSUPP:
        return DARWIN_ENOTSUP;
    case ELOOP:
        return DARWIN_ELOOP;
    case ENAMETOOLONG:
        return DARWIN_ENAMETOOLONG;
    case ENOSYS:
        return DARWIN_ENOSYS;
    default:
        if (linux_error > ERANGE)
            ca_darwin_die("no number of macOS's for the error ", strerror(linux_error));
        return linux_error;
    }
}

long ca_darwin_settle(long status) {
    if (status < 0)
        program_errno = ca_darwin_error(errno);
    return status;
}

static char *mac_strerror(int number) {
    static char text[32];
    for (int linux_error = 1; linux_error < 132; linux_error++)
        if ((linux_error <= ERANGE || linux_error == ELOOP || linux_error == ENAMETOOLONG ||
             linux_error == ENOSYS || linux_error == EOPNOTSUPP) &&
            ca_darwin_error(linux_error) == number)
            return strerror(linux_error);
    snprintf(text, sizeof text, "error %d", number);
    return text;
}

/* ---- files ---- */

int ca_darwin_open_flags(int flags) {
    static const int pairs[][2] = {{DARWIN_O_NONBLOCK, O_NONBLOCK}, {DARWIN_O_APPEND, O_APPEND},
                                   {DARWIN_O_CREAT, O_CREAT},       {DARWIN_O_NOFOLLOW, O_NOFOLLOW},
                                   {DARWIN_O_TRUNC, O_TRUNC},       {DARWIN_O_EXCL, O_EXCL},
                                   {DARWIN_O_NOCTTY, O_NOCTTY},     {DARWIN_O_CLOEXEC, O_CLOEXEC}};
    int translated = flags & DARWIN_O_ACCMODE;
    flags &= ~DARWIN_O_ACCMODE;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if ((flags & pairs[i][0]) != 0) {
            translated |= pairs[i][1];
            flags &= ~pairs[i][0];
        }
    if (flags != 0)
        ca_darwin_die("open", ": a flag that is not known here");
    return translated;
}

static int mac_open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    unsigned mode = (flags & DARWIN_O_CREAT) != 0 ? va_arg(arguments, unsigned) : 0;
    va_end(arguments);
    return (int)ca_darwin_settle(open(path, ca_darwin_open_flags(flags), mode));
}

static int preallocate(int fd, const struct darwin_fstore *store) {
    if (store->flags != DARWIN_F_ALLOCATEALL || store->position_mode != DARWIN_F_PEOFPOSMODE ||
        store->offset != 0)
        ca_darwin_die("fcntl", ": F_PREALLOCATE in a way that is not known here");
    return fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, store->length);
}

static int mac_fcntl(int fd, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    uintptr_t argument = va_arg(arguments, uintptr_t);
    va_end(arguments);
    switch (command) {
    case DARWIN_F_GETFD:
        return (int)ca_darwin_settle(fcntl(fd, F_GETFD));
    case DARWIN_F_SETFD:
        return (int)ca_darwin_settle(fcntl(fd, F_SETFD, (int)argument));
    case DARWIN_F_DUPFD_CLOEXEC:
        return (int)ca_darwin_settle(fcntl(fd, F_DUPFD_CLOEXEC, (int)argument));
    case DARWIN_F_RDAHEAD:
    case DARWIN_F_NOCACHE:
        return 0;
    case DARWIN_F_PREALLOCATE:
        return (int)ca_darwin_settle(preallocate(fd, (const struct darwin_fstore *)argument));
    default:
        ca_darwin_die("fcntl", ": a command that is not known here");
    }
}

struct darwin_stat ca_darwin_facts(const struct stat *facts) {
    return (struct darwin_stat){
        .device = (int32_t)facts->st_dev,
        .mode = (uint16_t)facts->st_mode, /* the bits are the same */
        .link_count = (uint16_t)facts->st_nlink,
        .inode = facts->st_ino,
        .user = facts->st_uid,
        .group = facts->st_gid,
        .size = facts->st_size,
        .block_count = facts->st_blocks,
        .block_size = (int32_t)facts->st_blksize,
    };
}

static int mac_fstat(int fd, struct darwin_stat *ret_facts) {
    struct stat facts;
    if (ca_darwin_settle(fstat(fd, &facts)) < 0)
        return -1;
    *ret_facts = ca_darwin_facts(&facts);
    return 0;
}

static int mac_dup(int fd) {
    return (int)ca_darwin_settle(dup(fd));
}

static int mac_close(int fd) {
    return (int)ca_darwin_settle(close(fd));
}

static ssize_t mac_read(int fd, void *to, size_t size) {
    return ca_darwin_settle(read(fd, to, size));
}

static ssize_t mac_pread(int fd, void *to, size_t size, off_t offset) {
    return ca_darwin_settle(pread(fd, to, size, offset));
}

static ssize_t mac_write(int fd, const void *from, size_t size) {
    return ca_darwin_settle(write(fd, from, size));
}

static off_t mac_lseek(int fd, off_t offset, int whence) {
    return ca_darwin_settle(lseek(fd, offset, whence));
}

static int mac_ftruncate(int fd, off_t size) {
    return (int)ca_darwin_settle(ftruncate(fd, size));
}

static int mac_unlink(const char *path) {
    return (int)ca_darwin_settle(unlink(path));
}

static int mac_access(const char *path, int mode) { /* the bits are the same */
    return (int)ca_darwin_settle(access(path, mode));
}

static int mac_isatty(int fd) {
    return isatty(fd);
}

/* ---- memory ---- */

static void *mac_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset) {
    int translated = 0;
    translated |= (flags & DARWIN_MAP_SHARED) != 0 ? MAP_SHARED : 0;
    translated |= (flags & DARWIN_MAP_PRIVATE) != 0 ? MAP_PRIVATE : 0;
    translated |= (flags & DARWIN_MAP_ANON) != 0 ? MAP_ANONYMOUS : 0;
    translated |= (flags & DARWIN_MAP_NORESERVE) != 0 ? MAP_NORESERVE : 0;
    if ((flags &
         ~(DARWIN_MAP_SHARED | DARWIN_MAP_PRIVATE | DARWIN_MAP_ANON | DARWIN_MAP_NORESERVE)) != 0)
        ca_darwin_die("mmap", ": a flag that is not known here");
    void *memory = mmap(at, size, protection, translated, fd, offset);
    ca_darwin_settle(memory == MAP_FAILED ? -1 : 0);
    return memory;
}

static int mac_munmap(void *at, size_t size) {
    return (int)ca_darwin_settle(munmap(at, size));
}

static void mac___bzero(void *at, size_t size) {
    memset(at, 0, size);
}

/* ---- the system ---- */

static int mac_getrlimit(int resource, struct rlimit *ret_limit) {
    if (resource != DARWIN_RLIMIT_NOFILE)
        ca_darwin_die("getrlimit", ": a resource that is not known here");
    int status = (int)ca_darwin_settle(getrlimit(RLIMIT_NOFILE, ret_limit));
    if (ret_limit->rlim_cur == RLIM_INFINITY)
        ret_limit->rlim_cur = DARWIN_RLIM_INFINITY;
    if (ret_limit->rlim_max == RLIM_INFINITY)
        ret_limit->rlim_max = DARWIN_RLIM_INFINITY;
    return status;
}

static int mac_setrlimit(int resource, const struct rlimit *limit) {
    if (resource != RLIMIT_CORE) /* the same number */
        ca_darwin_die("setrlimit", ": a resource that is not known here");
    return (int)ca_darwin_settle(setrlimit(RLIMIT_CORE, limit));
}

static long mac_sysconf(int name) {
    switch (name) {
    case DARWIN_SC_PAGESIZE:
        return sysconf(_SC_PAGESIZE);
    case DARWIN_SC_NPROCESSORS_ONLN:
        return sysconf(_SC_NPROCESSORS_ONLN);
    default:
        ca_darwin_die("sysconf", ": a name that is not known here");
    }
}

static int mac_clock_gettime(int clock, struct timespec *ret_now) {
    if (clock != DARWIN_CLOCK_MONOTONIC && clock != DARWIN_CLOCK_REALTIME)
        ca_darwin_die("clock_gettime", ": a clock that is not known here");
    return clock_gettime(clock == DARWIN_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC,
                         ret_now);
}

static FILE *standard_error, *standard_output;
static long stack_guard = 0x0123456789abcdef;
extern void __udivti3(void); /* of 128 bits; only its address is taken */
extern _Noreturn void __stack_chk_fail(void);
extern void *__memcpy_chk(void *to, const void *from, size_t bytes, size_t room);
extern void *__memset_chk(void *to, int byte, size_t bytes, size_t room);

static __attribute__((constructor)) void open_standard_files(void) {
    standard_error = stderr;
    standard_output = stdout;
}

const struct ca_darwin_export ca_libsystem_files[] = {
    CA_DARWIN_HAS(__error),
    CA_DARWIN_HAS(strerror),
    CA_DARWIN_HAS(open),
    CA_DARWIN_HAS(fcntl),
    {"fstat$INODE64", (ca_darwin_function *)mac_fstat, NULL, false},
    CA_DARWIN_HAS(dup),
    CA_DARWIN_HAS(close),
    CA_DARWIN_HAS(read),
    CA_DARWIN_HAS(pread),
    CA_DARWIN_HAS(write),
    CA_DARWIN_HAS(lseek),
    CA_DARWIN_HAS(ftruncate),
    CA_DARWIN_HAS(unlink),
    CA_DARWIN_HAS(access),
    CA_DARWIN_HAS(isatty),
    CA_DARWIN_HAS(mmap),
    CA_DARWIN_HAS(munmap),
    CA_DARWIN_HAS(__bzero),
    CA_DARWIN_HAS(getrlimit),
    CA_DARWIN_HAS(setrlimit),
    CA_DARWIN_HAS(sysconf),
    CA_DARWIN_HAS(clock_gettime),
    CA_DARWIN_DATA(__stderrp, &standard_error),
    CA_DARWIN_DATA(__stdoutp, &standard_output),
    CA_DARWIN_DATA(__stack_chk_guard, &stack_guard),
    CA_DARWIN_DATA(optind, &optind),
    CA_DARWIN_DATA(optarg, &optarg),
    CA_DARWIN_DATA(optopt, &optopt),
    CA_DARWIN_DATA(opterr, &opterr),
    CA_DARWIN_PASS(__stack_chk_fail),
    CA_DARWIN_PASS(__memcpy_chk),
    CA_DARWIN_PASS(__memset_chk),
    CA_DARWIN_PASS(__udivti3),
    CA_DARWIN_PASS(fprintf),
    CA_DARWIN_PASS(getentropy),
    CA_DARWIN_PASS(getopt_long),
    CA_DARWIN_PASS(memchr),
    CA_DARWIN_PASS(memcmp),
    CA_DARWIN_PASS(memcpy),
    CA_DARWIN_PASS(memmove),
    CA_DARWIN_PASS(memset),
    CA_DARWIN_PASS(printf),
    CA_DARWIN_PASS(puts),
    CA_DARWIN_PASS(qsort),
    CA_DARWIN_PASS(snprintf),
    CA_DARWIN_PASS(strcmp),
    CA_DARWIN_PASS(strcpy),
    CA_DARWIN_PASS(strlen),
    CA_DARWIN_PASS(strstr),
    CA_DARWIN_PASS(vsnprintf),
    CA_DARWIN_END,
};
