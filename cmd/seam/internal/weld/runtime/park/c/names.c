/* In a program that parks nothing: what has libc's names, for waitsbygo.c. */

#define NAME_NETIO(result, name, n, parameters, arguments, ...) \
	result netio_##name parameters { return libc.name arguments; }
TRANSFERS(NAME_NETIO)
SLEEPS(NAME_NETIO)
POLLS(NAME_NETIO)

#define NAME(result, name, n, ends, parameters, arguments, otherwise) \
	result park_##name parameters __asm__(#name) __attribute__((weak, visibility("default"))); \
	result park_##name parameters { return coro_##name arguments; }
LOCK_WAITS(NAME)
C11_WAITS(NAME)

long park_syscall(long number, ...) __asm__("syscall") __attribute__((weak, visibility("default")));
long park_syscall(long number, ...) {
	long a[6];
	SYSTEM_CALL_WORDS(a, number);
	return coro_syscall(number, a);
}
