/* SPDX-License-Identifier: MIT */
#include "commands/git_budgets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/captured_command.h"

#define GIT_WORDS 8

struct query {
    char *folder;     /* of the budget file, where git is asked */
    const char *name; /* of the budget file there */
    const char *ref;
    struct ca_captured answer; /* to the latest question */
    struct ca_error *err;
};

/* `git -C FOLDER WORDS...`; words: up to GIT_WORDS, NULL-terminated. */
static enum ca_status ask(struct query *query, const char *const *words) {
    const char *arguments[GIT_WORDS + 4] = {"git", "-C", query->folder};
    for (size_t i = 0; i < GIT_WORDS && words[i] != NULL; i++)
        arguments[3 + i] = words[i];
    ca_captured_release(&query->answer);
    enum ca_status status = ca_captured_run(&query->answer, arguments, query->err);
    if (status == CA_ERROR_PROGRAM_ABSENT)
        return ca_error_set(query->err, CA_ERROR_SYSTEM, "--base needs git, which is not in PATH");
    return status;
}

static enum ca_status refuse(const struct query *query, const char *what, const char *next_step) {
    return ca_error_set(query->err, CA_ERROR_INPUT, "--base %.200s: %s%s%s%s", query->ref, what,
                        query->answer.err[0] != '\0' ? " (" : "", query->answer.err,
                        query->answer.err[0] != '\0' ? next_step : next_step + 1);
}

/* The first line of the answer. */
static void copy_line(const struct query *query, char *ret_text, size_t size) {
    size_t length = strcspn(query->answer.out, "\n");
    snprintf(ret_text, size, "%.*s", (int)(length < size ? length : size - 1), query->answer.out);
}

/* Asks, and refuses an answer that is none with `what` and `next_step`. */
static enum ca_status demand(struct query *query, const char *const *words, const char *what,
                             const char *next_step) {
    enum ca_status status = ask(query, words);
    return status == CA_OK && query->answer.exit_status != 0 ? refuse(query, what, next_step)
                                                             : status;
}

#define DEMAND(query, what, next_step, ...)                                                        \
    demand(query, (const char *const[]){__VA_ARGS__, NULL}, what, next_step)

static enum ca_status find_commit(struct query *query, char *ret_commit) {
    char wanted[512], tip[CA_COMMIT_SIZE];
    if ((size_t)snprintf(wanted, sizeof wanted, "%s^{commit}", query->ref) >= sizeof wanted)
        return ca_error_set(query->err, CA_ERROR_USAGE, "--base: the name is too long");
    enum ca_status status =
        DEMAND(query, "the budget file is in no git repository that can be read",
               "); check without --base", "rev-parse", "--git-dir");
    if (status == CA_OK)
        status = DEMAND(query, "git knows no such commit here",
                        "); fetch it first: git fetch origin BRANCH (actions/checkout: "
                        "'fetch-depth: 0'), then --base origin/BRANCH",
                        "rev-parse", "--verify", "--quiet", wanted);
    if (status != CA_OK)
        return status;
    copy_line(query, tip, sizeof tip);
    status = DEMAND(query, "HEAD has no commit in common with it here",
                    "); a shallow clone has cut the history: git fetch --unshallow "
                    "(actions/checkout: 'fetch-depth: 0')",
                    "merge-base", "HEAD", tip);
    if (status == CA_OK)
        copy_line(query, ret_commit, CA_COMMIT_SIZE);
    return status;
}

static enum ca_status read_file(struct query *query, struct ca_budget_base *base,
                                const char *path) {
    char object[1024], shown[1024];
    enum ca_status status =
        DEMAND(query, "git cannot read the merge base", "); check without --base", "ls-tree", "-z",
               base->commit, "--", query->name);
    if (status != CA_OK || query->answer.out_bytes == 0)
        return status;
    snprintf(shown, sizeof shown, "%.900s at %.*s", path, CA_COMMIT_SHOWN, base->commit);
    if ((size_t)snprintf(object, sizeof object, "%s:./%s", base->commit, query->name) >=
        sizeof object)
        return ca_error_set(query->err, CA_ERROR_INPUT, "the name of '%s' is too long", path);
    status = DEMAND(query, "git cannot show the budget file", "); check without --base", "show",
                    "--no-textconv", object);
    if (status == CA_OK)
        status = ca_budget_file_parse(&base->file, shown, query->answer.out,
                                      query->answer.out_bytes, query->err);
    base->has_file = status == CA_OK;
    /* `shown` ends here. */
    base->file.path = path;
    return status;
}

enum ca_status ca_git_budgets_read(struct ca_budget_base *ret_base, const char *path,
                                   const char *ref, struct ca_error *err) {
    struct ca_budget_base base = {.ref = ref};
    struct query query = {.ref = ref, .err = err};
    if (ref[0] == '-' || ref[0] == '\0')
        return ca_error_set(err, CA_ERROR_USAGE, "--base wants a branch or commit, not '%s'", ref);
    if (strcmp(path, "-") == 0)
        return ca_error_set(err, CA_ERROR_USAGE,
                            "--base wants a budget file with a name, not standard input");
    /* A link's target is what git has the numbers of. */
    query.folder = realpath(path, NULL);
    if (query.folder == NULL)
        return ca_error_set(err, CA_ERROR_SYSTEM, "cannot find '%s': %s", path, strerror(errno));
    char *slash = strrchr(query.folder, '/');
    char name[512];
    snprintf(name, sizeof name, "%s", slash + 1);
    query.name = name;
    slash[slash == query.folder] = '\0';
    enum ca_status status = find_commit(&query, base.commit);
    if (status == CA_OK)
        status = read_file(&query, &base, path);
    ca_captured_release(&query.answer);
    free(query.folder);
    if (status == CA_OK)
        *ret_base = base;
    return status;
}
