/* SPDX-License-Identifier: MIT */
#include "separators.h"

const struct ca_separator_path ca_separator_paths[] = {
    {"scalar", ca_separators_scalar, ca_line_ends_scalar, ca_separators_always},
};

const size_t ca_separator_path_count = sizeof ca_separator_paths / sizeof ca_separator_paths[0];
