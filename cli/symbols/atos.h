/* SPDX-License-Identifier: MIT
 *
 * Asking Apple's `atos`, which comes with Xcode and its command line tools, about many addresses at
 * once, within a time. */
#ifndef CA_ATOS_H
#define CA_ATOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/captured_command.h"
#include "symbols/atos_output.h"

#define CA_ATOS_PATH_SIZE 1024u

struct ca_atos {
    const char *chosen_path; /* kept; NULL: it is looked for */
    char path[CA_ATOS_PATH_SIZE];
    bool is_looked_for;
    uint32_t limit_seconds;
    uint64_t left_ns;
};

/* It may take `limit_seconds` for all questions together. Starts nothing. */
void ca_atos_init(struct ca_atos *atos, const char *path, uint32_t limit_seconds);

/* Looks below `root` ("": the system's) where Xcode and its command line tools are. Not by PATH:
 * where they are absent, /usr/bin/atos opens a window that offers to install them. `ret_path`:
 * CA_ATOS_PATH_SIZE bytes. */
bool ca_atos_find(const char *root, char *ret_path);

struct ca_atos_question {
    const char *path; /* of the module, or of the debug information in its bundle */
    const char *arch;
    uint64_t load_address;     /* where `path` says that it is loaded */
    const uint64_t *addresses; /* address_count, as `path` has them */
    size_t address_count;
};

struct ca_atos_reply {
    struct ca_captured captured;
    struct ca_atos_answer answer; /* begun */
};

/* CA_OK: `*ret_reply` is returned, ca_atos_reply_release() it. Else `err` says why it is not known:
 * CA_ERROR_PROGRAM_ABSENT, CA_ERROR_SYSTEM, CA_ERROR_INPUT for an answer that is not understood. */
enum ca_status ca_atos_ask(struct ca_atos *atos, const struct ca_atos_question *question,
                           struct ca_atos_reply *ret_reply, struct ca_error *err);
void ca_atos_reply_release(struct ca_atos_reply *reply);

#endif
