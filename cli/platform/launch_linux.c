/* SPDX-License-Identifier: MIT
 *
 * fork, execve, wait. Signals are taken with sigtimedwait instead of handlers, so that nothing here
 * runs asynchronously. */
#ifndef __linux__
#error "Linux only"
#endif

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

#define KILL_DELAY_NS 2000000000u

extern char **environ;

static const int passed_on[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
/* The terminal sends INT and QUIT to the program as well; a reader of our report that went away is
 * no reason to die. */
static const int ignored[] = {SIGINT, SIGQUIT, SIGPIPE};

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

struct kept_signals {
    sigset_t mask;
    struct sigaction passed_on[COUNT_OF(passed_on)];
    struct sigaction ignored[COUNT_OF(ignored)];
    struct sigaction child;
};

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

/* Blocks what the parent waits for. Default dispositions, because an ignored signal would not be
 * delivered to sigtimedwait, and a child whose SIGCHLD is ignored would be reaped without us. */
static void take_signals(struct kept_signals *kept, sigset_t *ret_awaited) {
    struct sigaction by_default = {.sa_handler = SIG_DFL};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(ret_awaited);
    sigaddset(ret_awaited, SIGCHLD);
    for (size_t i = 0; i < COUNT_OF(passed_on); i++)
        sigaddset(ret_awaited, passed_on[i]);
    sigprocmask(SIG_BLOCK, ret_awaited, &kept->mask);
    sigaction(SIGCHLD, &by_default, &kept->child);
    for (size_t i = 0; i < COUNT_OF(passed_on); i++)
        sigaction(passed_on[i], &by_default, &kept->passed_on[i]);
    for (size_t i = 0; i < COUNT_OF(ignored); i++)
        sigaction(ignored[i], &ignore, &kept->ignored[i]);
}

static void give_back_signals(const struct kept_signals *kept) {
    sigaction(SIGCHLD, &kept->child, NULL);
    for (size_t i = 0; i < COUNT_OF(passed_on); i++)
        sigaction(passed_on[i], &kept->passed_on[i], NULL);
    for (size_t i = 0; i < COUNT_OF(ignored); i++)
        sigaction(ignored[i], &kept->ignored[i], NULL);
    sigprocmask(SIG_SETMASK, &kept->mask, NULL);
}

static _Noreturn void become_program(const struct ca_launch *launch,
                                     const struct kept_signals *kept, int failure_fd) {
    if (launch->ret_pid != NULL)
        __atomic_store_n(launch->ret_pid, (uint32_t)getpid(), __ATOMIC_RELEASE);
    give_back_signals(kept);
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
        siginfo_t info = {0};
        int signal_number;
        if (deadline_ns == 0) {
            signal_number = sigwaitinfo(awaited, &info);
        } else {
            uint64_t now = now_ns();
            uint64_t left_ns = deadline_ns > now ? deadline_ns - now : 0;
            struct timespec left = {.tv_sec = (time_t)(left_ns / 1000000000u),
                                    .tv_nsec = (long)(left_ns % 1000000000u)};
            signal_number = sigtimedwait(awaited, &info, &left);
        }
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

static uint64_t timeval_ns(struct timeval time) {
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

enum ca_status ca_launch_run(const struct ca_launch *launch, struct ca_outcome *ret_outcome,
                             struct ca_error *err) {
    int failure[2];
    if (pipe2(failure, O_CLOEXEC) != 0)
        return ca_error_set(err, CA_ERROR_SYSTEM, "cannot make a pipe: %s", strerror(errno));
    struct kept_signals kept;
    sigset_t awaited;
    take_signals(&kept, &awaited);
    struct ca_outcome outcome = {0};
    uint64_t started_ns = now_ns();
    outcome.pid = fork();
    if (outcome.pid == 0)
        become_program(launch, &kept, failure[1]);
    int fork_error = errno;
    close(failure[1]);
    if (outcome.pid < 0) {
        close(failure[0]);
        give_back_signals(&kept);
        return ca_error_set(err, CA_ERROR_SYSTEM, "cannot start a process: %s",
                            strerror(fork_error));
    }
    int exec_error = await_exec(failure[0]);
    close(failure[0]);
    int status = 0;
    struct rusage usage = {0};
    await_end(outcome.pid, &awaited, launch->timeout_ns, &outcome, &status, &usage);
    outcome.wall_ns = now_ns() - started_ns;
    if (exec_error != 0) {
        give_back_signals(&kept);
        return explain_exec(launch->path, exec_error, err);
    }
    outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    outcome.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    outcome.user_ns = timeval_ns(usage.ru_utime);
    outcome.system_ns = timeval_ns(usage.ru_stime);
    outcome.max_rss_bytes = (uint64_t)usage.ru_maxrss * 1024u;
    *ret_outcome = outcome;
    return CA_OK;
}
