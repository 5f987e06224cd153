/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "budget/check_report.h"

static const struct ca_check_format formats[] = {
    {"text", "for people", false, ca_check_write_text},
    {"json", "for programs", true, ca_check_write_json},
    {"junit", "JUnit XML, a test case for each budget", true, ca_check_write_junit},
    {"github", "annotations of GitHub Actions", false, ca_check_write_github},
    {"md", "a job summary in Markdown", true, ca_check_write_md},
};

const struct ca_check_format *ca_check_formats(size_t *ret_count) {
    *ret_count = sizeof formats / sizeof *formats;
    return formats;
}

enum ca_status ca_check_format_find(const char *name, size_t name_length,
                                    const struct ca_check_format **ret_format,
                                    struct ca_error *err) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strlen(formats[i].name) == name_length &&
            memcmp(formats[i].name, name, name_length) == 0) {
            *ret_format = &formats[i];
            return CA_OK;
        }
    return ca_error_set(err, CA_ERROR_USAGE,
                        "unknown format '%.*s': there are text, json, junit, github, md",
                        (int)(name_length < 60 ? name_length : 60), name);
}
