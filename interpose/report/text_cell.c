/* SPDX-License-Identifier: MIT */
#include "text_cell.h"

#include "interpose/plain.h"

#define UNPRINTABLE "?"

void ca_cell_init(struct ca_cell *cell, unsigned column_limit) {
    cell->byte_count = 0;
    cell->columns = 0;
    cell->column_limit = column_limit;
    cell->is_cut = false;
}

static void append_character(struct ca_cell *cell, const char *character, size_t byte_count) {
    for (size_t i = 0; i < byte_count; i++)
        cell->bytes[cell->byte_count++] = character[i];
    cell->columns++;
}

static void drop_character(struct ca_cell *cell) {
    do
        cell->byte_count--;
    while (((unsigned char)cell->bytes[cell->byte_count] & 0xc0) == 0x80);
    cell->columns--;
}

static void add_character(struct ca_cell *cell, const char *character, size_t byte_count) {
    if (cell->is_cut)
        return;
    if (cell->columns == cell->column_limit) {
        drop_character(cell);
        character = ELLIPSIS;
        byte_count = sizeof ELLIPSIS - 1;
        cell->is_cut = true;
    }
    append_character(cell, character, byte_count);
}

/* Bytes of the character that `text` begins with when it is one that can be shown, else 0. C1
 * controls (U+0080 to U+009F) are none: terminals obey them. */
static size_t printable_bytes(const char *text) {
    static const uint32_t lowest[] = {0, 0, 0xa0, 0x800, 0x10000};
    unsigned lead = (unsigned char)text[0];
    if (lead < 0x80)
        return lead >= 0x20 && lead != 0x7f;
    if (lead < 0xc2 || lead > 0xf4)
        return 0;
    size_t byte_count = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    uint32_t code_point = lead & (0x7fu >> byte_count);
    for (size_t i = 1; i < byte_count; i++) {
        unsigned next = (unsigned char)text[i];
        if ((next & 0xc0) != 0x80)
            return 0;
        code_point = code_point << 6 | (next & 0x3f);
    }
    bool is_surrogate = code_point >= 0xd800 && code_point <= 0xdfff;
    return code_point >= lowest[byte_count] && code_point <= 0x10ffff && !is_surrogate ? byte_count
                                                                                       : 0;
}

/* Bytes of the next piece of `*text`, which is left after it; `*ret_shown`: what to show for it. 0
 * at the end. */
size_t ca_cell_next_character(const char **text, const char **ret_shown) {
    size_t byte_count = printable_bytes(*text);
    if (**text == '\0')
        return 0;
    *ret_shown = byte_count > 0 ? *text : UNPRINTABLE;
    *text += byte_count > 0 ? byte_count : 1;
    return byte_count > 0 ? byte_count : 1;
}

void ca_cell_text(struct ca_cell *cell, const char *text) {
    const char *shown;
    size_t byte_count;
    while ((byte_count = ca_cell_next_character(&text, &shown)) > 0)
        add_character(cell, shown, byte_count);
}

/* Adds `name`, cut to `column_limit` columns of its own. */
void ca_cell_name(struct ca_cell *cell, const char *name, unsigned column_limit) {
    unsigned outer_limit = cell->column_limit;
    if (column_limit < outer_limit - cell->columns)
        cell->column_limit = cell->columns + column_limit;
    ca_cell_text(cell, name);
    cell->column_limit = outer_limit;
    cell->is_cut &= cell->columns == outer_limit;
}

void ca_cell_number(struct ca_cell *cell, uint64_t number) {
    char plain[24];
    struct ca_text digits = ca_text_in(plain, sizeof plain);
    ca_text_add_number(&digits, number);
    for (size_t i = 0; i < digits.length; i++) {
        if (i > 0 && (digits.length - i) % 3 == 0)
            ca_cell_text(cell, ",");
        add_character(cell, plain + i, 1);
    }
}

static uint64_t magnitude(int64_t number) {
    return number < 0 ? -(uint64_t)number : (uint64_t)number;
}

void ca_cell_signed(struct ca_cell *cell, int64_t number) {
    ca_cell_text(cell, number < 0 ? "-" : "");
    ca_cell_number(cell, magnitude(number));
}

void ca_cell_counted(struct ca_cell *cell, uint64_t count, const char *noun) {
    ca_cell_number(cell, count);
    ca_cell_text(cell, " ");
    ca_cell_text(cell, noun);
    ca_cell_text(cell, count == 1 ? "" : "s");
}

void ca_cell_counted_signed(struct ca_cell *cell, int64_t count, const char *noun) {
    ca_cell_text(cell, count < 0 ? "-" : "");
    ca_cell_counted(cell, magnitude(count), noun);
}

/* number / divisor, rounded half up. `divisor`: not 0. */
void ca_cell_quotient(struct ca_cell *cell, ca_wide number, uint64_t divisor, unsigned places) {
    uint64_t scale = 1;
    for (unsigned i = 0; i < places; i++)
        scale *= 10;
    ca_wide scaled = (number * 2 * scale + divisor) / ((ca_wide)divisor * 2);
    uint64_t fraction = (uint64_t)(scaled % scale);
    ca_cell_number(cell, (uint64_t)(scaled / scale));
    ca_cell_text(cell, ".");
    for (scale /= 10; scale > 0; scale /= 10) {
        char digit = (char)('0' + fraction / scale % 10);
        add_character(cell, &digit, 1);
    }
}

void ca_cell_share(struct ca_cell *cell, uint64_t part, uint64_t whole) {
    ca_wide permille_twice = (ca_wide)part * 2000;
    if (part == whole)
        ca_cell_text(cell, "100");
    else if (permille_twice < whole)
        ca_cell_text(cell, "<0.1");
    else if (permille_twice + whole >= (ca_wide)whole * 2000)
        ca_cell_text(cell, ">99.9");
    else
        ca_cell_quotient(cell, (ca_wide)part * 100, whole, 1);
    ca_cell_text(cell, "%");
}
