/*
 * The run-time of a program in which the garbage collector runs at calls of C. Every
 * package that calls C holds a copy in its _cgo_export.c; weak symbols make the linker
 * keep one. Go does the work; this is where it writes down what it met, and its clock.
 */
#pragma GCC system_header

#ifndef SEAM_STRESS_IMPL_H
#define SEAM_STRESS_IMPL_H

#include "seam_record.h"

enum {
	SEAM_STRESS_VERSION = 2,   /* the first: package recording knows 1 as a header without failed */
	SEAM_FREED_CHUNK = 1 /* a struct seam_text: names of two C functions, and two stacks */
};

struct seam_stress_header {
	struct seam_record_header head;
	seam_u64 collected;        /* calls that collected garbage */
};

/* The same as seamStressRequest in rt/gcstress.go. */
struct seam_stress_request {
	int op;
	int off;                   /* out: this process can't record */
	const char *text;
	unsigned long length;
	seam_u64 now;              /* out */
};

enum { SEAM_STRESS_NAP, SEAM_STRESS_CLOCK, SEAM_STRESS_TEXT, SEAM_STRESS_FREED, SEAM_STRESS_COLLECTED };

struct seam_stress {
	int state, lock;           /* 1: on, 2: off */
	struct seam_record record;
};

SEAM_WEAK struct seam_stress seam_stress;

#define SEAM_STRESS_WHAT "seam: use of freed C memory is not searched in this process: "

SEAM_WEAK int seam_stress_start(void)
{
	struct seam_record *r = &seam_stress.record;
	int *alive;
	if (!seam_record_open(r, SEAM_STRESS_WHAT, "SEAM_STRESS", "/seam/stress", SEAM_STRESS_VERSION, &alive))
		return 0;
	__atomic_store_n(&r->alive, alive, __ATOMIC_RELEASE);
	__builtin_memcpy(r->file->magic, "SEAMSTRE", 8);
	return 1;
}

SEAM_WEAK void seam_stress_go(void *request)
{
	struct seam_stress_request *q = (struct seam_stress_request *)request;
	struct seam_stress *s = &seam_stress;
	struct seam_timespec nap;
	int was = *seam_c_errno();
	if (__builtin_expect(!__atomic_load_n(&s->state, __ATOMIC_ACQUIRE), 0)) {
		seam_lock(&s->lock);
		if (!s->state)
			__atomic_store_n(&s->state, seam_stress_start() ? 1 : 2, __ATOMIC_RELEASE);
		seam_unlock(&s->lock);
	}
	/* A forked child has the parent's memory, and none of its threads. */
	q->off = s->state != 1 || !seam_record_mine(&s->record);
	if (!q->off) {
		switch (q->op) {
		case SEAM_STRESS_NAP:
			nap.sec = 0;
			nap.nsec = 50000;
			seam_c_nanosleep(&nap, 0);
			break;
		case SEAM_STRESS_TEXT:
			seam_record_text(&s->record, SEAM_TEXT, q->text, q->length);
			break;
		case SEAM_STRESS_FREED:
			seam_record_text(&s->record, SEAM_FREED_CHUNK, q->text, q->length);
			break;
		case SEAM_STRESS_COLLECTED:
			__atomic_fetch_add(&((struct seam_stress_header *)s->record.file)->collected, 1, __ATOMIC_RELAXED);
		}
	}
	q->now = seam_now();
	*seam_c_errno() = was;
}

#define SEAM_STRESS_PACKAGE(prefix) \
	void prefix##_seam_stress(void *seam_v); \
	void prefix##_seam_stress(void *seam_v) { seam_stress_go(seam_v); }

#endif
