/* SPDX-License-Identifier: MIT */
#include "writers/output_file.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "temporary_folder.h"

static struct ca_output output;
static struct ca_error err;
static const struct ca_record record;

static enum ca_status put_text(const struct ca_record *of, struct ca_out *out,
                               struct ca_error *cause) {
    (void)of;
    (void)cause;
    ca_out_text(out, "written\n");
    return CA_OK;
}

static enum ca_status put_half(const struct ca_record *of, struct ca_out *out,
                               struct ca_error *cause) {
    (void)of;
    ca_out_text(out, "half");
    return ca_error_set(cause, CA_ERROR_INPUT, "no more");
}

static const struct ca_writer writer = {.name = "test", .write = put_text};

TestSuite(output_file, .init = temporary_folder_enter, .fini = temporary_folder_remove);

Test(output_file, is_not_there_before_it_is_whole) {
    cr_assert_eq(ca_output_open(&output, "new", &err), CA_OK);
    cr_assert_null(temporary_file_text("new"));
    cr_assert_eq(ca_output_write(&output, &writer, &record, &err), CA_OK);
    cr_assert_str_eq(temporary_file_text("new"), "written\n");
}

Test(output_file, what_a_format_cannot_write_leaves_the_old_content) {
    static const struct ca_writer failing = {.name = "test", .write = put_half};
    temporary_file("old", "before\n", 7, 0640);
    cr_assert_eq(ca_output_open(&output, "old", &err), CA_OK);
    cr_assert_eq(ca_output_write(&output, &failing, &record, &err), CA_ERROR_INPUT);
    cr_assert_str_eq(err.message, "no more");
    cr_assert_str_eq(temporary_file_text("old"), "before\n");
}

Test(output_file, old_content_stays_until_then_and_the_mode_for_ever) {
    temporary_file("old", "before and longer\n", 18, 0640);
    cr_assert_eq(ca_output_open(&output, "old", &err), CA_OK);
    cr_assert_str_eq(temporary_file_text("old"), "before and longer\n");
    cr_assert_eq(ca_output_write(&output, &writer, &record, &err), CA_OK);
    cr_assert_str_eq(temporary_file_text("old"), "written\n");
    struct stat facts;
    cr_assert_eq(stat("old", &facts), 0);
    cr_assert_eq(facts.st_mode & 07777, 0640);
}

Test(output_file, symbolic_links_and_hard_links_stay_what_they_are) {
    temporary_file("file", "x", 1, 0644);
    cr_assert_eq(symlink("file", "symbolic"), 0);
    cr_assert_eq(link("file", "hard"), 0);
    cr_assert_eq(ca_output_open(&output, "symbolic", &err), CA_OK);
    cr_assert_eq(ca_output_write(&output, &writer, &record, &err), CA_OK);
    struct stat facts;
    cr_assert_eq(lstat("symbolic", &facts), 0);
    cr_assert(S_ISLNK(facts.st_mode));
    cr_assert_str_eq(temporary_file_text("hard"), "written\n");
}

Test(output_file, what_cannot_be_written_is_found_at_once) {
    cr_assert_eq(ca_output_open(&output, "no/such/folder", &err), CA_ERROR_SYSTEM);
    cr_assert_str_eq(err.message, "cannot write 'no/such/folder': No such file or directory");
    cr_assert_eq(ca_output_open(&output, ".", &err), CA_ERROR_SYSTEM);
}

Test(output_file, full_device_is_an_error) {
    cr_assert_eq(ca_output_open(&output, "/dev/full", &err), CA_OK);
    cr_assert_eq(ca_output_write(&output, &writer, &record, &err), CA_ERROR_SYSTEM);
    cr_assert_str_eq(err.message, "cannot write '/dev/full': No space left on device");
    ca_output_close(&output);
}

Test(output_file, pipe_is_held_open_and_descriptor_shared) {
    int ends[2];
    char path[32], text[32] = "";
    cr_assert_eq(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    cr_assert_eq(ca_output_open(&output, path, &err), CA_OK);
    cr_assert_eq(fcntl(output.fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    cr_assert_eq(ca_output_write(&output, &writer, &record, &err), CA_OK);
    cr_assert_eq(read(ends[0], text, sizeof text - 1), 8);
    cr_assert_str_eq(text, "written\n");
    ca_output_close(&output);
}
