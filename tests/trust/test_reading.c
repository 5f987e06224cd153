/* SPDX-License-Identifier: MIT
 *
 * Reading while the program counts: another process maps its counter file, copies it and builds
 * records from the copy with the code of the command, over and over, while four threads open phases
 * and allocate. What must hold in each record, and from one to the next, is what "Memory ordering" in
 * countalloc/counterfile.h promises. Then the same as users do it, with the command's own reading of
 * the file, with call sites and without. */
#include <countalloc/counterfile.h>
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interpose/report/record.h"
#include "reader/record_reader.h"
#include "support/spawn.h"

#define RECORDS       400
#define FILES_READ    12
#define CALLS_A_ROUND 400
#define WRITER        COUNTALLOC_TRUST "/writer_program"

struct seen {
    uint64_t allocations;
    uint64_t frees;
    uint64_t bytes_requested;
    uint32_t phase_count;
};

/* `sites`: the value of COUNTALLOC_SITES. */
static pid_t start_writer(const char *program, const char *path, const char *sites,
                          int *ret_stop_fd) {
    int in[2];
    int out[2];
    cr_assert(pipe(in) == 0 && pipe(out) == 0);
    const char *library = getenv("COUNTALLOC_TEST_LIBRARY");
    pid_t pid = fork();
    if (pid == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        for (int fd = 3; fd < 64; fd++)
            close(fd);
        setenv("LD_PRELOAD", library != NULL ? library : COUNTALLOC_LIBRARY, 1);
        setenv("COUNTALLOC_REPORT", "none", 1);
        setenv("COUNTALLOC_FILE", path, 1);
        setenv("COUNTALLOC_SITES", sites, 1);
        execl(program, program, (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    char byte;
    cr_assert_eq(read(out[0], &byte, 1), 1, "the writer did not start");
    close(out[0]);
    *ret_stop_fd = in[1];
    return pid;
}

static const struct ca_region *map_region(const char *path, size_t *ret_bytes) {
    int fd = open(path, O_RDONLY);
    cr_assert_geq(fd, 0);
    *ret_bytes = (size_t)lseek(fd, 0, SEEK_END);
    void *memory = mmap(NULL, *ret_bytes, PROT_READ, MAP_SHARED, fd, 0);
    cr_assert_neq(memory, MAP_FAILED);
    close(fd);
    return memory;
}

/* ---- a copy of a region that is being written ----
 *
 * A row is complete before a slot's list leads to it, and the phase that it names is complete before
 * the row is; snapshots are complete before the switch that they are for. So images come first, then
 * slots, rows and phases, and last the header, whose fill levels then cover whatever was seen: nothing
 * in the copy refers to what was copied before it. On the writer's side these are release stores (or
 * compare-and-swap), here the acquire fences between the parts. */

static void copy_words(void *to, const void *from, size_t bytes) {
    uint64_t *a = to;
    const uint64_t *b = from;
    for (size_t i = 0; i < bytes / sizeof *a; i++)
        a[i] = __atomic_load_n(&b[i], __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

static void copy_region(struct ca_region *to, const struct ca_region *from) {
    copy_words(to->images, from->images, sizeof to->images);
    uint32_t slot_count = __atomic_load_n(&from->header.slot_count, __ATOMIC_ACQUIRE);
    copy_words(to->slots, from->slots, slot_count * sizeof to->slots[0]);
    uint32_t row_count = __atomic_load_n(&from->header.row_count, __ATOMIC_ACQUIRE);
    copy_words(to->rows, from->rows, row_count * sizeof to->rows[0]);
    uint32_t phase_count = __atomic_load_n(&from->header.phase_count, __ATOMIC_ACQUIRE);
    copy_words(to->phases, from->phases, phase_count * sizeof to->phases[0]);
    copy_words(&to->header, &from->header, sizeof to->header);
    to->header.slot_count = slot_count;
    to->header.row_count = row_count;
    to->header.phase_count = phase_count;
}

/* ---- what must hold ---- */

/* "p-10007-10007" */
static bool is_whole_name(const char *name) {
    unsigned a;
    unsigned b;
    char again[32];
    if (sscanf(name, "p-%u-%u", &a, &b) != 2 || a != b)
        return false;
    snprintf(again, sizeof again, "p-%u-%u", a, b);
    return strcmp(again, name) == 0;
}

static void check_phase(const struct ca_record_phase *phase, int number) {
    const struct ca_counts *counts = &phase->counts;
    if (phase->is_process_phase)
        return;
    cr_assert(is_whole_name(phase->name), "record %d: half a name: \"%s\"", number, phase->name);
    /* Bytes and frees are read before the calls that come before them in time. */
    cr_assert(counts->bytes_requested <= 24 * counts->allocations,
              "record %d: %s: %llu bytes of %llu allocations", number, phase->name,
              (unsigned long long)counts->bytes_requested, (unsigned long long)counts->allocations);
    cr_assert(counts->frees <= counts->allocations, "record %d: %s: %llu frees, %llu allocations",
              number, phase->name, (unsigned long long)counts->frees,
              (unsigned long long)counts->allocations);
    cr_assert_eq(counts->allocations, counts->malloc_calls);
    cr_assert(counts->allocations == 0 || phase->opened > 0, "record %d: %s: counted, not opened",
              number, phase->name);
}

/* The parts add up to the total in every record, because each row is read once. */
static void check_sums(const struct ca_record *record, int number) {
    struct ca_counts sum = {0};
    for (uint32_t i = 0; i < record->phase_count; i++) {
        sum.allocations += record->phases[i].counts.allocations;
        sum.frees += record->phases[i].counts.frees;
        sum.bytes_requested += record->phases[i].counts.bytes_requested;
    }
    cr_assert_eq(sum.allocations, record->total.allocations, "record %d", number);
    cr_assert_eq(sum.frees, record->total.frees, "record %d", number);
    cr_assert_eq(sum.bytes_requested, record->total.bytes_requested, "record %d", number);
}

static void check_growth(const struct ca_record *record, struct seen *last, int number) {
    struct seen now = {record->total.allocations, record->total.frees,
                       record->total.bytes_requested, record->phase_count};
    cr_assert(now.allocations >= last->allocations && now.frees >= last->frees &&
                  now.bytes_requested >= last->bytes_requested &&
                  now.phase_count >= last->phase_count,
              "record %d: less than the one before", number);
    *last = now;
}

/* Calls and frees in the writer's own phases. */
static uint64_t own_calls(const struct ca_record *record) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < record->phase_count; i++)
        if (!record->phases[i].is_process_phase)
            sum += record->phases[i].counts.allocations + record->phases[i].counts.frees;
    return sum;
}

static uint64_t read_once(const struct ca_region *shared, struct ca_region *region,
                          size_t region_bytes, struct seen *last, int number) {
    copy_region(region, shared);
    struct ca_record *record = calloc(1, sizeof *record);
    size_t memory_bytes = ca_record_build_bytes(region, region_bytes);
    void *memory = calloc(1, memory_bytes);
    cr_assert(record != NULL && memory != NULL);
    cr_assert(ca_record_build(record, region, region_bytes, memory, memory_bytes));
    for (uint32_t i = 0; i < record->note_count; i++)
        cr_assert(strstr(record->notes[i], "damaged") == NULL, "record %d: %s", number,
                  record->notes[i]);
    for (uint32_t i = 0; i < record->phase_count; i++)
        check_phase(&record->phases[i], number);
    check_sums(record, number);
    check_growth(record, last, number);
    uint64_t calls = own_calls(record);
    free(memory);
    free(record);
    return calls;
}

Test(reading, while_the_program_counts_is_safe_and_true, .timeout = 120) {
    char *directory = ca_spawn_make_directory();
    cr_assert_not_null(directory);
    char path[4200];
    snprintf(path, sizeof path, "%s/counters", directory);
    int stop_fd;
    pid_t writer = start_writer(WRITER, path, "0", &stop_fd);
    size_t region_bytes;
    const struct ca_region *region = map_region(path, &region_bytes);
    struct ca_region *copy = calloc(1, region_bytes);
    cr_assert_not_null(copy);
    struct seen last = {0};
    for (int i = 0; i < RECORDS; i++)
        read_once(region, copy, region_bytes, &last, i);
    close(stop_fd);
    int status;
    cr_assert_eq(waitpid(writer, &status, 0), writer);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    uint64_t calls = read_once(region, copy, region_bytes, &last, RECORDS);
    cr_assert_eq(calls % CALLS_A_ROUND, 0, "%llu calls and frees", (unsigned long long)calls);
    cr_assert_geq(last.phase_count, 100);
    free(copy);
    munmap((void *)(uintptr_t)region, region_bytes);
    ca_spawn_remove_directory(directory);
}

/* ---- as the command reads ---- */

/* Sites never have more than their phase, and the phase's rest is what they have less. */
static void check_sites(const struct ca_record *record, int number) {
    for (uint32_t phase = 0; phase < record->phase_count; phase++) {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < record->site_count; i++)
            if (record->sites[i].phase == phase)
                sum += record->sites[i].allocations;
        cr_assert_eq(sum, record->phases[phase].counts.allocations, "record %d: %s", number,
                     record->phases[phase].name);
    }
}

static uint64_t without_site(const struct ca_record *record) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < record->site_count; i++)
        if (record->sites[i].frame_count == 0 &&
            !record->phases[record->sites[i].phase].is_process_phase)
            sum += record->sites[i].allocations;
    return sum;
}

