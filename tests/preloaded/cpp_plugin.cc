/* SPDX-License-Identifier: MIT
 *
 * A library in C++ that allocates when it is loaded. */

static int *const block = new int(1);

extern "C" int plugin_value() {
    return *block;
}
