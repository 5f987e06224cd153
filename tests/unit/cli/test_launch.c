/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "platform/cli_platform.h"

static struct ca_outcome outcome;
static struct ca_error err;
static struct ca_signals signals;

static void init(void) {
    ca_signals_take(&signals);
}

TestSuite(launch, .init = init);

static enum ca_status shell(const char *script, uint64_t timeout_ns) {
    char *arguments[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c",
                         (char *)(uintptr_t)script, NULL};
    struct ca_launch launch = {
        .signals = &signals, .path = "/bin/sh", .arguments = arguments, .timeout_ns = timeout_ns};
    return ca_launch_run(&launch, &outcome, &err);
}

Test(launch, exit_status_comes_back) {
    cr_assert_eq(shell("exit 42", 0), CA_OK);
    cr_assert_eq(outcome.exit_status, 42);
    cr_assert_eq(outcome.signal, 0);
    cr_assert_gt(outcome.wall_ns, 0);
    cr_assert_gt(outcome.max_rss_bytes, 0);
}

Test(launch, signal_comes_back) {
    cr_assert_eq(shell("kill -9 $$", 0), CA_OK);
    cr_assert_eq(outcome.signal, SIGKILL);
}

Test(launch, pid_is_known_to_the_child_before_it_executes) {
    uint32_t pid = 0; /* not shared: the child writes into its copy */
    char *arguments[] = {(char *)(uintptr_t) "true", NULL};
    struct ca_launch launch = {
        .signals = &signals, .path = "/bin/true", .arguments = arguments, .ret_pid = &pid};
    cr_assert_eq(ca_launch_run(&launch, &outcome, &err), CA_OK);
    cr_assert_eq(pid, 0);
    cr_assert_gt(outcome.pid, 0);
}

Test(launch, failures_to_execute_are_told_apart) {
    char *arguments[] = {(char *)(uintptr_t) "x", NULL};
    struct ca_launch launch = {.signals = &signals, .path = "/nowhere/x", .arguments = arguments};
    cr_assert_eq(ca_launch_run(&launch, &outcome, &err), CA_ERROR_PROGRAM_ABSENT);
    launch.path = "/";
    cr_assert_eq(ca_launch_run(&launch, &outcome, &err), CA_ERROR_UNEXECUTABLE);
}

Test(launch, timeout_ends_it) {
    cr_assert_eq(shell("exec sleep 30", 100000000u), CA_OK);
    cr_assert(outcome.is_timed_out);
    cr_assert_eq(outcome.signal, SIGTERM);
}

Test(launch, timeout_ends_one_that_ignores_it) {
    cr_assert_eq(shell("trap '' TERM; while :; do sleep 0.1; done", 100000000u), CA_OK);
    cr_assert(outcome.is_timed_out);
    cr_assert_eq(outcome.signal, SIGKILL);
}

Test(launch, termination_is_passed_on) {
    /* The child sends it to us; it must come back. */
    cr_assert_eq(shell("trap 'exit 7' TERM; kill -TERM $PPID; while :; do sleep 0.1; done", 0),
                 CA_OK);
    cr_assert_eq(outcome.exit_status, 7);
}

Test(launch, interrupt_is_left_to_the_program) {
    cr_assert_eq(shell("kill -INT $PPID; kill -QUIT $PPID; exit 3", 0), CA_OK);
    cr_assert_eq(outcome.exit_status, 3);
}

#if defined(__linux__) /* macOS shows a process's signals to nobody */
/* No shell between: it has signals of its own. */
static bool status_matches(const char *pattern) {
    char *arguments[] = {"grep", "-q", (char *)(uintptr_t)pattern, "/proc/self/status", NULL};
    struct ca_launch launch = {.signals = &signals, .path = "/bin/grep", .arguments = arguments};
    cr_assert_eq(ca_launch_run(&launch, &outcome, &err), CA_OK, "%s", err.message);
    return outcome.exit_status == 0;
}

Test(launch, program_finds_signals_as_they_were) {
    sigset_t mask;
    ca_signals_give_back(&signals);
    sigemptyset(&mask);
    sigaddset(&mask, SIGWINCH);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    for (int number = 1; number < 32; number++)
        signal(number, SIG_DFL);
    signal(SIGHUP, SIG_IGN);
    signal(SIGCHLD, SIG_IGN);
    ca_signals_take(&signals);
    /* SIGWINCH is 28, SIGHUP 1, SIGCHLD 17; glibc may have left its own, 32 and 33, ignored. */
    cr_assert(status_matches("^SigBlk:.0000000008000000$"));
    cr_assert(status_matches("^SigIgn:.0000000[01][08]0010001$"));
}
#endif

Test(launch, closed_descriptors_stay_closed_for_the_program) {
    close(0);
    ca_standard_descriptors_occupy();
    cr_assert_neq(fcntl(0, F_GETFD), -1);
    cr_assert_eq(shell("if [ -e /dev/fd/0 ]; then exit 1; fi", 0), CA_OK);
    cr_assert_eq(outcome.exit_status, 0);
}
