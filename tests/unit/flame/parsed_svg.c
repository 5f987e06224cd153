/* SPDX-License-Identifier: MIT */
#include "parsed_svg.h"

#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct walk {
    struct parsed_svg *parsed;
    char *text; /* where character data goes, or NULL */
    size_t text_size;
    bool is_in_frame;
};

static const char *value_of(const char **attributes, const char *name) {
    for (; *attributes != NULL; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

static double number_of(const char **attributes, const char *name) {
    const char *value = value_of(attributes, name);
    return value != NULL ? strtod(value, NULL) : -1;
}

static void open_frame(struct walk *walk, const char **attributes) {
    struct parsed_svg *parsed = walk->parsed;
    struct parsed_frame *frames =
        realloc(parsed->frames, (parsed->frame_count + 1) * sizeof *frames);
    if (frames == NULL)
        abort();
    parsed->frames = frames;
    struct parsed_frame *frame = &frames[parsed->frame_count++];
    *frame = (struct parsed_frame){.start = strtoull(value_of(attributes, "data-s"), NULL, 10),
                                   .total = strtoull(value_of(attributes, "data-t"), NULL, 10),
                                   .level = (unsigned)number_of(attributes, "aria-level")};
    walk->is_in_frame = true;
}

static void open_element(void *data, const char *element, const char **attributes) {
    struct walk *walk = data;
    struct parsed_svg *parsed = walk->parsed;
    struct parsed_frame *frame =
        walk->is_in_frame ? &parsed->frames[parsed->frame_count - 1] : NULL;
    const char *class = value_of(attributes, "class");
    parsed->role_count += value_of(attributes, "role") != NULL;
    if (strcmp(element, "svg") == 0) {
        parsed->total = strtoull(value_of(attributes, "data-total"), NULL, 10);
    } else if (strcmp(element, "g") == 0 && class != NULL && strcmp(class, "f") == 0) {
        open_frame(walk, attributes);
    } else if (strcmp(element, "title") == 0) {
        walk->text = frame != NULL ? frame->title : parsed->title;
        walk->text_size = frame != NULL ? sizeof frame->title : sizeof parsed->title;
    } else if (strcmp(element, "desc") == 0) {
        walk->text = parsed->description;
        walk->text_size = sizeof parsed->description;
    } else if (strcmp(element, "rect") == 0 && frame != NULL) {
        frame->x = number_of(attributes, "x");
        frame->y = number_of(attributes, "y");
        frame->width = number_of(attributes, "width");
        snprintf(frame->fill, sizeof frame->fill, "%s", value_of(attributes, "fill"));
    }
}

static void close_element(void *data, const char *element) {
    struct walk *walk = data;
    walk->text = NULL;
    if (strcmp(element, "g") == 0)
        walk->is_in_frame = false;
}

static void take_text(void *data, const char *bytes, int byte_count) {
    struct walk *walk = data;
    size_t length = walk->text != NULL ? strlen(walk->text) : 0;
    if (walk->text != NULL && length + (size_t)byte_count < walk->text_size)
        memcpy(walk->text + length, bytes, (size_t)byte_count);
}

bool parsed_svg_init(struct parsed_svg *parsed, const char *bytes, size_t byte_count) {
    *parsed = (struct parsed_svg){0};
    struct walk walk = {.parsed = parsed};
    XML_Parser parser = XML_ParserCreate(NULL);
    XML_SetUserData(parser, &walk);
    XML_SetElementHandler(parser, open_element, close_element);
    XML_SetCharacterDataHandler(parser, take_text);
    bool is_ok = XML_Parse(parser, bytes, (int)byte_count, XML_TRUE) == XML_STATUS_OK;
    if (!is_ok)
        snprintf(parsed->problem, sizeof parsed->problem, "line %lu: %s",
                 XML_GetCurrentLineNumber(parser), XML_ErrorString(XML_GetErrorCode(parser)));
    XML_ParserFree(parser);
    return is_ok;
}

void parsed_svg_release(struct parsed_svg *parsed) {
    free(parsed->frames);
    *parsed = (struct parsed_svg){0};
}
