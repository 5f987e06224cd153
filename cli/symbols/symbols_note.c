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
    case CA_MODULE_UNCERTAIN:
        return "the file has several builds";
    case CA_MODULE_NOT_CACHED:
        return "not in this system's shared cache";
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

/* ", NAME (" */
static void add_name(struct ca_text *text, const struct ca_record *record, uint32_t module,
                     uint32_t shown) {
    char name[64];
    ca_plain_copy(name, ca_plain_basename(record->modules[module].path), sizeof name);
    ca_text_add(text, shown == 0 ? "" : ", ");
    ca_text_add(text, name);
    ca_text_add(text, " (");
}

static void add_more(struct ca_text *text, uint32_t more) {
    if (more == 0)
        return;
    ca_text_add(text, " and ");
    ca_text_add_number(text, more);
    ca_text_add(text, more == 1 ? " more module" : " more modules");
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
        add_name(text, record, i, shown++);
        ca_text_add_number(text, results[i].unnamed_count);
        ca_text_add(text, ": ");
        ca_text_add(text, cause_of(&results[i]));
        ca_text_add(text, ")");
    }
    add_more(text, more);
}

static void add_next_steps(struct ca_text *text, const struct ca_record *record,
                           const struct ca_module_result *results,
                           const struct ca_symbols_work *work) {
    const char *advice = ca_module_symbols_advice(work);
    bool is_gone = false;
    bool is_stripped = false;
    for (uint32_t i = 0; i < record->module_count; i++) {
        bool is_unnamed = results[i].unnamed_count > 0;
        is_gone |= is_unnamed && results[i].outcome != CA_MODULE_OPEN;
        is_stripped |= is_unnamed && results[i].outcome == CA_MODULE_OPEN && !results[i].has_lines;
    }
    if (is_gone)
        ca_text_add(text, "; look names up where the files of the run are");
    if (is_stripped && advice != NULL) {
        ca_text_add(text, "; ");
        ca_text_add(text, advice);
    }
    if (work->downloads.is_used_up) {
        ca_text_add(text, "; debuginfod was given up after ");
        ca_text_add_number(text, work->downloads.limit_seconds);
        ca_text_add(text, " s: DEBUGINFOD_URLS names a slow or silent server");
    }
}

bool ca_symbols_note(const struct ca_record *record, const struct ca_module_result *results,
                     const struct ca_symbols_work *work, char *ret_text) {
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
    add_next_steps(&text, record, results, work);
    return true;
}

bool ca_symbols_trouble_note(const struct ca_record *record, const struct ca_module_result *results,
                             char *ret_text) {
    struct ca_text text = ca_text_in(ret_text, CA_RECORD_NOTE_SIZE);
    uint32_t shown = 0, more = 0;
    for (uint32_t i = 0; i < record->module_count; i++) {
        if (results[i].trouble[0] == '\0')
            continue;
        if (shown == MODULES_SHOWN) {
            more++;
            continue;
        }
        if (shown == 0)
            ca_text_add(&text, "no files and lines: ");
        add_name(&text, record, i, shown++);
        ca_text_add(&text, results[i].trouble);
        ca_text_add(&text, ")");
    }
    add_more(&text, more);
    return shown > 0;
}
