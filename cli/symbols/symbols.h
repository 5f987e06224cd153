/* SPDX-License-Identifier: MIT
 *
 * Names for the frames of a record: function, file and line of each address, with the functions
 * that were inlined there. In the command only, after the program has gone; counts never depend on
 * it. From DWARF where a module has it (in itself, or in a separate file that its build id or its
 * .gnu_debuglink leads to, or that debuginfod has), else the function alone from the symbol table,
 * else nothing: writers then print "module+0xoffset". On macOS Apple's `atos` reads the debug
 * information, of the .dSYM bundle beside a module if there is one.
 *
 * Not for several threads at a time: it changes the environment while it runs (see below).
 */
#ifndef CA_SYMBOLS_H
#define CA_SYMBOLS_H

#include "interpose/report/record.h"

#include "base/error.h"

/* How long all downloads of one call may take together. */
#define CA_SYMBOLS_DOWNLOAD_SECONDS 30u

/* How long `atos` may take for all modules together. */
#define CA_SYMBOLS_ATOS_SECONDS 60u

/* All zero is what people want by default. */
struct ca_symbols_options {
    /* `--no-debuginfod`: nothing is downloaded. Without it debuginfod is asked for the debug
     * information of modules that have none on this machine, when DEBUGINFOD_URLS is set;
     * DEBUGINFOD_TIMEOUT, DEBUGINFOD_MAXTIME and DEBUGINFOD_CACHE_PATH keep their meaning. */
    bool is_debuginfod_off;
    uint32_t download_seconds; /* 0: CA_SYMBOLS_DOWNLOAD_SECONDS */

    /* Folders with separate debug files, ':' between them, as libdwfl has it: a relative one is
     * beside the module, an absolute one holds .build-id and a copy of the file tree. Borrowed;
     * NULL: ":.debug:/usr/lib/debug". */
    const char *debug_path;

    /* macOS: what to run as `atos`, and for how long; borrowed. NULL: what Xcode or its command
     * line tools have; 0: CA_SYMBOLS_ATOS_SECONDS. */
    const char *atos_path;
    uint32_t atos_seconds;

    /* Process that ran just now and whose /tmp/perf-PID.map, if its compiler wrote one and it
     * belongs to this user, names the frames without module; 0: none. Not for old records: another
     * process may have had that number since. */
    uint32_t perf_map_pid;

    /* Is given the notes, at most one for each kind of cause; NULL: they are added to the record
     * (ca_record_note). `text` is borrowed. */
    void (*note)(void *target, const char *text);
    void *note_target;

    /* Is told how many of how many frames have been looked up, often; NULL: nobody is. See
     * ca_progress_show() of base/progress.h. */
    void (*progress)(void *target, uint64_t done, uint64_t total);
    void *progress_target;
};

struct ca_symbols; /* what the frames point to */

/* Fills `functions` and `function_count` of each frame of `record` that has none and can be named.
 * Of each function: the name demangled (without libiberty: qualified, without parameters), the file
 * as the compiler had it (behind its working folder, when the name is relative and the folder is
 * known), and the line of the call: an offset is a return address, so what is looked up is the byte
 * before it.
 *
 * A file whose build id is not the module's is another build, and not used; so is one that has none
 * when the module has. A module whose build id is not known is taken to be what is at its path.
 *
 * `*ret`: returned, ca_symbols_release() it; it must outlive the use of the record. Fails only when
 * there is no memory: then frames are as they were, and the record is as good as before. Files that
 * are missing, damaged or without debug information are no failure but a note. */
enum ca_status ca_symbols_resolve(struct ca_record *record,
                                  const struct ca_symbols_options *options, struct ca_symbols **ret,
                                  struct ca_error *err);

/* `symbols` may be NULL. */
void ca_symbols_release(struct ca_symbols *symbols);

/* Whether the build can read symbols. */
bool ca_symbols_is_available(void);

#endif
