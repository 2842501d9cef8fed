/* The guard on a made machine: its clock is a number, which calls, the clock's own
 * readings and the machine's stalls move on. What is random comes from a seed, so a
 * run is the same everywhere.
 *
 *	guard healthy USUAL LOOPS PROGRAMS	programs of which the guard demoted the function
 *	guard waits SHARE LOOPS PROGRAMS	programs of which it was not, and calls until it was: the median and the most
 *	guard turns SHARE LOOPS PROGRAMS	the same of a function that begins to wait after a million calls
 *	guard visits USUAL LOOPS PROGRAMS	as healthy, for a function that calls Go 2000 times in each call
 *	guard sleeps SHARE LOOPS PROGRAMS	as waits, for such a function: the share is of its stretches
 *	guard begins USUAL LOOPS PROGRAMS	as visits, where C takes 100 us before it first calls Go
 *	guard reads VISITS LOOPS PROGRAMS	how often the clock is read for a call with so many callbacks, at most
 *
 * SHARE is that of the calls that wait for some milliseconds, in thousandths. *
 * LOOPS is how many other threads want two processors all the time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "seam_weld.h"
#include "seam_weld_impl.h"

typedef _seam_u64 u64;

/* Go's, which only bounds and exports call. */
unsigned long _cgo_wait_runtime_init_done(void) { return 0; }
void _cgo_release_context(unsigned long context) { (void)context; }
void crosscall2(void (*fn)(void *), void *a, int n, unsigned long context)
{
	(void)fn, (void)a, (void)n, (void)context;
	abort();
}

static u64 seed;

static u64 dice(u64 n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % n;
}

/* The machine. Times are ns; at is the time that this thread has run. */
static struct {
	int loops;
	u64 wall, at;
	u64 turn;	/* when another thread's turn comes */
	u64 irq;	/* when there is an interrupt */
	u64 steal, calm; /* when the host takes the processor, and stops to do so for a while */
	int cold;	/* the caches are */
} m;

static void start(int loops)
{
	memset(&m, 0, sizeof m);
	m.loops = loops;
	m.turn = dice(4000000);
	m.irq = dice(30000000);
	m.steal = dice(500000000 / (loops + 1));
}

static void run(u64 ns)
{
	m.at += ns;
	m.wall += ns;
	if (m.loops > 1 && m.at > m.turn) { /* 3 ms for each of those that wait */
		m.wall += (u64)(m.loops - 1) * (1000000 + dice(1000000));
		m.turn = m.at + 750000 + dice(3750000);
		m.cold = 1;
	}
	if (m.at > m.irq) {
		m.wall += 5000 + dice(60000);
		m.irq = m.at + dice(60000000);
	}
	if (m.at > m.steal) { /* in clusters of some 10 ms */
		if (m.calm < m.at)
			m.calm = m.at + dice(20000000);
		m.wall += 20000 + dice(400000);
		m.steal = m.at + dice(400000);
		if (m.steal > m.calm)
			m.steal = m.at + dice(1000000000 / (u64)(m.loops + 1));
		m.cold = 1;
	}
}

static u64 reads; /* of the clock */

int made_clock(int clock, struct _seam_timespec *t) __asm__("clock_gettime");
int made_clock(int clock, struct _seam_timespec *t)
{
	(void)clock;
	reads++;
	run(25);
	t->_sec = (long)(m.wall / 1000000000);
	t->_nsec = (long)(m.wall % 1000000000);
	return 0;
}

/* The function: usual ns, and in per_mille of its calls it waits. */
static u64 usual, per_mille, good, calls, visits, first, most_reads;

static void stretch(void)
{
	run(usual - usual / 4 + dice(usual / 2 + 1));
	if (m.cold)
		run(3000);
	m.cold = 0;
	if (calls >= good && dice(1000) < per_mille)
		m.wall += 2000000 + dice(2000000);
}

static void body(void *v)
{
	u64 i;
	(void)v;
	if (calls < 10 && !dice(5))
		run(5000 + dice(60000)); /* touches a page for the first time */
	run(first);
	for (i = 0; i < visits; i++) {
		struct _seam_clock *c;
		stretch();
		c = _seam_pause_v1();
		run(100 + dice(300)); /* Go */
		if (c)
			c->_go_on(c);
	}
	stretch();
}

SEAM_WELD(slot, "f", body, f, f_probe, f_watched, 20000, 10000)

/* demoted calls f until it is demoted, or so often; in between the program does
 * something else. */
static int demoted(u64 most)
{
	struct _seam_slot fresh = slot;
	int result;
	slot._usable = 1;
	_seam_prepare_v1(&slot);
	_seam_slots_v1 = 0;
	for (calls = 0; slot._entry && calls < most; calls++) {
		reads = 0;
		((void (*)(void *))slot._entry)(0);
		if (reads > most_reads)
			most_reads = reads;
		run(dice(4 * usual));
	}
	result = slot._entry == 0;
	slot = fresh;
	return result;
}

static int by_size(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;
	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	u64 i, n, found = 0, *list;
	int loops;
	if (argc != 5)
		return 2;
	loops = atoi(argv[3]);
	n = (u64)atoi(argv[4]);
	list = calloc(n, sizeof *list);
	for (i = 0; i < n; i++) {
		seed = 88172645463325252ull + i;
		for (calls = 0; calls < 10; calls++)
			dice(2);
		start(loops);
		visits = strcmp(argv[1], "visits") && strcmp(argv[1], "sleeps") ? 0 : 2000;
		if (!strcmp(argv[1], "begins")) {
			first = 100000;
			visits = 2000;
		}
		if (!strcmp(argv[1], "reads")) {
			visits = (u64)atoi(argv[2]);
			usual = 100;
			demoted(200);
		} else if (!strcmp(argv[1], "healthy") || !strcmp(argv[1], "visits") || !strcmp(argv[1], "begins")) {
			usual = (u64)atoi(argv[2]);
			found += (u64)demoted(visits ? 200 : 20000);
		} else {
			usual = 300;
			per_mille = (u64)atoi(argv[2]);
			good = strcmp(argv[1], "turns") ? 0 : 1000000;
			found += (u64)demoted(10000000);
			list[i] = calls - good;
		}
	}
	if (!strcmp(argv[1], "reads"))
		found = most_reads;
	if (!strcmp(argv[1], "healthy") || !strcmp(argv[1], "visits") || !strcmp(argv[1], "begins") || !strcmp(argv[1], "reads")) {
		printf("%llu\n", (unsigned long long)found);
		return 0;
	}
	qsort(list, n, sizeof *list, by_size);
	printf("%llu %llu %llu\n", (unsigned long long)(n - found), (unsigned long long)list[n / 2], (unsigned long long)list[n - 1]);
	return 0;
}
