/* SPDX-License-Identifier: MIT
 *
 * Errors are values: a function that can fail returns a status and writes one message, where the
 * cause is known. Only the command dispatcher prints it. A message names the thing and the cause,
 * and where there is one the next step; it has no newline at its end.
 */
#ifndef CA_ERROR_H
#define CA_ERROR_H

enum ca_status {
    CA_OK = 0,
    CA_HELP_WANTED,         /* not an error: the user asked for a command's help */
    CA_ERROR_USAGE,         /* the command line cannot be understood */
    CA_ERROR_INPUT,         /* a file says something that it must not say */
    CA_ERROR_SYSTEM,        /* the system refused: memory, a file, a process */
    CA_ERROR_UNCOUNTABLE,   /* the program can be run but not counted */
    CA_ERROR_UNEXECUTABLE,  /* the program is there and cannot be executed */
    CA_ERROR_PROGRAM_ABSENT /* there is no such program */
};

#define CA_ERROR_MESSAGE_SIZE 2048

struct ca_error {
    char message[CA_ERROR_MESSAGE_SIZE];
};

/* Writes the message (cut to its buffer) into `err`, which may be NULL, and returns `status`. */
enum ca_status ca_error_set(struct ca_error *err, enum ca_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for memory that could not be had. */
enum ca_status ca_error_memory(struct ca_error *err);

#endif
