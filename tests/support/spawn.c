/* SPDX-License-Identifier: MIT */
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

#define HANG_LIMIT_S 60u

static const char *temporary_place(void) {
    const char *place = getenv("TMPDIR");
    return place != NULL && place[0] != '\0' ? place : "/tmp";
}

static int open_unlinked(void) {
    char path[4096];
    snprintf(path, sizeof path, "%s/countalloc-test-XXXXXX", temporary_place());
    int fd = mkstemp(path);
    if (fd >= 0)
        unlink(path);
    return fd;
}

static char *read_whole(int fd, size_t *ret_bytes) {
    size_t capacity = 65536;
    size_t filled = 0;
    char *text = malloc(capacity);
    ssize_t got = -1;
    while (text != NULL &&
           (got = pread(fd, text + filled, capacity - filled - 1, (off_t)filled)) > 0) {
        filled += (size_t)got;
        if (capacity - filled < 2) {
            char *larger = realloc(text, capacity *= 2);
            if (larger == NULL)
                break;
            text = larger;
        }
    }
    if (text == NULL || got < 0) {
        free(text);
        return NULL;
    }
    text[filled] = '\0';
    *ret_bytes = filled;
    return text;
}

static void apply_environment(const char *const *changes, bool is_fresh) {
    static char *nothing[] = {NULL};
    if (is_fresh)
        environ = nothing;
    for (char **at = environ; *at != NULL;) {
        char name[64];
        size_t length = strcspn(*at, "=");
        bool is_ours = strncmp(*at, "COUNTALLOC_", 11) == 0 || strncmp(*at, "LD_PRELOAD=", 11) == 0;
        if (is_ours && length < sizeof name) {
            memcpy(name, *at, length);
            name[length] = '\0';
            unsetenv(name); /* moves the later ones here */
        } else {
            at++;
        }
    }
    for (; changes != NULL && *changes != NULL; changes++) {
        char name[256];
        size_t length = strcspn(*changes, "=");
        if (length >= sizeof name)
            continue;
        memcpy(name, *changes, length);
        name[length] = '\0';
        if ((*changes)[length] == '=')
            setenv(name, *changes + length + 1, 1);
        else
            unsetenv(name);
    }
}

static void place(int fd, int wanted) {
    if (fd < 0 || dup2(fd, wanted) < 0)
        _exit(126);
}

static _Noreturn void become(const struct ca_spawn *spawn, int out_fd, int err_fd) {
    setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (spawn->stdout_path != NULL)
        out_fd = open(spawn->stdout_path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int in_fd = open(spawn->stdin_path != NULL ? spawn->stdin_path : "/dev/null", O_RDONLY);
    place(out_fd, 1);
    place(err_fd, 2);
    place(in_fd, 0);
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
    if (spawn->directory != NULL && chdir(spawn->directory) != 0)
        _exit(126);
    apply_environment(spawn->environment, spawn->has_fresh_environment);
    execvp(spawn->argv[0], (char *const *)(size_t)spawn->argv);
    _exit(errno == ENOENT ? 127 : 126);
}

/* Waits; a child that outlives the limit is killed with its group. */
static bool wait_for(pid_t pid, unsigned limit_s, struct ca_spawned *ret) {
    struct timespec pause = {0, 500000};
    time_t latest = time(NULL) + (time_t)(limit_s != 0 ? limit_s : HANG_LIMIT_S);
    int status;
    struct rusage usage;
    pid_t done;
    while ((done = wait4(pid, &status, WNOHANG, &usage)) == 0 || (done < 0 && errno == EINTR)) {
        if (time(NULL) > latest && !ret->is_hung) {
            ret->is_hung = true;
            kill(-pid, SIGKILL);
        }
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 10000000)
            pause.tv_nsec += pause.tv_nsec / 4;
    }
    if (done < 0)
        return false;
    ret->cpu_ns = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000LL +
                  (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000LL;
    ret->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    ret->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return true;
}

bool ca_spawn_run(const struct ca_spawn *spawn, struct ca_spawned *ret_spawned) {
    *ret_spawned = (struct ca_spawned){.exit_status = -1};
    int out_fd = open_unlinked();
    int err_fd = open_unlinked();
    bool is_good = false;
    pid_t pid = out_fd >= 0 && err_fd >= 0 ? fork() : -1;
    if (pid == 0)
        become(spawn, out_fd, err_fd);
    if (pid > 0 && wait_for(pid, spawn->hang_limit_s, ret_spawned)) {
        ret_spawned->out = read_whole(out_fd, &ret_spawned->out_bytes);
        ret_spawned->err = read_whole(err_fd, &ret_spawned->err_bytes);
        is_good = ret_spawned->out != NULL && ret_spawned->err != NULL;
    }
    int kept_errno = errno;
    if (!is_good)
        ca_spawned_release(ret_spawned);
    if (out_fd >= 0)
        close(out_fd);
    if (err_fd >= 0)
        close(err_fd);
    errno = kept_errno;
    return is_good;
}

void ca_spawned_release(struct ca_spawned *spawned) {
    free(spawned->out);
    free(spawned->err);
    *spawned = (struct ca_spawned){.exit_status = -1};
}

char *ca_spawn_read_file(const char *path, size_t *ret_bytes) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    size_t bytes;
    char *text = read_whole(fd, ret_bytes != NULL ? ret_bytes : &bytes);
    close(fd);
    return text;
}

char *ca_spawn_find(const char *program) {
    const char *path = getenv("PATH");
    char candidate[4096];
    while (path != NULL && *path != '\0') {
        size_t length = strcspn(path, ":");
        snprintf(candidate, sizeof candidate, "%.*s/%s", (int)length, path, program);
        if (access(candidate, X_OK) == 0)
            return strdup(candidate);
        path += length + (path[length] == ':');
    }
    return NULL;
}

char *ca_spawn_make_directory(void) {
    char path[4096];
    snprintf(path, sizeof path, "%s/countalloc-test-XXXXXX", temporary_place());
    return mkdtemp(path) != NULL ? strdup(path) : NULL;
}

void ca_spawn_remove_directory(char *directory) {
    if (directory != NULL) {
        const char *argv[] = {"rm", "-rf", "--", directory, NULL};
        struct ca_spawned spawned;
        if (ca_spawn_run(&(struct ca_spawn){.argv = argv}, &spawned))
            ca_spawned_release(&spawned);
    }
    free(directory);
}
