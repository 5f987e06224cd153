/* SPDX-License-Identifier: MIT
 *
 * Threads, and what dyld tells. A pthread_t is Linux' own, which is a pointer as well. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "darwin_abi.h"
#include "libsystem.h"

/* Because libpthread's own keys come first: the program's begin behind 255 of them (libpthread,
 * tsd_private.h). */
#define FIRST_KEY 256u

static int mac_pthread_key_create(unsigned long *ret_key, void (*destructor)(void *)) {
    pthread_key_t key;
    int status = pthread_key_create(&key, destructor);
    *ret_key = FIRST_KEY + key;
    return ca_darwin_error(status);
}

static void *mac_pthread_getspecific(unsigned long key) {
    return pthread_getspecific((pthread_key_t)(key - FIRST_KEY));
}

static int mac_pthread_setspecific(unsigned long key, const void *value) {
    return ca_darwin_error(pthread_setspecific((pthread_key_t)(key - FIRST_KEY), value));
}

static void find_stack(pthread_t thread, char **ret_low, size_t *ret_bytes) {
    pthread_attr_t attributes;
    void *low;
    if (pthread_getattr_np(thread, &attributes) != 0 ||
        pthread_attr_getstack(&attributes, &low, ret_bytes) != 0)
        ca_darwin_die("no stack of a thread", "");
    pthread_attr_destroy(&attributes);
    *ret_low = low;
}

/* The high end. */
static void *mac_pthread_get_stackaddr_np(pthread_t thread) {
    char *low;
    size_t bytes;
    find_stack(thread, &low, &bytes);
    return low + bytes;
}

static size_t mac_pthread_get_stacksize_np(pthread_t thread) {
    char *low;
    size_t bytes;
    find_stack(thread, &low, &bytes);
    return bytes;
}

/* Never given twice. */
static int mac_pthread_threadid_np(const void *thread, uint64_t *ret_number) {
    if (thread != NULL)
        ca_darwin_die("pthread_threadid_np", ": of another thread");
    *ret_number = (uint64_t)gettid();
    return 0;
}

static int mac_pthread_setname_np(const char *name) {
    return ca_darwin_error(pthread_setname_np(pthread_self(), name));
}

/* A signature and an opaque part like a mutex's. */
static pthread_attr_t *inner_attributes(struct darwin_mutex *attributes) {
    _Static_assert(sizeof attributes->opaque >= sizeof(pthread_attr_t), "it has room");
    return attributes == NULL ? NULL : (pthread_attr_t *)(void *)attributes->opaque;
}

static int mac_pthread_attr_init(struct darwin_mutex *attributes) {
    return ca_darwin_error(pthread_attr_init(inner_attributes(attributes)));
}

static int mac_pthread_attr_setstacksize(struct darwin_mutex *attributes, size_t size) {
    return ca_darwin_error(pthread_attr_setstacksize(inner_attributes(attributes), size));
}

static int mac_pthread_create(pthread_t *ret_thread, struct darwin_mutex *attributes,
                              void *(*run)(void *), void *argument) {
    return ca_darwin_error(pthread_create(ret_thread, inner_attributes(attributes), run, argument));
}

/* Linux' mutex lies in the opaque part, all zeroes in both systems' static initialisers. */
static pthread_mutex_t *inner_mutex(struct darwin_mutex *mutex) {
    _Static_assert(sizeof mutex->opaque >= sizeof(pthread_mutex_t), "it has room");
    if (mutex->signature != DARWIN_MUTEX_SIGNATURE)
        ca_darwin_die("a mutex", " that was not initialised");
    return (pthread_mutex_t *)(void *)mutex->opaque;
}

static int mac_pthread_mutex_init(struct darwin_mutex *mutex, const void *attributes) {
    if (attributes != NULL)
        ca_darwin_die("pthread_mutex_init", ": attributes are not known here");
    *mutex = (struct darwin_mutex){.signature = DARWIN_MUTEX_SIGNATURE};
    return 0;
}

static int mac_pthread_mutex_lock(struct darwin_mutex *mutex) {
    return ca_darwin_error(pthread_mutex_lock(inner_mutex(mutex)));
}

static int mac_pthread_mutex_unlock(struct darwin_mutex *mutex) {
    return ca_darwin_error(pthread_mutex_unlock(inner_mutex(mutex)));
}

static int mac_pthread_mutex_destroy(struct darwin_mutex *mutex) {
    return ca_darwin_error(pthread_mutex_destroy(inner_mutex(mutex)));
}

