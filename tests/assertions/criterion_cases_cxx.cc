// SPDX-License-Identifier: MIT
#include "criterion_cases.c"
