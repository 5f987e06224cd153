/* SPDX-License-Identifier: MIT
 *
 * Other allocators below the shim: the counts are the same whichever serves, the record says which
 * one did and how it stood at the end, and what cannot serve or cannot be counted is said. An
 * allocator that is not installed is skipped. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/record_of.h"

struct allocator {
    char name[24];
    char in_key[24];  /* how the platform key ends */
    char library[32]; /* its file; "" when it is none to preload */
    bool has_figures;
    bool has_active;
};

static struct allocator allocators[] = {
    {"libc", "-glibc", "", true, false},
    {"jemalloc", "-libjemalloc", "libjemalloc.so.2", true, true},
    {"mimalloc", "-libmimalloc", "libmimalloc.so.2", false, false},
    {"tcmalloc", "-libtcmalloc_minimal", "libtcmalloc_minimal.so.4", true, false},
    {"jemalloc-inside", "-libjemalloc", "", true, true},
};

#define ALLOCATOR_COUNT (sizeof allocators / sizeof allocators[0])

#define FOR_EACH_ALLOCATOR(name)                                                                   \
    ParameterizedTestParameters(allocators, name) {                                                \
        return cr_make_param_array(struct allocator, allocators, ALLOCATOR_COUNT);                 \
    }                                                                                              \
    ParameterizedTest(struct allocator *allocator, allocators, name)

/* ---- running ---- */

static struct ca_spawned spawned;

static void run(const char *const *argv, const char *const *environment) {
    cr_assert(ca_spawn_run(&(struct ca_spawn){.argv = argv, .environment = environment}, &spawned));
}

#define RUN(...) run((const char *const[]){COUNTALLOC_COMMAND, __VA_ARGS__, NULL}, NULL)

static void skip_unless_installed(const struct allocator *allocator) {
    RUN("run", "-q", "--allocator", allocator->name, "--", "true");
    bool is_absent = spawned.exit_status == 125 &&
                     (strstr(spawned.err, "where the loader looks; install it") != NULL ||
                      strstr(spawned.err, "this countalloc was built without it") != NULL);
    ca_spawned_release(&spawned);
    if (is_absent)
        cr_skip_test("%s is not installed", allocator->name);
}

static struct ca_recorded record(const char *const *options, const char *const *argv) {
    struct ca_record_request request = {
        .how = CA_HOW_RUN, .spawn = {.argv = argv}, .run_options = options};
    struct ca_recorded recorded;
    cr_assert(ca_recorded_init(&recorded, &request), "%s", recorded.problem);
    return recorded;
}

static struct ca_recorded record_with(const struct allocator *allocator, const char *const *argv) {
    const char *const options[] = {"--allocator", allocator->name, NULL};
    return record(options, argv);
}

static const json_t *of_platform(const struct ca_recorded *recorded, const char *member) {
    return json_object_get(json_object_get(recorded->root, "platform"), member);
}

static bool ends_with(const char *text, const char *end) {
    return text != NULL && strlen(text) >= strlen(end) &&
           strcmp(text + strlen(text) - strlen(end), end) == 0;
}

/* ---- the same counts ---- */

static void expect_counts(const struct allocator *allocator, const char *const *argv,
                          long long allocations, long long frees, long long bytes) {
    struct ca_recorded recorded = record_with(allocator, argv);
    const char *key = json_string_value(of_platform(&recorded, "key"));
    const char *path = json_string_value(of_platform(&recorded, "allocator_path"));
    cr_expect_eq(ca_recorded_integer(&recorded, "allocations"), allocations);
    cr_expect_eq(ca_recorded_integer(&recorded, "frees"), frees);
    cr_expect_eq(ca_recorded_integer(&recorded, "bytes_requested"), bytes);
    cr_expect(ends_with(key, allocator->in_key), "%s", key);
    if (allocator->library[0] != '\0')
        cr_expect(ends_with(path, allocator->library), "%s", path != NULL ? path : "(none)");
    else
        cr_expect_null(path);
    ca_recorded_release(&recorded);
}

FOR_EACH_ALLOCATOR(a_program_in_c_counts_the_same_with_each) {
    const char *const argv[] = {COUNTALLOC_VICTIMS "/malloc_and_free", NULL};
    skip_unless_installed(allocator);
    expect_counts(allocator, argv, 100, 100, 2400);
}

