// What goroutines are in C that is not on their threads' stacks, for who asks with SIGQUIT: Go's dump says of them only
// which Go function has called C. In a signal handler.
#ifndef SEAM_CSYS_DUMP_H
#define SEAM_CSYS_DUMP_H

#include "handler.h"
#include "watch.h"

#if defined(__linux__) && defined(__LP64__)
// A goroutine that is in C.
typedef struct {
	uint64_t goroutine;
	const char *name, *does; // the function that was called; what it does
	uintptr_t fn;            // where it has no name
	csys_sight at;
	uintptr_t high; // the stack's end; 0 if where C is isn't known
} csys_in_c;

enum { CSYS_GROUPS = 32, CSYS_MEMBERS = 8 };

// Goroutines whose C is at the same place.
typedef struct {
	csys_in_c first;
	csys_stack stack;
	int count;
	uint64_t members[CSYS_MEMBERS];
} csys_group;

typedef struct {
	const char *who;
	csys_room room;
	csys_group groups[CSYS_GROUPS];
	int count, others;
} csys_dump;

CSYS void csys_dump_begin(csys_dump *d, const char *who) {
	d->who = who;
	d->count = d->others = 0;
	csys_frames_begin(&d->room);
}

// csys_met is where a signal has met its thread.
CSYS csys_sight csys_met(const void *context) {
	csys_sight s;
	memset(&s, 0, sizeof s);
#if defined(__x86_64__) || defined(__aarch64__)
	seam_regs r = csys_registers(context);
	s.pc = r.pc;
	s.sp = r.sp;
	s.fp = r.fp;
	s.lr = r.lr;
#endif
	(void)context;
	return s;
}

// csys_dump_add adds who's goroutine, if in_c says that it is in C. here is where the signal has met its thread: the
// kernel says of that one only that it runs.
CSYS void csys_dump_add(csys_dump *d, int (*in_c)(const void *who, const csys_sight *here, csys_in_c *c), const void *who, const csys_sight *here) {
	csys_in_c now, again, *c = &now;
	csys_stack walked, *stack = &walked;
	csys_group *g;
	int i;
	if (!in_c(who, here, &now))
		return;
	stack->depth = stack->sure = 0;
	if (c->high)
		csys_walk(&d->room, &c->at, c->high, stack);
	if (!in_c(who, here, &again) || memcmp(&now, &again, sizeof now) != 0)
		stack->sure = 0; // it has gone on meanwhile
	for (i = 0; i < d->count; i++) {
		g = &d->groups[i];
		if (g->first.fn == c->fn && g->first.name == c->name && g->first.does == c->does && g->stack.depth == stack->depth &&
		    g->stack.sure == stack->sure && memcmp(g->stack.pc, stack->pc, (size_t)stack->depth * sizeof *stack->pc) == 0)
			break;
	}
	if (i == CSYS_GROUPS) {
		d->others++;
		return;
	}
	g = &d->groups[i];
	if (i == d->count) {
		d->count++;
		g->first = *c;
		g->stack = *stack;
		g->count = 0;
	}
	if (g->count < CSYS_MEMBERS)
		g->members[g->count] = c->goroutine;
	g->count++;
}

CSYS void csys_dump_end(const csys_dump *d) {
	int i, k;
	for (i = 0; i < d->count; i++) {
		const csys_group *g = &d->groups[i];
		csys_say("seam: ", d->who, g->count == 1 ? ": goroutine " : ": goroutines ");
		for (k = 0; k < g->count && k < CSYS_MEMBERS; k++)
			csys_say(k ? ", " : "", csys_decimal(g->members[k]));
		if (g->count > CSYS_MEMBERS)
			csys_say(" and ", csys_decimal((uintptr_t)(g->count - CSYS_MEMBERS)), " more");
		csys_say(g->count == 1 ? " is in C function " : " are in C function ", csys_named(g->first.name, g->first.fn), ", which ", g->first.does,
			g->stack.depth ? ":\n" : "\n");
		csys_say_frames(&g->stack);
	}
	if (d->others)
		csys_say("seam: ", d->who, ": ", csys_decimal((uintptr_t)d->others), " more goroutines are in C, at other places\n");
}

#endif
#endif
