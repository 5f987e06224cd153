/* SPDX-License-Identifier: MIT */
#include "sites_record.h"

static const uint8_t build_id[] = {0xab, 0x01};
static const uint32_t startup[] = {4}, in_main[] = {2}, copy_key[] = {0, 1, 2}, grow[] = {3, 1, 2},
                      anonymous[] = {5, 1};

static void fill_frames(struct sites_record *made) {
    struct ca_record_function *functions = made->functions;
    functions[0] = (struct ca_record_function){"copy_key", "/src/tally.c", 41};
    functions[1] = (struct ca_record_function){"tally_add", "/src/tally.c", 60};
    functions[2] = (struct ca_record_function){"scan", "/src/v0_naive.c", 88};
    functions[3] = (struct ca_record_function){"main", "/src/logstat.c", 200};
    functions[4] = (struct ca_record_function){"grow", "/src/table.c", 30};
    made->frames[0] = (struct ca_record_frame){0, 0x1201, &functions[0], 2};
    made->frames[1] = (struct ca_record_frame){0, 0x1300, &functions[2], 1};
    made->frames[2] = (struct ca_record_frame){0, 0x1400, &functions[3], 1};
    made->frames[3] = (struct ca_record_frame){0, 0x1500, &functions[4], 1};
    made->frames[4] = (struct ca_record_frame){1, 0x2f0a1, NULL, 0};
    made->frames[5] = (struct ca_record_frame){CA_NO_MODULE, 0x7f0000001000, NULL, 0};
}

static void fill_phases(struct sites_record *made) {
    made->phases[0] =
        (struct ca_record_phase){.name = "startup",
                                 .is_process_phase = true,
                                 .counts = {.allocations = 1, .bytes_requested = 72704}};
    made->phases[1] =
        (struct ca_record_phase){.name = "main",
                                 .is_process_phase = true,
                                 .counts = {.allocations = 4, .bytes_requested = 310}};
    made->phases[2] =
        (struct ca_record_phase){.name = "scan",
                                 .opened = 1,
                                 .units = {{"line", 1000}},
                                 .units_count = 1,
                                 .counts = {.allocations = 18, .bytes_requested = 804}};
    made->phases[3] = (struct ca_record_phase){.name = "exit", .is_process_phase = true};
}

static void fill_sites(struct sites_record *made) {
    struct ca_record_site *sites = made->sites;
    sites[SITE_STARTUP] = (struct ca_record_site){.phase = 0,
                                                  .frames = startup,
                                                  .frame_count = 1,
                                                  .allocations = 1,
                                                  .malloc_calls = 1,
                                                  .bytes_requested = 72704};
    sites[SITE_MAIN] = (struct ca_record_site){.phase = 1,
                                               .frames = in_main,
                                               .frame_count = 1,
                                               .allocations = 3,
                                               .calloc_calls = 3,
                                               .bytes_requested = 300};
    sites[SITE_MAIN_REST] = (struct ca_record_site){
        .phase = 1, .allocations = 1, .malloc_calls = 1, .bytes_requested = 10};
    sites[SITE_COPY_KEY] = (struct ca_record_site){.phase = 2,
                                                   .frames = copy_key,
                                                   .frame_count = 3,
                                                   .allocations = 12,
                                                   .malloc_calls = 12,
                                                   .bytes_requested = 240};
    sites[SITE_GROW] = (struct ca_record_site){.phase = 2,
                                               .frames = grow,
                                               .frame_count = 3,
                                               .allocations = 5,
                                               .realloc_calls = 5,
                                               .bytes_requested = 500};
    sites[SITE_ANONYMOUS] = (struct ca_record_site){.phase = 2,
                                                    .frames = anonymous,
                                                    .frame_count = 2,
                                                    .is_cut = true,
                                                    .allocations = 1,
                                                    .aligned_calls = 1,
                                                    .bytes_requested = 64};
    made->samples[0] = (struct ca_record_sample){.phase = 2,
                                                 .frames = copy_key,
                                                 .frame_count = 3,
                                                 .samples = 4,
                                                 .allocations = 11,
                                                 .bytes_requested = 220};
    made->samples[1] = (struct ca_record_sample){.phase = 2,
                                                 .frames = grow,
                                                 .frame_count = 3,
                                                 .samples = 1,
                                                 .allocations = 6,
                                                 .bytes_requested = 510};
}

void sites_record_init(struct sites_record *made) {
    *made = (struct sites_record){.record = {.version = "0.1.0",
                                             .rules = 1,
                                             .name = "logstat",
                                             .executable = "/usr/bin/logstat",
                                             .arguments = "logstat",
                                             .argument_bytes = sizeof "logstat",
                                             .argument_count = 1,
                                             .has_exit_status = true,
                                             .is_complete = true,
                                             .platform_key = "linux-x86_64-glibc2.36-glibc",
                                             .os = "linux",
                                             .arch = "x86_64",
                                             .libc = "glibc 2.36",
                                             .allocator = "glibc",
                                             .is_attached = true,
                                             .level = CA_LEVEL_FULL}};
    made->record.total = (struct ca_counts){.allocations = 23,
                                            .malloc_calls = 14,
                                            .calloc_calls = 3,
                                            .realloc_calls = 5,
                                            .aligned_calls = 1,
                                            .bytes_requested = 73818,
                                            .live_blocks = 23};
    made->record.total_units[0] = (struct ca_units){"line", 1000};
    made->record.total_units_count = 1;
    fill_phases(made);
    fill_frames(made);
    fill_sites(made);
    made->threads[0] = (struct ca_record_thread){.number = 1, .thread_count = 1};
    made->modules[0] = (struct ca_record_module){"/usr/bin/logstat", build_id, sizeof build_id};
    made->modules[1] = (struct ca_record_module){"/usr/lib/libc.so.6", NULL, 0};
    made->record.phases = made->phases;
    made->record.phase_count = 4;
    made->record.threads = made->threads;
    made->record.thread_count = 1;
    made->record.stack_depth = 8;
    made->record.sample_bytes = 1024;
    made->record.modules = made->modules;
    made->record.module_count = 2;
    made->record.frames = made->frames;
    made->record.frames_count = 6;
    made->record.sites = made->sites;
    made->record.site_count = 6;
    made->record.samples = made->samples;
    made->record.sample_count = 2;
}