FOR_EACH_ALLOCATOR(new_and_delete_count_the_same_with_each) {
    const char *const argv[] = {COUNTALLOC_VICTIMS "/cpp_containers", NULL};
    skip_unless_installed(allocator);
    struct ca_recorded first = record_with(&allocators[0], argv);
    expect_counts(allocator, argv, ca_recorded_integer(&first, "allocations"),
                  ca_recorded_integer(&first, "frees"),
                  ca_recorded_integer(&first, "bytes_requested"));
    ca_recorded_release(&first);
}

/* The allocator's own use of new, which comes to the program's, is before main. */
FOR_EACH_ALLOCATOR(a_program_with_operators_of_its_own_runs_with_each) {
    const char *const argv[] = {COUNTALLOC_TESTS "/cpp_own_new", NULL};
    skip_unless_installed(allocator);
    struct ca_recorded recorded = record_with(allocator, argv);
    cr_expect_eq(ca_recorded_integer(&recorded, "exit_status"), 0);
    cr_expect_eq(ca_recorded_integer(&recorded, "phase.main.malloc"), 10);
    cr_expect_eq(ca_recorded_integer(&recorded, "phase.main.free"), 10);
    ca_recorded_release(&recorded);
}

/* Bytes in main: libc keeps 16 of them for each thread and each library with thread-local storage,
 * which some allocators and the libstdc++ that they need have. */
FOR_EACH_ALLOCATOR(threads_count_the_same_with_each) {
    const char *const argv[] = {COUNTALLOC_VICTIMS "/threads_eight", NULL};
    skip_unless_installed(allocator);
    struct ca_recorded recorded = record_with(allocator, argv);
    long long main_bytes = ca_recorded_integer(&recorded, "phase.main.bytes_requested");
    cr_expect_eq(ca_recorded_integer(&recorded, "thread_rows"), 9);
    cr_expect_eq(ca_recorded_integer(&recorded, "phase.work.malloc"), 80000);
    cr_expect_eq(ca_recorded_integer(&recorded, "phase.work.calloc"), 8000);
    cr_expect_eq(ca_recorded_integer(&recorded, "phase.work.frees"), 88000);
    cr_expect_eq(ca_recorded_integer(&recorded, "phase.work.bytes_requested"), 2720000);
    cr_expect_eq(ca_recorded_integer(&recorded, "phase.main.allocations"), 8);
    cr_expect_eq(main_bytes % (8 * 16), 0, "%lld", main_bytes);
    ca_recorded_release(&recorded);
}

/* ---- where the calls come from, and live bytes ---- */

FOR_EACH_ALLOCATOR(call_sites_are_the_same_with_each) {
    const char *const options[] = {"--allocator", allocator->name, "--sites", NULL};
    const char *const argv[] = {COUNTALLOC_VICTIMS "/site_callers", NULL};
    skip_unless_installed(allocator);
    struct ca_recorded recorded = record(options, argv);
    char problems[1024] = "";
    cr_expect_eq(ca_recorded_integer(&recorded, "in.site_callers.allocations"), 37);
    cr_expect_eq(ca_recorded_integer(&recorded, "site_count"), 11);
    cr_expect_eq(ca_recorded_integer(&recorded, "rest.allocations"), 0);
    ca_recorded_check_sums(&recorded, problems, sizeof problems);
    cr_expect_str_empty(problems, "%s", problems);
    ca_recorded_release(&recorded);
}

FOR_EACH_ALLOCATOR(live_bytes_are_the_usable_ones_of_who_serves) {
    const char *const argv[] = {COUNTALLOC_VICTIMS "/live_small", NULL};
    skip_unless_installed(allocator);
    struct ca_recorded recorded = record_with(allocator, argv);
    char words[96];
    snprintf(words, sizeof words, "live=%lld\npeak=%lld\n",
             ca_recorded_integer(&recorded, "bytes_live"),
             ca_recorded_integer(&recorded, "bytes_peak"));
    cr_expect_str_eq(recorded.spawned.out, words);
    cr_expect_gt(ca_recorded_integer(&recorded, "bytes_live"), 0);
    ca_recorded_release(&recorded);
}

FOR_EACH_ALLOCATOR(live_off_leaves_them_out_with_each) {
    const char *const options[] = {"--allocator", allocator->name, "--live", "off", NULL};
    const char *const argv[] = {COUNTALLOC_VICTIMS "/malloc_and_free", NULL};
    skip_unless_installed(allocator);
    struct ca_recorded recorded = record(options, argv);
    char text[16];
    cr_expect_eq(ca_recorded_integer(&recorded, "allocations"), 100);
    cr_expect(ca_recorded_text(&recorded, "bytes_live", text, sizeof text));
    cr_expect_str_eq(text, "null");
    cr_expect(ca_recorded_text(&recorded, "bytes_peak", text, sizeof text));
    cr_expect_str_eq(text, "null");
    ca_recorded_release(&recorded);
}

