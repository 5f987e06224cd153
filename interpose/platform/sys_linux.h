/* SPDX-License-Identifier: MIT
 *
 * The system calls the shim makes, without libc: they neither touch errno nor can anybody interpose
 * them. All of them are made while an image starts, ends, forks or execs, or when a call site or a part
 * of a stack is met for the first time; none on a call that is only counted. Results as the kernel gives them: a negative errno on failure. */
#ifndef CA_SYS_LINUX_H
#define CA_SYS_LINUX_H

#ifndef __linux__
#error "Linux only"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>

static inline long ca_sys6(long number, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__)
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
#else
#error "the shim knows the system calls of x86-64 and aarch64"
#endif
}

static inline long ca_sys3(long number, long a, long b, long c) {
    return ca_sys6(number, a, b, c, 0, 0, 0);
}

#endif
