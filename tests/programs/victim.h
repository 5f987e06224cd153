/* SPDX-License-Identifier: MIT
 *
 * What victims share. Nothing here allocates. */
#ifndef CA_VICTIM_H
#define CA_VICTIM_H

#include <countalloc/phase.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A claim about what the program sees. One that does not hold ends the victim with status 99 and
 * says where. */
#define CHECK(claim) ((claim) ? (void)0 : victim_fail(__FILE__ ": " #claim "\n"))

static inline void victim_write(int fd, const char *text) {
    ssize_t written = write(fd, text, strlen(text));
    (void)written;
}

static inline void victim_fail(const char *text) {
    victim_write(2, text);
    _exit(99);
}

/* The digits of `number`, written to end at `end`. Returns where they begin. */
static inline char *victim_digits(char *end, int64_t number) {
    uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
    do {
        *--end = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    if (number < 0)
        *--end = '-';
    return end;
}

static inline void victim_write_number(int64_t number) {
    char digits[24];
    char *end = digits + sizeof digits - 1;
    *end = '\0';
    victim_write(1, victim_digits(end, number));
}

/* Says "WORD=NUMBER" on standard output, for the expectation's @WORD. */
static inline void say(const char *word, int64_t number) {
    char line[128];
    char *end = line + sizeof line - 2;
    memcpy(end, "\n", 2);
    char *at = victim_digits(end, number);
    *--at = '=';
    at -= strlen(word);
    memcpy(at, word, strlen(word));
    victim_write(1, at);
}

/* Says "histogram=UPPER:COUNT,..." of the classes that have any: `upper`, `counted`: class_count
 * elements, smallest first. */
static inline void victim_say_histogram(const uint64_t *upper, const uint64_t *counted,
                                        int class_count) {
    const char *before = "histogram=";
    for (int i = 0; i < class_count; i++) {
        if (counted[i] == 0)
            continue;
        victim_write(1, before);
        victim_write_number((int64_t)upper[i]);
        victim_write(1, ":");
        victim_write_number((int64_t)counted[i]);
        before = ",";
    }
    victim_write(1, "\n");
}

static inline int is_aligned(const void *block, size_t alignment) {
    return block != NULL && (uintptr_t)block % alignment == 0;
}

/* Waits for a child that must have ended with `status`. */
static inline void expect_child(pid_t child, int status) {
    int seen;
    CHECK(child > 0);
    CHECK(waitpid(child, &seen, 0) == child);
    CHECK(WIFEXITED(seen) && WEXITSTATUS(seen) == status);
}

#endif
