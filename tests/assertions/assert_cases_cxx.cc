// SPDX-License-Identifier: MIT
#include "assert_cases.c"
