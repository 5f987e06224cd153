/* SPDX-License-Identifier: MIT */
#include "fold/perf_line.h"

#include <string.h>

#include "fold/fold.h"

#define WORDS 64 /* more at the front of a line than any thread's name has */

static bool is_blank(char letter) {
    return letter == ' ' || letter == '\t';
}

static size_t split(const char *line, size_t byte_count, struct ca_perf_text *words) {
    size_t count = 0;
    for (size_t at = 0; at < byte_count && count < WORDS;) {
        while (at < byte_count && is_blank(line[at]))
            at++;
        size_t from = at;
        while (at < byte_count && !is_blank(line[at]))
            at++;
        if (at > from)
            words[count++] = (struct ca_perf_text){line + from, at - from};
    }
    return count;
}

static bool is_digits(const char *bytes, size_t byte_count) {
    for (size_t i = 0; i < byte_count; i++)
        if (bytes[i] < '0' || bytes[i] > '9')
            return false;
    return byte_count > 0;
}

/* "1234", "1234/1235", "-1". */
static bool is_pid(struct ca_perf_text word) {
    size_t sign = word.bytes[0] == '-' ? 1 : 0;
    const char *slash = memchr(word.bytes, '/', word.byte_count);
    if (slash == NULL)
        return is_digits(word.bytes + sign, word.byte_count - sign);
    size_t before = (size_t)(slash - word.bytes), after = word.byte_count - before - 1;
    size_t second_sign = after > 0 && slash[1] == '-' ? 1 : 0;
    return before > sign && is_digits(word.bytes + sign, before - sign) &&
           is_digits(slash + 1 + second_sign, after - second_sign);
}

/* "[003]" */
static bool is_cpu(struct ca_perf_text word) {
    return word.byte_count > 2 && word.bytes[0] == '[' && word.bytes[word.byte_count - 1] == ']' &&
           is_digits(word.bytes + 1, word.byte_count - 2);
}

/* "12.345678:" */
static bool is_time(struct ca_perf_text word) {
    const char *dot = memchr(word.bytes, '.', word.byte_count);
    if (dot == NULL || word.bytes[word.byte_count - 1] != ':')
        return false;
    size_t before = (size_t)(dot - word.bytes);
    return word.byte_count >= before + 2 && is_digits(word.bytes, before) &&
           is_digits(dot + 1, word.byte_count - before - 2);
}

static bool is_event(struct ca_perf_text word) {
    return word.byte_count > 1 && word.bytes[word.byte_count - 1] == ':';
}

/* From the PID's word: what comes after it must fit. Without a time the event is needed. */
static bool parse_after(const struct ca_perf_text *words, size_t count, size_t at, const char *end,
                        bool is_timed, struct ca_perf_event *event) {
    at += at < count && is_cpu(words[at]);
    if (is_timed) {
        if (at >= count || !is_time(words[at]))
            return false;
        at++;
    }
    event->has_time = is_timed;
    event->event = event->rest = (struct ca_perf_text){end, 0};
    if (is_timed && at == count)
        return true;
    if (at < count && ca_fold_begins(words[at].bytes, words[at].byte_count, "PERF_RECORD_")) {
        event->event = words[at];
        return true;
    }
    if (is_timed && at + 1 == count &&
        ca_fold_digits(words[at].bytes, words[at].byte_count, &event->period) ==
            words[at].byte_count) {
        event->has_period = true;
        return true;
    }
    if (at + 1 < count && is_digits(words[at].bytes, words[at].byte_count) &&
        is_event(words[at + 1])) {
        event->has_period =
            ca_fold_digits(words[at].bytes, words[at].byte_count, &event->period) > 0;
        at++;
    }
    if (at >= count || !is_event(words[at]) || is_time(words[at]))
        return false;
    event->event = (struct ca_perf_text){words[at].bytes, words[at].byte_count - 1};
    const char *rest = words[at].bytes + words[at].byte_count;
    while (rest < end && is_blank(*rest))
        rest++;
    event->rest = (struct ca_perf_text){rest, (size_t)(end - rest)};
    return true;
}

bool ca_perf_line_may_have_time(const char *line, size_t byte_count) {
    for (size_t i = 1; i < byte_count; i++)
        if (line[i] == ':' && line[i - 1] >= '0' && line[i - 1] <= '9' &&
            (i + 1 == byte_count || is_blank(line[i + 1])))
            return true;
    return false;
}

