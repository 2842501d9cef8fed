// System calls without libc: no errno, which is thread-local, no cancellation, and nothing
// that the program has put in front of libc's functions.
#ifndef SEAM_KERNEL_H
#define SEAM_KERNEL_H

#include "unwind.h"

#include <errno.h>
#include <sys/syscall.h>

#ifdef __x86_64__
static inline SEAM_PLAIN long seam_kernel(long n, long a, long b, long c, long d, long e, long f) {
	long r;
	register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
	__asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
	return r;
}
#else
static inline SEAM_PLAIN long seam_kernel(long n, long a, long b, long c, long d, long e, long f) {
	register long x8 __asm__("x8") = n, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = f;
	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	return x0;
}
#endif

// Of linux/futex.h, which musl-gcc doesn't find.
enum { FUTEX_WAIT = 0, FUTEX_WAKE = 1, FUTEX_PRIVATE_FLAG = 128 };

// Whether the eight bytes at addr can be read. The kernel reads them as the new signal mask
// of a change that does not exist: EFAULT if it can't, EINVAL if it could.
static inline SEAM_PLAIN int seam_readable(uintptr_t addr) {
	return seam_kernel(SYS_rt_sigprocmask, -1, (long)addr, 0, 8, 0, 0) == -EINVAL;
}
#endif
