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
	result netio_##name parameters { return coro_##name arguments; }
#define NAME_IF_PARKS(result, name, n, parameters, arguments, how, ...) NAME_##how(result, name, parameters, arguments)
SYSTEM_WAITS(NAME_IF_PARKS)
OTHER_WAITS(NAME_IF_PARKS)

#define NO_CO_(...) (NULL, __VA_ARGS__)
#define NO_CO(arguments) NO_CO_ arguments
#define NAME_OTHERWISE(result, name, n, parameters, arguments, ...) \
	result netio_##name parameters { return otherwise_##name NO_CO(arguments); }
LOCK_WAITS(NAME_OTHERWISE)
C11_WAITS(NAME_OTHERWISE)
SIGNAL_WAITS(NAME_OTHERWISE)

long netio_syscall(long number, ...) {
	long a[6];
	SYSTEM_CALL_WORDS(a, number);
	return plain_syscall(number, a);
}
