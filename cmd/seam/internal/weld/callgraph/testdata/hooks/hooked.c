#include <stdlib.h>
#include "_cgo_export.h"
#define FAR __attribute__((noinline)) static

struct db {
	void (*changed)(void *, int);
	void *arg;
	void (*drop)(void *);
	int (*compare)(void *, void *);
};

static void drop(void *p) { free(p); }
db *open_db(void)
{
	db *d = calloc(1, sizeof *d);
	d->drop = drop;
	return d;
}

void on_change(db *d, void (*f)(void *, int), void *arg)
{
	d->changed = f;
	d->arg = arg;
}

void compare_by_go(db *d) { d->compare = goCompare; }

static void notify(db *d, int n)
{
	if (d->changed)
		d->changed(d->arg, n);
}

void insert(db *d, int n) { notify(d, n); }
void drop_arg(db *d) { d->drop(d->arg); }
int less(db *d, void *a, void *b) { return d->compare(a, b); }

static int (*const entries[])(int) = {goEntry, abs};
int entry(int i, int n) { return entries[i & 1](n); }

FAR int twice(int (*f)(int), int n) { return f(f(n)); }
int plain(int n) { return twice(abs, n); }

int choice(int n)
{
	int (*f)(int) = n & 1 ? abs : goEntry;
	return f(n);
}

FAR void deep3(db *d) { __asm__(""); notify(d, 3); }
FAR void deep2(db *d) { __asm__(""); deep3(d); }
FAR void deep1(db *d) { __asm__(""); deep2(d); }
void deep(db *d) { deep1(d); }
