/* SPDX-License-Identifier: MIT
 *
 * The files of assets/, as strings; made by embed.cmake when building. */
#ifndef CA_FLAME_ASSETS_H
#define CA_FLAME_ASSETS_H

extern const char ca_flame_css[];
extern const char ca_flame_js[];

#endif
