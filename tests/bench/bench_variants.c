/* SPDX-License-Identifier: MIT */
#include "bench_variants.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "support/spawn.h"

#define SHIM(library) "LD_PRELOAD=" library, "COUNTALLOC_REPORT=none"
#define OURS(library, ...)                                                                         \
    .environment = {SHIM(library), __VA_ARGS__}, .slice_divisor = 1, .program_divisor = 1
#define FLOOR(library)                                                                             \
    .environment = {"LD_PRELOAD=" library}, .slice_divisor = 1, .program_divisor = 1,              \
    .is_floor = true
#define PEER(slices, programs)                                                                     \
    .is_peer = true, .slice_divisor = (slices), .program_divisor = (programs)
#define PROBE_PAIRS 1000

static const struct ca_variant variants[] = {
    {"none", "no shim", .slice_divisor = 1, .program_divisor = 1},
    {"control", "no shim, beside no shim", .slice_divisor = 1, .program_divisor = 1},
    {"forward", "the floor: a library that only jumps on", FLOOR(COUNTALLOC_FLOOR_FORWARD)},
    {"tail", "the floor: counts, then jumps on", FLOOR(COUNTALLOC_FLOOR_TAIL)},
    {"counts", "the shim, counts only", OURS(COUNTALLOC_LIBRARY, "COUNTALLOC_LIVE=off")},
    {"live", "counts, live and peak bytes", OURS(COUNTALLOC_LIBRARY, "COUNTALLOC_LIVE=on"),
     .is_live = true},
    {"sites", "counts and call sites",
     OURS(COUNTALLOC_LIBRARY, "COUNTALLOC_LIVE=off", "COUNTALLOC_SITES=1"), .has_sites = true},
    {"stacks", "counts and stacks of at most 32 frames",
     OURS(COUNTALLOC_LIBRARY, "COUNTALLOC_LIVE=off", "COUNTALLOC_STACKS=32"), .has_sites = true},
    {"jemalloc", "counts, jemalloc inside the shim",
     OURS(COUNTALLOC_JEMALLOC_LIBRARY, "COUNTALLOC_LIVE=off")},
    {"jemalloc prof", "jemalloc, a sample each 512 KiB", PEER(1, 1),
     .environment = {"LD_PRELOAD=libjemalloc.so.2",
                     "MALLOC_CONF=prof:true,prof_active:true,lg_prof_sample:19,prof_final:true"}},
    {"jemalloc all", "jemalloc, a sample of each call", PEER(100, 10),
     .environment = {"LD_PRELOAD=libjemalloc.so.2",
                     "MALLOC_CONF=prof:true,prof_active:true,lg_prof_sample:0,prof_final:true"}},
    {"tcmalloc sample", "tcmalloc, a sample each 512 KiB", PEER(1, 1),
     .environment = {"LD_PRELOAD=libtcmalloc.so.4", "TCMALLOC_SAMPLE_PARAMETER=524288"}},
    {"tcmalloc heap", "tcmalloc's heap profiler", PEER(1000, 10),
     .environment = {"LD_PRELOAD=libtcmalloc.so.4", "HEAPPROFILE=tcmalloc"}},
    {"memusage", "glibc's libmemusage.so, no data file", PEER(1, 1),
     .environment = {"LD_PRELOAD=libmemusage.so"}},
    {"heaptrack raw", "heaptrack, only recording", PEER(10, 10),
     .prefix = {"heaptrack", "-r", "-o", "heaptrack.raw"}},
    {"heaptrack", "heaptrack, interpreting as it runs", PEER(100, 10),
     .prefix = {"heaptrack", "-o", "heaptrack.out"}},
    {"massif", "Valgrind massif", PEER(20, 10), .is_emulated = true,
     .prefix = {"valgrind", "--tool=massif", "--massif-out-file=/dev/null"}},
    {"dhat", "Valgrind DHAT", PEER(20, 10), .is_emulated = true,
     .prefix = {"valgrind", "--tool=dhat", "--dhat-out-file=/dev/null"}},
};

const struct ca_variant *ca_variants(size_t *ret_count) {
    *ret_count = sizeof variants / sizeof variants[0];
    return variants;
}

/* Where there is no such library its path is empty. */
static bool is_built(const struct ca_variant *variant) {
    return !variant->is_floor || variant->environment[0][strlen("LD_PRELOAD=")] != '\0';
}

static bool is_refused(const struct ca_spawned *spawned) {
    static const char *const complaints[] = {"cannot be preloaded", "Invalid conf"};
    for (size_t i = 0; i < sizeof complaints / sizeof complaints[0]; i++)
        if (strstr(spawned->err, complaints[i]) != NULL)
            return true;
    return spawned->exit_status != 0;
}

static bool has_counted(const struct ca_variant *variant, const char *path) {
    json_t *record = json_load_file(path, 0, NULL);
    json_t *total = json_object_get(record, "total");
    bool is_live = json_is_integer(json_object_get(total, "bytes_peak"));
    bool has_sites = json_array_size(json_object_get(record, "sites")) > 0;
    bool is_good = json_integer_value(json_object_get(total, "allocations")) >= PROBE_PAIRS &&
                   is_live == variant->is_live && has_sites == variant->has_sites;
    json_decref(record);
    return is_good;
}

bool ca_variant_works(const struct ca_variant *variant, const char *directory) {
    char record_path[4200];
    char record[4300];
    const char *environment[CA_VARIANT_WORDS + 3] = {NULL};
    const char *argv[CA_VARIANT_WORDS + 4] = {NULL};
    size_t words = 0;
    size_t variables = 0;
    bool is_ours = !variant->is_peer && !variant->is_floor && variant->environment[0] != NULL;
    snprintf(record_path, sizeof record_path, "%s/probe.json", directory);
    snprintf(record, sizeof record, "COUNTALLOC_REPORT_FILE=%s", record_path);
    for (size_t i = 0; i < CA_VARIANT_WORDS && variant->environment[i] != NULL; i++)
        environment[variables++] = variant->environment[i];
    if (is_ours) {
        environment[variables++] = "COUNTALLOC_REPORT=json";
        environment[variables++] = record;
    }
    for (size_t i = 0; i < CA_VARIANT_WORDS && variant->prefix[i] != NULL; i++)
        argv[words++] = variant->prefix[i];
    argv[words++] = COUNTALLOC_BENCH_WORK;
    argv[words++] = "tight";
    argv[words++] = "-1000";
    struct ca_spawned spawned;
    if (!is_built(variant))
        return false;
    if (!ca_spawn_run(
            &(struct ca_spawn){.argv = argv, .environment = environment, .directory = directory},
            &spawned))
        return false;
    bool is_good = !is_refused(&spawned) && (!is_ours || has_counted(variant, record_path));
    if (!is_good)
        fprintf(stderr, "bench: left out: %s (%s): not installed, or it does not count here\n",
                variant->name, variant->meaning);
    ca_spawned_release(&spawned);
    return is_good;
}