/* ---- how it stands at the end ---- */

static void expect_figure(const struct ca_recorded *recorded, const char *member,
                          const char *word) {
    const json_t *value = of_platform(recorded, member);
    const char *said = strstr(recorded->spawned.out, word);
    cr_assert(said != NULL && json_is_integer(value), "%s, %s: %s", member, word,
              recorded->spawned.out);
    cr_expect_eq(json_integer_value(value), atoll(said + strlen(word)), "%s: %lld, %s", member,
                 (long long)json_integer_value(value), said);
}

/* The program asks for the same figures when it ends. The allocator inside the shim is hidden from
 * it. */
FOR_EACH_ALLOCATOR(its_own_figures_are_those_that_the_program_is_given) {
    const char *const argv[] = {COUNTALLOC_TESTS "/asks_allocator", NULL};
    skip_unless_installed(allocator);
    struct ca_recorded recorded = record_with(allocator, argv);
    if (!allocator->has_figures) {
        cr_expect_null(of_platform(&recorded, "allocator_used_bytes"));
        cr_expect_null(of_platform(&recorded, "allocator_held_bytes"));
        cr_expect_null(of_platform(&recorded, "allocator_active_bytes"));
        cr_expect(ca_recorded_has_note(
            &recorded, "there is no known way to ask libmimalloc how it stood at the end"));
    } else if (strcmp(allocator->name, "jemalloc-inside") != 0) {
        expect_figure(&recorded, "allocator_used_bytes", "used=");
        expect_figure(&recorded, "allocator_held_bytes", "held=");
        cr_expect_not(ca_recorded_has_note(&recorded, "there is no known way"));
        if (allocator->has_active)
            expect_figure(&recorded, "allocator_active_bytes", "active=");
        else
            cr_expect(json_is_null(of_platform(&recorded, "allocator_active_bytes")));
    } else {
        long long used = json_integer_value(of_platform(&recorded, "allocator_used_bytes"));
        long long active = json_integer_value(of_platform(&recorded, "allocator_active_bytes"));
        long long held = json_integer_value(of_platform(&recorded, "allocator_held_bytes"));
        cr_expect(1050000 < used && used <= active && active <= held, "%lld %lld %lld", used,
                  active, held);
    }
    ca_recorded_release(&recorded);
}

FOR_EACH_ALLOCATOR(the_report_shows_them) {
    char line[160];
    skip_unless_installed(allocator);
    RUN("run", "-o", "/dev/null", "--allocator", allocator->name, "--",
        COUNTALLOC_TESTS "/asks_allocator");
    const char *found = strstr(spawned.err, "\nallocator ");
    snprintf(line, sizeof line, "\nallocator %s ", allocator->in_key + 1);
    if (allocator->has_figures)
        cr_expect(found != NULL && strncmp(found, line, strlen(line)) == 0 &&
                      strstr(found, " bytes in use at the end, of ") != NULL,
                  "%s", spawned.err);
    else
        cr_expect_null(found, "%s", spawned.err);
    cr_expect_null(strstr(spawned.err, " 0 bytes in use"), "%s", spawned.err);
    ca_spawned_release(&spawned);
}

/* A heap that nobody used yet: that is measured. */
Test(allocators, nothing_held_is_a_figure_of_0) {
    const char *const argv[] = {COUNTALLOC_VICTIMS "/exit_at_once", NULL};
    const char *const silent[] = {COUNTALLOC_VICTIMS "/free_of_null", NULL};
    struct ca_recorded recorded = record_with(&allocators[0], silent);
    cr_expect_eq(ca_recorded_integer(&recorded, "allocations"), 0);
    cr_expect(json_is_integer(of_platform(&recorded, "allocator_held_bytes")));
    cr_expect_eq(json_integer_value(of_platform(&recorded, "allocator_held_bytes")), 0);
    cr_expect_not(ca_recorded_has_note(&recorded, "there is no known way"));
    ca_recorded_release(&recorded);

    recorded = record_with(&allocators[0], argv);
    cr_expect_null(of_platform(&recorded, "allocator_held_bytes"));
    cr_expect(ca_recorded_has_note(&recorded, "the allocator was not asked how it stood at the "
                                              "end: the program ended without its exit handlers"));
    ca_recorded_release(&recorded);
}

