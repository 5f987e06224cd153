/* SPDX-License-Identifier: MIT */
#include "interpose/report/record.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(array) (uint32_t)(sizeof(array) / sizeof *(array))

static char written[65536];
static size_t written_bytes;

static void keep(void *target, const char *bytes, size_t byte_count) {
    (void)target;
    cr_assert_lt(written_bytes + byte_count, sizeof written);
    memcpy(written + written_bytes, bytes, byte_count);
    written_bytes += byte_count;
}

static const char *text_of(const struct ca_record *record) {
    static struct ca_out out;
    written_bytes = 0;
    ca_out_init(&out, keep, NULL);
    ca_record_write_text(record, &out);
    ca_out_flush(&out);
    written[written_bytes] = '\0';
    return written;
}

static void assert_text(const struct ca_record *record, const char *expected) {
    const char *text = text_of(record);
    cr_assert_str_eq(text, expected, "written:\n%s\nexpected:\n%s", text, expected);
}

static void assert_has(const struct ca_record *record, const char *expected) {
    const char *text = text_of(record);
    cr_assert_not_null(strstr(text, expected), "written:\n%s\nexpected in it:\n%s", text, expected);
}

static void assert_has_not(const struct ca_record *record, const char *unexpected) {
    const char *text = text_of(record);
    cr_assert_null(strstr(text, unexpected), "written:\n%s\nunexpected in it:\n%s", text,
                   unexpected);
}

static struct ca_record small_record(void) {
    return (struct ca_record){
        .name = "app",
        .executable = "/usr/bin/app",
        .arguments = "app\0-x",
        .argument_bytes = sizeof "app\0-x",
        .argument_count = 2,
        .is_attached = true,
        .level = CA_LEVEL_FULL,
        .is_complete = true,
        .total = {.has_live = true, .has_peak = true},
    };
}

static struct ca_record_phase logstat_phases[] = {
    {.name = "startup",
     .is_process_phase = true,
     .counts = {.allocations = 1, .bytes_requested = 72704, .has_peak = true, .bytes_peak = 72704}},
    {.name = "main",
     .is_process_phase = true,
     .counts = {.allocations = 12,
                .frees = 13,
                .bytes_requested = 8200,
                .has_peak = true,
                .bytes_peak = 81400}},
    {.name = "scan",
     .units = {{"line", 1000000}},
     .units_count = 1,
     .counts = {.allocations = 21508562,
                .frees = 21508560,
                .bytes_requested = 1234486986,
                .has_peak = true,
                .bytes_peak = 132456789}},
    {.name = "report",
     .units = {{"line", 1000000}},
     .units_count = 1,
     .counts = {.allocations = 8, .frees = 2, .has_peak = true, .bytes_peak = 132450000}},
    {.name = "exit", .is_process_phase = true, .counts = {.has_peak = true, .bytes_peak = 74000}},
};

static struct ca_record logstat_record(void) {
    struct ca_record record = {
        .name = "logstat",
        .executable = "/usr/bin/logstat",
        .arguments = "logstat\0run\0v0\0access.log",
        .argument_bytes = sizeof "logstat\0run\0v0\0access.log",
        .argument_count = 4,
        .has_exit_status = true,
        .is_complete = true,
        .is_attached = true,
        .level = CA_LEVEL_FULL,
        .has_resources = true,
        .wall_ns = 3209500000,
        .user_ns = 3100000000,
        .system_ns = 100499999,
        .max_rss_bytes = 127191000,
        .total = {.allocations = 21508583,
                  .frees = 21508575,
                  .malloc_calls = 19854303,
                  .realloc_calls = 1654280,
                  .free_calls = 19854295,
                  .realloc_in_place = 2,
                  .realloc_moved = 1654278,
                  .realloc_grown = 1654280,
                  .bytes_requested = 1234567890,
                  .live_blocks = 8,
                  .has_live = true,
                  .has_peak = true,
                  .bytes_live = 1024,
                  .bytes_peak = 132456789},
        .total_units = {{"line", 1000000}},
        .total_units_count = 1,
        .phases = logstat_phases,
        .phase_count = COUNT_OF(logstat_phases),
    };
    record.total.size_class[0] = 3;
    record.total.size_class[1] = 11872000;
    record.total.size_class[3] = 9000000;
    record.total.size_class[4] = 36576;
    record.total.size_class[64] = 600000;
    record.total.size_class[65] = 4;
    return record;
}

