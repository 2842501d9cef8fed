#include <errno.h>
#include <pthread.h>
#include <unistd.h>
#include "c.h"
#include "_cgo_export.h"

static int now_in, most_in;

static void enter(void)
{
	int n = __atomic_add_fetch(&now_in, 1, __ATOMIC_SEQ_CST);
	int m = __atomic_load_n(&most_in, __ATOMIC_SEQ_CST);
	while (n > m && !__atomic_compare_exchange_n(&most_in, &m, n, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
}

static void leave(void) { __atomic_sub_fetch(&now_in, 1, __ATOMIC_SEQ_CST); }

int inside(void) { return now_in; }
int most(void) { return most_in; }

int nap(int ms)
{
	enter();
	usleep(1000 * (useconds_t)ms);
	leave();
	return ms;
}

int twice(int n) { return 2 * n; }

/* Calls Go, which calls this again, until depth is 0. */
int through_go(int depth)
{
	return depth ? goDeeper(depth - 1) + 1 : 0;
}

/* Has Go panic (-1) or end its goroutine (-2). */
void leave_by(int how) { goDeeper(how); }

/* Goes on when n threads are in, here or in meet. */
void gather(int n)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
	static int arrived;
	pthread_mutex_lock(&mutex);
	arrived++;
	pthread_cond_broadcast(&changed);
	while (arrived < n)
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
}

void meet(void) { gather(2); }

int fails(int n)
{
	errno = EDOM;
	return n;
}
