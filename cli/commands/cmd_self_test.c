/* SPDX-License-Identifier: MIT */
#include <countalloc/phase.h>
#include <stdlib.h>

#include "command.h"
#include "commands/self_test.h"

static void allocate(void *volatile *blocks) {
    for (size_t i = 0; i < CA_SELF_TEST_CALLS; i++)
        blocks[i] = malloc(i + 1);
    void *larger = realloc(blocks[0], 5000);
    blocks[0] = larger;
    for (size_t i = 0; i < CA_SELF_TEST_CALLS; i++)
        free(blocks[i]);
    blocks[0] = calloc(3, 7);
    free(blocks[0]);
    void *aligned = NULL;
    blocks[0] = posix_memalign(&aligned, 64, 64) == 0 ? aligned : NULL;
    free(blocks[0]);
}

static enum ca_status run(int argc, char **argv, int *ret_exit, struct ca_error *err) {
    (void)argc, (void)argv;
    void *volatile *blocks = calloc(CA_SELF_TEST_CALLS, sizeof *blocks);
    if (blocks == NULL)
        return ca_error_memory(err);
    countalloc_phase_begin(CA_SELF_TEST_PHASE);
    allocate(blocks);
    countalloc_phase_end();
    free((void *)(uintptr_t)blocks);
    *ret_exit = CA_EXIT_OK;
    return CA_OK;
}

static const struct ca_option_table table = {NULL, 0};

const struct ca_command ca_command_self_test = {
    .name = "self-test",
    .summary = "make the allocations that doctor expects",
    .synopsis = "self-test",
    .description = "Run by 'countalloc doctor'.",
    .examples = "",
    .exit_status = "0",
    .options = &table,
    .failed_status = CA_EXIT_FAILED,
    .is_hidden = true,
    .run = run,
};
