# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# Sourced by measure.sh and profile.sh: a bar on a terminal, nothing elsewhere. The caller sets step_count.
#
#   progress TEXT    what is being done now        advance    one step is done        progress_end    leaves a clean line

step=0

progress() {
    [ -t 2 ] || return 0
    filled=$((step * 30 / step_count))
    printf '\r\033[K[%s%s] %2d/%d  %s' "$(printf '%*s' "$filled" '' | tr ' ' '#')" \
        "$(printf '%*s' $((30 - filled)) '' | tr ' ' '.')" "$step" "$step_count" "$1" >&2
}
advance() { step=$((step + 1)); }
progress_end() { if [ -t 2 ]; then printf '\r\033[K' >&2; fi; }