Test(allocators, nobody_is_asked_without_the_option) {
    const char *const argv[] = {COUNTALLOC_VICTIMS "/malloc_and_free", NULL};
    struct ca_recorded recorded = record(NULL, argv);
    cr_expect_null(of_platform(&recorded, "allocator_held_bytes"));
    cr_expect_null(of_platform(&recorded, "allocator_path"));
    ca_recorded_release(&recorded);
}

/* ---- refusals ---- */

static void expect_refusal(const char *allocator, const char *message) {
    RUN("run", "--allocator", allocator, "--", "echo", "ran");
    cr_expect_eq(spawned.exit_status, 125, "%s", allocator);
    cr_expect_eq(spawned.out_bytes, 0, "%s: the program was run", allocator);
    cr_expect(strncmp(spawned.err, message, strlen(message)) == 0, "%s: %s", allocator,
              spawned.err);
    ca_spawned_release(&spawned);
}

Test(allocators, what_cannot_serve_is_refused_before_the_program_starts) {
    expect_refusal("nomalloc",
                   "countalloc run: --allocator: 'nomalloc' is not known; known are jemalloc, "
                   "jemalloc-inside, mimalloc, tcmalloc, libc, or give a library's path\n");
    expect_refusal("/nowhere/libx.so", "countalloc run: --allocator: cannot find "
                                       "'/nowhere/libx.so': No such file or directory\n");
    expect_refusal("libnothere.so.9", "countalloc run: --allocator: no 'libnothere.so.9' where "
                                      "the loader looks; give its path\n");
    expect_refusal("libm.so.6", "countalloc run: --allocator: '");
    expect_refusal(COUNTALLOC_LIBRARY,
                   "countalloc run: --allocator: '" COUNTALLOC_LIBRARY
                   "' is countalloc's own library, which counts and passes on; name an "
                   "allocator\n");
    expect_refusal(COUNTALLOC_COMMAND, "countalloc run: --allocator: '" COUNTALLOC_COMMAND
                                       "' is no shared library; name one that defines malloc\n");
}

/* What the loader does not load after all is found out afterwards. */
Test(allocators, an_allocator_that_did_not_serve_is_not_measured) {
    const char *const argv[] = {
        COUNTALLOC_COMMAND, "run", "--allocator", "libc", "--", "echo", "ran", NULL};
    const char *const environment[] = {"LD_PRELOAD=libjemalloc.so.2", NULL};
    skip_unless_installed(&allocators[1]);
    run(argv, environment);
    cr_expect_eq(spawned.exit_status, 125, "%s", spawned.err);
    cr_expect_str_eq(spawned.out, "ran\n");
    cr_expect(strstr(spawned.err, "--allocator libc: in '") != NULL &&
                  strstr(spawned.err, "malloc was served by '") != NULL,
              "%s", spawned.err);
    ca_spawned_release(&spawned);
}

/* ---- C++ past the shim ---- */

#define HIDDEN_NEW(path)                                                                           \
    "C++'s new and delete are those of %s: what these allocate without malloc is not counted; "    \
    "'countalloc run --allocator' with that library counts it",                                    \
        path

/* The library as the loader shows its path. */
static const char *allocator_below(const struct ca_recorded *recorded) {
    const json_t *notes = json_object_get(json_object_get(recorded->root, "coverage"), "notes");
    static char path[512];
    const char *begin = json_string_value(json_array_get(notes, 0));
    path[0] = '\0';
    if (begin != NULL)
        sscanf(begin, "C++'s new and delete are those of %511[^:]", path);
    return path;
}

static void expect_hidden(const struct ca_recorded *recorded, const char *library) {
    char level[16], note[1024];
    const char *path = allocator_below(recorded);
    const json_t *notes = json_object_get(json_object_get(recorded->root, "coverage"), "notes");
    snprintf(note, sizeof note, HIDDEN_NEW(path));
    cr_expect(ca_recorded_text(recorded, "level", level, sizeof level));
    cr_expect_str_eq(level, "partial");
    cr_expect(ends_with(path, library), "'%s'", path);
    cr_expect_str_eq(json_string_value(json_array_get(notes, 0)), note);
}

static struct ca_recorded record_preloaded(enum ca_how how, const char *library,
                                           const char *const *argv) {
    char preload[128];
    const char *const environment[] = {preload, NULL};
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", library);
    struct ca_record_request request = {.how = how,
                                        .spawn = {.argv = argv, .environment = environment}};
    struct ca_recorded recorded;
    cr_assert(ca_recorded_init(&recorded, &request), "%s", recorded.problem);
    return recorded;
}

