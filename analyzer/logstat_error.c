/* SPDX-License-Identifier: MIT */
#include "logstat.h"

#include <stdarg.h>
#include <stdio.h>

enum ca_status ca_fail(struct ca_error *err, enum ca_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(err->message, sizeof err->message, format, arguments);
    va_end(arguments);
    return status;
}