bool ca_perf_event_parse(const char *line, size_t byte_count, struct ca_perf_event *ret_event) {
    struct ca_perf_text words[WORDS];
    size_t count = split(line, byte_count, words);
    /* With a time first: a name such as "Worker 2" looks like a PID where there is no time. */
    for (int is_timed = 1; is_timed >= 0; is_timed--)
        for (size_t pid = 1; pid < count; pid++) {
            struct ca_perf_event event = {0};
            if (!is_pid(words[pid]) ||
                !parse_after(words, count, pid + 1, line + byte_count, is_timed == 1, &event))
                continue;
            event.thread.bytes = words[0].bytes;
            event.thread.byte_count =
                (size_t)(words[pid - 1].bytes + words[pid - 1].byte_count - words[0].bytes);
            *ret_event = event;
            return true;
        }
    return false;
}

static int hex_digit(char letter) {
    if (letter >= '0' && letter <= '9')
        return letter - '0';
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/* "symbol+0x1f" → "symbol" */
static size_t without_offset(const char *symbol, size_t byte_count) {
    size_t at = byte_count;
    while (at > 0 && hex_digit(symbol[at - 1]) >= 0)
        at--;
    bool is_offset = at < byte_count && at >= 3 && memcmp(symbol + at - 3, "+0x", 3) == 0;
    return is_offset ? at - 3 : byte_count;
}

/* Where the " (" of the file begins, which ends at the text's last ')'; `count` when there is none.
 * A path or a name in square brackets begins it; failing that, brackets are paired from the end, so
 * that "(app (deleted))" is one. */
static size_t file_at(const char *text, size_t count) {
    if (count < 3 || text[count - 1] != ')')
        return count;
    for (size_t i = 0; i + 2 < count; i++)
        if (text[i] == ' ' && text[i + 1] == '(' && (text[i + 2] == '/' || text[i + 2] == '['))
            return i;
    size_t depth = 0;
    for (size_t i = count; i-- > 1;) {
        depth += text[i] == ')';
        if (text[i] == '(' && --depth == 0 && text[i - 1] == ' ')
            return i - 1;
        if (depth == 0)
            break;
    }
    for (size_t i = count; i-- > 1;)
        if (text[i] == '(' && text[i - 1] == ' ')
            return i - 1;
    return count;
}

bool ca_perf_frame_parse(const char *line, size_t byte_count, struct ca_perf_frame *ret_frame) {
    size_t at = 0;
    while (at < byte_count && is_blank(line[at]))
        at++;
    struct ca_perf_frame frame = {0};
    size_t from = at;
    for (; at < byte_count && hex_digit(line[at]) >= 0; at++)
        frame.address = frame.address << 4 | (unsigned)hex_digit(line[at]);
    if (at == from || at == byte_count || !is_blank(line[at]))
        return false;
    while (at < byte_count && is_blank(line[at]))
        at++;
    while (byte_count > at && is_blank(line[byte_count - 1]))
        byte_count--;
    if (at == byte_count)
        return false;
    const char *text = line + at;
    size_t count = byte_count - at;
    bool is_file_only = text[count - 1] == ')' &&
                        (ca_fold_begins(text, count, "(/") || ca_fold_begins(text, count, "(["));
    size_t file = is_file_only ? 0 : file_at(text, count);
    if (is_file_only) {
        frame.has_file = true;
        frame.file = (struct ca_perf_text){text + 1, count - 2};
    } else if (file < count) {
        frame.has_file = true;
        frame.file = (struct ca_perf_text){text + file + 2, count - file - 3};
    }
    while (file > 0 && is_blank(text[file - 1]))
        file--;
    frame.symbol = (struct ca_perf_text){text, without_offset(text, file)};
    *ret_frame = frame;
    return true;
}

static bool begins(struct ca_perf_text text, const char *begin) {
    return ca_fold_begins(text.bytes, text.byte_count, begin);
}

static bool holds(struct ca_perf_text text, const char *part) {
    size_t length = strlen(part);
    for (size_t i = 0; i + length <= text.byte_count; i++)
        if (memcmp(text.bytes + i, part, length) == 0)
            return true;
    return false;
}

bool ca_perf_frame_is_kernel(const struct ca_perf_frame *frame) {
    /* Square brackets that are not the kernel's: mappings of a process. */
    static const char *const of_processes[] = {"[vdso]", "[vsyscall]", "[heap]", "[stack",
                                               "[anon",  "[uprobes]",  "[vvar",  "[unknown"};
    bool is_high = frame->address >= UINT64_C(0xffff000000000000);
    if (!frame->has_file || frame->file.byte_count == 0 || begins(frame->file, "[unknown"))
        return is_high;
    for (size_t i = 0; i < sizeof of_processes / sizeof of_processes[0]; i++)
        if (begins(frame->file, of_processes[i]))
            return false;
    return frame->file.bytes[0] == '[' || begins(frame->file, "bpf_prog_") ||
           holds(frame->file, "/vmlinux") || holds(frame->file, ".ko");
}
