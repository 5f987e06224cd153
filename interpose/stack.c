/* SPDX-License-Identifier: MIT */
#include "stack.h"

CA_THREAD_WORD_BEGIN(struct ca_stack_bounds, ca_stack_here, {0});

/* Odd multipliers, one for each place in a stack, so that the products need not wait for each other
 * (multilinear hashing). Any would do; these are splitmix64(1), (2), ... | 1. */
const uint64_t ca_stack_multiplier[CA_STACK_DEPTH_MAX] = {
    0xe220a8397b1dcdaf, 0x6e789e6aa1b965f5, 0x06c45d188009454f, 0xf88bb8a8724c81ed,
    0x1b39896a51a8749b, 0x53cb9f0c747ea2eb, 0x2c829abe1f4532e1, 0xc584133ac916ab3d,
    0x3ee5789041c98ac3, 0xf3b8488c368cb0a7, 0x657eecdd3cb13d09, 0xc2d326e0055bdef7,
    0x8621a03fe0bbdb7b, 0x8e1f7555983aa92f, 0xb54e0f1600cc4d19, 0x84bb3f97971d80ab,
    0x7d29825c75521255, 0xc3cf17102b7f7f87, 0x3466e9a083914f65, 0xd81a8d2b5a4485ad,
    0xdb01602b100b9ed7, 0xa9038a921825f10d, 0xedf5f1d90dca2f6b, 0x54496ad67bd2634d,
    0xdd7c01d4f5407269, 0x935e82f1db4c4f7b, 0x69b82ebc92233301, 0x40d29eb57de1d511,
    0xa2f09dabb45c6317, 0xee521d7a0f4d3873, 0xf16952ee72f3454f, 0x377d35dea8e40225,
    0x0c7de8064963bab1, 0x05582d37111ac529, 0xd254741f599dc6f7, 0x69630f7593d108c3,
    0x417ef96181daa383, 0x3c3c41a3b43343a1, 0x6e19905dcbe531df, 0x4fa9fa7324851729,
    0x84eb4454a792922b, 0x134f7096918175cf, 0x07dc930b302278a9, 0x12c015a97019e937,
    0xcc06c31652ebf439, 0xecee65630a691e37, 0x3e84ecb1763e79ad, 0x690ed476743aae49,
    0x774615d7b1a1f2e1, 0x22b353f04f4f52db, 0xe3ddd86ba71a5eb1, 0xdf268adeb6513357,
    0x2098eb73d4367d77, 0x03d6845323ce3c71, 0xc952c5620043c715, 0x9b196bca844f1705,
    0x30260345dd9e0ec1, 0xcf448a5882bb9699, 0xf4a578dccbc87657, 0xbfdeaed9a17b3c8f,
    0xed79402d1d5c5d7b, 0x55f070ab1cbbf171, 0x3e00a34929a88f1d, 0xe255b237b8bb18fb,
};

CA_COLD bool ca_stack_learn(uintptr_t address) {
    return ca_platform_stack(address, &ca_stack_here);
}

uint64_t ca_stack_key_of(const uintptr_t *frames, uint32_t frame_count) {
    uint64_t key = 0;
    for (uint32_t at = 0; at < frame_count; at++)
        key += frames[at] * ca_stack_multiplier[at];
    return ca_stack_finish(key);
}

uint32_t ca_stack_frames(const struct ca_here *here, uintptr_t *ret_frames, uint32_t depth,
                         bool *ret_is_cut) {
    uint32_t count = 0;
    ret_frames[count++] = here->caller;
    *ret_is_cut = false;
    if (!ca_stack_is_on(here->frame))
        return count;
    const uintptr_t *last = ca_stack_last();
    const uintptr_t *at = ca_stack_above(here->frame, here->parent, last);
    /* No code is at 0, nor on the stack. */
    for (; at != NULL && at[1] != 0 && !ca_stack_is_on(at[1]); at = ca_stack_next(at, last)) {
        if (count == depth) {
            *ret_is_cut = true;
            break;
        }
        ret_frames[count++] = at[1];
    }
    while (count > 1 && ca_stack_is_own(ret_frames[count - 1])) /* main is called by us */
        count--;
    return count;
}

void ca_stack_begin(const void *top) {
    ca_shim.stack_end = (uintptr_t)top;
    ca_shim.main_stack = &ca_stack_here;
    ca_stack_here = (struct ca_stack_bounds){0};
    ca_stack_learn((uintptr_t)__builtin_frame_address(0));
}
