/* SPDX-License-Identifier: MIT */
#include "commands/repeat_writers.h"

#include <string.h>

/* How the JSON of a record ends, and where a member is added. */
static const char ending[] = "\n}\n";

#define ENDING_BYTES (sizeof ending - 1)

/* Passes on all but the last bytes. */
struct holder {
    struct ca_out *out;
    char held[ENDING_BYTES];
    size_t held_bytes;
};

static void hold_back(void *target, const char *bytes, size_t byte_count) {
    struct holder *holder = target;
    for (size_t i = 0; i < byte_count; i++) {
        if (holder->held_bytes == ENDING_BYTES) {
            ca_out_bytes(holder->out, holder->held, 1);
            memmove(holder->held, holder->held + 1, --holder->held_bytes);
        }
        holder->held[holder->held_bytes++] = bytes[i];
    }
}

static enum ca_status write_json(const struct ca_record *record, struct ca_out *out,
                                 struct ca_error *err) {
    (void)err;
    const struct ca_repeated_record *repeated =
        (const struct ca_repeated_record *)(const void *)record;
    struct holder holder = {.out = out};
    struct ca_out inner;
    ca_out_init(&inner, hold_back, &holder);
    ca_record_write_json(record, &inner);
    ca_out_flush(&inner);
    if (holder.held_bytes == ENDING_BYTES && memcmp(holder.held, ending, ENDING_BYTES) == 0) {
        ca_out_text(out, ",\n");
        ca_repeat_spread_write_json(&repeated->spread, out);
    }
    ca_out_bytes(out, holder.held, holder.held_bytes);
    return CA_OK;
}

static enum ca_status write_text(const struct ca_record *record, struct ca_out *out,
                                 struct ca_error *err) {
    (void)err;
    const struct ca_repeated_record *repeated =
        (const struct ca_repeated_record *)(const void *)record;
    ca_record_write_text(record, out);
    ca_out_text(out, "\n");
    ca_repeat_spread_write_text(&repeated->spread, out);
    return CA_OK;
}

const struct ca_writer *ca_repeat_writer(const struct ca_writer *writer) {
    static const struct ca_writer writers[] = {
        {"text", "", false, false, write_text},
        {"json", "", false, false, write_json},
    };
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++)
        if (strcmp(writers[i].name, writer->name) == 0)
            return &writers[i];
    return writer;
}
