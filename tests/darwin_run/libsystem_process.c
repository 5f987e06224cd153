/* SPDX-License-Identifier: MIT
 *
 * The process: its environment and end, other processes, and the programs that it becomes. Those in
 * Mach-O for x86-64 are run by this loader again; of those for arm64 and arm64e alone, which no
 * x86-64 machine runs, a line says that they were started and with which DYLD_INSERT_LIBRARIES. */
#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "darwin_abi.h"
#include "libsystem.h"

#define VARIABLE "DYLD_INSERT_LIBRARIES"

const char *ca_darwin_version = "14.5";

static int *mac__NSGetArgc(void) {
    return &ca_darwin_argc;
}

static char ***mac__NSGetArgv(void) {
    return &ca_darwin_argv;
}

static char ***mac__NSGetEnviron(void) {
    return &environ;
}

static int mac__NSGetExecutablePath(char *to, uint32_t *size) {
    uint32_t needed = (uint32_t)strlen(ca_darwin_images[0].path) + 1;
    bool fits = needed <= *size;
    *size = needed;
    if (fits)
        memcpy(to, ca_darwin_images[0].path, needed);
    return fits ? 0 : -1;
}

static int mac_sysctlbyname(const char *name, void *to, size_t *size, void *from, size_t bytes) {
    if (strcmp(name, "hw.optional.arm64") == 0) { /* an Intel machine has no such name */
        errno = ENOENT;
        return (int)ca_darwin_settle(-1);
    }
    if (strcmp(name, "kern.osproductversion") != 0 || from != NULL || bytes != 0)
        ca_darwin_die("sysctlbyname: not known here: ", name);
    size_t needed = strlen(ca_darwin_version) + 1;
    if (*size < needed) {
        errno = ENOMEM;
        return (int)ca_darwin_settle(-1);
    }
    memcpy(to, ca_darwin_version, needed);
    *size = needed;
    return 0;
}

/* The first mapping of `pid` that ends behind `address`, as the system's proc_pidinfo gives it. */
static int mac_proc_pidinfo(int pid, int flavour, uint64_t address, struct darwin_region *ret,
                            int size) {
    if (flavour != DARWIN_PROC_PIDREGIONPATHINFO || size != (int)sizeof *ret)
        ca_darwin_die("proc_pidinfo", ": a flavour that is not known here");
    char line[1200];
    snprintf(line, sizeof line, "/proc/%d/maps", pid);
    FILE *maps = fopen(line, "re");
    int result = 0;
    while (maps != NULL && result == 0 && fgets(line, sizeof line, maps) != NULL) {
        unsigned long begin, end;
        if (sscanf(line, "%lx-%lx", &begin, &end) != 2 || end <= address)
            continue;
        memset(ret, 0, sizeof *ret);
        ret->address = begin;
        ret->byte_count = end - begin;
        const char *path = strchr(line, '/');
        if (path != NULL)
            snprintf(ret->path, sizeof ret->path, "%.*s", (int)strcspn(path, "\n"), path);
        result = size;
    }
    if (maps != NULL)
        fclose(maps);
    errno = ESRCH;
    ca_darwin_settle(result == 0 ? -1 : 0);
    return result;
}

/* ---- exec ---- */

static const char *value_in(char *const *environment, const char *name) {
    size_t length = strlen(name);
    for (; environment != NULL && *environment != NULL; environment++)
        if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
            return *environment + length + 1;
    return NULL;
}

static bool is_mach_o(const char *path) {
    uint32_t magic = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool is_read = fd >= 0 && read(fd, &magic, sizeof magic) == (ssize_t)sizeof magic;
    close(fd);
    return is_read && (magic == 0xfeedfacf || magic == 0xbebafeca);
}

static bool runs_here(const char *path) {
    struct ca_darwin_image image;
    const char *why;
    return ca_darwin_image_load(path, &image, &why);
}

static int mac_execve(const char *path, char *const argv[], char *const envp[]) {
    if (strcmp(path, "/proc/self/exe") == 0) /* as victims for Linux name themselves */
        path = ca_darwin_images[0].path;
    if (access(path, X_OK) != 0 || !is_mach_o(path))
        return (int)ca_darwin_settle(execve(path, argv, envp));
    if (!runs_here(path)) {
        const char *inserted = value_in(envp, VARIABLE);
        dprintf(1, "started %s with %s\n", path, inserted == NULL ? "no " VARIABLE : inserted);
        _exit(0);
    }
    size_t argument_count = 0;
    while (argv[argument_count] != NULL)
        argument_count++;
    char **longer = alloca(((size_t)ca_darwin_loader_argc + argument_count + 2) * sizeof *longer);
    size_t filled = 0;
    for (int i = 0; i < ca_darwin_loader_argc; i++)
        longer[filled++] = ca_darwin_loader_argv[i];
    longer[filled++] = (char *)(uintptr_t)path;
    for (size_t i = 1; i < argument_count; i++)
        longer[filled++] = argv[i];
    longer[filled] = NULL;
    return (int)ca_darwin_settle(execve("/proc/self/exe", longer, envp));
}

static int mac_execv(const char *path, char *const argv[]) {
    return mac_execve(path, argv, environ);
}

