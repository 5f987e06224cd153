/* SPDX-License-Identifier: MIT */
#include "symbols/atos.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ADDRESS_BYTES sizeof "0x0123456789abcdef\n"

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void ca_atos_init(struct ca_atos *atos, const char *path, uint32_t limit_seconds) {
    *atos = (struct ca_atos){
        .chosen_path = path,
        .limit_seconds = limit_seconds,
        .left_ns = (uint64_t)limit_seconds * 1000000000u,
    };
}

/* ---- where it is ---- */

static bool is_there(char *path, const char *root, const char *folder, const char *name) {
    int length = snprintf(path, CA_ATOS_PATH_SIZE, "%s%s%s", root, folder, name);
    return length > 0 && length < (int)CA_ATOS_PATH_SIZE && access(path, X_OK) == 0;
}

bool ca_atos_find(const char *root, char *ret_path) {
    /* What xcode-select(1) was told, and what it takes when it was told nothing. */
    static const char *const folders[] = {"/var/db/xcode_select_link",
                                          "/Applications/Xcode.app/Contents/Developer",
                                          "/Library/Developer/CommandLineTools"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (is_there(ret_path, root, folders[i], "/usr/bin/atos"))
            return true;
    /* The one in /usr/bin asks xcode-select, and finds some. */
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (is_there(ret_path, root, folders[i], ""))
            return is_there(ret_path, root, "/usr/bin", "/atos");
    return false;
}

static const char *path_of(struct ca_atos *atos) {
    if (atos->chosen_path != NULL)
        return atos->chosen_path;
    if (!atos->is_looked_for && !ca_atos_find("", atos->path))
        atos->path[0] = '\0';
    atos->is_looked_for = true;
    return atos->path[0] != '\0' ? atos->path : NULL;
}

/* ---- asking ---- */

/* Returned: free() it. */
static char *write_addresses(const struct ca_atos_question *question, size_t *ret_bytes) {
    char *text = malloc(question->address_count * ADDRESS_BYTES + 1);
    size_t at = 0;
    for (size_t i = 0; text != NULL && i < question->address_count; i++)
        at += (size_t)snprintf(text + at, ADDRESS_BYTES, "0x%" PRIx64 "\n", question->addresses[i]);
    *ret_bytes = at;
    return text;
}

static enum ca_status give_up(const struct ca_atos *atos, struct ca_error *err) {
    return ca_error_set(err, CA_ERROR_SYSTEM, "atos was given up after %" PRIu32 " s",
                        atos->limit_seconds);
}

/* Once. `has_inlined`: the functions that were inlined are wanted, too. CA_ERROR_INPUT: an answer
 * that cannot be divided by addresses. */
static enum ca_status ask(struct ca_atos *atos, const struct ca_atos_question *question,
                          bool has_inlined, struct ca_atos_reply *reply, struct ca_error *err) {
    char address[ADDRESS_BYTES];
    snprintf(address, sizeof address, "0x%" PRIx64, question->load_address);
    const char *arguments[] = {path_of(atos), "-o",           question->path,
                               "-arch",       question->arch, "-l",
                               address,       "-fullPath",    has_inlined ? "-i" : NULL,
                               NULL};
    size_t text_bytes;
    char *text = write_addresses(question, &text_bytes);
    if (text == NULL)
        return ca_error_memory(err);
    uint64_t begin_ns = now_ns();
    enum ca_status status =
        ca_captured_ask(&reply->captured, arguments, text, text_bytes, atos->left_ns, err);
    uint64_t taken_ns = now_ns() - begin_ns;
    atos->left_ns = taken_ns < atos->left_ns ? atos->left_ns - taken_ns : 0;
    free(text);
    if (status != CA_OK)
        return status;
    struct ca_captured *captured = &reply->captured;
    bool fits = !captured->is_late && captured->exit_status == 0 &&
                ca_atos_answer_begin(&reply->answer, captured->out, captured->out_bytes,
                                     question->address_count);
    if (fits)
        return CA_OK;
    status = CA_ERROR_SYSTEM;
    if (captured->is_late)
        give_up(atos, err);
    else if (captured->err[0] != '\0')
        ca_error_set(err, CA_ERROR_SYSTEM, "atos: %.150s", captured->err);
    else if (captured->exit_status != 0)
        ca_error_set(err, CA_ERROR_SYSTEM, "atos ended with status %d", captured->exit_status);
    else
        status = ca_error_set(err, CA_ERROR_INPUT, "what atos prints is not understood");
    ca_captured_release(captured);
    return status;
}

enum ca_status ca_atos_ask(struct ca_atos *atos, const struct ca_atos_question *question,
                           struct ca_atos_reply *ret_reply, struct ca_error *err) {
    if (path_of(atos) == NULL)
        return ca_error_set(err, CA_ERROR_PROGRAM_ABSENT,
                            "atos is missing: install Xcode's command line tools with "
                            "'xcode-select --install'");
    if (atos->left_ns == 0)
        return give_up(atos, err);
    struct ca_atos_reply reply = {0};
    enum ca_status status = ask(atos, question, true, &reply, err);
    /* Without inlined functions each address has one line. */
    if (status == CA_ERROR_INPUT)
        status = ask(atos, question, false, &reply, err);
    if (status == CA_OK)
        *ret_reply = reply;
    return status;
}

void ca_atos_reply_release(struct ca_atos_reply *reply) {
    ca_captured_release(&reply->captured);
}
