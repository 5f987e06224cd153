/* SPDX-License-Identifier: MIT */
#include "record.h"

void ca_out_init(struct ca_out *out, void (*write)(void *, const char *, size_t), void *target) {
    out->write = write;
    out->target = target;
    out->length = 0;
}

void ca_out_bytes(struct ca_out *out, const char *bytes, size_t byte_count) {
    for (size_t i = 0; i < byte_count; i++) {
        out->buffer[out->length++] = bytes[i];
        if (out->length == sizeof out->buffer)
            ca_out_flush(out);
    }
}

void ca_out_text(struct ca_out *out, const char *text) {
    for (; *text != '\0'; text++)
        ca_out_bytes(out, text, 1);
}

void ca_out_flush(struct ca_out *out) {
    if (out->length > 0)
        out->write(out->target, out->buffer, out->length);
    out->length = 0;
}