/* Along `folders` where `file` has no slash (execvp(3)). */
static int search_and_exec(const char *file, const char *folders, char *const argv[],
                           char *const envp[]) {
    if (strchr(file, '/') != NULL)
        return mac_execve(file, argv, envp);
    char path[1024];
    for (size_t length; folders != NULL;
         folders = folders[length] != '\0' ? folders + length + 1 : NULL) {
        length = strcspn(folders, ":");
        snprintf(path, sizeof path, "%.*s/%s", (int)length, folders, file);
        if (access(path, X_OK) == 0)
            return mac_execve(path, argv, envp);
    }
    errno = ENOENT;
    return (int)ca_darwin_settle(-1);
}

static int mac_execvP(const char *file, const char *search_path, char *const argv[]) {
    return search_and_exec(file, search_path, argv, environ);
}

static int mac_execvp(const char *file, char *const argv[]) {
    return search_and_exec(file, getenv("PATH"), argv, environ);
}

#define ARGUMENTS_OF(first, after)                                                                 \
    char *argv[32] = {(char *)(uintptr_t)(first)};                                                 \
    va_list arguments;                                                                             \
    va_start(arguments, first);                                                                    \
    for (size_t i = 1; i < 31 && (argv[i] = va_arg(arguments, char *)) != NULL; i++)               \
        ;                                                                                          \
    after;                                                                                         \
    va_end(arguments)

static int mac_execl(const char *path, const char *first, ...) {
    ARGUMENTS_OF(first, (void)0);
    return mac_execve(path, argv, environ);
}

static int mac_execlp(const char *file, const char *first, ...) {
    ARGUMENTS_OF(first, (void)0);
    return mac_execvp(file, argv);
}

static int mac_execle(const char *path, const char *first, ...) {
    ARGUMENTS_OF(first, char **envp = va_arg(arguments, char **));
    return mac_execve(path, argv, envp);
}

/* ---- posix_spawn: with a flag alone for attributes, and no file actions ---- */

struct attributes {
    short flags;
};

static int mac_posix_spawnattr_init(struct attributes **ret_attributes) {
    *ret_attributes = calloc(1, sizeof **ret_attributes);
    return 0;
}

static int mac_posix_spawnattr_destroy(struct attributes **attributes) {
    free(*attributes);
    return 0;
}

static int mac_posix_spawnattr_setflags(struct attributes **attributes, short flags) {
    (*attributes)->flags = flags;
    return 0;
}

static int mac_posix_spawnattr_getflags(struct attributes *const *attributes, short *ret_flags) {
    *ret_flags = (*attributes)->flags;
    return 0;
}

static int spawn(pid_t *ret_pid, const char *file, const char *folders, const void *actions,
                 struct attributes *const *attributes, char *const argv[], char *const envp[]) {
    if (actions != NULL)
        ca_darwin_die("posix_spawn", ": file actions are not known here");
    bool is_in_place =
        attributes != NULL && ((*attributes)->flags & DARWIN_POSIX_SPAWN_SETEXEC) != 0;
    pid_t pid = is_in_place ? 0 : vfork();
    if (pid == 0) {
        search_and_exec(file, folders, argv, envp);
        if (!is_in_place)
            _exit(127);
        return ca_darwin_error(errno);
    }
    if (pid > 0 && ret_pid != NULL)
        *ret_pid = pid;
    return pid < 0 ? ca_darwin_error(errno) : 0;
}

static int mac_posix_spawn(pid_t *ret_pid, const char *path, const void *actions,
                           struct attributes *const *attributes, char *const argv[],
                           char *const envp[]) {
    return spawn(ret_pid, path, "", actions, attributes, argv, envp);
}

static int mac_posix_spawnp(pid_t *ret_pid, const char *file, const void *actions,
                            struct attributes *const *attributes, char *const argv[],
                            char *const envp[]) {
    return spawn(ret_pid, file, getenv("PATH"), actions, attributes, argv, envp);
}

const struct ca_darwin_export ca_libsystem_process[] = {
    CA_DARWIN_HAS(_NSGetArgc),
    CA_DARWIN_HAS(_NSGetArgv),
    CA_DARWIN_HAS(_NSGetEnviron),
    CA_DARWIN_HAS(_NSGetExecutablePath),
    CA_DARWIN_HAS(sysctlbyname),
    CA_DARWIN_HAS(proc_pidinfo),
    CA_DARWIN_HAS(execve),
    CA_DARWIN_HAS(execv),
    CA_DARWIN_HAS(execvp),
    CA_DARWIN_HAS(execvP),
    CA_DARWIN_HAS(execl),
    CA_DARWIN_HAS(execlp),
    CA_DARWIN_HAS(execle),
    CA_DARWIN_HAS(posix_spawn),
    CA_DARWIN_HAS(posix_spawnp),
    CA_DARWIN_HAS(posix_spawnattr_init),
    CA_DARWIN_HAS(posix_spawnattr_destroy),
    CA_DARWIN_HAS(posix_spawnattr_setflags),
    CA_DARWIN_HAS(posix_spawnattr_getflags),
    CA_DARWIN_DATA(environ, &environ),
    CA_DARWIN_PASS(_exit),
    CA_DARWIN_PASS(abort),
    CA_DARWIN_PASS(exit),
    CA_DARWIN_PASS(fork),
    CA_DARWIN_PASS(getenv),
    CA_DARWIN_PASS(getpid),
    CA_DARWIN_PASS(getppid),
    CA_DARWIN_PASS(setenv),
    CA_DARWIN_PASS(unsetenv),
    CA_DARWIN_PASS(vfork),
    CA_DARWIN_END,
};
