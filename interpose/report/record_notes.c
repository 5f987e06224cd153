/* SPDX-License-Identifier: MIT */
#include "interpose/plain.h"
#include "record_builder.h"

void ca_record_note(struct ca_record *record, const char *text) {
    if (record->note_count < CA_RECORD_NOTES)
        ca_plain_copy(record->notes[record->note_count++], text, CA_RECORD_NOTE_SIZE);
}

static void note_number(struct ca_record *record, const char *before, uint64_t number,
                        const char *after) {
    char line[CA_RECORD_NOTE_SIZE];
    struct ca_text text = ca_text_in(line, sizeof line);
    ca_text_add(&text, before);
    ca_text_add_number(&text, number);
    ca_text_add(&text, after);
    ca_record_note(record, line);
}

void ca_builder_note_losses(struct ca_builder *builder) {
    struct ca_record *record = builder->record;
    const struct ca_header *header = &builder->region->header;
    if (header->threads_overflowed != 0)
        note_number(record, "", header->threads_overflowed,
                    " threads found no place of their own and count together as thread 0, more "
                    "slowly; all of their "
                    "calls are in the total, their phases are not told apart");
    if (header->phases_overflowed != 0)
        note_number(record, "phases were opened ", header->phases_overflowed,
                    " times under names beyond the first 4,091: counted together as \"(other)\"; "
                    "all of them are in "
                    "the total");
    if (header->rows_overflowed != 0)
        note_number(record, "no room was left for ", header->rows_overflowed,
                    " openings of a phase by a thread: counted in \"(other)\", or in the phase "
                    "around; all of them are in "
                    "the total");
    if (header->units_dropped != 0)
        note_number(record, "units were given ", header->units_dropped,
                    " times beyond the four that a phase can have: not included");
    if (header->switches_dropped != 0)
        note_number(record, "the process phase could not be changed ", header->switches_dropped,
                    " times: calls after that are in the phase before");
    if (header->images_dropped != 0)
        note_number(record, "the process became another program more than 32 times; the last ",
                    header->images_dropped, " were not counted");
}

/* The jemalloc inside the shim has no operators: then they are those of one that it hides. */
static void note_hidden_new(struct ca_record *record, const struct ca_image *image) {
    bool is_inside = ca_plain_is_equal(image->allocator, "libjemalloc.a");
    char line[CA_RECORD_NOTE_SIZE];
    struct ca_text text = ca_text_in(line, sizeof line);
    ca_text_add(&text, "C++'s new and delete are those of ");
    ca_text_add(&text, is_inside ? "another allocator" : image->allocator);
    ca_text_add(&text, ": what these allocate without malloc is not counted; 'countalloc run "
                       "--allocator' with that library counts it");
    ca_record_note(record, line);
    record->level = CA_LEVEL_PARTIAL;
}

/* gperftools, src/malloc_extension.cc; in libtcmalloc_minimal that does nothing before main. */
static bool changes_environment(const struct ca_image *image) {
    const char *name = ca_plain_basename(image->allocator);
    return image->state == CA_IMAGE_ATTACHED && ca_plain_begins_with(name, "libtcmalloc") &&
           !ca_plain_begins_with(name, "libtcmalloc_minimal");
}

void ca_builder_note_images(struct ca_builder *builder) {
    struct ca_record *record = builder->record;
    for (uint32_t i = 0; i < builder->image_count; i++) {
        const struct ca_image *image = &builder->region->images[i];
        if (image->unbalanced_ends != 0)
            note_number(record, "countalloc_phase_end was called ", image->unbalanced_ends,
                        " times without a phase to end");
        if (image->too_deep != 0)
            note_number(record, "phases were opened ", image->too_deep,
                        " times inside 64 others: counted in the 64th");
        if ((image->flags & CA_IMAGE_NESTED_INEXACT) != 0)
            ca_record_note(record, "an entry of the allocator below is made of calls to other "
                                   "entries: it is counted as "
                                   "these, with their sizes");
        if ((image->flags & CA_IMAGE_LEFT_ALONE) != 0)
            ca_record_note(record, "a program for arm64e only was started without countalloc's "
                                   "library, which has no such slice: it is not counted");
        if ((image->flags & CA_IMAGE_NAMESPACE) != 0) {
            ca_record_note(record, "the program loaded a library into a namespace of its own "
                                   "(dlmopen), with a libc of its own: what it allocates there is "
                                   "not counted");
            record->level = CA_LEVEL_PARTIAL;
        }
        if ((image->flags & CA_IMAGE_NEW_HIDDEN) != 0)
            note_hidden_new(record, image);
        if (changes_environment(image))
            ca_record_note(record, "libtcmalloc sets two environment variables before the program "
                                   "begins; that, and what the program does because of them, is "
                                   "counted: libtcmalloc_minimal sets none");
        if (image->bypass[0] != '\0') {
            char line[CA_RECORD_NOTE_SIZE];
            struct ca_text text = ca_text_in(line, sizeof line);
            ca_text_add(&text, image->bypass);
            ca_text_add(
                &text,
                " calls the allocator past countalloc, as a library does that is loaded with "
                "RTLD_DEEPBIND: what it allocates is not counted");
            ca_record_note(record, line);
            record->level = CA_LEVEL_PARTIAL;
        }
        if (image->state == CA_IMAGE_ATTACHED && image->usable == CA_USABLE_NONE)
            ca_record_note(
                record,
                "live and peak bytes are not measured: the object that serves malloc has no "
                "malloc_usable_size");
    }
}
