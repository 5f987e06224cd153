/* SPDX-License-Identifier: MIT
 *
 * fork, execve, wait. Signals are waited for instead of handled, so that nothing here runs
 * asynchronously. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "platform/cli_platform.h"
#include "platform/launch_parts.h"

#define KILL_DELAY_NS 2000000000u

extern char **environ;

/* Passed on to the program. */
static const int passed_on[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
/* The terminal sends INT and QUIT to the program as well; a reader of our report that went away, or
 * a limit on files, is an error like any other. */
static const int ignored[] = {SIGINT, SIGQUIT, SIGPIPE, SIGXFSZ};

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

_Static_assert(COUNT_OF(passed_on) + COUNT_OF(ignored) + 1 == CA_SIGNALS_CHANGED, "one for each");

void ca_standard_descriptors_occupy(void) {
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF)
            open("/dev/null", O_RDWR | O_CLOEXEC); /* takes the lowest free number, which is `fd` */
}

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void change(struct ca_signals *signals, int number, void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler};
    signals->changed[signals->changed_count].number = number;
    sigaction(number, &action, &signals->changed[signals->changed_count++].before);
}

/* No signal that is waited for is ignored, because it would not be delivered then, and a child
 * whose SIGCHLD is ignored would be reaped without us. */
void ca_signals_take(struct ca_signals *signals) {
    signals->changed_count = 0;
    sigemptyset(&signals->awaited);
    sigaddset(&signals->awaited, SIGCHLD);
    for (size_t i = 0; i < COUNT_OF(passed_on); i++)
        sigaddset(&signals->awaited, passed_on[i]);
    sigprocmask(SIG_BLOCK, &signals->awaited, &signals->mask_before);
    change(signals, SIGCHLD, ca_launch_on_child);
    for (size_t i = 0; i < COUNT_OF(passed_on); i++)
        change(signals, passed_on[i], SIG_DFL);
    for (size_t i = 0; i < COUNT_OF(ignored); i++)
        change(signals, ignored[i], SIG_IGN);
}

void ca_signals_give_back(const struct ca_signals *signals) {
    for (size_t i = 0; i < signals->changed_count; i++)
        sigaction(signals->changed[i].number, &signals->changed[i].before, NULL);
    sigprocmask(SIG_SETMASK, &signals->mask_before, NULL);
}

static _Noreturn void become_program(const struct ca_launch *launch, int failure_fd) {
    if (launch->ret_pid != NULL)
        __atomic_store_n(launch->ret_pid, (uint32_t)getpid(), __ATOMIC_RELEASE);
    ca_signals_give_back(launch->signals);
    if (launch->is_output_on_stderr)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    execve(launch->path, launch->arguments,
           launch->environment != NULL ? launch->environment : environ);
    int error_number = errno;
    ssize_t written = write(failure_fd, &error_number, sizeof error_number);
    _exit(written == sizeof error_number ? 126 : 125);
}

/* 0 once the program runs, else the errno of its execve. */
static int await_exec(int failure_fd) {
    int error_number = 0;
    ssize_t got;
    do
        got = read(failure_fd, &error_number, sizeof error_number);
    while (got < 0 && errno == EINTR);
    return got == sizeof error_number ? error_number : 0;
}

static enum ca_status explain_exec(const char *path, int error_number, struct ca_error *err) {
    bool is_absent = error_number == ENOENT || error_number == ENOTDIR;
    const char *next_step = "";
    if (error_number == ENOEXEC)
        next_step = "; if it is a script, begin it with '#!' or name its interpreter before it";
    else if (error_number == E2BIG)
        next_step = "; its arguments and environment are too long";
    return ca_error_set(err, is_absent ? CA_ERROR_PROGRAM_ABSENT : CA_ERROR_UNEXECUTABLE,
                        "cannot execute '%s': %s%s", path, strerror(error_number), next_step);
}

/* Waits for the end of `pid`, passing signals on. */
static void await_end(pid_t pid, const sigset_t *awaited, uint64_t timeout_ns,
                      struct ca_outcome *outcome, int *ret_status, struct rusage *ret_usage) {
    uint64_t deadline_ns = timeout_ns != 0 ? now_ns() + timeout_ns : 0;
    int next_signal = SIGTERM;
    while (wait4(pid, ret_status, WNOHANG, ret_usage) != pid) {
        uint64_t now = now_ns();
        uint64_t left_ns = deadline_ns > now ? deadline_ns - now : 0;
        int signal_number =
            ca_launch_await_signal(awaited, deadline_ns == 0 ? CA_LAUNCH_NO_LIMIT : left_ns);
        if (signal_number > 0 && signal_number != SIGCHLD)
            kill(pid, signal_number);
        if (deadline_ns != 0 && now_ns() >= deadline_ns) {
            outcome->is_timed_out = true;
            kill(pid, next_signal);
            kill(pid, SIGCONT);
            deadline_ns = next_signal == SIGTERM ? now_ns() + KILL_DELAY_NS : 0;
            next_signal = SIGKILL;
        }
    }
}

static bool make_pipe(int ends[2]) {
    if (pipe(ends) != 0)
        return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

struct timeval ca_launch_limit(uint64_t limit_ns) {
    uint64_t limit_us = limit_ns / 1000u + (limit_ns % 1000u != 0 || limit_ns == 0);
    return (struct timeval){.tv_sec = (time_t)(limit_us / 1000000u),
                            .tv_usec = (int)(limit_us % 1000000u)};
}

static uint64_t timeval_ns(struct timeval time) {
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

enum ca_status ca_launch_run(const struct ca_launch *launch, struct ca_outcome *ret_outcome,
                             struct ca_error *err) {
    int failure[2];
    if (!make_pipe(failure))
        return ca_error_set(err, CA_ERROR_SYSTEM, "cannot make a pipe: %s", strerror(errno));
    struct ca_outcome outcome = {0};
    uint64_t started_ns = now_ns();
    outcome.pid = fork();
    if (outcome.pid == 0)
        become_program(launch, failure[1]);
    int fork_error = errno;
    close(failure[1]);
    if (outcome.pid < 0) {
        close(failure[0]);
        return ca_error_set(err, CA_ERROR_SYSTEM, "cannot start a process: %s",
                            strerror(fork_error));
    }
    int exec_error = await_exec(failure[0]);
    close(failure[0]);
    int status = 0;
    struct rusage usage = {0};
    await_end(outcome.pid, &launch->signals->awaited, launch->timeout_ns, &outcome, &status,
              &usage);
    outcome.wall_ns = now_ns() - started_ns;
    if (exec_error != 0)
        return explain_exec(launch->path, exec_error, err);
    outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    outcome.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    outcome.user_ns = timeval_ns(usage.ru_utime);
    outcome.system_ns = timeval_ns(usage.ru_stime);
    outcome.max_rss_bytes = (uint64_t)usage.ru_maxrss * ca_launch_rss_unit_bytes;
    *ret_outcome = outcome;
    return CA_OK;
}
