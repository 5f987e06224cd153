/* SPDX-License-Identifier: MIT */
#include "versions.h"

#include <string.h>

const struct ca_version ca_versions[] = {
    {"v0", "naive: a map of owned strings, a linear blocklist", ca_scan_v0},
    {"v1", "v0 with the blocklist in a hash set", ca_scan_v1},
    {"v2", "v1 with borrowed fields instead of copies", ca_scan_v2},
    {"v3", "v2 with FxHash instead of SipHash", ca_scan_v3},
    {"v4", "v2 with one byte scan per line", ca_scan_v4},
};

const size_t ca_version_count = sizeof ca_versions / sizeof ca_versions[0];

const struct ca_version *ca_version_find(const char *name) {
    for (size_t at = 0; at < ca_version_count; at++)
        if (strcmp(ca_versions[at].name, name) == 0)
            return &ca_versions[at];
    return NULL;
}
