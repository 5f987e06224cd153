/* SPDX-License-Identifier: MIT
 *
 * How the program's calls reach the hooks: dyld reads this section of an inserted library before it
 * binds any image, and binds every other image's references to the second of a pair to the first
 * (dyld, "interposing"). What the shim itself calls stays what it names. */
#include "../count.h"
#include "hooks_darwin.h"

struct pair {
    const void *hook;
    const void *function;
};

#define PAIR(name)                   {(const void *)ca_hook_##name, (const void *)name},
#define PAIR_ROW(name, systems, why) CA_DARWIN_##systems(name, PAIR)

__attribute__((used, section("__DATA,__interpose"))) static const struct pair pairs[] = {
    CA_HOOK_LIST(PAIR_ROW)};
