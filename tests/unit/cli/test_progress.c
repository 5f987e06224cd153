/* SPDX-License-Identifier: MIT */
#include "base/progress.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

/* A terminal's two ends: what is written to `terminal` is read from `keyboard`. */
struct ends {
    int keyboard;
    int terminal;
};

static struct ends open_terminal(void) {
    struct ends ends = {.keyboard = posix_openpt(O_RDWR | O_NOCTTY)};
    struct termios raw;
    cr_assert(ends.keyboard >= 0 && grantpt(ends.keyboard) == 0 && unlockpt(ends.keyboard) == 0);
    ends.terminal = open(ptsname(ends.keyboard), O_RDWR | O_NOCTTY);
    cr_assert(ends.terminal >= 0 && tcgetattr(ends.terminal, &raw) == 0);
    raw.c_oflag &= ~(tcflag_t)OPOST;
    cr_assert_eq(tcsetattr(ends.terminal, TCSANOW, &raw), 0);
    setenv("TERM", "xterm", 1);
    return ends;
}

/* All that was written, and a "." to see the end by. */
static void written_to(const struct ends *ends, char *ret_text, size_t size_bytes) {
    size_t length = 0;
    cr_assert_eq(write(ends->terminal, ".", 1), 1);
    do {
        ssize_t got = read(ends->keyboard, ret_text + length, size_bytes - 1 - length);
        cr_assert_gt(got, 0);
        length += (size_t)got;
    } while (ret_text[length - 1] != '.' && length + 1 < size_bytes);
    ret_text[length] = '\0';
}

Test(progress, a_terminal_sees_a_bar_that_is_taken_away) {
    struct ends ends = open_terminal();
    struct ca_progress progress;
    char text[512];
    ca_progress_init(&progress, ends.terminal, "symbols");
    progress.next_ns = 0; /* as if it had begun long ago */
    ca_progress_show(&progress, 3, 6);
    ca_progress_show(&progress, 4, 6); /* too soon after the other */
    ca_progress_release(&progress);
    written_to(&ends, text, sizeof text);
    cr_assert_str_eq(text, "\r\033[Ksymbols [###############...............] 3 of 6\r\033[K.");
}

Test(progress, a_bar_is_full_at_the_end_and_has_no_bounds_to_leave) {
    struct ends ends = open_terminal();
    struct ca_progress progress;
    char text[512];
    ca_progress_init(&progress, ends.terminal, "x");
    progress.next_ns = 0;
    ca_progress_show(&progress, 1, 0);
    ca_progress_show(&progress, 9, 6);
    written_to(&ends, text, sizeof text);
    cr_assert_str_eq(text, "\r\033[Kx [##############################] 9 of 6.");
}

Test(progress, work_that_is_soon_done_says_nothing) {
    struct ends ends = open_terminal();
    struct ca_progress progress;
    char text[16];
    ca_progress_init(&progress, ends.terminal, "symbols");
    progress.next_ns += 3600000000000; /* on a machine however slow */
    ca_progress_show(&progress, 3, 6);
    ca_progress_release(&progress);
    written_to(&ends, text, sizeof text);
    cr_assert_str_eq(text, ".");
}

Test(progress, what_is_no_terminal_sees_nothing) {
    int ends[2];
    char byte;
    struct ca_progress progress;
    cr_assert_eq(pipe(ends), 0);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    setenv("TERM", "xterm", 1);
    ca_progress_init(&progress, ends[1], "symbols");
    progress.next_ns = 0;
    ca_progress_show(&progress, 3, 6);
    ca_progress_release(&progress);
    cr_assert_eq(read(ends[0], &byte, 1), -1);
}

Test(progress, a_terminal_that_cannot_go_back_sees_nothing) {
    struct ends ends = open_terminal();
    struct ca_progress progress;
    char text[16];
    setenv("TERM", "dumb", 1);
    ca_progress_init(&progress, ends.terminal, "symbols");
    progress.next_ns = 0;
    ca_progress_show(&progress, 3, 6);
    written_to(&ends, text, sizeof text);
    cr_assert_str_eq(text, ".");
}
