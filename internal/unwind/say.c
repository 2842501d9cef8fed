//go:build cgo && linux && (amd64 || arm64)

#define _GNU_SOURCE
#include "say.h"
#include "traceback.h"

#ifdef SEAM_UNWIND
#include <fcntl.h>

void seam_put(seam_text *t, const char *s) {
	while (*s && t->n < t->room)
		t->at[t->n++] = *s++;
}

static void digits(seam_text *t, unsigned long v, unsigned base) {
	char b[24];
	size_t i = sizeof b - 1;
	b[i] = 0;
	do
		b[--i] = "0123456789abcdef"[v % base];
	while ((v /= base) != 0);
	seam_put(t, b + i);
}

void seam_put_hex(seam_text *t, uintptr_t v) {
	seam_put(t, "0x");
	digits(t, v, 16);
}

void seam_put_number(seam_text *t, unsigned long v) { digits(t, v, 10); }

void seam_put_place(seam_text *t, uintptr_t pc) {
	seam_symbol_arg arg = {.pc = pc};
	seam_symbolize(&arg);
	seam_put(t, arg.function ? arg.function : "[unknown]");
	if (arg.entry) {
		seam_put(t, "+");
		seam_put_hex(t, pc - arg.entry);
	}
	if (seam_is_mark(pc))
		return;
	int epoch;
	const seam_object *o = seam_find(seam_enter(&epoch), pc);
	if (o) {
		seam_put(t, " (");
		seam_put(t, *o->path ? o->path : "program");
		seam_put(t, " ");
		seam_put_hex(t, pc - o->base);
		seam_put(t, ")");
	} else {
		seam_put(t, " (");
		seam_put_hex(t, pc);
		seam_put(t, ")");
	}
	seam_leave(epoch);
}

static int hex(const char **p, uintptr_t *v) {
	const char *from = *p;
	for (*v = 0;; ++*p) {
		char c = **p;
		if (c >= '0' && c <= '9')
			*v = *v * 16 + (uintptr_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			*v = *v * 16 + (uintptr_t)(c - 'a' + 10);
		else
			return *p != from;
	}
}

enum { LINE = 512 };

static void put_line(seam_text *t, const char *line) {
	for (const char *p = line; *p; p++) // columns are wide
		if (p[0] != ' ' || p[1] != ' ')
			seam_put(t, (char[]){*p, 0});
}

// Looks at a line of maps. Returns whether no later one can matter.
static int look_at(const char *line, uintptr_t address, seam_text *t, char *below) {
	const char *p = line;
	uintptr_t low, high;
	if (!hex(&p, &low) || *p++ != '-' || !hex(&p, &high))
		return 0;
	if (address >= high) {
		__builtin_memcpy(below, line, LINE);
		return 0;
	}
	if (address >= low) {
		put_line(t, line);
		return 1;
	}
	if (address < 1 << 16) {
		seam_put(t, "near NULL, nothing is mapped there");
		return 1;
	}
	enum { NEAR = 1 << 30 };
	seam_put(t, "nothing is mapped there");
	if (*below) {
		const char *end = below;
		uintptr_t first, last = 0;
		if (hex(&end, &first) && *end++ == '-' && hex(&end, &last) && address - last < NEAR) {
			seam_put(t, "; ");
			seam_put_number(t, address - last);
			seam_put(t, " bytes below it ends ");
			put_line(t, below);
		}
	}
	if (low - address < NEAR) {
		seam_put(t, "; ");
		seam_put_number(t, low - address);
		seam_put(t, " bytes above it begins ");
		put_line(t, line);
	}
	return 1;
}

void seam_put_mapping(seam_text *t, uintptr_t address) {
	int fd = (int)csys_kernel(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0) {
		seam_put(t, "/proc/self/maps can't be read");
		return;
	}
	char chunk[1024], line[LINE] = {0}, below[LINE] = {0};
	size_t n = 0;
	int done = 0;
	for (long got; !done && (got = csys_kernel(SYS_read, fd, (long)chunk, sizeof chunk, 0, 0, 0)) > 0;)
		for (long i = 0; i < got && !done; i++) {
			if (chunk[i] != '\n') {
				if (n < LINE - 1)
					line[n++] = chunk[i];
				continue;
			}
			line[n] = 0;
			n = 0;
			done = look_at(line, address, t, below);
		}
	if (!done)
		seam_put(t, "nothing is mapped there");
	csys_kernel(SYS_close, fd, 0, 0, 0, 0, 0);
}
#endif
