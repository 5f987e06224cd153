/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

enum ca_status ca_error_set(struct ca_error *err, enum ca_status status, const char *format, ...) {
    if (err == NULL)
        return status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(err->message, sizeof err->message, format, arguments);
    va_end(arguments);
    return status;
}

enum ca_status ca_error_memory(struct ca_error *err) {
    return ca_error_set(err, CA_ERROR_SYSTEM, "out of memory");
}
