/* SPDX-License-Identifier: MIT */
#include "versions.h"

#include <string.h>

const struct ca_version ca_versions[] = {
    {"v0", "naive: a map of owned strings, a linear blocklist", ca_scan_v0, CA_READS_WHOLE},
    {"v1", "v0 with the blocklist in a hash set", ca_scan_v1, CA_READS_WHOLE},
    {"v2", "v1 with borrowed fields instead of copies", ca_scan_v2, CA_READS_WHOLE},
    {"v3", "v2 with FxHash instead of SipHash", ca_scan_v3, CA_READS_WHOLE},
    {"v4", "v2 with one byte scan per line", ca_scan_v4, CA_READS_WHOLE},
    {"v5", "v2 with latencies counted instead of sorted", ca_scan_v5, CA_READS_WHOLE},
    {"v6", "v5 with blocks read into one buffer", ca_scan_v6, CA_READS_BLOCKS},
    {"v7", "v6 with the order of keys guessed and proved", ca_scan_v7, CA_READS_BLOCKS},
    {"v8", "v7 with values taken as words of 8 bytes", ca_scan_v8, CA_READS_BLOCKS},
    {"v9", "v8 with the log shared out to threads", ca_scan_v9, CA_READS_RANGES},
    {"v10", "v9 with threads that take each line from its two ends", ca_scan_v10, CA_READS_RANGES},
};

const size_t ca_version_count = sizeof ca_versions / sizeof ca_versions[0];

const struct ca_version *ca_version_find(const char *name) {
    for (size_t at = 0; at < ca_version_count; at++)
        if (strcmp(ca_versions[at].name, name) == 0)
            return &ca_versions[at];
    return NULL;
}
