/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "platform/preload_parts.h"
#include "temporary_folder.h"

static char **environment;
static struct ca_error err;

static void begin(void) {
    temporary_folder_enter();
    unsetenv(ca_preload_variable);
    setenv("KEPT", "kept", 1);
}

static void end(void) {
    ca_preload_environment_free(environment);
    temporary_folder_remove();
}

TestSuite(preload, .init = begin, .fini = end);

/* The value of the only variable called `name`; NULL: there is none. */
static const char *value_of(const char *name) {
    const char *value = NULL;
    size_t length = strlen(name);
    for (size_t i = 0; environment[i] != NULL; i++) {
        if (strncmp(environment[i], name, length) != 0 || environment[i][length] != '=')
            continue;
        cr_assert_null(value, "%s is there twice", name);
        value = environment[i] + length + 1;
    }
    return value;
}

static void make(const char *const *libraries, bool is_padded) {
    ca_preload_environment_free(environment);
    cr_assert_eq(
        ca_preload_environment(libraries, is_padded, "/dev/shm/region", &environment, &err), CA_OK);
}

Test(preload, the_shim_is_first_and_the_users_libraries_last) {
    setenv("COUNTALLOC_REGION", "/old", 1);
    make((const char *const[]){"/lib/shim", NULL}, false);
    cr_expect_str_eq(value_of(ca_preload_variable), "/lib/shim");
    cr_expect_str_eq(value_of("COUNTALLOC_REGION"), "/dev/shm/region");
    cr_expect_str_eq(value_of("KEPT"), "kept");
    setenv(ca_preload_variable, "/users/one:/users/two", 1);
    make((const char *const[]){"/lib/shim", "/lib/allocator", NULL}, false);
    cr_expect_str_eq(value_of(ca_preload_variable),
                     "/lib/shim:/lib/allocator:/users/one:/users/two");
    setenv(ca_preload_variable, "", 1);
    make((const char *const[]){"/lib/shim", NULL}, false);
    cr_expect_str_eq(value_of(ca_preload_variable), "/lib/shim");
}

Test(preload, padded_it_has_one_size_whatever_is_in_it) {
    setenv(ca_preload_variable, "/users/one", 1);
    make((const char *const[]){"/lib/shim", NULL}, true);
    const char *value = value_of(ca_preload_variable);
    size_t whole = strlen(ca_preload_variable) + 1 + strlen(value) + 1;
    cr_expect_eq(strncmp(value, "/lib/shim:/users/one", 20), 0);
    if (ca_preload_padded_bytes == 0) {
        cr_expect_eq(strlen(value), 20);
        return;
    }
    cr_expect_eq(whole, ca_preload_padded_bytes);
    cr_expect_eq(strspn(value + 20, ":"), strlen(value) - 20, "the rest are empty names");
    /* Full but for a byte, which is left for the next one's colon, and one byte more. */
    size_t room = ca_preload_padded_bytes - strlen(ca_preload_variable) - 3;
    char library[8192];
    unsetenv(ca_preload_variable);
    for (size_t more = 0; more < 2; more++) {
        memset(library, 'x', room + more);
        library[room + more] = '\0';
        make((const char *const[]){library, NULL}, true);
        value = value_of(ca_preload_variable);
        cr_expect_eq(strlen(ca_preload_variable) + strlen(value) + 2,
                     (1 + more) * ca_preload_padded_bytes);
    }
}

Test(preload, a_library_is_found_by_its_variable_and_must_be_readable) {
    char path[CA_PATH_SIZE];
    temporary_file("shim", "", 0, 0644);
    setenv("COUNTALLOC_LIBRARY", "./shim", 1);
    cr_assert_eq(ca_preload_find(path, &err), CA_OK);
    cr_expect_eq(path[0], '/');
    cr_expect_str_eq(strrchr(path, '/'), "/shim");
    setenv("COUNTALLOC_LIBRARY", "./absent", 1);
    cr_expect_eq(ca_preload_find(path, &err), CA_ERROR_SYSTEM);
    cr_expect_str_eq(err.message,
                     "COUNTALLOC_LIBRARY: cannot read './absent': No such file or directory");
}

Test(preload, a_path_with_a_colon_cannot_be_given_to_the_loader) {
    char path[CA_PATH_SIZE];
    temporary_file("a:b", "", 0, 0644);
    setenv("COUNTALLOC_LIBRARY", "./a:b", 1);
    cr_expect_eq(ca_preload_find(path, &err), CA_ERROR_SYSTEM);
    cr_expect_not_null(strstr(err.message, "colon"));
}

Test(preload, a_file_beside_the_library_is_found_there_only) {
    char path[CA_PATH_SIZE];
    cr_assert_eq(mkdir("folder", 0755), 0);
    temporary_file("folder/other", "", 0, 0644);
    temporary_file("elsewhere", "", 0, 0644);
    cr_assert(ca_preload_find_beside("folder/shim", "other", path));
    cr_expect_str_eq(strrchr(path, '/'), "/other");
    cr_expect_not(ca_preload_find_beside("folder/shim", "elsewhere", path));
}
