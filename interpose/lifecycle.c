/* SPDX-License-Identifier: MIT */
#include "lifecycle.h"

#include <errno.h>

#include "allocator_inside.h"
#include "count.h"
#include "live.h"
#include "plain.h"
#include "process_phase.h"
#include "region.h"
#include "self_report.h"
#include "site.h"
#include "statistics.h"
#include "thread.h"

struct ca_shim_state ca_shim = {.where = CA_WHERE_BOOT, .report_fd = -1};
struct ca_next ca_next;

/* ---- the allocator below ---- */

void ca_lifecycle_resolve(void) {
    enum ca_stage first = CA_STAGE_FIRST;
    if (CA_LIKELY(ca_shim.stage != CA_STAGE_FIRST) ||
        !__atomic_compare_exchange_n(&ca_shim.stage, &first, CA_STAGE_RESOLVING, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return;
    int kept_errno = errno;
    ca_engine_choose(CA_STAGE_RESOLVING);
    ca_platform_resolve(&ca_next, &ca_shim.found, &ca_shim);
    ca_allocator_inside(&ca_next, &ca_shim.found);
    for (int entry = 0; entry < CA_ENTRY_COUNT; entry++)
        ca_shim.is_settled[entry] =
            ca_shim.found.is_allocator_inside && entry != CA_ENTRY_REALLOCARRAY;
    if (ca_next.malloc == NULL || ca_next.free == NULL || ca_next.calloc == NULL ||
        ca_next.realloc == NULL)
        return; /* no allocator at all: a program that gets here has only the arena */
    if (ca_shim.found.malloc_owner[0] != '\0') {
        /* Somebody else's malloc is in front. What still gets here is passed on. */
        ca_engine_choose(CA_STAGE_INERT);
        errno = kept_errno;
        return;
    }
    ca_live_resolve();
    ca_shim.is_live = ca_shim.usable != CA_USABLE_NONE;
    ca_shim.boot_row.live_above = INT64_MAX;
    ca_shim.boot_row.live_below = INT64_MIN;
    ca_engine_choose(CA_STAGE_BOOT);
    errno = kept_errno;
}

/* ---- the region ---- */

static void describe_image(struct ca_image *image) {
    image->pid = ca_shim.pid;
    image->parent_pid = ca_platform_parent_pid();
    image->usable = ca_shim.usable;
    image->flags = (ca_shim.is_live ? CA_IMAGE_LIVE : 0u) |
                   (ca_shim.found.is_new_hidden ? CA_IMAGE_NEW_HIDDEN : 0u);
    image->argument_count = ca_platform_program(image->executable, sizeof image->executable,
                                                image->arguments, sizeof image->arguments);
    ca_plain_copy(image->allocator, ca_shim.found.allocator, sizeof image->allocator);
    ca_plain_copy(image->malloc_owner, ca_shim.found.malloc_owner, sizeof image->malloc_owner);
    ca_platform_libc(image->libc, sizeof image->libc);
}

/* What was counted before there was a region belongs to the thread that counted it, which is this
 * one. */
static void merge_boot_row(void) {
    struct ca_row *row = ca_thread_row();
    const struct ca_row *boot = &ca_shim.boot_row;
    const size_t word_count =
        (offsetof(struct ca_row, phase) - offsetof(struct ca_row, size_class)) / sizeof(uint64_t);
    for (size_t i = 0; i < word_count; i++)
        ca_add(&row->size_class[0] + i, (&boot->size_class[0])[i]);
    ca_add(&row->bytes_requested, boot->bytes_requested);
    ca_add(&row->free_calls, boot->free_calls);
    if (ca_shim.is_live) {
        row->bytes_live = boot->bytes_live;
        row->live_max = boot->live_max;
        ca_live_publish(row);
    }
}

static bool attach_to(struct ca_region *region) {
    struct ca_header *header = &region->header;
    uint32_t index = __atomic_fetch_add(&header->image_count, 1, __ATOMIC_ACQ_REL);
    if (index >= CA_IMAGE_CAPACITY) {
        __atomic_fetch_add(&header->images_dropped, 1, __ATOMIC_RELAXED);
        return false;
    }
    ca_shim.is_live &= header->is_live_wanted != 0;
    ca_shim.region = region;
    ca_shim.image_index = index;
    ca_shim.image = &region->images[index];
    describe_image(ca_shim.image);
    if (ca_shim.found.malloc_owner[0] != '\0') {
        __atomic_store_n(&ca_shim.image->state, CA_IMAGE_LOADED, __ATOMIC_RELEASE);
        if (ca_shim.is_plain)
            ca_region_complain(
                "its malloc belongs to ", ca_shim.found.malloc_owner, 0, ca_platform_owner_remedy);
        return false;
    }
    ca_shim.image->switch_phase[0] = CA_PHASE_STARTUP;
    ca_shim.image->switch_count = 1;
    ca_shim.image->process_phase = CA_PHASE_STARTUP;
    ca_site_attach();
    ca_engine_choose(CA_STAGE_COUNTING);
    merge_boot_row();
    ca_site_merge_boot();
    __atomic_store_n(&ca_shim.image->state, CA_IMAGE_ATTACHED, __ATOMIC_RELEASE);
    ca_phase_inject(CA_PHASE_STARTUP);
    return true;
}

bool ca_lifecycle_attach(void) {
    bool is_disowned = ca_shim.stage == CA_STAGE_INERT && ca_shim.found.malloc_owner[0] != '\0';
    if (ca_shim.stage != CA_STAGE_BOOT && !is_disowned)
        return ca_shim.stage == CA_STAGE_COUNTING;
    char *const *environment = ca_platform_environ();
    if (environment == NULL)
        return false;
    int kept_errno = errno;
    ca_shim.pid = ca_platform_pid();
    struct ca_region *region = ca_region_open(environment);
    bool is_attached = region != NULL && attach_to(region);
    if (!is_attached)
        ca_engine_choose(CA_STAGE_INERT);
    errno = kept_errno;
    return is_attached;
}

/* ---- fork ---- */

/* A child has its parent's mapping, so it must not count another call. Only its one thread runs
 * here. */
static void fall_silent(void) {
    ca_shim.pid = 0;
    if (ca_shim.report_fd >= 0 &&
        ca_platform_is_same_file(ca_shim.report_fd, ca_shim.report_identity))
        ca_platform_close(ca_shim.report_fd);
    ca_shim.report_fd = -1;
    ca_shim.is_plain = false;
    if (ca_shim.stage == CA_STAGE_BOOT || ca_shim.stage == CA_STAGE_COUNTING)
        ca_engine_choose(CA_STAGE_INERT);
}

static void register_fork_handler(void) {
    if (ca_next.register_atfork != NULL) {
        ca_next.register_atfork(NULL, NULL, fall_silent, NULL);
    } else if (ca_next.pthread_atfork != NULL && ca_shim.stage == CA_STAGE_BOOT) {
        /* musl allocates the handler's entry: that is not the program's doing, so it passes
         * uncounted. */
        ca_engine_choose(CA_STAGE_INERT);
        ca_next.pthread_atfork(NULL, NULL, fall_silent);
        ca_engine_choose(CA_STAGE_BOOT);
    }
}

extern unsigned long pthread_self(void) __attribute__((weak));

__attribute__((constructor)) static void start(void) {
    ca_lifecycle_resolve();
    register_fork_handler();
    ca_platform_start();
    if (&pthread_self != NULL)
        ca_shim.key_offset = (intptr_t)((uintptr_t)&ca_row_here - pthread_self());
    if (ca_lifecycle_attach())
        ca_platform_attached();
}

__attribute__((destructor)) static void finish(void) {
    if (ca_shim.stage != CA_STAGE_COUNTING)
        return;
    ca_process_phase_begin(CA_PHASE_EXIT);
    ca_shim.image->flags |= CA_IMAGE_FINISHED;
    bool is_namespace = false;
    /* A library that was loaded since may be the first in C++. */
    if (!ca_shim.found.is_allocator_libc)
        ca_platform_find_companions((const void *)(uintptr_t)ca_next.malloc, &ca_shim.found);
    if (ca_shim.found.is_new_hidden)
        ca_shim.image->flags |= CA_IMAGE_NEW_HIDDEN;
    if (!ca_shim.found.is_allocator_inside)
        ca_platform_find_bypass((const void *)(uintptr_t)ca_next.malloc, ca_shim.image->bypass,
                                sizeof ca_shim.image->bypass, &is_namespace);
    if (is_namespace && ca_next.libc_version != NULL)
        ca_shim.image->flags |= CA_IMAGE_NAMESPACE;
    if (ca_shim.region->header.is_statistics_wanted)
        ca_statistics_take(ca_shim.image);
    /* A child made by a bare clone has no fork handler to silence it. */
    if (ca_shim.is_plain && ca_platform_pid() == ca_shim.pid)
        ca_self_report();
}
