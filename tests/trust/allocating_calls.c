/* SPDX-License-Identifier: MIT
 *
 * Another preloaded library, whose versions of open, mmap, getenv and write allocate. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void *find(const char *name) {
    return dlsym(RTLD_NEXT, name);
}

int open(const char *path, int flags, ...) {
    int (*next)(const char *, int, ...);
    *(void **)&next = find("open");
    free(malloc(100));
    va_list arguments;
    va_start(arguments, flags);
    int mode = va_arg(arguments, int);
    va_end(arguments);
    return next(path, flags, mode);
}

void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
    void *(*next)(void *, size_t, int, int, int, off_t);
    *(void **)&next = find("mmap");
    free(malloc(100));
    return next(address, length, protection, flags, fd, offset);
}

char *getenv(const char *name) {
    char *(*next)(const char *);
    *(void **)&next = find("getenv");
    free(malloc(100));
    return next(name);
}

ssize_t write(int fd, const void *bytes, size_t count) {
    ssize_t (*next)(int, const void *, size_t);
    *(void **)&next = find("write");
    free(malloc(100));
    return next(fd, bytes, count);
}
