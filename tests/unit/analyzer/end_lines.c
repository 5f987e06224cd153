/* SPDX-License-Identifier: MIT */
#include "end_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random_log.h"

struct end_line usual_end_line(void) {
    return (struct end_line){.ts = "2026-11-03T00:00:00Z",
                             .level = "INFO",
                             .route = "/v1/score",
                             .model = "mistral-7b",
                             .user = "u02786",
                             .tokens = "517",
                             .latency = "148",
                             .status = "200",
                             .end = "\n"};
}

size_t put_end_line(char *bytes, const struct end_line *line) {
    const int byte_count =
        snprintf(bytes, END_LINE_BYTES,
                 "ts=%s level=%s route=%s model=%s user=%s tokens=%s latency_ms=%s status=%s%s",
                 line->ts, line->level, line->route, line->model, line->user, line->tokens,
                 line->latency, line->status, line->end);
    if (byte_count >= END_LINE_BYTES)
        abort();
    return (size_t)byte_count;
}

const char *letters(char letter, size_t byte_count) {
    static char texts[8][END_LINE_BYTES];
    static unsigned next;
    char *text = texts[next++ % 8];
    memset(text, letter, byte_count);
    text[byte_count] = '\0';
    return text;
}

size_t mutate_line(char *bytes, size_t byte_count, uint64_t *state) {
    static const char others[] = " =\n\r\0\t0123456789:/~\x80\xff";
    return random_byte_change(bytes, byte_count, others, sizeof others - 1, state);
}

static size_t put_known_line(char *bytes, unsigned group, uint64_t *state) {
    static const char *const levels[] = {"INFO", "INFO", "INFO", "WARN", "ERROR"};
    static const char *const statuses[] = {"200", "200", "200", "404", "5\r3"};
    static const char *const routes[] = {"/v1/chat", "/v1/tokenize", "/a=b/and-more"};
    static const char *const ends[] = {"\n", "\n", "\n", "\n", "\n", "\n", "\n", "\r\n"};
    char user[16];
    char tokens[24];
    char latency[16];
    struct end_line line = usual_end_line();
    snprintf(user, sizeof user, "u%05u", (unsigned)random_below(state, 60));
    snprintf(tokens, sizeof tokens, "%u", (unsigned)(1u << random_below(state, 32)));
    snprintf(latency, sizeof latency, "%u",
             (unsigned)random_below(state, random_below(state, 20) == 0 ? 5000 : 900));
    line.level = levels[random_below(state, 5)];
    line.route = routes[group];
    line.user = random_below(state, 20) == 0 ? letters('u', (size_t)random_below(state, 40)) : user;
    line.tokens = tokens;
    line.latency = latency;
    line.status = statuses[random_below(state, 5)];
    line.end = ends[random_below(state, 8)];
    return put_end_line(bytes, &line);
}

struct text known_log(char *bytes, uint64_t *state) {
    enum {
        FIRST_LINES = 300,
        LINES = 900,
    };
    size_t used_bytes = 0;
    for (unsigned line = 0; line < LINES; line++) {
        char *at = bytes + used_bytes;
        if (used_bytes + END_LINE_BYTES > KNOWN_LOG_BYTES)
            abort();
        size_t line_bytes = put_known_line(at, (unsigned)random_below(state, 3), state);
        if (line >= FIRST_LINES && line % 6 == 0)
            line_bytes = mutate_line(at, line_bytes, state);
        used_bytes += line_bytes;
    }
    if (random_below(state, 2) == 0)
        used_bytes -= (size_t)random_below(state, 100);
    return text_of(bytes, used_bytes);
}
