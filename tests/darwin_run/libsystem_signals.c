/* SPDX-License-Identifier: MIT
 *
 * Signals and children: numbers, sets and actions differ, and so does who died of what. A handler is
 * given Linux' number. */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "darwin_abi.h"
#include "libsystem.h"

#define BYTES_OF_KIB 1024 /* ru_maxrss is in bytes there */

/* By macOS's number; 0: Linux has none. */
static const int linux_signals[] = {
    0,       SIGHUP,  SIGINT,    SIGQUIT, SIGILL,   SIGTRAP, SIGABRT, 0,
    SIGFPE,  SIGKILL, SIGBUS,    SIGSEGV, SIGSYS,   SIGPIPE, SIGALRM, SIGTERM,
    SIGURG,  SIGSTOP, SIGTSTP,   SIGCONT, SIGCHLD,  SIGTTIN, SIGTTOU, SIGIO,
    SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF, SIGWINCH, 0,       SIGUSR1, SIGUSR2,
};

#define SIGNALS (int)(sizeof linux_signals / sizeof linux_signals[0])

_Static_assert(sizeof linux_signals / sizeof linux_signals[0] == DARWIN_NSIG, "all of them");

static int to_linux(int number) {
    if (number < 0 || number >= SIGNALS || (number > 0 && linux_signals[number] == 0))
        ca_darwin_die("a signal", " that Linux does not have");
    return linux_signals[number];
}

static int to_darwin(int number) {
    for (int i = 1; i < SIGNALS; i++)
        if (linux_signals[i] == number)
            return i;
    ca_darwin_die("a signal that macOS does not have: ", strsignal(number));
}

/* ---- sets: a bit for each, the lowest for 1 ---- */

static sigset_t set_to_linux(uint32_t set) {
    sigset_t translated;
    sigemptyset(&translated);
    for (int i = 1; i < SIGNALS; i++)
        if ((set >> (i - 1) & 1) != 0 && linux_signals[i] != 0)
            sigaddset(&translated, linux_signals[i]);
    return translated;
}

static uint32_t set_to_darwin(const sigset_t *set) {
    uint32_t translated = 0;
    for (int i = 1; i < SIGNALS; i++)
        if (linux_signals[i] != 0 && sigismember(set, linux_signals[i]) == 1)
            translated |= 1u << (i - 1);
    return translated;
}

static int mac_sigprocmask(int how, const uint32_t *set, uint32_t *ret_before) {
    static const int ways[] = {[DARWIN_SIG_BLOCK] = SIG_BLOCK,
                               [DARWIN_SIG_UNBLOCK] = SIG_UNBLOCK,
                               [DARWIN_SIG_SETMASK] = SIG_SETMASK};
    if (set != NULL && (how < DARWIN_SIG_BLOCK || how > DARWIN_SIG_SETMASK))
        ca_darwin_die("sigprocmask", ": a way that is not known here");
    sigset_t wanted = set_to_linux(set != NULL ? *set : 0), before;
    int status = sigprocmask(set != NULL ? ways[how] : SIG_BLOCK, &wanted, &before);
    if (ret_before != NULL)
        *ret_before = set_to_darwin(&before);
    return (int)ca_darwin_settle(status);
}

static int mac_sigpending(uint32_t *ret_set) {
    sigset_t set;
    int status = sigpending(&set);
    *ret_set = set_to_darwin(&set);
    return (int)ca_darwin_settle(status);
}

static int mac_sigwait(const uint32_t *set, int *ret_number) {
    sigset_t awaited = set_to_linux(*set);
    int number;
    int status = sigwait(&awaited, &number);
    if (status == 0)
        *ret_number = to_darwin(number);
    return ca_darwin_error(status);
}

static int mac_sigaction(int number, const struct darwin_sigaction *action,
                         struct darwin_sigaction *ret_before) {
    struct sigaction wanted = {0}, before;
    if (action != NULL) {
        if (action->flags != 0)
            ca_darwin_die("sigaction", ": a flag that is not known here");
        wanted.sa_mask = set_to_linux(action->mask);
        memcpy(&wanted.sa_handler, &action->handler, sizeof wanted.sa_handler);
    }
    int status = sigaction(to_linux(number), action != NULL ? &wanted : NULL, &before);
    if (ret_before != NULL) {
        *ret_before = (struct darwin_sigaction){.mask = set_to_darwin(&before.sa_mask)};
        memcpy(&ret_before->handler, &before.sa_handler, sizeof before.sa_handler);
    }
    return (int)ca_darwin_settle(status);
}

static int mac_kill(pid_t pid, int number) {
    return (int)ca_darwin_settle(kill(pid, to_linux(number)));
}

static char *mac_strsignal(int number) {
    return strsignal(to_linux(number));
}

static int mac_setitimer(int which, const struct itimerval *timer, struct itimerval *ret_before) {
    if (which != ITIMER_REAL || ret_before != NULL) /* the same number */
        ca_darwin_die("setitimer", ": a timer that is not known here");
    struct itimerval wanted = *timer; /* microseconds are an int there, and padding */
    wanted.it_value.tv_usec = (int32_t)wanted.it_value.tv_usec;
    wanted.it_interval.tv_usec = (int32_t)wanted.it_interval.tv_usec;
    return (int)ca_darwin_settle(setitimer(ITIMER_REAL, &wanted, NULL));
}

/* ---- children ---- */

static int status_to_darwin(int status) {
    return WIFSIGNALED(status) ? (status & ~0x7f) | to_darwin(WTERMSIG(status)) : status;
}

static pid_t mac_waitpid(pid_t pid, int *ret_status, int options) {
    int status = 0;
    pid_t found = waitpid(pid, &status, options); /* WNOHANG is the same */
    if (found > 0 && ret_status != NULL)
        *ret_status = status_to_darwin(status);
    return (pid_t)ca_darwin_settle(found);
}

static pid_t mac_wait4(pid_t pid, int *ret_status, int options, struct rusage *ret_usage) {
    int status = 0;
    pid_t found = wait4(pid, &status, options, ret_usage); /* its members are the same */
    if (found > 0 && ret_status != NULL)
        *ret_status = status_to_darwin(status);
    if (found > 0 && ret_usage != NULL)
        ret_usage->ru_maxrss *= BYTES_OF_KIB;
    return (pid_t)ca_darwin_settle(found);
}

const struct ca_darwin_export ca_libsystem_signals[] = {
    CA_DARWIN_HAS(sigprocmask), CA_DARWIN_HAS(sigpending),
    CA_DARWIN_HAS(sigwait),     CA_DARWIN_HAS(sigaction),
    CA_DARWIN_HAS(kill),        CA_DARWIN_HAS(strsignal),
    CA_DARWIN_HAS(setitimer),   CA_DARWIN_HAS(waitpid),
    CA_DARWIN_HAS(wait4),       CA_DARWIN_END,
};
