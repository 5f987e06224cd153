/* SPDX-License-Identifier: MIT */
#include "symbols/module_symbols.h"

bool ca_symbols_is_available(void) {
    return false;
}

enum ca_module_outcome ca_module_symbols_open(struct ca_symbols_work *work,
                                              const struct ca_record_module *module,
                                              struct ca_module_symbols **ret) {
    (void)work;
    (void)module;
    (void)ret;
    return CA_MODULE_UNREADABLE;
}

void ca_module_symbols_close(struct ca_module_symbols *symbols) {
    (void)symbols;
}

bool ca_module_symbols_ask(struct ca_module_symbols *symbols, struct ca_record_frame **frames,
                           uint32_t frame_count) {
    (void)symbols;
    (void)frames;
    (void)frame_count;
    return true;
}

bool ca_module_symbols_name(struct ca_module_symbols *symbols, struct ca_record_frame *frame) {
    (void)symbols;
    (void)frame;
    return true;
}

bool ca_module_symbols_has_lines(const struct ca_module_symbols *symbols) {
    (void)symbols;
    return false;
}

const char *ca_module_symbols_trouble(const struct ca_module_symbols *symbols) {
    (void)symbols;
    return "";
}

const char *ca_module_symbols_advice(const struct ca_symbols_work *work) {
    (void)work;
    return NULL;
}
