/* SPDX-License-Identifier: MIT */
#include "site.h"

#include "module.h"
#include "process_phase.h"
#include "sample.h"
#include "thread.h"

static bool has_many_writers(const struct ca_site *site) {
    return site == ca_shim.sites->sites || (site->tag & CA_TAG_SHARED) != 0;
}

/* ---- entering a site ---- */

/* What a site is entered with. `frames`: frame_count return addresses, the caller first. */
struct place {
    uint64_t key;
    uint64_t tag;
    const uintptr_t *frames;
    uint32_t frame_count;
    bool is_cut;
};

/* A place among the frames for the `count` above a caller; 0 when there is none: then they are
 * dropped. Frame 0 is never used. */
static uint32_t take_frames(uint32_t count) {
    struct ca_site_table *table = ca_shim.sites;
    uint32_t index = __atomic_load_n(&table->frame_count, __ATOMIC_RELAXED);
    do
        if (CA_FRAME_CAPACITY - index < count) {
            __atomic_fetch_add(&table->frames_dropped, 1, __ATOMIC_RELAXED);
            return 0;
        }
    while (!__atomic_compare_exchange_n(&table->frame_count, &index, index + count, true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return index;
}

static uint32_t take_site(void) {
    struct ca_site_table *table = ca_shim.sites;
    uint32_t index = __atomic_load_n(&table->site_count, __ATOMIC_RELAXED);
    do
        if (index >= CA_SITE_CAPACITY)
            return 0;
    while (!__atomic_compare_exchange_n(&table->site_count, &index, index + 1, true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return index;
}

static uint32_t enter(const struct place *place) {
    uint32_t index = take_site();
    if (index == 0)
        return 0;
    struct ca_site *site = &ca_shim.sites->sites[index];
    uint32_t above = place->frame_count - 1;
    site->frames = above != 0 ? take_frames(above) : 0;
    bool is_kept = above == 0 || site->frames != 0;
    site->frame_count = (uint16_t)(is_kept ? place->frame_count : 1);
    site->flags = place->is_cut || !is_kept ? CA_SITE_CUT : 0;
    site->caller = ca_module_frame(place->frames[0]);
    for (uint32_t i = 1; i < site->frame_count; i++)
        ca_shim.sites->frames[site->frames + i - 1] = ca_module_frame(place->frames[i]);
    site->key = place->key;
    __atomic_store_n(&site->tag, place->tag, __ATOMIC_RELEASE);
    return index;
}

/* The site of `place`, entered when it is new; site 0 when there is no room. A signal handler that
 * enters the same one meanwhile makes it a second, which readers add to the first. */
static struct ca_site *find(const struct place *place) {
    struct ca_site_table *table = ca_shim.sites;
    uint32_t entered = 0;
    for (uint32_t at = ca_site_cell(place->key, place->tag);; at++) {
        uint32_t *cell = &table->cells[at % (1u << CA_SITE_HASH_BITS)];
        uint32_t index = __atomic_load_n(cell, __ATOMIC_ACQUIRE);
        if (index == 0) {
            if (entered == 0 && (entered = enter(place)) == 0)
                return &table->sites[0];
            if (__atomic_compare_exchange_n(cell, &index, entered, false, __ATOMIC_ACQ_REL,
                                            __ATOMIC_ACQUIRE))
                return &table->sites[entered];
        }
        if (table->sites[index].key == place->key && table->sites[index].tag == place->tag)
            return &table->sites[index];
    }
}

/* The tag for sites of `kind` in the row that the calling thread counts in, which may be shared. */
static uint64_t tag_here(enum ca_kind kind) {
    struct ca_row *row = ca_thread_row();
    uint64_t kind_bits = (uint64_t)kind << CA_TAG_KIND_SHIFT;
    if (!ca_is_shared(row))
        return row->site_tag | kind_bits;
    uint32_t phase = row == ca_row_at(0) ? ca_process_phase() : 0;
    return CA_TAG_SHARED | ca_site_tag((uint32_t)(row - ca_row_at(0))) | kind_bits | phase;
}

static void add(struct ca_site *site, uint64_t allocations, uint64_t bytes) {
    if (has_many_writers(site)) {
        __atomic_fetch_add(&site->allocations, allocations, __ATOMIC_RELAXED);
        __atomic_fetch_add(&site->bytes_requested, bytes, __ATOMIC_RELAXED);
    } else {
        ca_add(&site->allocations, allocations);
        ca_add(&site->bytes_requested, bytes);
    }
}

/* ---- counting ---- */

static void count_in(struct ca_site *site, size_t size_bytes) {
    add(site, 1, size_bytes);
    ca_thread_row()->site_last = (uintptr_t)site;
}

CA_COLD void *ca_site_count_new(void *block, uintptr_t caller, size_t size_bytes,
                                enum ca_kind kind) {
    const struct place place = {
        .key = caller, .tag = tag_here(kind), .frames = &caller, .frame_count = 1};
    count_in(find(&place), size_bytes);
    return block;
}

CA_COLD void *ca_site_count_new_stack(void *block, struct ca_here here, uint64_t key,
                                      size_t size_bytes, enum ca_kind kind) {
    uintptr_t frames[CA_STACK_DEPTH_MAX];
    struct place place = {.key = key, .tag = tag_here(kind), .frames = frames};
    place.frame_count = ca_stack_frames(&here, frames, ca_shim.stack_depth, &place.is_cut);
    count_in(find(&place), size_bytes);
    return block;
}

static void count_one(struct ca_here here, size_t size_bytes, enum ca_kind kind) {
    if ((ca_shim.where & CA_WHERE_STACK) != 0)
        ca_site_count_new_stack(NULL, here, ca_stack_key(&here, ca_shim.stack_depth), size_bytes,
                                kind);
    else if ((ca_shim.where & CA_WHERE_CALLER) != 0)
        ca_site_count_new(NULL, here.caller, size_bytes, kind);
}

void ca_site_add_sample(const uintptr_t *frames, uint32_t frame_count, bool is_cut,
                        const struct ca_weight *weight) {
    const struct place place = {.key = ca_stack_key_of(frames, frame_count),
                                .tag = tag_here(CA_KIND_MALLOC) | CA_TAG_SAMPLED,
                                .frames = frames,
                                .frame_count = frame_count,
                                .is_cut = is_cut};
    struct ca_site *site = find(&place);
    if (site == ca_shim.sites->sites) /* samples have no total that they must add up to */
        return;
    add(site, weight->allocations, weight->bytes);
    ca_count_add(ca_thread_row(), &site->samples, weight->samples);
}

/* ---- before there is a region ---- */

#define BOOT_SITES 64u

static struct boot_site {
    uintptr_t caller;
    size_t size_bytes;
    enum ca_kind kind;
} boot_sites[BOOT_SITES];
static uint32_t boot_count; /* may be more than BOOT_SITES: those have no site */

static void count_boot(uintptr_t caller, size_t size_bytes, enum ca_kind kind) {
    uint32_t index = boot_count++;
    if (index < BOOT_SITES)
        boot_sites[index] = (struct boot_site){caller, size_bytes, kind};
}

void ca_site_merge_boot(void) {
    if ((ca_shim.where & (CA_WHERE_CALLER | CA_WHERE_STACK)) == 0)
        return;
    for (uint32_t i = 0; i < boot_count && i < BOOT_SITES; i++)
        ca_site_count_new(NULL, boot_sites[i].caller, boot_sites[i].size_bytes, boot_sites[i].kind);
}

/* ---- off the fast path ---- */

CA_COLD void ca_site_count(struct ca_here here, size_t size_bytes, enum ca_kind kind) {
    if (ca_shim.where == CA_WHERE_BOOT) {
        count_boot(here.caller, size_bytes, kind);
        return;
    }
    count_one(here, size_bytes, kind);
    if ((ca_shim.where & CA_WHERE_SAMPLE) == 0)
        return;
    ca_sample_left -= (int64_t)size_bytes;
    if (ca_sample_left < 0)
        ca_sample_take(NULL, here.caller, size_bytes);
}

/* The sample, if one was taken, stays: its stack has the outer call in it. */
CA_COLD void ca_site_move(struct ca_here here, size_t size_bytes, enum ca_kind kind) {
    if (ca_shim.where == CA_WHERE_BOOT) {
        if (boot_count - 1 < BOOT_SITES)
            boot_sites[boot_count - 1] = (struct boot_site){here.caller, size_bytes, kind};
        return;
    }
    struct ca_site *site = (struct ca_site *)(uintptr_t)ca_thread_row()->site_last;
    if ((ca_shim.where & (CA_WHERE_CALLER | CA_WHERE_STACK)) == 0 || site == NULL)
        return;
    add(site, (uint64_t)-1, -(uint64_t)size_bytes);
    count_one(here, size_bytes, kind);
}

/* ---- modules that go ---- */

static bool is_in_gone_module(const struct ca_site *site) {
    const struct ca_site_table *table = ca_shim.sites;
    if (table->modules[site->caller.module].is_gone)
        return true;
    for (uint32_t i = 1; i < site->frame_count; i++)
        if (table->modules[table->frames[site->frames + i - 1].module].is_gone)
            return true;
    return false;
}

CA_COLD void ca_site_forget_gone(void) {
    struct ca_site_table *table = ca_shim.sites;
    if (ca_shim.stage != CA_STAGE_COUNTING || table == NULL || !ca_module_find_gone())
        return;
    uint32_t count = __atomic_load_n(&table->site_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 1; i < count && i < CA_SITE_CAPACITY; i++) {
        struct ca_site *site = &table->sites[i];
        if (__atomic_load_n(&site->tag, __ATOMIC_ACQUIRE) != 0 && is_in_gone_module(site))
            __atomic_store_n(&site->key, 0, __ATOMIC_RELAXED);
    }
}

/* ---- start ---- */

void ca_site_attach(void) {
    const struct ca_header *header = &ca_shim.region->header;
    uint64_t offset = header->sites_offset;
    ca_shim.where = CA_WHERE_NONE;
    if (offset == 0 || offset % 64 != 0 || ca_shim.region_bytes < sizeof(struct ca_site_table) ||
        offset > ca_shim.region_bytes - sizeof(struct ca_site_table))
        return;
    ca_shim.sites = (struct ca_site_table *)(void *)((char *)ca_shim.region + offset);
    ca_shim.site_list = ca_shim.sites->sites;
    ca_shim.site_cells = ca_shim.sites->cells;
    ca_shim.stack_depth =
        header->stack_depth < CA_STACK_DEPTH_MAX ? header->stack_depth : CA_STACK_DEPTH_MAX;
    ca_shim.sample_bytes = ca_next.unwind != NULL ? header->sample_bytes : 0;
    if (ca_shim.stack_depth != 0)
        ca_shim.where = ca_shim.stack_depth == 1 ? CA_WHERE_CALLER : CA_WHERE_STACK;
    if (ca_shim.sample_bytes != 0)
        ca_shim.where |= CA_WHERE_SAMPLE;
    if ((ca_shim.where & CA_WHERE_STACK) != 0)
        ca_stack_begin(ca_platform_environ());
}
