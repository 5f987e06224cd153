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
#include <time.h>
#include <unistd.h>

extern char **environ;

#define NO_LIMIT UINT64_MAX

struct pipes {
    int out[2]; /* reading and writing end; -1: closed */
    int err[2];
    int in[2]; /* closed: there is nothing to read */
};

/* What is still to be written. */
struct input {
    const char *bytes;
    size_t left;
};

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void close_end(int *fd) {
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_all(struct pipes *pipes) {
    for (int end = 0; end < 2; end++) {
        close_end(&pipes->out[end]);
        close_end(&pipes->err[end]);
        close_end(&pipes->in[end]);
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
static int add_descriptors(posix_spawn_file_actions_t *actions, const struct pipes *pipes) {
    int error_number = pipes->in[0] >= 0
                           ? posix_spawn_file_actions_adddup2(actions, pipes->in[0], 0)
                           : posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
    if (error_number == 0)
        error_number = posix_spawn_file_actions_adddup2(actions, pipes->out[1], 1);
    if (error_number == 0)
        error_number = posix_spawn_file_actions_adddup2(actions, pipes->err[1], 2);
    return error_number;
}

/* SIGPIPE, which is ignored here while there is something to write, is not ignored there. 0 or an
 * errno. */
static int add_signals(posix_spawnattr_t *attributes, const struct pipes *pipes) {
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    if (pipes->in[0] < 0)
        return 0;
    int error_number = posix_spawnattr_setsigdefault(attributes, &defaults);
    return error_number != 0 ? error_number
                             : posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF);
}

/* 0 or an errno. */
static int start(const char *const *arguments, const struct pipes *pipes, pid_t *ret_pid) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error_number = posix_spawn_file_actions_init(&actions);
    if (error_number != 0)
        return error_number;
    error_number = posix_spawnattr_init(&attributes);
    if (error_number == 0) {
        error_number = add_descriptors(&actions, pipes);
        if (error_number == 0)
            error_number = add_signals(&attributes, pipes);
        if (error_number == 0)
            error_number = posix_spawnp(ret_pid, arguments[0], &actions, &attributes,
                                        (char *const *)(uintptr_t)arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
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

/* Reads what is there from `fd`, the pipe of `captured->out` or of its `err`. */
static bool take(int *fd, bool is_out, struct ca_captured *captured) {
    char bytes[65536];
    ssize_t got = read(*fd, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR)
        return true;
    if (got <= 0)
        close_end(fd);
    else if (is_out)
        return take_out(captured, bytes, (size_t)got);
    else
        take_err(captured, bytes, (size_t)got);
    return true;
}

/* Closes the pipe when all is written, or nobody reads on. */
static void give(int *fd, struct input *input) {
    ssize_t put = write(*fd, input->bytes, input->left);
    if (put > 0) {
        input->bytes += put;
        input->left -= (size_t)put;
    }
    if (input->left == 0 || (put < 0 && errno != EINTR && errno != EAGAIN))
        close_end(fd);
}

/* For poll: rounded up, because 0 would not wait. */
static int milliseconds_until(uint64_t deadline_ns) {
    uint64_t now = now_ns();
    if (deadline_ns == NO_LIMIT)
        return -1;
    uint64_t left = deadline_ns > now ? (deadline_ns - now + 999999u) / 1000000u : 0;
    return left > INT32_MAX ? INT32_MAX : (int)left;
}

/* Reads both until both have ended, and writes in between. */
static bool drain(struct pipes *pipes, struct input *input, uint64_t deadline_ns,
                  struct ca_captured *captured) {
    bool is_whole = true;
    while (is_whole && (pipes->out[0] >= 0 || pipes->err[0] >= 0)) {
        struct pollfd polled[3] = {{.fd = pipes->out[0], .events = POLLIN},
                                   {.fd = pipes->err[0], .events = POLLIN},
                                   {.fd = pipes->in[1], .events = POLLOUT}};
        int ready = poll(polled, 3, milliseconds_until(deadline_ns));
        if (ready < 0 && errno != EINTR)
            return false;
        if (ready <= 0 && deadline_ns != NO_LIMIT && now_ns() >= deadline_ns) {
            captured->is_late = true;
            return true;
        }
        for (int i = 0; ready > 0 && i < 3; i++) {
            if (polled[i].revents == 0)
                continue;
            if (i == 2)
                give(&pipes->in[1], input);
            else
                is_whole &= take(i == 0 ? &pipes->out[0] : &pipes->err[0], i == 0, captured);
        }
    }
    return is_whole;
}

/* Kills it when its time is up. As waitpid. */
static pid_t await_end(pid_t pid, uint64_t deadline_ns, struct ca_captured *captured,
                       int *ret_status) {
    for (;;) {
        bool is_limited = deadline_ns != NO_LIMIT && !captured->is_late;
        pid_t done = waitpid(pid, ret_status, is_limited ? WNOHANG : 0);
        if (done > 0 || (done < 0 && errno != EINTR))
            return done;
        if (is_limited && now_ns() >= deadline_ns) {
            captured->is_late = true;
            kill(pid, SIGKILL);
        } else if (is_limited)
            poll(NULL, 0, 2);
    }
}

/* Also where SIGCHLD is ignored, and a child's status would be thrown away. */
static enum ca_status run_between(struct ca_captured *captured, const char *const *arguments,
                                  struct pipes *pipes, struct input *input, uint64_t deadline_ns,
                                  struct ca_error *err) {
    pid_t pid;
    int error_number = start(arguments, pipes, &pid);
    if (error_number != 0)
        return ca_error_set(err, error_number == ENOENT ? CA_ERROR_PROGRAM_ABSENT : CA_ERROR_SYSTEM,
                            "cannot execute '%s': %s", arguments[0], strerror(error_number));
    close_end(&pipes->out[1]);
    close_end(&pipes->err[1]);
    close_end(&pipes->in[0]);
    bool is_whole = drain(pipes, input, deadline_ns, captured);
    close_all(pipes);
    if (captured->is_late)
        kill(pid, SIGKILL);
    int status;
    pid_t done = await_end(pid, deadline_ns, captured, &status);
    if (!is_whole || done < 0)
        return ca_error_set(err, CA_ERROR_SYSTEM, "cannot read all that '%s' prints", arguments[0]);
    trim_err(captured);
    captured->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return CA_OK;
}

static bool make_pipes(struct pipes *pipes, bool has_input) {
    if (!make_pipe(pipes->out) || !make_pipe(pipes->err))
        return false;
    if (!has_input)
        return true;
    return make_pipe(pipes->in) && fcntl(pipes->in[1], F_SETFL, O_NONBLOCK) == 0;
}

static enum ca_status run(struct ca_captured *ret_captured, const char *const *arguments,
                          struct input *input, uint64_t deadline_ns, struct ca_error *err) {
    *ret_captured = (struct ca_captured){.exit_status = -1, .out = calloc(1, 1)};
    if (ret_captured->out == NULL)
        return ca_error_memory(err);
    struct pipes pipes = {{-1, -1}, {-1, -1}, {-1, -1}};
    struct sigaction defaults = {.sa_handler = SIG_DFL}, before;
    sigaction(SIGCHLD, &defaults, &before);
    enum ca_status status =
        make_pipes(&pipes, input->left > 0)
            ? run_between(ret_captured, arguments, &pipes, input, deadline_ns, err)
            : ca_error_set(err, CA_ERROR_SYSTEM, "cannot make a pipe: %s", strerror(errno));
    sigaction(SIGCHLD, &before, NULL);
    close_all(&pipes);
    if (status != CA_OK)
        ca_captured_release(ret_captured);
    return status;
}

enum ca_status ca_captured_run(struct ca_captured *ret_captured, const char *const *arguments,
                               struct ca_error *err) {
    struct input nothing = {0};
    return run(ret_captured, arguments, &nothing, NO_LIMIT, err);
}

enum ca_status ca_captured_ask(struct ca_captured *ret_captured, const char *const *arguments,
                               const char *input, size_t input_bytes, uint64_t limit_ns,
                               struct ca_error *err) {
    struct input left = {input, input_bytes};
    struct sigaction ignored = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignored, &before);
    enum ca_status status = run(ret_captured, arguments, &left, now_ns() + limit_ns, err);
    sigaction(SIGPIPE, &before, NULL);
    return status;
}

void ca_captured_release(struct ca_captured *captured) {
    free(captured->out);
    *captured = (struct ca_captured){.exit_status = -1};
}
