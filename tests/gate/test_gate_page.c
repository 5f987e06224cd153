/* SPDX-License-Identifier: MIT
 *
 * GATE.md, followed by a stranger: the blocks of the page are taken from it and carried out in a
 * project of their own. A tool that is not here skips its block, and says so. */
#include "gate_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROJECT      COUNTALLOC_SOURCE "/tests/gate/page_project"
#define SAMPLE_LINES 1000

static struct gate_case gate;
static char path_variable[8192], home_variable[4200];

/* The text of the page's block `name`; to be freed. */
static char *block(const char *name) {
    char mark[64];
    char *page = ca_spawn_read_file(COUNTALLOC_SOURCE "/GATE.md", NULL);
    snprintf(mark, sizeof mark, "<!-- block: %s -->\n```", name);
    char *from = strstr(page, mark);
    cr_assert_not_null(from, "the page has no block '%s'", name);
    from = strchr(from + strlen(mark), '\n') + 1;
    char *to = strstr(from, "\n```");
    char *text = strndup(from, (size_t)(to - from) + 1);
    free(page);
    return text;
}

/* Carries out a script in the project. */
static int shell(const char *script) {
    return RUN(&gate, "sh", "-e", "-c", script);
}

static int carry_out(const char *name) {
    char *script = block(name);
    int status = shell(script);
    free(script);
    return status;
}

static bool has_tool(const char *tool) {
    char *found = ca_spawn_find(tool);
    free(found);
    return found != NULL;
}

static void build_myprog(const char *flags) {
    char command[1024];
    snprintf(command, sizeof command, "cc -O2 %s -o myprog '%s/myprog.c'", flags, PROJECT);
    shell(command);
    ASSERT_STATUS(&gate, 0);
}

static void begin(void) {
    gate_case_init(&gate, NULL);
    const char *path = getenv("PATH");
    char *bin = strdup(COUNTALLOC_COMMAND);
    *strrchr(bin, '/') = '\0';
    snprintf(path_variable, sizeof path_variable, "PATH=%s:%s", bin, path != NULL ? path : "");
    free(bin);
    snprintf(home_variable, sizeof home_variable, "HOME=%s", gate.folder);
    gate.environment[0] = path_variable;
    gate.environment[1] = home_variable;
    char text[SAMPLE_LINES * 16] = "";
    for (int i = 0, at = 0; i < SAMPLE_LINES; i++)
        at += sprintf(text + at, "line %d\n", i);
    gate_write(&gate, "sample.txt", text);
    build_myprog("");
}

static void end(void) {
    gate_case_release(&gate);
}

TestSuite(gate_page, .init = begin, .fini = end);

static void assert_budget(const char *wanted) {
    char *text = gate_read(&gate, "alloc-budgets.ini");
    cr_assert_str_eq(text, wanted);
    free(text);
}

Test(gate_page, install) {
    RUN(&gate, "ln", "-s", COUNTALLOC_BUILD, "build");
    char *script = block("install");
    char whole[4096];
    snprintf(whole, sizeof whole,
             "%scommand -v countalloc >&2\ncountalloc run -- ./myprog sample.txt", script);
    free(script);
    shell(whole);
    ASSERT_STATUS(&gate, 0);
    char line[4300];
    snprintf(line, sizeof line, "%s/.local/bin/countalloc", gate.folder);
    ASSERT_ERR(&gate, line);
    ASSERT_ERR_START(&gate, "1,003 allocations, ");
}

Test(gate_page, look) {
    carry_out("look");
    ASSERT_STATUS(&gate, 0);
    ASSERT_ERR_START(&gate, "1,003 allocations, ");
    cr_assert(!gate_has_start(gate.spawned.err, "countalloc run: 3 runs: not identical"));
}

Test(gate_page, the_first_budget_has_what_was_measured) {
    carry_out("budget");
    ASSERT_STATUS(&gate, 0);
    assert_budget("[myprog/total]\nfixed = 1003\nwhy   = first measurement\n");
    ASSERT_ERR(&gate, "alloc-budgets.ini:2: [myprog/total]: fixed 0 -> 1003 (raised)");
}

Test(gate_page, two_sizes_give_a_rate) {
    carry_out("fit");
    ASSERT_STATUS(&gate, 0);
    assert_budget(
        "[myprog/total]\nper   = line\nrate  = 1\nfixed = 3\nwhy   = first measurement\n");
}

