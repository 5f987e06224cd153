/* SPDX-License-Identifier: MIT
 *
 * Our own gate: what a regression in logstat looks like to it. */
#include "gate_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUDGETS COUNTALLOC_SOURCE "/analyzer/alloc-budgets.ini"

static struct gate_case gate;

static void begin(void) {
    gate_case_init(&gate, NULL);
    char *text = ca_spawn_read_file(BUDGETS, NULL);
    gate_write(&gate, "b.ini", text);
    free(text);
}

static void end(void) {
    gate_case_release(&gate);
}

TestSuite(gate_own, .init = begin, .fini = end);

/* "b.ini:42: " */
static void line_of(const char *section, const char *key, char *ret_text, size_t size) {
    char *text = gate_read(&gate, "b.ini");
    const char *at = strstr(strstr(text, section), key);
    unsigned line = 1;
    for (const char *byte = text; byte < at; byte++)
        line += *byte == '\n';
    snprintf(ret_text, size, "b.ini:%u: ", line);
    free(text);
}

Test(gate_own, one_allocation_more_for_each_line_closes_it) {
    char place[32], line[256];
    CHECK(&gate, "--name", "logstat-v2", "--", COUNTALLOC_GATE_EXTRA, "run", "v2",
          COUNTALLOC_GATE_LOG);
    ASSERT_STATUS(&gate, 1);
    ASSERT_OUT_START(&gate, "countalloc check: FAIL  1 over, 0 improved, 2 ok, ");
    line_of("[logstat-v2/scan]", "fixed", place, sizeof place);
    snprintf(line, sizeof line, "%slogstat-v2/scan: over budget on thread 1 (owner)", place);
    ASSERT_OUT(&gate, line);
    ASSERT_OUT(&gate, "    budget   276 allocations    = 0/line + 276 for 20000 lines");
    ASSERT_OUT(&gate, "    measured 20276 allocations  = 1.0138 per line, +20000");
}

Test(gate_own, the_unchanged_program_passes) {
    CHECK(&gate, "--name", "logstat-v2", "--", COUNTALLOC_LOGSTAT, "run", "v2",
          COUNTALLOC_GATE_LOG);
    ASSERT_STATUS(&gate, 0);
}
