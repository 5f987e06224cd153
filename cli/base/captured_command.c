/* SPDX-License-Identifier: MIT */
#include "base/captured_command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct pipes {
    int out[2]; /* reading and writing end; -1: closed */
    int err[2];
};

static void close_end(int *fd) {
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_all(struct pipes *pipes) {
    for (int end = 0; end < 2; end++) {
        close_end(&pipes->out[end]);
        close_end(&pipes->err[end]);
    }
}

/* Above the standard descriptors, which the child's are copied to. */
static bool make_pipe(int ends[2]) {
    int low[2];
    if (pipe(low) != 0)
        return false;
    for (int end = 0; end < 2; end++) {
        ends[end] = fcntl(low[end], F_DUPFD_CLOEXEC, 3);
        close(low[end]);
    }
    return ends[0] >= 0 && ends[1] >= 0;
}

/* 0 or an errno. */
static int start(const char *const *arguments, const struct pipes *pipes, pid_t *ret_pid) {
    posix_spawn_file_actions_t actions;
    int error_number = posix_spawn_file_actions_init(&actions);
    if (error_number != 0)
        return error_number;
    error_number = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (error_number == 0)
        error_number = posix_spawn_file_actions_adddup2(&actions, pipes->out[1], 1);
    if (error_number == 0)
        error_number = posix_spawn_file_actions_adddup2(&actions, pipes->err[1], 2);
    if (error_number == 0)
        error_number = posix_spawnp(ret_pid, arguments[0], &actions, NULL,
                                    (char *const *)(uintptr_t)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error_number;
}

/* False: too much, or no memory. */
static bool take_out(struct ca_captured *captured, const char *bytes, size_t byte_count) {
    size_t needed = captured->out_bytes + byte_count + 1;
    char *grown = needed <= CA_CAPTURED_BYTES_MAX ? realloc(captured->out, needed) : NULL;
    if (grown == NULL)
        return false;
    memcpy(grown + captured->out_bytes, bytes, byte_count);
    captured->out = grown;
    captured->out_bytes += byte_count;
    grown[captured->out_bytes] = '\0';
    return true;
}

static void take_err(struct ca_captured *captured, const char *bytes, size_t byte_count) {
    size_t length = strlen(captured->err);
    for (size_t i = 0; i < byte_count && length + 1 < sizeof captured->err; i++)
        captured->err[length++] = (unsigned char)bytes[i] < 0x20 ? ' ' : bytes[i];
    captured->err[length] = '\0';
}

static void trim_err(struct ca_captured *captured) {
    size_t length = strlen(captured->err);
    while (length > 0 && captured->err[length - 1] == ' ')
        captured->err[--length] = '\0';
}

/* Reads both until both have ended. */
static bool drain(struct pipes *pipes, struct ca_captured *captured) {
    char bytes[65536];
    bool is_whole = true;
    while (is_whole && (pipes->out[0] >= 0 || pipes->err[0] >= 0)) {
        struct pollfd polled[2] = {{.fd = pipes->out[0], .events = POLLIN},
                                   {.fd = pipes->err[0], .events = POLLIN}};
        if (poll(polled, 2, -1) < 0 && errno != EINTR)
            return false;
        for (int i = 0; i < 2; i++) {
            if ((polled[i].revents & (POLLIN | POLLHUP | POLLERR)) == 0)
                continue;
            ssize_t got = read(polled[i].fd, bytes, sizeof bytes);
            if (got < 0 && errno == EINTR)
                continue;
            if (got <= 0)
                close_end(i == 0 ? &pipes->out[0] : &pipes->err[0]);
            else if (i == 0)
                is_whole &= take_out(captured, bytes, (size_t)got);
            else
                take_err(captured, bytes, (size_t)got);
        }
    }
    return is_whole;
}

/* Also where SIGCHLD is ignored, and a child's status would be thrown away. */
static enum ca_status run_between(struct ca_captured *captured, const char *const *arguments,
                                  struct pipes *pipes, struct ca_error *err) {
    pid_t pid;
    int error_number = start(arguments, pipes, &pid);
    if (error_number != 0)
        return ca_error_set(err, error_number == ENOENT ? CA_ERROR_PROGRAM_ABSENT : CA_ERROR_SYSTEM,
                            "cannot execute '%s': %s", arguments[0], strerror(error_number));
    close_end(&pipes->out[1]);
    close_end(&pipes->err[1]);
    bool is_whole = drain(pipes, captured);
    close_all(pipes);
    int status;
    pid_t done;
    while ((done = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
        ;
    if (!is_whole || done < 0)
        return ca_error_set(err, CA_ERROR_SYSTEM, "cannot read all that '%s' prints", arguments[0]);
    trim_err(captured);
    captured->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return CA_OK;
}

enum ca_status ca_captured_run(struct ca_captured *ret_captured, const char *const *arguments,
                               struct ca_error *err) {
    *ret_captured = (struct ca_captured){.exit_status = -1, .out = calloc(1, 1)};
    if (ret_captured->out == NULL)
        return ca_error_memory(err);
    struct pipes pipes = {{-1, -1}, {-1, -1}};
    struct sigaction defaults = {.sa_handler = SIG_DFL}, before;
    sigaction(SIGCHLD, &defaults, &before);
    enum ca_status status =
        make_pipe(pipes.out) && make_pipe(pipes.err)
            ? run_between(ret_captured, arguments, &pipes, err)
            : ca_error_set(err, CA_ERROR_SYSTEM, "cannot make a pipe: %s", strerror(errno));
    sigaction(SIGCHLD, &before, NULL);
    close_all(&pipes);
    if (status != CA_OK)
        ca_captured_release(ret_captured);
    return status;
}

void ca_captured_release(struct ca_captured *captured) {
    free(captured->out);
    *captured = (struct ca_captured){.exit_status = -1};
}
