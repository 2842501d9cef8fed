/* Makes calls as traced wrappers do, without Go. What it does is told by its
   first argument; a test reads what was recorded. */
#include "seam_record_apart.h"
#include "seam_trace.h"
#include "seam_trace_impl.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct seam_trace_function functions[] = {{"one", "func()", 0}, {"two", "func()", 0}};
SEAM_TRACE_PACKAGE("example.com/run", "b0", functions, 2, run)

/* Go's, which is not here. */
void crosscall2(void (*f)(void *), void *arg, int n, unsigned long context);
void crosscall2(void (*f)(void *), void *arg, int n, unsigned long context) { f(arg); (void)n; (void)context; }

static void (*body)(void *);

static void run(void *v) { body(v); }
static int fails(void *v) { errno = 7; return (int)(long)v; }
SEAM_TRACE_VOID(one, run, &functions[0])
SEAM_TRACE_ERRNO(two, fails, &functions[1])

static void nothing(void *v) { (void)v; }

enum { threads = 100, rounds = 50 };
static pthread_barrier_t barrier;
static void meet(void *v) { (void)v; pthread_barrier_wait(&barrier); }
static void *work(void *v)
{
	int i;
	one(v); /* all are inside at once */
	for (i = 0; i < rounds; i++)
		two(v);
	return 0;
}

static void go(void) { seam_trace_callback(__builtin_frame_address(0)); }

static jmp_buf out;
static void leap(void *v) { (void)v; go(); longjmp(out, 1); }

static void deeper(void *v)
{
	long n = (long)v;
	go();
	if (n > 0)
		one((void *)(n - 1));
}

static void split(void *v)
{
	int i;
	(void)v;
	if (fork() == 0) {
		go();
		for (i = 0; i < 5; i++)
			two(0);
		return;
	}
	wait(0);
}

/* Go takes 2 ms, C before it 1 ms. */
static void visits(void *v)
{
	(void)v;
	usleep(1000);
	go();
	usleep(2000);
	seam_trace_callback_end(__builtin_frame_address(0));
}

static void die(void *v) { (void)v; kill(getpid(), SIGKILL); }

static void nap(void *v) { (void)v; usleep(2000); }

/* Threads that wait in six ways until the watch has seen each. */
static int ends[2], pair[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int over;

static void wait_read(void) { char c; if (read(ends[0], &c, 1) < 0) abort(); }
static void wait_recv(void) { char c; if (recv(pair[0], &c, 1, 0) < 0) abort(); }
static void wait_sleep(void) { while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) usleep(100000); }
/* By a jump: there is no frame but libc's. */
static void wait_jump(void) { usleep(300000); }
static void wait_cond(void)
{
	pthread_mutex_lock(&mutex);
	while (!over)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
}

/* It has a lock meanwhile. */
static void wait_locked(void)
{
	struct { long pad[40]; pthread_mutex_t mutex; } *volatile object = calloc(1, sizeof *object);
	struct pollfd none = {-1, 0, 0};
	pthread_mutex_lock(&object->mutex);
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED))
		poll(&none, 1, 100);
	pthread_mutex_unlock(&object->mutex);
	free(object);
}

static void chosen(void *v) { (*(void (**)(void))v)(); }
static void *waits(void *v) { one(v); return 0; }

/* "__libc_recv" is recv, "pthread_cond_wait" isn't read. */
static int is(const char *found, const char *name)
{
	const char *at = strstr(found, name);
	return at && !at[strlen(name)] && (at == found || at[-1] == '_');
}

static int seen(const char *name)
{
	/* The first call opens the record, and this thread makes none. */
	struct seam_record_header *h = __atomic_load_n(&seam_trace_process.record.file, __ATOMIC_ACQUIRE);
	unsigned long at = SEAM_HEADER;
	while (h && at < __atomic_load_n(&h->used, __ATOMIC_ACQUIRE)) {
		struct seam_trace_wait *w = (struct seam_trace_wait *)((char *)h + at);
		if (__atomic_load_n(&w->chunk.type, __ATOMIC_ACQUIRE) == SEAM_WAIT && is((char *)(w + 1), name) &&
		    __atomic_load_n(&w->searched, __ATOMIC_RELAXED) > 0)
			return 1;
		at += w->chunk.size;
	}
	return 0;
}

static void places(void)
{
	static void (*ways[])(void) = {wait_read, wait_recv, wait_sleep, wait_cond, wait_jump, wait_locked};
	pthread_t t[6];
	int i;
	body = chosen;
	if (pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		abort();
	for (i = 0; i < 6; i++)
		pthread_create(&t[i], 0, waits, &ways[i]);
	for (i = 0; i < 6000 && !(seen("read") && seen("recv") && seen("usleep") && seen("pthread_cond_wait") && seen("poll")); i++)
		usleep(10000);
	pthread_mutex_lock(&mutex);
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&mutex);
	if (write(ends[1], "x", 1) != 1 || write(pair[1], "x", 1) != 1)
		abort();
	for (i = 0; i < 6; i++)
		pthread_join(t[i], 0);
}

int main(int n, char **arg)
{
	int i;
	const char *what = n > 1 ? arg[1] : "";
	body = nothing;
	if (!strcmp(what, "threads")) {
		pthread_t t[threads];
		pthread_barrier_init(&barrier, 0, threads);
		body = meet;
		for (i = 0; i < threads; i++)
			pthread_create(&t[i], 0, work, 0);
		for (i = 0; i < threads; i++)
			pthread_join(t[i], 0);
	} else if (!strcmp(what, "series")) { /* of threads: they take each other's place */
		for (i = 0; i < 200; i++) {
			pthread_t t;
			pthread_barrier_init(&barrier, 0, 1);
			body = meet;
			pthread_create(&t, 0, work, 0);
			pthread_join(t, 0);
		}
	} else if (!strcmp(what, "jump")) {
		for (i = 0; i < 3; i++) {
			body = leap;
			if (!setjmp(out))
				one(0);
		}
		two(0);
	} else if (!strcmp(what, "deep")) {
		body = deeper;
		one((void *)299);
	} else if (!strcmp(what, "fork")) {
		pid_t parent = getpid();
		two(0);
		body = split;
		one(0);
		if (getpid() != parent) { /* the child records nothing, and works */
			two(0);
			_exit(0);
		}
		two(0);
	} else if (!strcmp(what, "kill")) {
		two(0);
		body = die;
		one(0);
	} else if (!strcmp(what, "nap")) {
		body = nap;
		for (i = 0; i < 5; i++)
			one(0);
	} else if (!strcmp(what, "visits")) {
		body = visits;
		for (i = 0; i < 5; i++)
			one(0);
	} else if (!strcmp(what, "places")) {
		places();
	} else if (!strcmp(what, "errno")) {
		errno = 3;
		one(0);
		if (errno != 3 || two((void *)5) != 5 || errno != 7) {
			fprintf(stderr, "errno is %d\n", errno);
			return 1;
		}
	} else {
		return 2;
	}
	return 0;
}
