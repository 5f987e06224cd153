/* SPDX-License-Identifier: MIT
 *
 * Compiled for macOS with Apple's headers: the loader's idea of the system's binary interface
 * (darwin_abi.h) is theirs. Nothing of it runs. */
#include <errno.h>
#include <fcntl.h>
#include <libproc.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../darwin_abi.h"

#define SAME(a, b) _Static_assert((a) == (b), #a)
#define SAME_MEMBER(ours, our_member, theirs, their_member)                                        \
    _Static_assert(offsetof(struct ours, our_member) == offsetof(theirs, their_member),            \
                   #our_member);                                                                   \
    _Static_assert(sizeof(((struct ours *)0)->our_member) == sizeof(((theirs *)0)->their_member),  \
                   #our_member)

SAME(DARWIN_O_ACCMODE, O_ACCMODE);
SAME(DARWIN_O_NONBLOCK, O_NONBLOCK);
SAME(DARWIN_O_APPEND, O_APPEND);
SAME(DARWIN_O_NOFOLLOW, O_NOFOLLOW);
SAME(DARWIN_O_CREAT, O_CREAT);
SAME(DARWIN_O_TRUNC, O_TRUNC);
SAME(DARWIN_O_EXCL, O_EXCL);
SAME(DARWIN_O_NOCTTY, O_NOCTTY);
SAME(DARWIN_O_CLOEXEC, O_CLOEXEC);
SAME(DARWIN_AT_FDCWD, AT_FDCWD);
SAME(DARWIN_AT_EACCESS, AT_EACCESS);
SAME(DARWIN_F_GETFD, F_GETFD);
SAME(DARWIN_F_SETFD, F_SETFD);
SAME(DARWIN_F_PREALLOCATE, F_PREALLOCATE);
SAME(DARWIN_F_RDAHEAD, F_RDAHEAD);
SAME(DARWIN_F_NOCACHE, F_NOCACHE);
SAME(DARWIN_F_DUPFD_CLOEXEC, F_DUPFD_CLOEXEC);
SAME(DARWIN_F_ALLOCATEALL, F_ALLOCATEALL);
SAME(DARWIN_F_PEOFPOSMODE, F_PEOFPOSMODE);
SAME(DARWIN_MAP_SHARED, MAP_SHARED);
SAME(DARWIN_MAP_PRIVATE, MAP_PRIVATE);
SAME(DARWIN_MAP_NORESERVE, MAP_NORESERVE);
SAME(DARWIN_MAP_ANON, MAP_ANON);
SAME(DARWIN_EDEADLK, EDEADLK);
SAME(DARWIN_EAGAIN, EAGAIN);
SAME(DARWIN_ENOTSUP, ENOTSUP);
SAME(DARWIN_ELOOP, ELOOP);
SAME(DARWIN_ENAMETOOLONG, ENAMETOOLONG);
SAME(DARWIN_ENOSYS, ENOSYS);
SAME(DARWIN_RLIMIT_NOFILE, RLIMIT_NOFILE);
SAME(DARWIN_RLIM_INFINITY, RLIM_INFINITY);
SAME(DARWIN_SC_PAGESIZE, _SC_PAGESIZE);
SAME(DARWIN_SC_NPROCESSORS_ONLN, _SC_NPROCESSORS_ONLN);
SAME(DARWIN_CS_USER_TEMP_DIR, _CS_DARWIN_USER_TEMP_DIR);
SAME(DARWIN_NSIG, NSIG);
SAME(7, SIGEMT); /* libsystem_signals.c's table */
SAME(10, SIGBUS);
SAME(12, SIGSYS);
SAME(16, SIGURG);
SAME(17, SIGSTOP);
SAME(18, SIGTSTP);
SAME(19, SIGCONT);
SAME(20, SIGCHLD);
SAME(23, SIGIO);
SAME(25, SIGXFSZ);
SAME(28, SIGWINCH);
SAME(29, SIGINFO);
SAME(30, SIGUSR1);
SAME(31, SIGUSR2);
SAME(DARWIN_SIG_BLOCK, SIG_BLOCK);
SAME(DARWIN_SIG_UNBLOCK, SIG_UNBLOCK);
SAME(DARWIN_SIG_SETMASK, SIG_SETMASK);
SAME(DARWIN_CLOCK_REALTIME, CLOCK_REALTIME);
SAME(DARWIN_CLOCK_MONOTONIC, CLOCK_MONOTONIC);
SAME(DARWIN_PROC_PIDREGIONPATHINFO, PROC_PIDREGIONPATHINFO);
SAME(DARWIN_POSIX_SPAWN_SETEXEC, POSIX_SPAWN_SETEXEC);
SAME(DARWIN_MUTEX_SIGNATURE, _PTHREAD_MUTEX_SIG_init);

SAME(sizeof(struct darwin_fstore), sizeof(fstore_t));
SAME_MEMBER(darwin_fstore, flags, fstore_t, fst_flags);
SAME_MEMBER(darwin_fstore, position_mode, fstore_t, fst_posmode);
SAME_MEMBER(darwin_fstore, length, fstore_t, fst_length);

SAME(sizeof(struct darwin_stat), sizeof(struct stat));
SAME_MEMBER(darwin_stat, device, struct stat, st_dev);
SAME_MEMBER(darwin_stat, mode, struct stat, st_mode);
SAME_MEMBER(darwin_stat, link_count, struct stat, st_nlink);
SAME_MEMBER(darwin_stat, inode, struct stat, st_ino);
SAME_MEMBER(darwin_stat, user, struct stat, st_uid);
SAME_MEMBER(darwin_stat, group, struct stat, st_gid);
SAME_MEMBER(darwin_stat, size, struct stat, st_size);
SAME_MEMBER(darwin_stat, block_count, struct stat, st_blocks);
SAME_MEMBER(darwin_stat, block_size, struct stat, st_blksize);

SAME(sizeof(struct darwin_sigaction), sizeof(struct sigaction));
SAME_MEMBER(darwin_sigaction, handler, struct sigaction, sa_handler);
SAME_MEMBER(darwin_sigaction, mask, struct sigaction, sa_mask);
SAME_MEMBER(darwin_sigaction, flags, struct sigaction, sa_flags);
SAME(sizeof(sigset_t), 4);

SAME(sizeof(struct darwin_region), sizeof(struct proc_regionwithpathinfo));
SAME_MEMBER(darwin_region, address, struct proc_regionwithpathinfo, prp_prinfo.pri_address);
SAME_MEMBER(darwin_region, byte_count, struct proc_regionwithpathinfo, prp_prinfo.pri_size);
SAME_MEMBER(darwin_region, path, struct proc_regionwithpathinfo, prp_vip.vip_path);

SAME(sizeof(struct darwin_mutex), sizeof(pthread_mutex_t));
SAME_MEMBER(darwin_mutex, signature, pthread_mutex_t, __sig);
SAME(offsetof(struct darwin_mutex, opaque), offsetof(pthread_mutex_t, __opaque));
SAME(sizeof(pthread_attr_t), sizeof(pthread_mutex_t));
SAME(sizeof(struct rlimit), 16);

int main(void) {
    return 0;
}
