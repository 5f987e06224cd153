/* SPDX-License-Identifier: MIT
 *
 * Allocates and becomes PROGRAM, or starts it, in the way that WAY names.
 *
 *     becomes_another WAY PROGRAM [ARGUMENT]
 *
 *     execve execv execvp execvP execl execlp execle    become it
 *     setexec                                           posix_spawn, POSIX_SPAWN_SETEXEC
 *     spawn spawnp fork vfork                           start it, wait for it, allocate again
 *     failing                                           an exec and a spawn in place that fail
 */
#include <spawn.h>

#include "victim.h"

extern char **environ;
extern int execvP(const char *file, const char *search_path, char *const argv[]);

static void become(const char *way, const char *path, char **argv) {
    if (strcmp(way, "execve") == 0)
        execve(path, argv, environ);
    else if (strcmp(way, "execv") == 0)
        execv(path, argv);
    else if (strcmp(way, "execvp") == 0)
        execvp(path, argv);
    else if (strcmp(way, "execvP") == 0)
        execvP(path, getenv("PATH"), argv);
    else if (strcmp(way, "execl") == 0)
        execl(path, argv[0], "again", (char *)NULL);
    else if (strcmp(way, "execlp") == 0)
        execlp(path, argv[0], "again", (char *)NULL);
    else if (strcmp(way, "execle") == 0)
        execle(path, argv[0], "again", (char *)NULL, environ);
}

static void spawn_in_place(const char *path, char **argv) {
    posix_spawnattr_t attributes;
    CHECK(posix_spawnattr_init(&attributes) == 0);
    CHECK(posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETEXEC) == 0);
    CHECK(posix_spawn(NULL, path, NULL, &attributes, argv, environ) == ENOENT);
    posix_spawnattr_destroy(&attributes);
}

static void start(const char *way, const char *path, char **argv) {
    pid_t child = -1;
    if (strcmp(way, "spawn") == 0)
        CHECK(posix_spawn(&child, path, NULL, NULL, argv, environ) == 0);
    else if (strcmp(way, "spawnp") == 0)
        CHECK(posix_spawnp(&child, path, NULL, NULL, argv, environ) == 0);
    else if (strcmp(way, "fork") == 0 && (child = fork()) == 0)
        _exit(execv(path, argv));
    else if (strcmp(way, "vfork") == 0 && (child = vfork()) == 0)
        _exit(execv(path, argv));
    expect_child(child, 0);
}

int main(int argc, char **argv) {
    CHECK(argc >= 3);
    for (int i = 0; i < 5; i++)
        free(malloc(10));
    become(argv[1], argv[2], argv + 2);
    if (strcmp(argv[1], "setexec") == 0 || strcmp(argv[1], "failing") == 0)
        spawn_in_place(argv[2], argv + 2);
    if (strcmp(argv[1], "failing") == 0)
        CHECK(execv(argv[2], argv + 2) == -1 && errno == ENOENT);
    else
        start(argv[1], argv[2], argv + 2);
    for (int i = 0; i < 7; i++)
        free(malloc(10));
    return 0;
}
