/* SPDX-License-Identifier: MIT */
#include "exec_note.h"

#include "lifecycle.h"
#include "plain.h"

bool ca_exec_note(const char *path) {
    ca_lifecycle_resolve();
    if (path == NULL || ca_shim.stage != CA_STAGE_COUNTING || ca_platform_pid() != ca_shim.pid)
        return false;
    ca_plain_copy(ca_shim.image->exec_path, path, sizeof ca_shim.image->exec_path);
    return true;
}

int ca_exec_forget(bool is_noted, int status) {
    if (is_noted)
        ca_shim.image->exec_path[0] = '\0';
    return status;
}