Test(record_text, ordinary_program_with_units) {
    static struct ca_record_thread thread = {.number = 1, .thread_count = 1};
    struct ca_record record = logstat_record();
    record.threads = &thread;
    record.thread_count = 1;
    assert_text(
        &record,
        "countalloc: logstat run v0 access.log\n"
        "21,508,583 allocations, 21,508,575 frees, 1,234,567,890 bytes requested\n"
        "8 blocks (1,024 bytes) live at the end, peak 132,456,789 bytes\n"
        "\n"
        "phase    allocations       frees  bytes requested    peak live  allocations/line  "
        "bytes/line\n"
        "startup            1           0           72,704       72,704\n"
        "main              12          13            8,200       81,400\n"
        "scan      21,508,562  21,508,560    1,234,486,986  132,456,789            21.509   "
        "1,234.487\n"
        "report             8           2                0  132,450,000            <0.001          "
        " 0\n"
        "exit               0           0                0       74,000\n"
        "total     21,508,583  21,508,575    1,234,567,890  132,456,789            21.509   "
        "1,234.568\n"
        "\n"
        "calls     malloc 19,854,303  calloc 0  realloc 1,654,280  aligned 0  failed 0\n"
        "frees     free 19,854,295  by realloc 1,654,280  free(NULL) 0\n"
        "realloc   in place 2  moved 1,654,278  grown 1,654,280  shrunk 0\n"
        "sizes     0 bytes <0.1%  <=16 55.2%  <=64 42.0%  <=1,024 2.8%  <=2,048 <0.1%\n"
        "units     line 1,000,000\n"
        "threads   1\n"
        "exit      status 0, 3.210 s (user 3.100 s, system 0.100 s), 121.3 MiB peak memory\n");
}

Test(record_text, not_measured_shows_no_number) {
    struct ca_record record = small_record();
    record.is_attached = false;
    record.level = CA_LEVEL_NONE;
    record.has_exit_status = true;
    record.has_resources = true;
    strcpy(record.notes[0], "'./app' is statically linked, so the preload was ignored");
    strcpy(record.notes[1], "relink it dynamically");
    record.note_count = 2;
    assert_text(&record, "countalloc: app -x\n"
                         "not measured: './app' is statically linked, so the preload was ignored\n"
                         "note: relink it dynamically\n");
}

Test(record_text, not_measured_without_notes_and_failed) {
    struct ca_record record = small_record();
    record.level = CA_LEVEL_NONE;
    record.has_exit_status = true;
    record.exit_status = 3;
    assert_text(&record, "countalloc: app -x\n"
                         "not measured\n"
                         "exit      status 3\n");
}

Test(record_text, killed_by_a_signal_with_partial_coverage_and_many_threads) {
    static struct ca_record_thread threads[] = {
        {.number = 1, .name = "server", .thread_count = 1, .counts = {.allocations = 500}},
        {.number = 2, .thread_count = 1, .counts = {.allocations = 7}},
        {.number = 3, .name = "worker", .thread_count = 12, .counts = {.allocations = 30000}},
        {.number = 4, .thread_count = 1, .counts = {.allocations = 8}},
        {.number = 5, .thread_count = 1, .counts = {.allocations = 9}},
        {.number = 6, .thread_count = 1, .counts = {.allocations = 0}},
        {.number = 0,
         .name = "(all further threads)",
         .thread_count = 5,
         .counts = {.allocations = 20}},
    };
    static struct ca_record_process processes[] = {
        {.executable = "/bin/dash", .counts = {.allocations = 44}},
        {.executable = "/usr/sbin/server", .counts = {.allocations = 30500}},
    };
    static struct ca_record_phase phases[] = {
        {.name = "main", .counts = {.allocations = 30544, .frees = 1, .bytes_requested = 500}},
    };
    struct ca_record record = small_record();
    record.level = CA_LEVEL_PARTIAL;
    record.is_complete = false;
    record.signal = 9;
    record.total = (struct ca_counts){.allocations = 30544,
                                      .frees = 1,
                                      .malloc_calls = 30544,
                                      .free_calls = 1,
                                      .failed_calls = 2,
                                      .bytes_requested = 500,
                                      .live_blocks = 30543,
                                      .has_live = true,
                                      .has_peak = true,
                                      .bytes_live = 733032,
                                      .bytes_peak = 733056,
                                      .bytes_peak_error = 458752};
    record.total.size_class[1] = 30544;
    record.phases = phases;
    record.phase_count = COUNT_OF(phases);
    record.threads = threads;
    record.thread_count = COUNT_OF(threads);
    record.processes = processes;
    record.process_count = COUNT_OF(processes);
    strcpy(record.notes[0], "an allocator of its own is linked in");
    record.note_count = 1;
    assert_text(&record, "countalloc: app -x\n"
                         "at least 30,544 allocations, 1 free, 500 bytes requested\n"
                         "30,543 counted blocks (733,032 bytes) live at the end, peak at least "
                         "733,056 bytes (up to 458,752 more)\n"
                         "\n"
                         "phase  allocations  frees  bytes requested  peak live\n"
                         "main        30,544      1              500          -\n"
                         "total       30,544      1              500    733,056\n"
                         "\n"
                         "calls     malloc 30,544  calloc 0  realloc 0  aligned 0  failed 2\n"
                         "frees     free 1  by realloc 0  free(NULL) 0\n"
                         "sizes     <=16 bytes 100%\n"
                         "threads   22, most allocations:  #1 server 500  #3 worker (12 threads) "
                         "30,000  #4 8  #5 9\n"
                         "          (all further threads) (5 threads) 20\n"
                         "programs  2, allocations:  dash 44  server 30,500\n"
                         "exit      killed by signal 9 (SIGKILL)\n"
                         "note: an allocator of its own is linked in\n");
}

