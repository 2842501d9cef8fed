/* In a program that parks nothing: what has libc's names, for sigurg.c. */

#define PASS(result, name, parameters, arguments) \
	result netio_##name parameters { return libc.name arguments; }
SIGURG_SLEEPS(PASS)
SIGURG_POLLS(PASS)
