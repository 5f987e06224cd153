/* SPDX-License-Identifier: MIT
 *
 * What a victim's first comment promises. Its lines, after the comment's own star:
 *
 *     expect: NAME=VALUE ...  figures of the record (record_of.h says which there are). VALUE is
 *                             text to be equal to, or @WORD or -@WORD: what the victim printed on
 *                             standard output as "WORD=NUMBER"
 *     note: TEXT              a note of the record contains TEXT
 *     args: WORD ...          the victim's arguments
 *     env: NAME=VALUE ...     its environment
 *     run: WORD ...           further options of `countalloc run`
 *     modes: run              only under `countalloc run` (default: run plain); the other mode must
 *                             be impossible, not inconvenient
 *     valgrind: yes           allocations, frees and bytes are compared with Valgrind's, too
 *
 * `expect: rules=1 attached=true complete=true exit_status=0 signal=null` holds unless the comment
 * says otherwise. */
#ifndef CA_EXPECTATION_H
#define CA_EXPECTATION_H

#include <stdbool.h>
#include <stddef.h>

#define CA_EXPECTATION_WORDS 96u

struct ca_expectation {
    char *text; /* the comment, cut into the words below */
    struct {
        const char *name;
        const char *value;
    } figures[CA_EXPECTATION_WORDS];
    size_t figure_count;
    const char *notes[8];
    size_t note_count;
    const char *arguments[16]; /* NULL-ended, as the two below */
    const char *environment[16];
    const char *run_options[16];
    bool has_plain_mode;
    bool has_valgrind;
};

/* Reads the first comment of `source_path`. False when there is none, or when it expects nothing.
 */
bool ca_expectation_init(struct ca_expectation *expectation, const char *source_path);

void ca_expectation_release(struct ca_expectation *expectation);

#endif