static void expect_hidden_from(const struct allocator *allocator, const char *program) {
    const char *const argv[] = {program, NULL};
    if (allocator->library[0] == '\0')
        return;
    skip_unless_installed(allocator);
    struct ca_recorded recorded = record_preloaded(CA_HOW_RUN, allocator->library, argv);
    expect_hidden(&recorded, allocator->library);
    ca_recorded_release(&recorded);
}

FOR_EACH_ALLOCATOR(operators_of_a_preloaded_allocator_are_told) {
    expect_hidden_from(allocator, COUNTALLOC_VICTIMS "/cpp_new");
}

/* One whose runtime alone has uses of new. */
FOR_EACH_ALLOCATOR(operators_of_strings_are_told) {
    expect_hidden_from(allocator, COUNTALLOC_TESTS "/cpp_strings");
}

FOR_EACH_ALLOCATOR(operators_are_told_from_a_program_in_c) {
    const char *const argv[] = {COUNTALLOC_VICTIMS "/malloc_and_free", NULL};
    if (allocator->library[0] == '\0')
        return;
    skip_unless_installed(allocator);
    struct ca_recorded recorded = record_preloaded(CA_HOW_RUN, allocator->library, argv);
    char level[16];
    cr_expect(ca_recorded_text(&recorded, "level", level, sizeof level));
    cr_expect_str_eq(level, "full");
    cr_expect_eq(ca_recorded_integer(&recorded, "allocations"), 100);
    cr_expect_not(ca_recorded_has_note(&recorded, "new and delete"));
    ca_recorded_release(&recorded);
}

/* And one that only refers to new, without libstdc++. */
Test(allocators, a_library_in_cpp_that_is_loaded_later_is_told) {
    const char *const argv[] = {COUNTALLOC_TESTS "/loads_cpp", COUNTALLOC_TESTS "/cpp_plugin.so",
                                NULL};
    const char *const none[] = {COUNTALLOC_TESTS "/loads_cpp", NULL};
    skip_unless_installed(&allocators[2]);
    struct ca_recorded recorded = record_preloaded(CA_HOW_RUN, "libmimalloc.so.2", argv);
    expect_hidden(&recorded, "libmimalloc.so.2");
    ca_recorded_release(&recorded);
    recorded = record_preloaded(CA_HOW_RUN, "libmimalloc.so.2", none);
    cr_expect_not(ca_recorded_has_note(&recorded, "new and delete"));
    ca_recorded_release(&recorded);
}

#ifdef COUNTALLOC_LINKED
Test(allocators, operators_of_a_linked_allocator_are_told) {
    const char *const argv[] = {COUNTALLOC_LINKED, NULL};
    struct ca_recorded recorded = record(NULL, argv);
    expect_hidden(&recorded, "libjemalloc.so.2");
    ca_recorded_release(&recorded);

    recorded = record_with(&allocators[1], argv);
    char level[16];
    cr_expect_eq(ca_recorded_integer(&recorded, "phase.new.malloc"), 30);
    cr_expect_eq(ca_recorded_integer(&recorded, "phase.new.free"), 30);
    cr_expect(ca_recorded_text(&recorded, "level", level, sizeof level));
    cr_expect_str_eq(level, "full");
    ca_recorded_release(&recorded);
}

Test(allocators, operators_beside_the_allocator_inside_are_told) {
    const char *const argv[] = {COUNTALLOC_LINKED, NULL};
    skip_unless_installed(&allocators[4]);
    struct ca_recorded recorded = record_with(&allocators[4], argv);
    expect_hidden(&recorded, "another allocator");
    ca_recorded_release(&recorded);
}
#endif

/* ---- what is known of one ---- */

Test(allocators, the_full_tcmalloc_is_known_to_make_calls_of_its_own) {
    const char *const options[] = {"--allocator", "libtcmalloc.so.4", NULL};
    const char *const argv[] = {COUNTALLOC_VICTIMS "/malloc_and_free", NULL};
    RUN("run", "-q", "--allocator", "libtcmalloc.so.4", "--", "true");
    bool is_absent = spawned.exit_status != 0;
    ca_spawned_release(&spawned);
    if (is_absent)
        cr_skip_test("libtcmalloc.so.4 (Debian: libgoogle-perftools4) is not installed");
    struct ca_recorded recorded = record(options, argv);
    cr_expect_eq(ca_recorded_integer(&recorded, "phase.main.allocations"), 100);
    cr_expect(ca_recorded_has_note(
        &recorded, "libtcmalloc sets two environment variables before the program begins; that, "
                   "and what the program does because of them, is counted: libtcmalloc_minimal "
                   "sets none"));
    ca_recorded_release(&recorded);
}
