//go:build cgo

// Messages from signal handlers and from threads that are about to end.
#include "native.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

void seam_say(const char *s) {
#ifdef __linux__
	long n = seam_system_call(SYS_write, 2, (long)s, (long)strlen(s), 0);
#else
	long n = (long)write(2, s, strlen(s));
#endif
	(void)n;
}

static void say_number(uintptr_t v, unsigned base) {
	char buf[24], *p = buf + sizeof buf;
	*--p = 0;
	do
		*--p = "0123456789abcdef"[v % base];
	while (v /= base);
	seam_say(p);
}

void seam_say_hex(uintptr_t v) { say_number(v, 16); }
void seam_say_number(uintptr_t v) { say_number(v, 10); }

void seam_die(const char *message) {
	seam_say(message);
	abort();
}

void seam_say_function(const seam_coro *co) {
	char name[128];
	if (co->name)
		seam_say(co->name);
	else if (seam_function_name((uintptr_t)co->fn, name, sizeof name))
		seam_say(name);
	else {
		seam_say("at 0x");
		seam_say_hex((uintptr_t)co->fn);
	}
}