Test(record_text, live_bytes_that_were_not_measured_are_no_zeros) {
    static struct ca_record_phase phases[] = {
        {.name = "main", .counts = {.allocations = 1, .frees = 2, .bytes_requested = 1}},
    };
    struct ca_record record = small_record();
    record.total = (struct ca_counts){.allocations = 1,
                                      .frees = 2,
                                      .realloc_calls = 1,
                                      .realloc_moved = 1,
                                      .free_calls = 1,
                                      .free_null = 4,
                                      .bytes_requested = 1,
                                      .live_blocks = -1};
    record.total.size_class[1] = 1;
    record.phases = phases;
    record.phase_count = COUNT_OF(phases);
    record.has_exit_status = true;
    record.exit_status = 1;
    assert_text(&record, "countalloc: app -x\n"
                         "1 allocation, 2 frees, 1 byte requested\n"
                         "-1 block live at the end; live and peak bytes not measured\n"
                         "\n"
                         "phase  allocations  frees  bytes requested  peak live\n"
                         "main             1      2                1          -\n"
                         "total            1      2                1          -\n"
                         "\n"
                         "calls     malloc 0  calloc 0  realloc 1  aligned 0  failed 0\n"
                         "frees     free 1  by realloc 1  free(NULL) 4\n"
                         "realloc   in place 0  moved 1  grown 0  shrunk 0\n"
                         "sizes     <=16 bytes 100%\n"
                         "exit      status 1\n");
}

static struct ca_record_phase many_phases[60];
static char many_names[60][24];

static struct ca_record record_of_many_phases(uint32_t phase_count) {
    struct ca_record record = small_record();
    for (uint32_t i = 0; i < phase_count; i++) {
        snprintf(many_names[i], sizeof many_names[i], "phase-%02u", (unsigned)i);
        many_phases[i] = (struct ca_record_phase){
            .name = many_names[i],
            .counts = {.allocations = i % 3 == 0 ? 1 : 1000 + i,
                       .frees = i,
                       .bytes_requested = 16,
                       .has_peak = true,
                       .bytes_peak = 100 + i},
        };
        record.total.allocations += many_phases[i].counts.allocations;
        record.total.frees += many_phases[i].counts.frees;
        record.total.bytes_requested += 16;
    }
    record.total.bytes_peak = 159;
    record.phases = many_phases;
    record.phase_count = phase_count;
    return record;
}

