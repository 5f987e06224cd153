/* SPDX-License-Identifier: MIT */
#include "block_reader.h"

#include <countalloc/phase.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* Blocks are read to the beginning of a page. When the target lies a few bytes further in its
     * page than the source does, the processor takes each load for one of the store just before
     * (they differ in the upper bits only), and the kernel's copy is four times as slow. */
    PAGE_BYTES = 4096,
    HEADROOM_BYTES = PAGE_BYTES, /* more than most lines */
};

static size_t headroom_of(const struct ca_block_reader *reader) {
    return reader->block_bytes < HEADROOM_BYTES ? reader->block_bytes : HEADROOM_BYTES;
}

static size_t usual_capacity_of(const struct ca_block_reader *reader) {
    return headroom_of(reader) + reader->block_bytes + CA_BLOCK_PADDING_BYTES;
}

void ca_block_reader_init(struct ca_block_reader *reader, struct ca_source *source,
                          size_t block_bytes) {
    *reader = (struct ca_block_reader){.source = source, .block_bytes = block_bytes};
    if (block_bytes == 0)
        reader->block_bytes = CA_BLOCK_BYTES;
}

void ca_block_reader_restart(struct ca_block_reader *reader, struct ca_source *source) {
    reader->source = source;
    reader->pending_bytes = 0;
}

void ca_block_reader_release(struct ca_block_reader *reader) {
    free(reader->memory);
    reader->memory = NULL;
}

static enum ca_status no_memory(const struct ca_block_reader *reader, struct ca_error *err) {
    return ca_fail(err, CA_NO_MEMORY,
                   "cannot hold a line of '%s' in memory (more than %zu bytes): out of memory; "
                   "give the program more",
                   reader->source->name, reader->pending_bytes);
}

/* Moves the unfinished line to where it ends just before the block. */
static enum ca_status use_usual_buffer(struct ca_block_reader *reader, struct ca_error *err) {
    void *aligned = NULL;
    char *memory = reader->memory;
    const size_t moved_to = headroom_of(reader) - reader->pending_bytes;
    if (reader->capacity_bytes != usual_capacity_of(reader)) {
        if (posix_memalign(&aligned, PAGE_BYTES, usual_capacity_of(reader)) != 0)
            return no_memory(reader, err);
        memory = aligned;
    }
    if (reader->pending_bytes > 0)
        memmove(memory + moved_to, reader->memory + reader->pending_at, reader->pending_bytes);
    if (memory != reader->memory)
        free(reader->memory);
    reader->memory = memory;
    reader->capacity_bytes = usual_capacity_of(reader);
    reader->pending_at = moved_to;
    return CA_OK;
}

/* Makes room for a block behind a long unfinished line, by doubling, so that its bytes are moved
 * once or twice and not once per block. */
static enum ca_status use_long_buffer(struct ca_block_reader *reader, struct ca_error *err) {
    const size_t block_bytes = reader->block_bytes + CA_BLOCK_PADDING_BYTES;
    if (reader->pending_at + reader->pending_bytes + block_bytes <= reader->capacity_bytes)
        return CA_OK;
    if (reader->pending_at > 0)
        memmove(reader->memory, reader->memory + reader->pending_at, reader->pending_bytes);
    reader->pending_at = 0;
    if (reader->pending_bytes > SIZE_MAX / 2 - block_bytes)
        return no_memory(reader, err);
    const size_t capacity_bytes = 2 * (reader->pending_bytes + block_bytes);
    char *memory = realloc(reader->memory, capacity_bytes);
    if (memory == NULL)
        return no_memory(reader, err);
    reader->memory = memory;
    reader->capacity_bytes = capacity_bytes;
    return CA_OK;
}

/* Appends a block to the unfinished line; 0 bytes at the end of the log. */
static enum ca_status read_block(struct ca_block_reader *reader, size_t *ret_got_bytes,
                                 struct ca_error *err) {
    countalloc_phase_begin("read");
    enum ca_status status = reader->pending_bytes <= headroom_of(reader)
                                ? use_usual_buffer(reader, err)
                                : use_long_buffer(reader, err);
    if (status == CA_OK) {
        char *end = reader->memory + reader->pending_at + reader->pending_bytes;
        /* Up to a multiple of a block, so that the source is aligned too. */
        const size_t wanted_bytes =
            reader->block_bytes - (size_t)(reader->source->at_byte % reader->block_bytes);
        status = ca_source_read(reader->source, end, wanted_bytes, ret_got_bytes, err);
        if (status == CA_OK)
            memset(end + *ret_got_bytes, 0, CA_BLOCK_PADDING_BYTES);
    }
    countalloc_phase_end();
    return status;
}

/* Behind the last newline of a block, or its beginning. Most blocks end in the middle of a line. */
static const char *behind_last_newline(const char *block, size_t block_bytes) {
    const char *end = block + block_bytes;
    while (end > block && end[-1] != '\n')
        end--;
    return end;
}

enum ca_status ca_block_reader_next(struct ca_block_reader *reader, struct ca_slice *ret_lines,
                                    struct ca_error *err) {
    for (;;) {
        size_t got_bytes = 0;
        const enum ca_status status = read_block(reader, &got_bytes, err);
        if (status != CA_OK)
            return status;
        const char *pending = reader->memory + reader->pending_at;
        const char *block = pending + reader->pending_bytes;
        const char *lines_end = behind_last_newline(block, got_bytes);
        reader->pending_bytes += got_bytes;
        if (lines_end == block && got_bytes > 0)
            continue;
        if (got_bytes > 0)
            ret_lines->byte_count = (size_t)(lines_end - pending);
        else
            ret_lines->byte_count = reader->pending_bytes;
        ret_lines->bytes = pending;
        reader->pending_at += ret_lines->byte_count;
        reader->pending_bytes -= ret_lines->byte_count;
        return CA_OK;
    }
}
