/* SPDX-License-Identifier: MIT
 *
 * A program whose allocations its arguments say. It opens phase "parse", allocates there, and
 * gives the phase its lines. Arguments, each NAME=VALUE, carried out in their order:
 *
 *     parse=N    N mallocs of 24 bytes in phase "parse", which is opened for it; all are freed
 *     keep=N     N mallocs in phase "parse" that are not freed
 *     load=N     N mallocs in phase "load"
 *     main=N     N mallocs outside of all phases
 *     lines=N    N units "line" for phase "parse"
 *     other=N    N mallocs in phase "parse" by a second thread that adopts it
 *     turn=FILE  as many mallocs in phase "parse" as FILE has bytes; then FILE gets one more
 *     input=-    a malloc in phase "parse" for each byte of standard input
 *     exit=S     exit(S)        _exit=S   _exit(S)
 *     abort=1    abort()        sleep=S   sleeps S seconds
 */
#include <countalloc/phase.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void allocate(long count, int is_kept) {
    for (long i = 0; i < count; i++) {
        void *block = malloc(24);
        if (!is_kept)
            free(block);
    }
}

static void in_phase(const char *phase, long count, int is_kept) {
    countalloc_phase_begin(phase);
    allocate(count, is_kept);
    countalloc_phase_end();
}

static void take_turn(const char *path) {
    FILE *file = fopen(path, "a+");
    if (file == NULL)
        exit(90);
    fseek(file, 0, SEEK_END);
    in_phase("parse", ftell(file), 0);
    fputc('x', file);
    fclose(file);
}

static void read_input(void) {
    char byte;
    while (read(STDIN_FILENO, &byte, 1) == 1)
        in_phase("parse", 1, 0);
}

struct errand {
    uint64_t token;
    long count;
};

static void *run_errand(void *argument) {
    const struct errand *errand = argument;
    countalloc_phase_adopt(errand->token);
    allocate(errand->count, 0);
    countalloc_phase_end();
    return NULL;
}

static void send_other(long count) {
    pthread_t thread;
    countalloc_phase_begin("parse");
    struct errand errand = {countalloc_phase_token(), count};
    countalloc_phase_end();
    if (pthread_create(&thread, NULL, run_errand, &errand) != 0)
        exit(91);
    pthread_join(thread, NULL);
}

static void carry_out(const char *name, const char *value) {
    long number = atol(value);
    if (strcmp(name, "parse") == 0)
        in_phase("parse", number, 0);
    else if (strcmp(name, "keep") == 0)
        in_phase("parse", number, 1);
    else if (strcmp(name, "load") == 0)
        in_phase("load", number, 0);
    else if (strcmp(name, "main") == 0)
        allocate(number, 0);
    else if (strcmp(name, "other") == 0)
        send_other(number);
    else if (strcmp(name, "turn") == 0)
        take_turn(value);
    else if (strcmp(name, "input") == 0)
        read_input();
    else if (strcmp(name, "exit") == 0)
        exit((int)number);
    else if (strcmp(name, "_exit") == 0)
        _exit((int)number);
    else if (strcmp(name, "abort") == 0)
        abort();
    else if (strcmp(name, "sleep") == 0)
        sleep((unsigned)number);
    else if (strcmp(name, "lines") == 0) {
        countalloc_phase_begin("parse");
        countalloc_phase_units("line", (uint64_t)number);
        countalloc_phase_end();
    } else
        exit(92);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        char name[16];
        size_t length = strcspn(argv[i], "=");
        if (length >= sizeof name || argv[i][length] != '=')
            return 93;
        memcpy(name, argv[i], length);
        name[length] = '\0';
        carry_out(name, argv[i] + length + 1);
    }
    return 0;
}
