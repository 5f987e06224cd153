/* SPDX-License-Identifier: MIT
 *
 * What the command alone calls: files by name, streams, strings. A stream is Linux' own; none of its
 * members is looked at in the program. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "darwin_abi.h"
#include "libsystem.h"

static void *settle_pointer(void *found) {
    ca_darwin_settle(found == NULL ? -1 : 0);
    return found;
}

/* ---- files ---- */

static int mac_stat(const char *path, struct darwin_stat *ret_facts) {
    struct stat facts;
    if (ca_darwin_settle(stat(path, &facts)) < 0)
        return -1;
    *ret_facts = ca_darwin_facts(&facts);
    return 0;
}

static int mac_faccessat(int folder, const char *path, int mode, int flags) {
    if (folder != DARWIN_AT_FDCWD || (flags & ~DARWIN_AT_EACCESS) != 0)
        ca_darwin_die("faccessat", ": a folder or flag that is not known here");
    return (int)ca_darwin_settle(faccessat(AT_FDCWD, path, mode, flags != 0 ? AT_EACCESS : 0));
}

static char *mac_realpath(const char *path, char *to) {
    return settle_pointer(realpath(path, to));
}

static char *mac_getcwd(char *to, size_t size) {
    return settle_pointer(getcwd(to, size));
}

static int mac_rename(const char *from, const char *to) {
    return (int)ca_darwin_settle(rename(from, to));
}

static int mac_fchmod(int fd, mode_t mode) {
    return (int)ca_darwin_settle(fchmod(fd, mode));
}

static int mac_fchown(int fd, uid_t user, gid_t group) {
    return (int)ca_darwin_settle(fchown(fd, user, group));
}

static int mac_fsync(int fd) {
    return (int)ca_darwin_settle(fsync(fd));
}

static int mac_dup2(int fd, int wanted) {
    return (int)ca_darwin_settle(dup2(fd, wanted));
}

static int mac_pipe(int ret_ends[2]) {
    return (int)ca_darwin_settle(pipe(ret_ends));
}

static int mac_poll(struct pollfd *files, unsigned count,
                    int limit_ms) { /* the bits are the same */
    return (int)ca_darwin_settle(poll(files, count, limit_ms));
}

static int mac_mkstemp(char *name) {
    return (int)ca_darwin_settle(mkstemp(name));
}

static int mac_mkostemp(char *name, int flags) {
    return (int)ca_darwin_settle(mkostemp(name, ca_darwin_open_flags(flags)));
}

/* Of the user's temporary folder: TMPDIR, which on macOS has the same (confstr(3)). */
static size_t mac_confstr(int name, char *to, size_t size) {
    const char *folder = getenv("TMPDIR");
    if (name != DARWIN_CS_USER_TEMP_DIR)
        ca_darwin_die("confstr", ": a name that is not known here");
    return (size_t)snprintf(to, size, "%s/", folder != NULL ? folder : "/tmp") + 1;
}

/* ---- streams ---- */

static FILE *mac_fopen(const char *path, const char *mode) {
    return settle_pointer(fopen(path, mode));
}

static FILE *mac_fdopen(int fd, const char *mode) {
    return settle_pointer(fdopen(fd, mode));
}

static int mac_fclose(FILE *stream) {
    return (int)ca_darwin_settle(fclose(stream));
}

static int mac_fflush(FILE *stream) {
    return (int)ca_darwin_settle(fflush(stream));
}

static size_t mac_fread(void *to, size_t each, size_t count, FILE *stream) {
    size_t got = fread(to, each, count, stream);
    ca_darwin_settle(got < count && ferror(stream) ? -1 : 0);
    return got;
}

static size_t mac_fwrite(const void *from, size_t each, size_t count, FILE *stream) {
    size_t written = fwrite(from, each, count, stream);
    ca_darwin_settle(written < count ? -1 : 0);
    return written;
}

/* ---- numbers, whose errors have the same numbers ---- */

#define NUMBER(type, name, parameters, arguments)                                                  \
    static type mac_##name parameters {                                                            \
        errno = 0;                                                                                 \
        type number = name arguments;                                                              \
        ca_darwin_settle(errno != 0 ? -1 : 0);                                                     \
        return number;                                                                             \
    }

NUMBER(double, strtod, (const char *text, char **ret_end), (text, ret_end))
NUMBER(long long, strtoll, (const char *text, char **ret_end, int base), (text, ret_end, base))
NUMBER(unsigned long long, strtoull, (const char *text, char **ret_end, int base),
       (text, ret_end, base))

extern char *__strncpy_chk(char *to, const char *from, size_t bytes, size_t room);

static FILE *standard_input;

static __attribute__((constructor)) void open_standard_input(void) {
    standard_input = stdin;
}

const struct ca_darwin_export ca_libsystem_command[] = {
    {"stat$INODE64", (ca_darwin_function *)mac_stat, NULL, false},
    {"realpath$DARWIN_EXTSN", (ca_darwin_function *)mac_realpath, NULL, false},
    CA_DARWIN_HAS(faccessat),
    CA_DARWIN_HAS(getcwd),
    CA_DARWIN_HAS(rename),
    CA_DARWIN_HAS(fchmod),
    CA_DARWIN_HAS(fchown),
    CA_DARWIN_HAS(fsync),
    CA_DARWIN_HAS(dup2),
    CA_DARWIN_HAS(pipe),
    CA_DARWIN_HAS(poll),
    CA_DARWIN_HAS(mkstemp),
    CA_DARWIN_HAS(mkostemp),
    CA_DARWIN_HAS(confstr),
    CA_DARWIN_HAS(fopen),
    CA_DARWIN_HAS(fdopen),
    CA_DARWIN_HAS(fclose),
    CA_DARWIN_HAS(fflush),
    CA_DARWIN_HAS(fread),
    CA_DARWIN_HAS(fwrite),
    CA_DARWIN_HAS(strtod),
    CA_DARWIN_HAS(strtoll),
    CA_DARWIN_HAS(strtoull),
    CA_DARWIN_DATA(__stdinp, &standard_input),
    CA_DARWIN_PASS(__strncpy_chk),
    CA_DARWIN_PASS(asprintf),
    CA_DARWIN_PASS(ferror),
    CA_DARWIN_PASS(fgetc),
    CA_DARWIN_PASS(fputs),
    CA_DARWIN_PASS(getegid),
    CA_DARWIN_PASS(geteuid),
    CA_DARWIN_PASS(getgid),
    CA_DARWIN_PASS(getline),
    CA_DARWIN_PASS(gettimeofday), /* the upper half of its microseconds is padding, and 0 */
    CA_DARWIN_PASS(getuid),
    CA_DARWIN_PASS(localeconv), /* its decimal point is the first member of both */
    CA_DARWIN_PASS(lround),
    CA_DARWIN_PASS(open_memstream),
    CA_DARWIN_PASS(stpcpy),
    CA_DARWIN_PASS(strchr),
    CA_DARWIN_PASS(strcspn),
    CA_DARWIN_PASS(strdup),
    CA_DARWIN_PASS(strncmp),
    CA_DARWIN_PASS(strncpy),
    CA_DARWIN_PASS(strndup),
    CA_DARWIN_PASS(strrchr),
    CA_DARWIN_PASS(strspn),
    CA_DARWIN_PASS(umask),
    CA_DARWIN_PASS(vasprintf),
    CA_DARWIN_END,
};
