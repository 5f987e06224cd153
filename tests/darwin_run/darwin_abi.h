/* SPDX-License-Identifier: MIT
 *
 * What of macOS's binary interface on x86-64 differs from Linux', as far as the programs that are
 * run here use it. Sources: Apple's headers, named with each part. The numbers and layouts are not
 * taken on trust: victims/agrees_with_headers.c holds them against those headers when it is cross
 * built. Needs <stdint.h>-like types only, so that both systems' compilers read it.
 */
#ifndef CA_DARWIN_ABI_H
#define CA_DARWIN_ABI_H

#include <stdint.h>

/* sys/fcntl.h */
#define DARWIN_O_ACCMODE       0x0003
#define DARWIN_O_NONBLOCK      0x0004
#define DARWIN_O_APPEND        0x0008
#define DARWIN_O_NOFOLLOW      0x0100
#define DARWIN_O_CREAT         0x0200
#define DARWIN_O_TRUNC         0x0400
#define DARWIN_O_EXCL          0x0800
#define DARWIN_O_NOCTTY        0x20000
#define DARWIN_O_CLOEXEC       0x1000000
#define DARWIN_AT_FDCWD        (-2)
#define DARWIN_AT_EACCESS      0x10
#define DARWIN_F_GETFD         1
#define DARWIN_F_SETFD         2
#define DARWIN_F_PREALLOCATE   42
#define DARWIN_F_RDAHEAD       45
#define DARWIN_F_NOCACHE       48
#define DARWIN_F_DUPFD_CLOEXEC 67
#define DARWIN_F_ALLOCATEALL   0x4
#define DARWIN_F_PEOFPOSMODE   3

struct darwin_fstore {
    uint32_t flags;
    int32_t position_mode;
    int64_t offset;
    int64_t length;
    int64_t bytes_allocated;
};

/* sys/mman.h */
#define DARWIN_MAP_SHARED    0x0001
#define DARWIN_MAP_PRIVATE   0x0002
#define DARWIN_MAP_NORESERVE 0x0040
#define DARWIN_MAP_ANON      0x1000

/* sys/errno.h: 1 to 34 are the same but for EDEADLK and EAGAIN. */
#define DARWIN_EDEADLK      11
#define DARWIN_EAGAIN       35
#define DARWIN_ENOTSUP      45
#define DARWIN_ELOOP        62
#define DARWIN_ENAMETOOLONG 63
#define DARWIN_ENOSYS       78

/* sys/resource.h, unistd.h, time.h */
#define DARWIN_RLIMIT_NOFILE       8
#define DARWIN_RLIM_INFINITY       0x7fffffffffffffffull
#define DARWIN_SC_PAGESIZE         29
#define DARWIN_SC_NPROCESSORS_ONLN 58
#define DARWIN_CS_USER_TEMP_DIR    65537
#define DARWIN_CLOCK_REALTIME      0
#define DARWIN_CLOCK_MONOTONIC     6

/* sys/stat.h, with 64-bit inodes: what `fstat$INODE64` fills. */
struct darwin_stat {
    int32_t device;
    uint16_t mode;
    uint16_t link_count;
    uint64_t inode;
    uint32_t user;
    uint32_t group;
    int32_t special_device;
    int32_t padding;
    int64_t times[8]; /* access, modification, change, birth: seconds and nanoseconds */
    int64_t size;
    int64_t block_count;
    int32_t block_size;
    uint32_t flags;
    uint32_t generation;
    int32_t spare;
    int64_t spares[2];
};

/* libproc.h, sys/proc_info.h: struct proc_regionwithpathinfo. */
#define DARWIN_PROC_PIDREGIONPATHINFO 8

struct darwin_region {
    char facts_before_address[80];
    uint64_t address;
    uint64_t byte_count;
    char facts_of_file[152];
    char path[1024];
};

/* pthread.h: a signature, which a static initialiser sets, then 56 bytes that it leaves 0. */
#define DARWIN_MUTEX_SIGNATURE 0x32AAABA7

struct darwin_mutex {
    int64_t signature;
    char opaque[56];
};

/* sys/signal.h: the numbers are libsystem_signals.c's table. */
#define DARWIN_NSIG        32
#define DARWIN_SIG_BLOCK   1
#define DARWIN_SIG_UNBLOCK 2
#define DARWIN_SIG_SETMASK 3

struct darwin_sigaction {
    void *handler;
    uint32_t mask;
    int32_t flags;
};

/* sys/spawn.h */
#define DARWIN_POSIX_SPAWN_SETEXEC 0x0040

#endif
