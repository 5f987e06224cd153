/* SPDX-License-Identifier: MIT */
#include "symbols/symbols_note.h"

#include "interpose/plain.h"

#define MODULES_SHOWN 4u

static uint64_t unnamed_count(const struct ca_record *record,
                              const struct ca_module_result *results) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < record->module_count; i++)
        count += results[i].unnamed_count;
    return count;
}

static uint64_t looked_up_count(const struct ca_record *record,
                                const struct ca_module_result *results) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < record->module_count; i++)
        count += results[i].frame_count;
    return count;
}

static const char *cause_of(const struct ca_module_result *result) {
    switch (result->outcome) {
    case CA_MODULE_ABSENT:
        return "no such file";
    case CA_MODULE_REPLACED:
        return "the file is another build";
    case CA_MODULE_UNREADABLE:
        return "the file cannot be read";
    default:
        return result->has_lines ? "not in its debug information" : "stripped";
    }
}

/* The module with the most frames without name of those that come after `last` in that order;
 * CA_NO_MODULE: none. */
static uint32_t next_module(const struct ca_record *record, const struct ca_module_result *results,
                            uint32_t last) {
    uint32_t best = CA_NO_MODULE;
    for (uint32_t i = 0; i < record->module_count; i++) {
        uint32_t count = results[i].unnamed_count;
        bool is_after = last == CA_NO_MODULE || count < results[last].unnamed_count ||
                        (count == results[last].unnamed_count && i > last);
        if (count > 0 && is_after && (best == CA_NO_MODULE || count > results[best].unnamed_count))
            best = i;
    }
    return best;
}

static void add_modules(struct ca_text *text, const struct ca_record *record,
                        const struct ca_module_result *results) {
    uint32_t shown = 0;
    uint32_t more = 0;
    for (uint32_t i = next_module(record, results, CA_NO_MODULE); i != CA_NO_MODULE;
         i = next_module(record, results, i)) {
        if (shown == MODULES_SHOWN) {
            more++;
            continue;
        }
        char name[64];
        ca_plain_copy(name, ca_plain_basename(record->modules[i].path), sizeof name);
        ca_text_add(text, shown++ == 0 ? "" : ", ");
        ca_text_add(text, name);
        ca_text_add(text, " (");
        ca_text_add_number(text, results[i].unnamed_count);
        ca_text_add(text, ": ");
        ca_text_add(text, cause_of(&results[i]));
        ca_text_add(text, ")");
    }
    if (more > 0) {
        ca_text_add(text, " and ");
        ca_text_add_number(text, more);
        ca_text_add(text, more == 1 ? " more module" : " more modules");
    }
}

static void add_next_steps(struct ca_text *text, const struct ca_record *record,
                           const struct ca_module_result *results,
                           const struct ca_download_limit *downloads) {
    bool is_gone = false;
    bool is_stripped = false;
    for (uint32_t i = 0; i < record->module_count; i++) {
        bool is_unnamed = results[i].unnamed_count > 0;
        is_gone |= is_unnamed && results[i].outcome != CA_MODULE_OPEN;
        is_stripped |= is_unnamed && results[i].outcome == CA_MODULE_OPEN && !results[i].has_lines;
    }
    if (is_gone)
        ca_text_add(text, "; look names up where the files of the run are");
    if (is_stripped && !downloads->is_on)
        ca_text_add(text, "; install debug symbols (packages named -dbgsym, -dbg or -debuginfo), "
                          "or set DEBUGINFOD_URLS");
    if (downloads->is_used_up) {
        ca_text_add(text, "; debuginfod was given up after ");
        ca_text_add_number(text, downloads->limit_seconds);
        ca_text_add(text, " s: DEBUGINFOD_URLS names a slow or silent server");
    }
}

bool ca_symbols_note(const struct ca_record *record, const struct ca_module_result *results,
                     const struct ca_download_limit *downloads, char *ret_text) {
    struct ca_text text = ca_text_in(ret_text, CA_RECORD_NOTE_SIZE);
    uint64_t unnamed = unnamed_count(record, results);
    if (unnamed == 0)
        return false;
    if (!ca_symbols_is_available()) {
        ca_text_add(&text, "call sites have no names: this countalloc was built without libdw; "
                           "install it (libdw-dev or elfutils-devel) and build again");
        return true;
    }
    ca_text_add_number(&text, unnamed);
    ca_text_add(&text, " of ");
    ca_text_add_number(&text, looked_up_count(record, results));
    ca_text_add(&text, " code addresses have no name: ");
    add_modules(&text, record, results);
    add_next_steps(&text, record, results, downloads);
    return true;
}
