/* SPDX-License-Identifier: MIT */
#include "platform/macho_signature.h"

#include <string.h>

#define SUPER_BLOB          0xfade0cc0u
#define CODE_DIRECTORY      0xfade0c02u
#define ENTITLEMENTS        0xfade7171u /* a property list in XML */
#define BLOB_HEADER_BYTES   8u
#define INDEX_BYTES         8u
#define DIRECTORY_BYTES_MIN 44u

static uint32_t word_at(const unsigned char *at) {
    return at[3] | (uint32_t)at[2] << 8 | (uint32_t)at[1] << 16 | (uint32_t)at[0] << 24;
}

static const unsigned char *find(const unsigned char *bytes, size_t byte_count, const char *text) {
    size_t length = strlen(text);
    for (size_t at = 0; at + length <= byte_count; at++)
        if (memcmp(bytes + at, text, length) == 0)
            return bytes + at;
    return NULL;
}

/* Whether the list says <key>`key`</key><true/>, with blanks between. */
static bool is_granted(const unsigned char *list, size_t list_bytes, const char *key) {
    const unsigned char *end = list + list_bytes;
    const unsigned char *at = find(list, list_bytes, key);
    if (at == NULL)
        return false;
    at += strlen(key);
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return (size_t)(end - at) >= strlen("<true/>") && memcmp(at, "<true/>", strlen("<true/>")) == 0;
}

static void read_blob(const unsigned char *blob, size_t blob_bytes, struct ca_macho_slice *slice) {
    if (word_at(blob) == CODE_DIRECTORY && blob_bytes >= DIRECTORY_BYTES_MIN) {
        slice->is_signed = true;
        slice->signature_flags |= word_at(blob + 12);
        slice->is_platform_binary |= blob[38] != 0;
    }
    if (word_at(blob) == ENTITLEMENTS) {
        slice->allows_dyld_variables |= is_granted(
            blob, blob_bytes, "<key>com.apple.security.cs.allow-dyld-environment-variables</key>");
        slice->skips_library_validation |= is_granted(
            blob, blob_bytes, "<key>com.apple.security.cs.disable-library-validation</key>");
    }
}

void ca_macho_signature_read(const unsigned char *bytes, size_t byte_count,
                             struct ca_macho_slice *slice) {
    if (byte_count < 12 || word_at(bytes) != SUPER_BLOB)
        return;
    uint64_t blob_count = word_at(bytes + 8);
    for (uint64_t i = 0; i < blob_count && 12 + (i + 1) * INDEX_BYTES <= byte_count; i++) {
        size_t offset = word_at(bytes + 12 + i * INDEX_BYTES + 4);
        if (offset > byte_count || byte_count - offset < BLOB_HEADER_BYTES)
            continue;
        size_t blob_bytes = word_at(bytes + offset + 4);
        if (blob_bytes >= BLOB_HEADER_BYTES && blob_bytes <= byte_count - offset)
            read_blob(bytes + offset, blob_bytes, slice);
    }
}