Test(gate_page, the_phases_compile_as_c_and_count) {
    char *text = block("phases");
    char source[4096], command[1024];
    snprintf(source, sizeof source,
             "#include <stdlib.h>\n#include <string.h>\n%s\n"
             "static void work(void) { void *volatile block = malloc(1); free(block); }\n"
             "int main(void) { parse_all(work, 5); return 0; }\n",
             text);
    free(text);
    gate_write(&gate, "phases.c", source);
    snprintf(command, sizeof command,
             "cc -Wall -Werror -D_GNU_SOURCE -I'%s/include' -o myprog phases.c -ldl",
             COUNTALLOC_SOURCE);
    shell(command);
    ASSERT_STATUS(&gate, 0);
    gate_write(&gate, "alloc-budgets.ini", "[myprog/parse]\nper = line\nrate = 1/5\n");
    shell("countalloc check -b alloc-budgets.ini -- ./myprog");
    ASSERT_STATUS(&gate, 0);
}

Test(gate_page, shell) {
    carry_out("fit");
    carry_out("shell");
    ASSERT_STATUS(&gate, 0);
    carry_out("self-test");
    ASSERT_STATUS(&gate, 0);
    build_myprog("-DEXTRA -fno-builtin-malloc -fno-builtin-strdup");
    carry_out("shell");
    ASSERT_STATUS(&gate, 1);
}

Test(gate_page, make) {
    if (!has_tool("make"))
        cr_skip_test("no make here");
    carry_out("fit");
    char *text = block("make");
    gate_write(&gate, "Makefile", text);
    free(text);
    shell("make check");
    ASSERT_STATUS(&gate, 0);
    build_myprog("-DEXTRA -fno-builtin-malloc -fno-builtin-strdup");
    shell("make check");
    ASSERT_STATUS(&gate, 2);
    ASSERT_OUT(&gate, "    measured 2003 allocations  = 2.003 per line, +1000");
}

Test(gate_page, cmake_and_ctest) {
    if (!has_tool("cmake"))
        cr_skip_test("no cmake here");
    carry_out("fit");
    char *text = block("cmake");
    char whole[4096];
    snprintf(whole, sizeof whole,
             "cmake_minimum_required(VERSION 3.25)\nproject(page C)\nenable_testing()\n"
             "add_executable(myprog \"%s/myprog.c\")\n%s",
             PROJECT, text);
    free(text);
    gate_write(&gate, "CMakeLists.txt", whole);
    shell("cmake -B b . && cmake --build b && ctest --test-dir b --no-tests=error");
    ASSERT_STATUS(&gate, 0);
    shell("cmake -DCMAKE_C_FLAGS='-DEXTRA -fno-builtin' b && cmake --build b && ctest --test-dir b "
          "--output-on-failure");
    ASSERT_STATUS(&gate, 8);
    ASSERT_OUT(&gate, "    measured 2003 allocations  = 2.003 per line, +1000");
}

Test(gate_page, meson) {
    if (!has_tool("meson") || !has_tool("ninja"))
        cr_skip_test("no meson here");
    carry_out("fit");
    char *text = block("meson");
    char whole[4096];
    snprintf(whole, sizeof whole,
             "project('page', 'c')\nmyprog = executable('myprog', 'myprog.c')\n%s", text);
    free(text);
    gate_write(&gate, "meson.build", whole);
    RUN(&gate, "cp", PROJECT "/myprog.c", ".");
    shell("meson setup b && meson test -C b");
    ASSERT_STATUS(&gate, 0);
    shell("meson configure b -Dc_args='-DEXTRA,-fno-builtin' && meson test -C b --print-errorlogs");
    ASSERT_STATUS(&gate, 1);
    ASSERT_OUT(&gate, "    measured 2003 allocations  = 2.003 per line, +1000");
}

/* The lines of "run: |" of the workflow, as a runner hands them to a shell. */
static char *script_of_workflow(void) {
    char *workflow = block("github");
    char *from = strstr(workflow, "run: |\n") + strlen("run: |\n");
    int indent = (int)strspn(from, " ");
    char *script = calloc(1, strlen(from) + 1), *to = script;
    while ((int)strspn(from, " ") >= indent) {
        size_t length = strcspn(from, "\n") + 1;
        to = mempcpy(to, from + indent, length - (size_t)indent);
        from += length;
    }
    free(workflow);
    return script;
}

#define GIT "git -c user.name=t -c user.email=t@example.invalid -c commit.gpgsign=false "

