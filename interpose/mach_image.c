/* SPDX-License-Identifier: MIT */
#include "mach_image.h"

#include "plain.h"

#define MAGIC_64      0xfeedfacfu
#define HEADER_BYTES  32u
#define LC_SEGMENT_64 0x19u
#define LC_UUID       0x1bu
#define SEGMENT_BYTES 72u
#define UUID_BYTES    24u

static uint32_t word_at(const unsigned char *at) {
    uint32_t word;
    __builtin_memcpy(&word, at, sizeof word);
    return word;
}

static uint64_t long_at(const unsigned char *at) {
    uint64_t value;
    __builtin_memcpy(&value, at, sizeof value);
    return value;
}

bool ca_mach_image_read(const void *header, struct ca_mach_image *ret_image) {
    const unsigned char *bytes = header;
    *ret_image = (struct ca_mach_image){0};
    if (word_at(bytes) != MAGIC_64)
        return false;
    uint32_t command_count = word_at(bytes + 16);
    const unsigned char *at = bytes + HEADER_BYTES;
    const unsigned char *end = at + word_at(bytes + 20);
    for (uint32_t i = 0; i < command_count && end - at >= 8; i++) {
        uint32_t command = word_at(at);
        uint32_t command_bytes = word_at(at + 4);
        if (command_bytes < 8 || command_bytes > (uint64_t)(end - at))
            break;
        if (command == LC_SEGMENT_64 && command_bytes >= SEGMENT_BYTES &&
            ca_plain_is_equal((const char *)at + 8, "__TEXT")) {
            ret_image->text_address = long_at(at + 24);
            ret_image->text_bytes = long_at(at + 32);
        }
        if (command == LC_UUID && command_bytes >= UUID_BYTES) {
            __builtin_memcpy(ret_image->uuid, at + 8, sizeof ret_image->uuid);
            ret_image->has_uuid = true;
        }
        at += command_bytes;
    }
    return ret_image->text_bytes != 0;
}
