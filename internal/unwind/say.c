//go:build cgo && linux && (amd64 || arm64)

#define _GNU_SOURCE
#include "say.h"
#include "symbol.h"
#include "traceback.h"

#ifdef SEAM_UNWIND
#include <string.h>

void seam_put(seam_text *t, const char *s) {
	while (*s && t->n < t->room)
		t->at[t->n++] = *s++;
}

void seam_put_hex(seam_text *t, uintptr_t v) {
	seam_put(t, "0x");
	seam_put(t, csys_hexadecimal(v));
}

void seam_put_number(seam_text *t, unsigned long v) { seam_put(t, csys_decimal(v)); }

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

static void put_line(seam_text *t, const char *line) {
	for (const char *p = line; *p; p++) // columns are wide
		if (p[0] != ' ' || p[1] != ' ')
			seam_put(t, (char[]){*p, 0});
}

typedef struct {
	seam_text *t;
	uintptr_t address, below; // below: where the mapping before it ends
	char line[512];           // of that one
	int done;
} nearby;

static int look_at(void *arg, const csys_mapping *m) {
	enum { NEAR = 1 << 30 };
	nearby *n = arg;
	seam_text *t = n->t;
	if (n->address >= m->end) {
		n->below = m->end;
		strncpy(n->line, m->line, sizeof n->line - 1);
		return 0;
	}
	n->done = 1;
	if (n->address >= m->start) {
		put_line(t, m->line);
		return 1;
	}
	if (n->address < 1 << 16) {
		seam_put(t, "near NULL, nothing is mapped there");
		return 1;
	}
	seam_put(t, "nothing is mapped there");
	if (n->below && n->address - n->below < NEAR) {
		seam_put(t, "; ");
		seam_put_number(t, n->address - n->below);
		seam_put(t, " bytes below it ends ");
		put_line(t, n->line);
	}
	if (m->start - n->address < NEAR) {
		seam_put(t, "; ");
		seam_put_number(t, m->start - n->address);
		seam_put(t, " bytes above it begins ");
		put_line(t, m->line);
	}
	return 1;
}

void seam_put_mapping(seam_text *t, uintptr_t address) {
	nearby n = {.t = t, .address = address};
	int keep = errno, read = csys_each_mapping(look_at, &n);
	if (!read)
		seam_put(t, "/proc/self/maps can't be read");
	else if (!n.done)
		seam_put(t, "nothing is mapped there");
	errno = keep;
}
#endif
