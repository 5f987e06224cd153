/* SPDX-License-Identifier: MIT */
#include "symbols/download_limit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_PER_SECOND 1000000000u

enum {
    URLS,
    TIMEOUT, /* seconds without 100 KB more */
    MAXTIME, /* seconds for a file */
    RETRIES
};

static const char *const variables[CA_DOWNLOAD_VARIABLES] = {
    [URLS] = "DEBUGINFOD_URLS",
    [TIMEOUT] = "DEBUGINFOD_TIMEOUT",
    [MAXTIME] = "DEBUGINFOD_MAXTIME",
    [RETRIES] = "DEBUGINFOD_RETRY_LIMIT",
};

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

/* The user's own limit, where it is the shorter one; 0 is none. */
static void set_seconds(const struct ca_download_limit *limit, int variable, uint64_t seconds) {
    const char *saved = limit->saved[variable];
    uint64_t own = saved == NULL ? 0 : strtoull(saved, NULL, 10);
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, own != 0 && own < seconds ? own : seconds);
    setenv(variables[variable], text, 1);
}

void ca_download_limit_init(struct ca_download_limit *limit, bool is_off, uint32_t limit_seconds) {
    *limit = (struct ca_download_limit){
        .limit_seconds = limit_seconds,
        .left_ns = (uint64_t)limit_seconds * NS_PER_SECOND,
    };
    for (int i = 0; i < CA_DOWNLOAD_VARIABLES; i++) {
        const char *value = getenv(variables[i]);
        limit->saved[i] = value == NULL ? NULL : strdup(value);
    }
    const char *urls = getenv(variables[URLS]);
    limit->is_on = !is_off && urls != NULL && urls[0] != '\0';
    /* A copy that found no memory could not be put back: then nothing is touched. */
    if (limit->is_on && limit->saved[URLS] == NULL)
        limit->is_on = false;
    if (!limit->is_on)
        unsetenv(variables[URLS]);
    else if (limit->saved[RETRIES] == NULL)
        setenv(variables[RETRIES], "0", 1);
}

void ca_download_limit_release(struct ca_download_limit *limit) {
    for (int i = 0; i < CA_DOWNLOAD_VARIABLES; i++) {
        if (limit->saved[i] != NULL)
            setenv(variables[i], limit->saved[i], 1);
        else
            unsetenv(variables[i]);
        free(limit->saved[i]);
        limit->saved[i] = NULL;
    }
}

void ca_download_limit_begin(struct ca_download_limit *limit) {
    limit->begin_ns = now_ns();
    if (!limit->is_on || limit->is_used_up)
        return;
    uint64_t seconds = (limit->left_ns + NS_PER_SECOND - 1) / NS_PER_SECOND;
    set_seconds(limit, TIMEOUT, seconds);
    set_seconds(limit, MAXTIME, seconds);
}

void ca_download_limit_end(struct ca_download_limit *limit) {
    if (!limit->is_on || limit->is_used_up)
        return;
    uint64_t spent_ns = now_ns() - limit->begin_ns;
    limit->left_ns = spent_ns < limit->left_ns ? limit->left_ns - spent_ns : 0;
    /* Less than half a second is no time for a file: the client knows whole seconds only. */
    if (limit->left_ns > NS_PER_SECOND / 2)
        return;
    limit->is_used_up = true;
    unsetenv(variables[URLS]);
}
