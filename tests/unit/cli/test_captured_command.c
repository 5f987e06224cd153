/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/captured_command.h"

static struct ca_captured captured;
static struct ca_error err;

#define RUN(...) ca_captured_run(&captured, (const char *const[]){__VA_ARGS__, NULL}, &err)

static void end(void) {
    ca_captured_release(&captured);
}

TestSuite(captured_command, .fini = end);

Test(captured_command, output_and_status_are_kept) {
    cr_assert_eq(RUN("sh", "-c", "printf 'a\\0b'; echo one >&2; echo two >&2; exit 7"), CA_OK);
    cr_assert_eq(captured.exit_status, 7);
    cr_assert_eq(captured.out_bytes, 3);
    cr_assert_eq(memcmp(captured.out, "a\0b", 4), 0);
    cr_assert_str_eq(captured.err, "one two");
}

Test(captured_command, no_shell_sees_the_arguments) {
    cr_assert_eq(RUN("printf", "%s", "$(id); *"), CA_OK);
    cr_assert_str_eq(captured.out, "$(id); *");
}

Test(captured_command, there_is_nothing_to_read) {
    cr_assert_eq(RUN("cat"), CA_OK);
    cr_assert_eq(captured.out_bytes, 0);
}

Test(captured_command, much_output_on_both_does_not_block) {
    cr_assert_eq(RUN("sh", "-c", "head -c 1000000 /dev/zero >&2; head -c 3000000 /dev/zero"),
                 CA_OK);
    cr_assert_eq(captured.out_bytes, 3000000);
}

Test(captured_command, too_much_output_is_an_error) {
    cr_assert_eq(RUN("sh", "-c", "head -c 20000000 /dev/zero"), CA_ERROR_SYSTEM);
}

Test(captured_command, an_absent_program_is_told_from_one_that_failed) {
    cr_assert_eq(RUN("no-such-program-here"), CA_ERROR_PROGRAM_ABSENT);
    cr_assert_str_eq(err.message,
                     "cannot execute 'no-such-program-here': No such file or directory");
    cr_assert_eq(RUN("sh", "-c", "kill -9 $$"), CA_OK);
    cr_assert_eq(captured.exit_status, -1);
}

Test(captured_command, an_ignored_SIGCHLD_loses_no_status) {
    signal(SIGCHLD, SIG_IGN);
    cr_assert_eq(RUN("sh", "-c", "exit 5"), CA_OK);
    cr_assert_eq(captured.exit_status, 5);
}

/* ---- with something to read ---- */

#define MINUTE_NS 60000000000u

static enum ca_status ask(const char *commands, size_t input_bytes, uint64_t limit_ns) {
    char *input = malloc(input_bytes);
    memset(input, 'x', input_bytes);
    enum ca_status status =
        ca_captured_ask(&captured, (const char *const[]){"sh", "-c", commands, NULL}, input,
                        input_bytes, limit_ns, &err);
    free(input);
    return status;
}

Test(captured_command, much_to_read_and_much_output_do_not_wait_for_each_other) {
    cr_assert_eq(ask("cat", 3000000, MINUTE_NS), CA_OK);
    cr_assert_eq(captured.out_bytes, 3000000);
    cr_assert_eq(captured.out[2999999], 'x');
    cr_assert_eq(captured.exit_status, 0);
    cr_assert_not(captured.is_late);
}

Test(captured_command, what_is_not_read_is_left) {
    cr_assert_eq(ask("head -c 5; exit 3", 3000000, MINUTE_NS), CA_OK);
    cr_assert_str_eq(captured.out, "xxxxx");
    cr_assert_eq(captured.exit_status, 3);
}

Test(captured_command, a_signal_of_a_broken_pipe_is_ignored_here_only) {
    cr_assert_eq(ask("kill -PIPE $$; exit 4", 1, MINUTE_NS), CA_OK);
    cr_assert_eq(captured.exit_status, -1);
    struct sigaction now;
    sigaction(SIGPIPE, NULL, &now);
    cr_assert_eq(now.sa_handler, SIG_DFL);
}

Test(captured_command, one_that_takes_too_long_is_killed) {
    cr_assert_eq(ask("exec sleep 1000", 1, 1000000), CA_OK);
    cr_assert(captured.is_late);
    cr_assert_eq(captured.exit_status, -1);
}

Test(captured_command, so_is_one_that_has_closed_its_output) {
    cr_assert_eq(ask("exec >&- 2>&-; exec sleep 1000", 1, 300000000), CA_OK);
    cr_assert(captured.is_late);
    cr_assert_eq(captured.exit_status, -1);
}
