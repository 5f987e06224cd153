/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>

#include "fxhash.h"
#include "print_report.h"
#include "siphash.h"

/* Results of SipHash-1-3 with the key 00 01 … 0f for the inputs "", 00, 00 01, 00 01 02 …, by the
 * number of input bytes. Source: test_siphash_1_3 in library/coretests/tests/hash/sip.rs of
 * rust-lang/rust, read as little-endian words. */
static const struct {
    size_t byte_count;
    uint64_t hash;
} sip_vectors[] = {
    {0, 0xabac0158050fc4dc},  {1, 0xc9f49bf37d57ca93},  {2, 0x82cb9b024dc7d44d},
    {3, 0x8bf80ab8e7ddf7fb},  {4, 0xcf75576088d38328},  {5, 0xdef9d52f49533b67},
    {6, 0xc50d2b50c59f22a7},  {7, 0xd3927d989bb11140},  {8, 0x369095118d299a8e},
    {9, 0x25a48eb36c063de4},  {15, 0xd320d86d2a519956}, {16, 0xcc4fdd1a7d908b66},
    {17, 0x9cf2689063dbd80c}, {31, 0x2370dd1f8c21d1bc}, {63, 0x9d199062b7bbb3a8},
};

static const struct ca_sip_key sip_key = {0x0706050403020100, 0x0f0e0d0c0b0a0908};

static void fill(char *bytes, size_t byte_count) {
    for (size_t at = 0; at < byte_count; at++)
        bytes[at] = (char)at;
}

Test(siphash, gives_the_published_vectors) {
    char bytes[64];
    fill(bytes, sizeof bytes);
    for (size_t at = 0; at < sizeof sip_vectors / sizeof sip_vectors[0]; at++) {
        const struct ca_slice input = {bytes, sip_vectors[at].byte_count};
        cr_assert_eq(ca_sip_hash(sip_key, input), sip_vectors[at].hash, "%zu bytes",
                     input.byte_count);
    }
}

Test(siphash, does_not_depend_on_how_the_input_is_cut) {
    char bytes[63];
    fill(bytes, sizeof bytes);
    for (size_t first = 0; first <= sizeof bytes; first++) {
        for (size_t second = first; second <= sizeof bytes; second++) {
            struct ca_sip sip;
            ca_sip_init(&sip, sip_key);
            ca_sip_write(&sip, (struct ca_slice){bytes, first});
            ca_sip_write(&sip, (struct ca_slice){bytes + first, second - first});
            ca_sip_write(&sip, (struct ca_slice){bytes + second, sizeof bytes - second});
            cr_assert_eq(ca_sip_finish(&sip), 0x9d199062b7bbb3a8);
        }
    }
}

Test(siphash, hashes_a_pair_as_its_parts_with_ff_between) {
    const struct ca_slice first = {"/v1/chat", 8};
    const struct ca_slice second = {"mistral-7b", 10};
    cr_assert_eq(ca_sip_hash_pair(sip_key, first, second),
                 ca_sip_hash(sip_key, ca_slice_of("/v1/chat\xff"
                                                  "mistral-7b")));
}

/* Written by the Rust reference's FxHasher: write(bytes), finish(); for pairs write,
 * write_u8(0xff), write, finish(). */
Test(fxhash, gives_the_reference_vectors) {
    cr_assert_eq(ca_fx_hash(ca_slice_of("")), 0);
    cr_assert_eq(ca_fx_hash(ca_slice_of("a")), 0xe0456665d3e60275);
    cr_assert_eq(ca_fx_hash(ca_slice_of("u01234")), 0x31f8634f650fc619);
    cr_assert_eq(ca_fx_hash(ca_slice_of("12345678")), 0xe8712e7a83442085);
    cr_assert_eq(ca_fx_hash(ca_slice_of("123456789")), 0x8980204c4b0ac4d4);
    cr_assert_eq(ca_fx_hash(ca_slice_of("/v1/tokenize")), 0x97065580f3278839);
    cr_assert_eq(ca_fx_hash_pair(ca_slice_of(""), ca_slice_of("")), 0x2b44f56ffae88a6b);
    cr_assert_eq(ca_fx_hash_pair(ca_slice_of("/v1/chat"), ca_slice_of("mistral-7b")),
                 0xbc1e18a29d388d38);
    cr_assert_eq(ca_fx_hash_pair(ca_slice_of("/v1/tokenize"), ca_slice_of("qwen2.5-1.5b")),
                 0xe4e7c8295ca9a303);
}

/* Source: test vectors of FNV-1a 64 at www.isthe.com/chongo/src/fnv/test_fnv.c. */
Test(fnv, gives_the_published_vectors) {
    cr_assert_eq(ca_fnv1a64(ca_slice_of("")), 0xcbf29ce484222325);
    cr_assert_eq(ca_fnv1a64(ca_slice_of("a")), 0xaf63dc4c8601ec8c);
    cr_assert_eq(ca_fnv1a64(ca_slice_of("foobar")), 0x85944171f73967e8);
    cr_assert_eq(ca_fnv1a64((struct ca_slice){"", 1}), 0xaf63bd4c8601b7df);
}
