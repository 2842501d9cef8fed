//go:build cgo

// Messages from signal handlers and from threads that are about to end.
#include "native.h"
#include <stdlib.h>

void seam_say(const char *s) { csys_say(s); }
void seam_say_hex(uintptr_t v) { csys_say_number(v, 16); }
void seam_say_number(uintptr_t v) { csys_say_number(v, 10); }

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
