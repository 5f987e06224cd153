/* SPDX-License-Identifier: MIT
 *
 * A program in C++ that has no new of its own: libstdc++ makes its strings. */
#include <string>

int main() {
    std::string text("too long for a string to keep it inside");
    text.append("!");
    return text.size() == 40 ? 0 : 1;
}
