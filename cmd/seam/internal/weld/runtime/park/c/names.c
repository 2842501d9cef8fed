/* In a program that parks nothing: what has libc's names, for waitsbygo.c. */

#define NAME_NETIO(result, name, n, parameters, arguments, ...) \
	result netio_##name parameters { return libc.name arguments; }
TRANSFERS(NAME_NETIO)
SLEEPS(NAME_NETIO)
POLLS(NAME_NETIO)

#undef NAME_PARKS
#undef NAME_GO
#define NAME_GO(...)
#define NAME_PARKS(result, name, parameters, arguments) \
	result park_##name parameters __asm__(#name) NAMED; \
	result park_##name parameters { return coro_##name arguments; }
#define NAME_IF_PARKS(result, name, n, parameters, arguments, how, ...) NAME_##how(result, name, parameters, arguments)
LOCK_WAITS(NAME_IF_PARKS)
C11_WAITS(NAME_IF_PARKS)
SIGNAL_WAITS(NAME_IF_PARKS)
SYSTEM_WAITS(NAME_IF_PARKS)
OTHER_WAITS(NAME_IF_PARKS)

long park_syscall(long number, ...) __asm__("syscall") NAMED;
long park_syscall(long number, ...) {
	long a[6];
	SYSTEM_CALL_WORDS(a, number);
	return coro_syscall(number, a);
}