Test(gate_page, github_actions) {
    if (!has_tool("git"))
        cr_skip_test("no git here");
    carry_out("fit");
    shell("git init -q -b main . && git add alloc-budgets.ini && " GIT "commit -q -m base && "
          "git update-ref refs/remotes/origin/main HEAD");
    ASSERT_STATUS(&gate, 0);
    gate.environment[2] = "CI=true";
    gate.environment[3] = "GITHUB_STEP_SUMMARY=summary.md";
    char *script = script_of_workflow();
    shell(script);
    ASSERT_STATUS(&gate, 0);
    /* A change that raises the number for itself. */
    build_myprog("-DEXTRA -fno-builtin-malloc -fno-builtin-strdup");
    shell("sed -i 's/^rate.*/rate  = 2/' alloc-budgets.ini && " GIT "commit -q -a -m change");
    shell(script);
    free(script);
    ASSERT_STATUS(&gate, 1);
    ASSERT_OUT_START(&gate, "::error file=alloc-budgets.ini,line=4,title=myprog/total::over "
                            "budget: 2003 allocations, limit 1003 (1/line + 3 for 1000 lines)");
    ASSERT_OUT(&gate, "    measured 2003 allocations  = 2.003 per line, +1000");
    char *summary = gate_read(&gate, "summary.md");
    cr_assert_not_null(strstr(summary, "### countalloc check: PASS"));
    cr_assert_not_null(strstr(summary, "### countalloc check: FAIL"));
    free(summary);
}

/* Where there is a parser, the workflow is YAML. */
Test(gate_page, the_workflow_is_yaml) {
    shell("python3 -c 'import yaml' 2>/dev/null || exit 77");
    if (gate.status == 77)
        cr_skip_test("no YAML parser here");
    char *workflow = block("github");
    gate_write(&gate, "w.yml", workflow);
    free(workflow);
    shell("python3 -c 'import yaml; steps = yaml.safe_load(open(\"w.yml\"))[\"steps\"]; "
          "print(len(steps))'");
    ASSERT_STATUS(&gate, 0);
    ASSERT_OUT(&gate, "3");
}

Test(gate_page, records_of_a_matrix) {
    carry_out("fit");
    shell("mkdir artefacts && cp large.json artefacts/");
    gate_write(&gate, "alloc-budgets.ini", "[myprog/total]\nper = line\nrate = 1\nfixed = 9\n");
    carry_out("matrix");
    ASSERT_STATUS(&gate, 0);
    assert_budget("[myprog/total]\nper = line\nrate = 1\nfixed = 3\n");
}

/* The lines about sites, as the page shows them. */
Test(gate_page, call_sites_are_named_as_the_page_shows_it) {
    if (!COUNTALLOC_GATE_HAS_SYMBOLS)
        cr_skip_test("built without libdw");
    carry_out("fit");
    build_myprog("-g");
    carry_out("sites");
    ASSERT_STATUS(&gate, 0);
    build_myprog("-g -DEXTRA -fno-builtin-malloc");
    carry_out("against");
    char *page = ca_spawn_read_file(COUNTALLOC_SOURCE "/GATE.md", NULL);
    const char *from = strstr(page, "    new      measure myprog.c:");
    cr_assert_not_null(from);
    char line[512];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(from, ","), from);
    ASSERT_OUT_START(&gate, line);
    carry_out("by-site");
    ASSERT_OUT_START(&gate, "new: measure myprog.c:");
    ASSERT_OUT_START(&gate, "countalloc diff: +1000 allocations, ");
    free(page);
}

/* The failure as the page shows it, the diff, and accepting it. */
Test(gate_page, a_failure_is_as_the_page_shows_it) {
    carry_out("fit");
    shell("git init -q -b main . && git add alloc-budgets.ini && " GIT "commit -q -m base");
    shell("countalloc run -q -o old.json --units line=@sample.txt -- ./myprog sample.txt");
    build_myprog("-DEXTRA -fno-builtin-malloc -fno-builtin-strdup");
    carry_out("shell");
    ASSERT_STATUS(&gate, 1);
    char *page = ca_spawn_read_file(COUNTALLOC_SOURCE "/GATE.md", NULL);
    const char *from = strstr(page, "\n```\ncountalloc check: FAIL");
    const char *to = strstr(from + 5, "```");
    const char *at = strchr(from + 5, '\n') + 1; /* the platform differs */
    while (at < to) {
        char line[512];
        int length = (int)strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", length, at);
        ASSERT_OUT(&gate, line);
        at += length + 1;
    }
    free(page);
    carry_out("diff");
    ASSERT_STATUS(&gate, 0);
    ASSERT_OUT_START(&gate, "countalloc diff: +1000 allocations, ");
    ASSERT_OUT_START(&gate, "  allocations        1003 -> 2003                        +1000   "
                            "1.003 -> 2.003 per line");
    carry_out("accept");
    ASSERT_STATUS(&gate, 0);
    shell("git diff --numstat");
    ASSERT_OUT(&gate, "2\t2\talloc-budgets.ini");
    assert_budget(
        "[myprog/total]\nper   = line\nrate  = 1\nfixed = 1003\nwhy   = lines are kept for "
        "the new report\n");
}
