// System calls, and text on standard error, without libc: its functions, syscall too, may be package netio's, which are
// not for us.
#ifndef SEAM_CSYS_KERNEL_H
#define SEAM_CSYS_KERNEL_H
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CSYS __attribute__((unused)) static

// What runs in handlers must not be instrumented: a sanitizer would call into its run-time,
// and its idea of the interrupted stack is not ours.
#if defined(__has_attribute)
#if __has_attribute(no_sanitize)
#define SEAM_PLAIN __attribute__((no_sanitize("address", "undefined", "thread")))
#endif
#endif
#ifndef SEAM_PLAIN
#define SEAM_PLAIN
#endif

#ifdef __linux__
#include <sys/syscall.h>

#if defined(__x86_64__) || defined(__aarch64__)
// csys_kernel returns what the kernel does: -errno where it fails. There is no errno in it, which is thread-local.
CSYS inline SEAM_PLAIN long csys_kernel(long number, long a, long b, long c, long d, long e, long f) {
#ifdef __x86_64__
	long r;
	register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
	__asm__ volatile("syscall" : "=a"(r) : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
	return r;
#else
	register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c, x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e, x5 __asm__("x5") = f;
	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	return x0;
#endif
}

// csys_readable reports whether the eight bytes at an address can be read. The kernel reads them as the new signal mask of
// a change that does not exist: EFAULT if it can't, EINVAL if it could.
CSYS inline SEAM_PLAIN int csys_readable(uintptr_t at) { return csys_kernel(SYS_rt_sigprocmask, -1, (long)at, 0, 8, 0, 0) == -EINVAL; }

CSYS inline long csys_call6(long number, long a, long b, long c, long d, long e, long f) {
	long r = csys_kernel(number, a, b, c, d, e, f);
	if (r >= 0 || r < -4095)
		return r;
	errno = (int)-r;
	return -1;
}
#else // there is no package netio
CSYS inline long csys_call6(long number, long a, long b, long c, long d, long e, long f) { return syscall(number, a, b, c, d, e, f); }
#endif

CSYS inline long csys_call(long number, long a, long b, long c, long d) { return csys_call6(number, a, b, c, d, 0, 0); }

CSYS inline long csys_write(int fd, const char *s, size_t n) { return csys_call(SYS_write, fd, (long)s, (long)n, 0); }
#else
CSYS inline long csys_write(int fd, const char *s, size_t n) { return (long)write(fd, s, n); }
#endif

// csys_say writes words on standard error, in one piece where that is a line: other threads write, too.
#define csys_say(...) csys_say_words((const char *const[]){__VA_ARGS__, NULL})
CSYS void csys_say_words(const char *const *words) {
	char line[1024];
	const char *s = *words;
	size_t n = 0;
	while (s) {
		while (*s && n < sizeof line)
			line[n++] = *s++;
		if (!*s)
			s = *++words;
		if ((!s || n == sizeof line) && csys_write(2, line, n) < 0)
			return; // nobody to tell
		if (n == sizeof line)
			n = 0;
	}
}

// csys_digits writes a number to the end of 24 bytes, and returns where it begins.
CSYS const char *csys_digits(char *room, uintptr_t v, unsigned base) {
	char *p = room + 24;
	*--p = 0;
	do
		*--p = "0123456789abcdef"[v % base];
	while (v /= base);
	return p;
}
#define csys_decimal(v) csys_digits((char[24]){0}, v, 10)
#define csys_hexadecimal(v) csys_digits((char[24]){0}, v, 16)

CSYS int64_t csys_now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

#endif
