/* SPDX-License-Identifier: MIT */
#include "commands/units_option.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"

static enum ca_status count_lines(const char *path, uint64_t *ret_line_count,
                                  struct ca_error *err) {
    static char block[65536];
    uint64_t line_count = 0;
    char last = '\n';
    struct stat facts;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return ca_error_set(err, CA_ERROR_INPUT, "--units: cannot read '%s': %s", path,
                            strerror(errno));
    if (fstat(fd, &facts) == 0 && !S_ISREG(facts.st_mode)) {
        close(fd);
        return ca_error_set(err, CA_ERROR_INPUT,
                            "--units: '%s' is not a regular file; its lines cannot be counted "
                            "before the program reads them",
                            path);
    }
    ssize_t got;
    while ((got = read(fd, block, sizeof block)) > 0) {
        const char *at = block, *end = block + got;
        while ((at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
            line_count++;
            at++;
        }
        last = end[-1];
    }
    int read_error = errno;
    close(fd);
    if (got < 0)
        return ca_error_set(err, CA_ERROR_INPUT, "--units: cannot read '%s': %s", path,
                            strerror(read_error));
    *ret_line_count = line_count + (last != '\n');
    return CA_OK;
}

/* As in names of phases. */
static bool is_name_byte(unsigned char byte) {
    return byte >= 0x20 && byte != 0x7f && strchr("/@;]", byte) == NULL;
}

static enum ca_status take_name(char *ret_name, const char *text, size_t length,
                                struct ca_error *err) {
    if (length == 0 || length >= CA_UNIT_NAME_SIZE)
        return ca_error_set(err, CA_ERROR_USAGE, "--units: a unit's name has 1 to %u bytes: '%.*s'",
                            CA_UNIT_NAME_SIZE - 1, (int)length, text);
    for (size_t i = 0; i < length; i++)
        if (!is_name_byte((unsigned char)text[i]))
            return ca_error_set(
                err, CA_ERROR_USAGE,
                "--units: a unit's name has no control characters and none of / @ ; ]: '%.*s'",
                (int)length, text);
    memcpy(ret_name, text, length);
    ret_name[length] = '\0';
    return CA_OK;
}

enum ca_status ca_units_option_take(struct ca_given_units *given, const char *text,
                                    struct ca_error *err) {
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals[1] == '\0')
        return ca_error_set(err, CA_ERROR_USAGE,
                            "--units: '%s' is neither UNIT=NUMBER nor UNIT=@FILE", text);
    char name[CA_UNIT_NAME_SIZE];
    uint64_t unit_count;
    enum ca_status status = take_name(name, text, (size_t)(equals - text), err);
    if (status != CA_OK)
        return status;
    for (uint32_t i = 0; i < given->units_count; i++)
        if (strcmp(given->units[i].name, name) == 0)
            return ca_error_set(err, CA_ERROR_USAGE, "--units: '%s' is given twice", name);
    if (given->units_count == CA_UNIT_CAPACITY)
        return ca_error_set(err, CA_ERROR_USAGE, "--units: at most %u units can be given",
                            CA_UNIT_CAPACITY);
    if (equals[1] == '@') {
        status = count_lines(equals + 2, &unit_count, err);
        if (status != CA_OK)
            return status;
    } else if (!ca_number_parse(equals + 1, &unit_count)) {
        return ca_error_set(
            err, CA_ERROR_USAGE,
            "--units: '%s' is not a whole number; for the lines of a file write %s=@FILE",
            equals + 1, name);
    }
    memcpy(given->units[given->units_count].name, name, sizeof name);
    given->units[given->units_count++].unit_count = unit_count;
    return CA_OK;
}

static struct ca_units *find(struct ca_units *units, uint32_t units_count, const char *name) {
    for (uint32_t i = 0; i < units_count; i++)
        if (strcmp(units[i].name, name) == 0)
            return &units[i];
    return NULL;
}

static bool add(struct ca_units *units, uint32_t *units_count, struct ca_units unit) {
    if (*units_count == CA_UNIT_CAPACITY)
        return false;
    units[(*units_count)++] = unit;
    return true;
}

void ca_units_option_apply(const struct ca_given_units *given, struct ca_record *record) {
    bool fits = true;
    for (uint32_t i = 0; i < given->units_count; i++) {
        struct ca_units unit = {given->units[i].name, given->units[i].unit_count};
        struct ca_units *of_total = find(record->total_units, record->total_units_count, unit.name);
        if (of_total != NULL)
            of_total->unit_count = unit.unit_count;
        else
            fits &= add(record->total_units, &record->total_units_count, unit);
        for (uint32_t k = 0; k < record->phase_count; k++) {
            struct ca_record_phase *phase = &record->phases[k];
            if (find(phase->units, phase->units_count, unit.name) == NULL)
                fits &= add(phase->units, &phase->units_count, unit);
        }
    }
    if (!fits)
        ca_record_note(
            record,
            "not all units of --units found room: the program itself gives four to a phase");
}