static void check_file(const char *path, bool has_sites, struct seen *last, int number) {
    struct ca_loaded_record loaded;
    struct ca_error err;
    cr_assert_eq(ca_record_load(&loaded, path, &err), CA_OK, "record %d: %s", number, err.message);
    const struct ca_record *record = &loaded.record;
    for (uint32_t i = 0; i < record->note_count; i++)
        cr_assert(strstr(record->notes[i], "damaged") == NULL &&
                      strstr(record->notes[i], "more than the phase") == NULL,
                  "record %d: %s", number, record->notes[i]);
    for (uint32_t i = 0; i < record->phase_count; i++)
        check_phase(&record->phases[i], number);
    check_sums(record, number);
    check_growth(record, last, number);
    cr_assert_eq(record->site_count > 0, has_sites, "record %d", number);
    if (has_sites)
        check_sites(record, number);
    if (number == FILES_READ) {
        cr_assert_eq(own_calls(record) % CALLS_A_ROUND, 0);
        cr_assert_eq(without_site(record), 0);
    }
    ca_loaded_record_release(&loaded);
}

static void read_files(const char *program, const char *sites, bool has_sites) {
    char *directory = ca_spawn_make_directory();
    cr_assert_not_null(directory);
    char path[4200];
    snprintf(path, sizeof path, "%s/counters", directory);
    int stop_fd;
    pid_t writer = start_writer(program, path, sites, &stop_fd);
    struct seen last = {0};
    for (int i = 0; i < FILES_READ; i++)
        check_file(path, has_sites, &last, i);
    close(stop_fd);
    int status;
    cr_assert_eq(waitpid(writer, &status, 0), writer);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    check_file(path, has_sites, &last, FILES_READ);
    ca_spawn_remove_directory(directory);
}

Test(reading, the_file_of_a_running_program, .timeout = 120) {
    read_files(WRITER, "0", false);
}

Test(reading, the_file_of_a_running_program_with_call_sites, .timeout = 120) {
    read_files(WRITER, "1", true);
}

/* A thread that begins between two parts of the copy has calls at sites and must have a row. */
Test(reading, the_file_of_a_program_whose_threads_come_and_go, .timeout = 120) {
    read_files(COUNTALLOC_TRUST "/churn_program", "1", true);
}
