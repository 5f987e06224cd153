/* SPDX-License-Identifier: MIT */
#include "commands/coverage.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "interpose/plain.h"

__attribute__((format(printf, 2, 3))) static void note(struct ca_record *record, const char *format,
                                                       ...) {
    char line[CA_RECORD_NOTE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    ca_record_note(record, line);
}

static void note_first(struct ca_record *record, const char *text) {
    if (record->note_count == CA_RECORD_NOTES)
        record->note_count--;
    memmove(record->notes[1], record->notes[0], record->note_count * sizeof record->notes[0]);
    record->note_count++;
    ca_plain_copy(record->notes[0], text, sizeof record->notes[0]);
}

static uint32_t image_count(const struct ca_region *region) {
    uint32_t count = __atomic_load_n(&region->header.image_count, __ATOMIC_ACQUIRE);
    return count < CA_IMAGE_CAPACITY ? count : CA_IMAGE_CAPACITY;
}

/* "exited with status 1", "was killed by signal 9 (Killed)". */
static const char *ending(const struct ca_outcome *outcome, char *buffer, size_t size) {
    if (outcome->signal != 0)
        snprintf(buffer, size, "was killed by signal %d (%s)", outcome->signal,
                 strsignal(outcome->signal));
    else
        snprintf(buffer, size, "exited with status %d", outcome->exit_status);
    return buffer;
}

static enum ca_status explain_nothing(const struct ca_region *region,
                                      const struct ca_target *target,
                                      const struct ca_outcome *outcome,
                                      const struct ca_error *refusal, struct ca_error *err) {
    char end[128];
    if (refusal != NULL)
        return ca_error_set(err, CA_ERROR_UNCOUNTABLE, "%s", refusal->message);
    if (image_count(region) == 0)
        return ca_error_set(err, CA_ERROR_UNCOUNTABLE,
                            "'%s': countalloc's library was never loaded into it, or could not "
                            "reach its counters %s (the program "
                            "%s); messages of the loader above say more, else a sandbox or a limit "
                            "on memory may be the cause: "
                            "try 'countalloc doctor', and the program without them",
                            target->path, ca_shared_region_way, ending(outcome, end, sizeof end));
    const struct ca_image *image = &region->images[0];
    if (image->state == CA_IMAGE_LOADED)
        return ca_error_set(err, CA_ERROR_UNCOUNTABLE, "'%s': its malloc calls go to %.400s%s",
                            target->path, image->malloc_owner, ca_target_disowned);
    return ca_error_set(err, CA_ERROR_UNCOUNTABLE,
                        "'%s': it ended before countalloc's library had started (the program %s)",
                        target->path, ending(outcome, end, sizeof end));
}

static bool has_hidden_new(const struct ca_region *region) {
    for (uint32_t i = 0; i < image_count(region); i++)
        if ((region->images[i].flags & CA_IMAGE_NEW_HIDDEN) != 0)
            return true;
    return false;
}

/* Programs that the process became without the shim. */
static void judge_images(struct ca_record *record, const struct ca_region *region) {
    uint32_t count = image_count(region);
    for (uint32_t i = 0; i < count; i++) {
        const struct ca_image *image = &region->images[i];
        if (image->state != CA_IMAGE_LOADED)
            continue;
        record->level = CA_LEVEL_PARTIAL;
        note(record,
             "the process became '%.200s', whose malloc belongs to '%.200s': its allocations are "
             "not counted",
             image->executable, image->malloc_owner);
    }
    const struct ca_image *last = &region->images[count - 1];
    if (last->state != CA_IMAGE_ATTACHED || last->exec_path[0] == '\0')
        return;
    record->level = CA_LEVEL_PARTIAL;
    note(record,
         "the process became '%.300s', which never attached: its allocations are not counted; it "
         "%s, or its environment was cleared ('countalloc doctor -- %.100s' says whether it could "
         "be counted)",
         last->exec_path, ca_target_unattached, last->exec_path);
}

enum ca_status ca_coverage_judge(struct ca_record *record, const struct ca_region *region,
                                 const struct ca_target *target, const struct ca_outcome *outcome,
                                 const struct ca_error *refusal, struct ca_error *err) {
    enum ca_status status = CA_OK;
    if (!record->is_attached)
        status = explain_nothing(region, target, outcome, refusal, err);
    else if (record->total.allocations == 0 && target->image.allocator[0] != '\0')
        status = ca_error_set(err, CA_ERROR_UNCOUNTABLE, "no allocation was seen, but %s",
                              target->warning);
    else if (record->total.allocations == 0 && has_hidden_new(region))
        status = ca_error_set(err, CA_ERROR_UNCOUNTABLE,
                              "'%s': no allocation was seen, but C++'s new and delete are those of "
                              "an allocator, which need no malloc; 'countalloc run --allocator' "
                              "with its library counts them",
                              target->path);
    if (status != CA_OK) {
        record->level = CA_LEVEL_NONE;
        note_first(record, err->message);
        return status;
    }
    judge_images(record, region);
    if (target->image.allocator[0] != '\0')
        record->level = CA_LEVEL_PARTIAL;
    if (target->warning[0] != '\0')
        ca_record_note(record, target->warning);
    return CA_OK;
}

/* ---- the allocator that was asked for ---- */

static void note_silence(struct ca_record *record, const struct ca_image *last) {
    if (record->has_allocator_bytes)
        return;
    if ((last->flags & CA_IMAGE_FINISHED) == 0)
        ca_record_note(record, "the allocator was not asked how it stood at the end: the program "
                               "ended without its exit handlers");
    else
        note(record, "there is no known way to ask %s how it stood at the end", record->allocator);
}

enum ca_status ca_coverage_judge_allocator(struct ca_record *record, const struct ca_region *region,
                                           const struct ca_allocator *allocator,
                                           struct ca_error *err) {
    uint32_t count = image_count(region);
    for (uint32_t i = 0; i < count; i++) {
        const struct ca_image *image = &region->images[i];
        if (image->state != CA_IMAGE_ATTACHED || ca_allocator_is(allocator, image->allocator))
            continue;
        ca_error_set(err, CA_ERROR_UNCOUNTABLE,
                     "--allocator %s: in '%.300s' malloc was served by '%.300s'; messages of the "
                     "loader above say why the other was not loaded, or LD_PRELOAD has another "
                     "one: leave --allocator out to count with that",
                     allocator->name, image->executable, image->allocator);
        record->level = CA_LEVEL_NONE;
        note_first(record, err->message);
        return CA_ERROR_UNCOUNTABLE;
    }
    if (allocator->kind == CA_ALLOCATOR_PRELOADED)
        record->allocator_path = allocator->path;
    if (count > 0)
        note_silence(record, &region->images[count - 1]);
    return CA_OK;
}