/* ---- dyld ---- */

typedef void image_callback(const void *header, intptr_t slide);

/* Of every image that is there, at once. None comes or goes later. */
static void mac__dyld_register_func_for_add_image(image_callback *callback) {
    for (uint32_t i = 0; i < ca_darwin_image_count; i++)
        callback(ca_darwin_images[i].header, ca_darwin_images[i].slide);
}

static void mac__dyld_register_func_for_remove_image(image_callback *callback) {
    (void)callback;
}

static uint32_t mac__dyld_image_count(void) {
    return ca_darwin_image_count;
}

static const char *mac__dyld_get_image_name(uint32_t index) {
    return ca_darwin_images[index].path;
}

static const void *mac__dyld_get_image_header(uint32_t index) {
    return ca_darwin_images[index].header;
}

static intptr_t mac__dyld_get_image_vmaddr_slide(uint32_t index) {
    return ca_darwin_images[index].slide;
}

static int mac_dladdr(const void *address, Dl_info *ret_info) {
    *ret_info = (Dl_info){0};
    for (uint32_t i = 0; i < ca_darwin_image_count; i++) {
        if (!ca_darwin_image_has(&ca_darwin_images[i], address))
            continue;
        ret_info->dli_fname = ca_darwin_images[i].path;
        ret_info->dli_fbase = ca_darwin_images[i].header;
        return 1;
    }
    return 0;
}

/* There is no library to be had: not C++'s, not the system's others. */
static void *mac_dlopen(const char *path, int mode) {
    (void)path;
    (void)mode;
    return NULL;
}

static void *mac_dlsym(void *object, const char *name) {
    if ((intptr_t)object != -2) /* RTLD_DEFAULT */
        ca_darwin_die("dlsym", ": of one object");
    return ca_darwin_lookup(NULL, name);
}

static int mac_dlclose(void *object) {
    (void)object;
    return 0;
}

extern int __cxa_atexit(void (*function)(void *), void *argument, void *object);

/* The program's own handlers, of an image that is Linux' in Linux' eyes. */
static int mac___cxa_atexit(void (*function)(void *), void *argument, void *object) {
    (void)object;
    return __cxa_atexit(function, argument, NULL);
}

static int mac_atexit(void (*function)(void)) {
    return atexit(function);
}

static int mac_pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void)) {
    return ca_darwin_error(pthread_atfork(prepare, parent, child));
}

const struct ca_darwin_export ca_libsystem_threads[] = {
    CA_DARWIN_HAS(pthread_key_create),
    CA_DARWIN_HAS(pthread_getspecific),
    CA_DARWIN_HAS(pthread_setspecific),
    CA_DARWIN_HAS(pthread_get_stackaddr_np),
    CA_DARWIN_HAS(pthread_get_stacksize_np),
    CA_DARWIN_HAS(pthread_setname_np),
    CA_DARWIN_HAS(pthread_threadid_np),
    CA_DARWIN_HAS(pthread_attr_init),
    CA_DARWIN_HAS(pthread_attr_setstacksize),
    CA_DARWIN_HAS(pthread_create),
    CA_DARWIN_HAS(pthread_mutex_init),
    CA_DARWIN_HAS(pthread_mutex_lock),
    CA_DARWIN_HAS(pthread_mutex_unlock),
    CA_DARWIN_HAS(pthread_mutex_destroy),
    CA_DARWIN_HAS(pthread_atfork),
    CA_DARWIN_HAS(_dyld_register_func_for_add_image),
    CA_DARWIN_HAS(_dyld_register_func_for_remove_image),
    CA_DARWIN_HAS(_dyld_image_count),
    CA_DARWIN_HAS(_dyld_get_image_name),
    CA_DARWIN_HAS(_dyld_get_image_header),
    CA_DARWIN_HAS(_dyld_get_image_vmaddr_slide),
    CA_DARWIN_HAS(dladdr),
    CA_DARWIN_HAS(dlopen),
    CA_DARWIN_HAS(dlsym),
    CA_DARWIN_HAS(dlclose),
    CA_DARWIN_HAS(__cxa_atexit),
    CA_DARWIN_HAS(atexit),
    CA_DARWIN_PASS(pthread_self),
    CA_DARWIN_PASS(pthread_join),
    CA_DARWIN_PASS(sched_yield),
    CA_DARWIN_END,
};
