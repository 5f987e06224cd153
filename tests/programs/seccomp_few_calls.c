/* SPDX-License-Identifier: MIT
 *
 * From here on any system call but write, brk and exit_group kills the program: counting needs none,
 * nor does opening phases, nor the end of the program.
 *
 * expect: phase.inside.malloc=1000 phase.inside.free=1000 phase.inside.opened=10 exit_status=0
 * modes: run
 */
#include "victim.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define ALLOW(call)                                                                                \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

int main(void) {
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(SYS_write),
        ALLOW(SYS_brk),
        ALLOW(SYS_exit_group),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {.len = sizeof rules / sizeof rules[0], .filter = rules};
    free(malloc(100));
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
    for (int i = 0; i < 10; i++) {
        countalloc_phase_begin("inside");
        for (int k = 0; k < 100; k++)
            free(malloc(500));
        countalloc_phase_end();
    }
    victim_write(1, "done\n");
    return 0;
}