Test(record_text, of_sixty_phases_the_busiest_forty_are_shown_and_the_rest_added_up) {
    struct ca_record record = record_of_many_phases(60);
    assert_text(&record, "countalloc: app -x\n"
                         "41,220 allocations, 1,770 frees, 960 bytes requested\n"
                         "0 blocks (0 bytes) live at the end, peak 159 bytes\n"
                         "\n"
                         "phase           allocations  frees  bytes requested  peak live\n"
                         "phase-01              1,001      1               16        101\n"
                         "phase-02              1,002      2               16        102\n"
                         "phase-04              1,004      4               16        104\n"
                         "phase-05              1,005      5               16        105\n"
                         "phase-07              1,007      7               16        107\n"
                         "phase-08              1,008      8               16        108\n"
                         "phase-10              1,010     10               16        110\n"
                         "phase-11              1,011     11               16        111\n"
                         "phase-13              1,013     13               16        113\n"
                         "phase-14              1,014     14               16        114\n"
                         "phase-16              1,016     16               16        116\n"
                         "phase-17              1,017     17               16        117\n"
                         "phase-19              1,019     19               16        119\n"
                         "phase-20              1,020     20               16        120\n"
                         "phase-22              1,022     22               16        122\n"
                         "phase-23              1,023     23               16        123\n"
                         "phase-25              1,025     25               16        125\n"
                         "phase-26              1,026     26               16        126\n"
                         "phase-28              1,028     28               16        128\n"
                         "phase-29              1,029     29               16        129\n"
                         "phase-31              1,031     31               16        131\n"
                         "phase-32              1,032     32               16        132\n"
                         "phase-34              1,034     34               16        134\n"
                         "phase-35              1,035     35               16        135\n"
                         "phase-37              1,037     37               16        137\n"
                         "phase-38              1,038     38               16        138\n"
                         "phase-40              1,040     40               16        140\n"
                         "phase-41              1,041     41               16        141\n"
                         "phase-43              1,043     43               16        143\n"
                         "phase-44              1,044     44               16        144\n"
                         "phase-46              1,046     46               16        146\n"
                         "phase-47              1,047     47               16        147\n"
                         "phase-49              1,049     49               16        149\n"
                         "phase-50              1,050     50               16        150\n"
                         "phase-52              1,052     52               16        152\n"
                         "phase-53              1,053     53               16        153\n"
                         "phase-55              1,055     55               16        155\n"
                         "phase-56              1,056     56               16        156\n"
                         "phase-58              1,058     58               16        158\n"
                         "phase-59              1,059     59               16        159\n"
                         "20 more phases           20    570              320        157\n"
                         "total                41,220  1,770              960        159\n"
                         "\n"
                         "calls     malloc 0  calloc 0  realloc 0  aligned 0  failed 0\n"
                         "frees     free 0  by realloc 1,770  free(NULL) 0\n");
}

Test(record_text, one_phase_too_many_is_one_more_phase) {
    struct ca_record record = record_of_many_phases(41);
    /* Of the phases with the fewest allocations the last one goes. */
    assert_has(&record, "\nphase-36   ");
    assert_has_not(&record, "\nphase-39   ");
    assert_has(&record, "\n1 more phase            1     39               16        139\ntotal  ");
}

Test(record_text, forty_phases_are_all_shown) {
    struct ca_record record = record_of_many_phases(40);
    assert_has(&record, "\nphase-39   ");
    assert_has_not(&record, "more phase");
}

Test(record_text, one_of_each_is_singular) {
    struct ca_record record = small_record();
    record.total.allocations = record.total.bytes_requested = 1;
    record.total.live_blocks = record.total.bytes_live = record.total.bytes_peak = 1;
    assert_has(&record, "\n1 allocation, 0 frees, 1 byte requested\n"
                        "1 block (1 byte) live at the end, peak 1 byte\n\n");
}

Test(record_text, only_the_missing_one_of_live_and_peak_is_not_measured) {
    struct ca_record record = small_record();
    record.total.has_peak = false;
    assert_has(&record, "\n0 blocks (0 bytes) live at the end; peak not measured\n");
    record.total.has_peak = true;
    record.total.has_live = false;
    assert_has(&record, "\n0 blocks live at the end, peak 0 bytes; live bytes not measured\n");
}

Test(record_text, largest_numbers_are_written_whole) {
    struct ca_record record = small_record();
    record.total.allocations = UINT64_MAX;
    record.total.live_blocks = INT64_MIN;
    record.total.bytes_live = INT64_MIN;
    record.total_units[0] = (struct ca_units){"line", 1};
    record.total_units_count = 1;
    assert_has(&record, "\n18,446,744,073,709,551,615 allocations, 0 frees, ");
    assert_has(&record,
               "\n-9,223,372,036,854,775,808 blocks (-9,223,372,036,854,775,808 bytes) live ");
    assert_has(&record, "  18,446,744,073,709,551,615.000           0\n");
}

