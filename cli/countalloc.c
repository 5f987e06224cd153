/* SPDX-License-Identifier: MIT */
#include "command.h"
#include "platform/cli_platform.h"

int main(int argc, char **argv) {
    ca_standard_descriptors_occupy();
    return ca_command_main(argc, argv);
}
