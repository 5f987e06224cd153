/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bench_results.h"

/* glibc names itself; of another libc the build says nothing. */
static void name_libc(char *ret_name, size_t size_bytes) {
    ret_name[0] = '\0';
#ifdef _CS_GNU_LIBC_VERSION
    confstr(_CS_GNU_LIBC_VERSION, ret_name, size_bytes);
#else
    (void)size_bytes;
#endif
}

void ca_machine_describe(struct ca_machine_facts *ret_facts) {
    char line[256];
    struct utsname system;
    FILE *file = fopen("/proc/cpuinfo", "r");
    *ret_facts = (struct ca_machine_facts){0};
    while (file != NULL && fgets(line, sizeof line, file) != NULL && line[0] != '\n') {
        sscanf(line, "model name : %63[^\n]", ret_facts->processor);
        sscanf(line, "cpu family : %d", &ret_facts->family);
        sscanf(line, "model : %d", &ret_facts->model);
    }
    if (file != NULL)
        fclose(file);
    uname(&system);
    snprintf(ret_facts->system, sizeof ret_facts->system, "%.20s %.40s", system.sysname,
             system.release);
    name_libc(ret_facts->libc, sizeof ret_facts->libc);
}
