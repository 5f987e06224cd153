/* SPDX-License-Identifier: MIT
 *
 * A cell: a piece of a line of the text report, which knows how many columns it takes. It is cut at
 * its limit, with an ellipsis. All numbers are made of integers, with a comma at each thousand.
 * Inside the report only.
 */
#ifndef CA_TEXT_CELL_H
#define CA_TEXT_CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CELL_COLUMNS    200u /* more than any sentence of ours with the largest numbers */
#define CHARACTER_BYTES 4u
#define ELLIPSIS        "\xe2\x80\xa6"

__extension__ typedef unsigned __int128 ca_wide;

struct ca_cell {
    char bytes[CELL_COLUMNS * CHARACTER_BYTES];
    size_t byte_count;
    unsigned columns; /* code points */
    unsigned column_limit;
    bool is_cut; /* more was added than the limit lets in */
};

/* Empties `cell`; it takes `column_limit` columns, at most CELL_COLUMNS. */
void ca_cell_init(struct ca_cell *cell, unsigned column_limit);

/* Each adds to `cell`. Text is UTF-8; every byte that is not, or not printable, becomes `?`. */
void ca_cell_text(struct ca_cell *cell, const char *text);
/* Text cut at `column_limit` columns of its own. */
void ca_cell_name(struct ca_cell *cell, const char *name, unsigned column_limit);
void ca_cell_number(struct ca_cell *cell, uint64_t number);
void ca_cell_signed(struct ca_cell *cell, int64_t number);
/* "1 block", "2 blocks": `noun` is the singular. */
void ca_cell_counted(struct ca_cell *cell, uint64_t count, const char *noun);
void ca_cell_counted_signed(struct ca_cell *cell, int64_t count, const char *noun);
/* `number` divided by `divisor` (not 0), rounded half up to `places` places. */
void ca_cell_quotient(struct ca_cell *cell, ca_wide number, uint64_t divisor, unsigned places);

/* "12.5%", of `whole` (not 0). A share that is neither none nor all is not shown as 0% or 100%. */
void ca_cell_share(struct ca_cell *cell, uint64_t part, uint64_t whole);

/* Advances `*text` by a character and gives how it is shown: the bytes from `*ret_shown`, as many
 * as returned. */
size_t ca_cell_next_character(const char **text, const char **ret_shown);

#endif
