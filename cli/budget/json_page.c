/* SPDX-License-Identifier: MIT */
#include "budget/json_page.h"

#include <stdlib.h>

#include "budget/check_escape.h"

void ca_page_put(struct ca_page *page, json_t *object, const char *name, json_t *value) {
    page->is_lost |= json_object_set_new(object, name, value) != 0;
}

void ca_page_append(struct ca_page *page, json_t *array, json_t *value) {
    page->is_lost |= json_array_append_new(array, value) != 0;
}

void ca_page_put_text(struct ca_page *page, json_t *object, const char *name, const char *text) {
    ca_page_put(page, object, name, ca_page_text(text));
}

json_t *ca_page_text(const char *text) {
    if (text == NULL)
        return json_null();
    char *clean = ca_utf8_of(text);
    json_t *value = clean != NULL ? json_string(clean) : NULL;
    free(clean);
    return value;
}

json_t *ca_page_known(uint64_t number) {
    return number > 0 ? json_integer((json_int_t)number) : json_null();
}

static int write_bytes(const char *bytes, size_t byte_count, void *out) {
    ca_out_bytes(out, bytes, byte_count);
    return 0;
}

enum ca_status ca_page_write(const struct ca_page *page, json_t *root, struct ca_out *out,
                             struct ca_error *err) {
    bool is_written =
        !page->is_lost && json_dump_callback(root, write_bytes, out, JSON_INDENT(2)) == 0;
    json_decref(root);
    ca_out_text(out, "\n");
    return is_written ? CA_OK : ca_error_memory(err);
}