Test(record_text, control_bytes_and_what_is_not_utf8_are_replaced) {
    static struct ca_record_phase phases[] = {{.name = "a\x1b[31m\xc3\xa4\xff\xc2\x9bz"}};
    struct ca_record record = small_record();
    record.arguments = "a\nb\0\xed\xa0\x80\xe2\x82\xac";
    record.argument_bytes = sizeof "a\nb\0\xed\xa0\x80\xe2\x82\xac";
    record.phases = phases;
    record.phase_count = 1;
    strcpy(record.notes[0], "tab\there");
    record.note_count = 1;
    assert_has(&record, "countalloc: a?b ???\xe2\x82\xac\n");
    assert_has(&record, "\na?[31m\xc3\xa4???z            0  ");
    assert_has(&record, "\ntotal                  0  ");
    assert_has(&record, "\nnote: tab?here\n");
}

Test(record_text, long_names_and_command_lines_are_cut) {
    static char argument[201];
    static struct ca_record_phase phases[] = {{.name = "0123456789012345678901234567890\xc3\xa4"},
                                              {.name = "012345678901234567890123456789012"}};
    memset(argument, 'x', 200);
    struct ca_record record = small_record();
    record.arguments = argument;
    record.argument_bytes = sizeof argument;
    record.argument_count = 1;
    record.phases = phases;
    record.phase_count = 2;
    char heading[128] = "countalloc: ";
    memset(heading + 12, 'x', 89);
    strcpy(heading + 12 + 89, "\xe2\x80\xa6\n");
    assert_has(&record, heading);
    assert_has(&record, "\n0123456789012345678901234567890\xc3\xa4  ");
    assert_has(&record, "\n0123456789012345678901234567890\xe2\x80\xa6  ");
}

Test(record_text, arguments_that_were_cut_end_in_an_ellipsis) {
    struct ca_record record = small_record();
    record.argument_count = 9;
    assert_has(&record, "countalloc: app -x \xe2\x80\xa6\n");
    record.arguments = NULL;
    record.argument_bytes = 0;
    record.argument_count = 0;
    assert_has(&record, "countalloc: app\n");
}

Test(record_text, a_given_name_stands_before_the_command_line) {
    struct ca_record record = small_record();
    record.name = "nightly";
    assert_has(&record, "countalloc: nightly: app -x\n");
}

Test(record_text, rates_round_half_up_and_never_to_zero) {
    static struct ca_record_phase phases[] = {
        {.name = "a", .units = {{"u", 3}}, .units_count = 1, .counts = {.allocations = 2}},
        {.name = "b", .units = {{"u", 2000}}, .units_count = 1, .counts = {.allocations = 1}},
        {.name = "c", .units = {{"u", 2001}}, .units_count = 1, .counts = {.allocations = 1}},
        {.name = "d", .units = {{"u", 10000}}, .units_count = 1, .counts = {.allocations = 9996}},
        {.name = "e", .units = {{"u", 0}}, .units_count = 1, .counts = {.allocations = 5}},
    };
    struct ca_record record = small_record();
    record.phases = phases;
    record.phase_count = COUNT_OF(phases);
    assert_has(&record, "  allocations/u  bytes/u\n");
    assert_has(&record, "          0.667        0\n");
    assert_has(&record, "          0.001        0\n");
    assert_has(&record, "         <0.001        0\n");
    assert_has(&record, "          1.000        0\n");
    assert_has(&record, "\ne                5      0                0          -\n");
}

Test(record_text, only_two_units_make_columns) {
    static struct ca_record_phase phases[] = {
        {.name = "a", .units = {{"x", 0}, {"y", 1}, {"z", 1}}, .units_count = 3},
        {.name = "b", .units = {{"z", 1}, {"w", 1}, {"y", 2}}, .units_count = 3},
    };
    struct ca_record record = small_record();
    record.phases = phases;
    record.phase_count = COUNT_OF(phases);
    assert_has(&record, "peak live  allocations/y  bytes/y  allocations/z  bytes/z\n");
}

Test(record_text, shares_are_all_or_nothing_only_when_they_are) {
    struct ca_record record = small_record();
    record.total.allocations = 1000000;
    record.total.size_class[2] = 999999;
    record.total.size_class[CA_CLASSES - 1] = 1;
    assert_has(&record, "\nsizes     <=32 bytes >99.9%  >2,199,023,255,552 <0.1%\n");
}

Test(record_text, a_program_whose_end_nobody_saw_is_said_to_be_so) {
    struct ca_record record = small_record();
    record.is_complete = false;
    assert_has(&record, "\nexit      not seen: the program was killed, or is still running\n");
    record.is_complete = true;
    assert_has_not(&record, "\nexit");
}
