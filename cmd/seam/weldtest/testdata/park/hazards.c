#define _GNU_SOURCE
#include "park.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

extern int goCallback(uintptr_t h, int i);

/* Go is called by a thread of C's, and meanwhile by the function itself. */
struct caller {
	uintptr_t h;
	int n, total;
};
static void *calls(void *p) {
	struct caller *c = p;
	for (int i = 0; i < c->n; i++)
		c->total += goCallback(c->h, i);
	return NULL;
}
int by_thread(uintptr_t h, int n) {
	struct caller theirs = {h, n, 0}, ours = {h, n, 0};
	pthread_t t;
	if (pthread_create(&t, NULL, calls, &theirs) != 0)
		return -1;
	calls(&ours);
	pthread_join(t, NULL);
	return theirs.total + ours.total;
}

/* 64 KB in each frame, which must be the same after Go. */
int wide(uintptr_t h, int i) {
	volatile char frame[64 << 10];
	memset((char *)frame, i & 63, sizeof frame);
	int r = goCallback(h, i), wrong = 0;
	for (size_t k = 0; k < sizeof frame; k++)
		wrong += frame[k] != (i & 63);
	return r + 1000000 * wrong;
}

/* ---- the end of the program */

static pthread_mutex_t exit_lock = PTHREAD_MUTEX_INITIALIZER;
static uintptr_t exit_handle;
static int exit_held;
static void at_exit(void) {
	pthread_mutex_lock(&exit_lock); /* parked calls have it, one after the other */
	usleep(2000);
	int go = exit_handle ? goCallback(exit_handle, 5) : 5;
	printf("at exit: %d %d\n", exit_held, go);
	pthread_mutex_unlock(&exit_lock);
}
void set_exit(uintptr_t h) {
	exit_handle = h;
	atexit(at_exit);
}
void hold(int ms) {
	for (;;) {
		pthread_mutex_lock(&exit_lock);
		exit_held = 1;
		usleep(ms * 1000);
		exit_held = 0;
		pthread_mutex_unlock(&exit_lock);
		usleep(100);
	}
}
void leave(int code) { exit(code); }

/* ---- signals */

static volatile sig_atomic_t raised, raised_on;
static void on_signal(int s) {
	(void)s;
	raised++;
	raised_on = gettid();
}
void catch_signal(void) {
	struct sigaction a = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_RESTART};
	sigaction(SIGUSR2, &a, NULL);
}
/* A signal that C raises has come when raise returns. */
int raises(void) {
	int before = raised;
	usleep(1000);
	raise(SIGUSR2);
	return raised == before + 1 && raised_on == gettid();
}
/* The child waits, locks, and ends. What this thread has blocked, a child has: nothing. */
int forks(int code) {
	static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	int status;
	usleep(1000);
	pid_t child = fork();
	if (child == 0) {
		sigset_t blocked;
		pthread_sigmask(SIG_BLOCK, NULL, &blocked);
		for (int i = 1; i < SIGRTMAX; i++)
			if (sigismember(&blocked, i) == 1)
				_exit(100 + i);
		struct timespec t = {.tv_nsec = 2000000};
		usleep(2000);
		nanosleep(&t, NULL);
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
		_exit(code);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A semaphore is posted by signals, which come at threads in all places. */
static sem_t posted;
static int posts;
static void post(int s) {
	(void)s;
	sem_post(&posted);
	__atomic_fetch_add(&posts, 1, __ATOMIC_SEQ_CST);
}
void catch_posts(void) {
	struct sigaction a = {.sa_handler = post, .sa_flags = SA_ONSTACK | SA_RESTART};
	sem_init(&posted, 0, 0);
	sigaction(SIGUSR2, &a, NULL);
}
void take_post(void) {
	while (sem_wait(&posted) != 0)
		;
}
int send_post(int tid) { return syscall(SYS_tgkill, getpid(), tid, SIGUSR2); }
int sent_posts(void) { return __atomic_load_n(&posts, __ATOMIC_SEQ_CST); }

/* Go is called by a handler on a thread that C made. */
static uintptr_t handler_handle;
static volatile sig_atomic_t handler_result;
static void call_go(int s) {
	(void)s;
	handler_result += goCallback(handler_handle, 7);
}
static void *raiser(void *unused) {
	for (int i = 0; i < 10; i++)
		raise(SIGUSR2);
	return unused;
}
int handler_calls(uintptr_t h) {
	struct sigaction a = {.sa_handler = call_go};
	pthread_t t;
	handler_handle = h;
	sigaction(SIGUSR2, &a, NULL);
	usleep(1000);
	if (pthread_create(&t, NULL, raiser, NULL) != 0)
		return -1;
	pthread_join(t, NULL);
	a.sa_handler = SIG_IGN;
	sigaction(SIGUSR2, &a, NULL);
	return handler_result;
}

/* The handler is on this thread, in the middle of the call. */
int own_handler_calls(uintptr_t h, int n) {
	struct sigaction a = {.sa_handler = call_go, .sa_flags = SA_RESTART};
	int before = handler_result;
	handler_handle = h;
	sigaction(SIGUSR2, &a, NULL);
	for (int i = 0; i < n; i++) {
		usleep(100);
		raise(SIGUSR2);
	}
	a.sa_handler = SIG_IGN;
	sigaction(SIGUSR2, &a, NULL);
	return handler_result - before;
}

/* ---- a lock that is held while Go runs */

static pthread_mutex_t over = PTHREAD_MUTEX_INITIALIZER;
static int inside;
int lock_over_go(uintptr_t h, int i) {
	pthread_mutex_lock(&over);
	int others = inside++;
	int r = goCallback(h, i);
	inside--;
	pthread_mutex_unlock(&over);
	return others ? -1 : r;
}
int lock_plainly(void) {
	pthread_mutex_lock(&over);
	int others = inside;
	pthread_mutex_unlock(&over);
	return others;
}

/* A lock that knows its owner, which Go's callback asks for again by another call. */
static pthread_mutex_t again;
static __attribute__((constructor)) void make_again(void) {
	pthread_mutexattr_t a;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&again, &a);
}
int lock_again(uintptr_t h, int depth) {
	pthread_mutex_lock(&again);
	flockfile(stdin);
	usleep(100);
	int r = depth ? goCallback(h, depth - 1) + 1 : 0;
	usleep(100);
	funlockfile(stdin);
	int failed = pthread_mutex_unlock(&again);
	return failed ? -failed : r;
}

/* ---- C that computes until another call stops it */

static int spinning, stopped;
int spin(void) {
	__atomic_fetch_add(&spinning, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&stopped, __ATOMIC_RELAXED))
		;
	return 0;
}
int is_spinning(void) { return __atomic_load_n(&spinning, __ATOMIC_SEQ_CST); }
void stop_spin(void) {
	usleep(1000);
	__atomic_store_n(&stopped, 1, __ATOMIC_SEQ_CST);
}

/* ---- one FILE, whose lock one call has while others print */

static FILE *out;
int plain_open(const char *path) { return (out = fopen(path, "w")) != NULL; }
int plain_close(void) { return fclose(out); }
/* Two lines that belong together. */
int plain_pair(int n, int ms) {
	int r = 0;
	flockfile(out);
	r |= fprintf(out, "first %d\n", n) < 0;
	usleep(ms * 1000);
	r |= fputs("second ", out) < 0;
	r |= fprintf(out, "%d\n", n) < 0;
	funlockfile(out);
	return r;
}
/* One line by each of the functions that print. */
int plain_line(int n) {
	char text[32];
	size_t length = (size_t)snprintf(text, sizeof text, "line %d\n", n);
	switch (n % 4) {
	case 0:
		return fputs(text, out) < 0;
	case 1:
		return fprintf(out, "%s", text) < 0;
	case 2:
		return fwrite(text, 1, length, out) != length;
	}
	return fflush(out) != 0 || fputs(text, out) < 0;
}

/* ---- what is done once, and waits */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static once_flag c11_once = ONCE_FLAG_INIT;
static int done, c11_done;
static void do_once(void) {
	usleep(20000);
	done++;
}
static void do_c11_once(void) {
	usleep(20000);
	c11_done++;
}
int once_only(void) {
	pthread_once(&once, do_once);
	call_once(&c11_once, do_c11_once);
	return done * 10 + c11_done;
}

/* Locks for a time, each while another call has it: the errors, one digit each. */
static pthread_mutex_t timed_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t timed_rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t enough;
static int holding;
static __attribute__((constructor)) void make_enough(void) { sem_init(&enough, 0, 0); }
void hold_timed(void) {
	pthread_mutex_lock(&timed_mutex);
	pthread_rwlock_wrlock(&timed_rwlock);
	__atomic_store_n(&holding, 1, __ATOMIC_SEQ_CST);
	sem_wait(&enough);
	pthread_rwlock_unlock(&timed_rwlock);
	pthread_mutex_unlock(&timed_mutex);
}
int is_held(void) { return __atomic_load_n(&holding, __ATOMIC_SEQ_CST); }
void end_hold(void) { sem_post(&enough); }
static void *waits(void *s) {
	sem_wait(s);
	return s;
}
int try_timed(int ms) {
	struct timespec real, steady;
	pthread_t t;
	sem_t end;
	int timeouts = 0, r;
	sem_init(&end, 0, 0);
	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_MONOTONIC, &steady);
	real.tv_sec += (real.tv_nsec += ms * 1000000) / 1000000000;
	steady.tv_sec += (steady.tv_nsec += ms * 1000000) / 1000000000;
	real.tv_nsec %= 1000000000;
	steady.tv_nsec %= 1000000000;
	timeouts += pthread_rwlock_timedrdlock(&timed_rwlock, &real) == ETIMEDOUT;
	timeouts += pthread_rwlock_timedwrlock(&timed_rwlock, &real) == ETIMEDOUT;
	timeouts += pthread_mutex_clocklock(&timed_mutex, CLOCK_MONOTONIC, &steady) == ETIMEDOUT;
	if (pthread_create(&t, NULL, waits, &end) != 0)
		return -1;
	timeouts += pthread_timedjoin_np(t, NULL, &real) == ETIMEDOUT;
	sem_post(&end);
	r = pthread_timedjoin_np(t, NULL, NULL);
	return r ? -r : timeouts;
}

/* ---- barriers, where calls and threads of C's meet */

static pthread_barrier_t barrier;
static int came, serial;
int barrier_for(int n) { return pthread_barrier_init(&barrier, NULL, n); }
/* So many rounds: nobody leaves one before all have come. */
int meet(int n, int rounds) {
	int wrong = 0;
	for (int i = 1; i <= rounds; i++) {
		__atomic_fetch_add(&came, 1, __ATOMIC_SEQ_CST);
		int r = pthread_barrier_wait(&barrier);
		if (r == PTHREAD_BARRIER_SERIAL_THREAD)
			__atomic_fetch_add(&serial, 1, __ATOMIC_SEQ_CST);
		else if (r != 0)
			wrong++;
		if (__atomic_load_n(&came, __ATOMIC_SEQ_CST) < i * n)
			wrong++;
		usleep(i % 3 * 100);
	}
	return wrong;
}
int serials(void) { return serial; }
static void *meets(void *p) {
	int *n = p;
	n[2] = meet(n[0], n[1]);
	return NULL;
}
int meet_by_thread(int n, int rounds) {
	int a[3] = {n, rounds, 0};
	pthread_t t;
	if (pthread_create(&t, NULL, meets, a) != 0 || pthread_join(t, NULL) != 0)
		return -1;
	return a[2];
}
int end_barrier(void) { return pthread_barrier_destroy(&barrier); }

/* One for processes is libc's. */
int shared_barrier(void) {
	pthread_barrierattr_t a;
	pthread_barrier_t b;
	pthread_barrierattr_init(&a);
	pthread_barrierattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
	if (pthread_barrier_init(&b, &a, 0) != EINVAL || pthread_barrier_init(&b, &a, 1) != 0)
		return 1;
	usleep(100);
	return pthread_barrier_wait(&b) != PTHREAD_BARRIER_SERIAL_THREAD || pthread_barrier_destroy(&b) != 0;
}

/* ---- futexes that are asked for by syscall() */

static int word, asleep, tokens;
int wait_word(void) {
	long r;
	__atomic_fetch_add(&asleep, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&word, __ATOMIC_SEQ_CST) == 0) {
		r = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
		if (r != 0 && errno != EAGAIN && errno != EINTR)
			return errno;
	}
	__atomic_fetch_sub(&asleep, 1, __ATOMIC_SEQ_CST);
	return 0;
}
int words_asleep(void) { return __atomic_load_n(&asleep, __ATOMIC_SEQ_CST); }
int wake_words(int value) {
	__atomic_store_n(&word, value, __ATOMIC_SEQ_CST);
	return syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0) < 0;
}
/* A count of what there is: each wakes one. */
int take_token(void) {
	for (;;) {
		int n = __atomic_load_n(&tokens, __ATOMIC_SEQ_CST);
		if (n > 0 && __atomic_compare_exchange_n(&tokens, &n, n - 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			return 0;
		if (n == 0)
			syscall(SYS_futex, &tokens, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, FUTEX_BITSET_MATCH_ANY);
	}
}
int put_token(void) {
	__atomic_fetch_add(&tokens, 1, __ATOMIC_SEQ_CST);
	return syscall(SYS_futex, &tokens, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) < 0;
}
/* What ends without being woken, and what the kernel refuses: the errors as one number. */
int word_errors(int ms) {
	static int never;
	struct timespec left = {.tv_nsec = ms * 1000000}, until, bad = {.tv_nsec = -1};
	int r = 0;
	r = r * 1000 + (syscall(SYS_futex, &never, FUTEX_WAIT_PRIVATE, 0, &left, NULL, 0) < 0 ? errno : 0);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += (until.tv_nsec += ms * 1000000) / 1000000000;
	until.tv_nsec %= 1000000000;
	r = r * 1000 + (syscall(SYS_futex, &never, FUTEX_WAIT_BITSET_PRIVATE, 0, &until, NULL, FUTEX_BITSET_MATCH_ANY) < 0 ? errno : 0);
	r = r * 100 + (syscall(SYS_futex, &never, FUTEX_WAIT_PRIVATE, 7, NULL, NULL, 0) < 0 ? errno : 0);
	r = r * 100 + (syscall(SYS_futex, &never, FUTEX_WAIT_PRIVATE, 0, &bad, NULL, 0) < 0 ? errno : 0);
	return syscall(SYS_getpid) == getpid() ? r : -1;
}

/* ---- a lock of the run-time's own, whose owner gets no processor for a second. Here it sleeps in a
 * handler: the thread signals a condition again and again, for which it takes the lock of the list of
 * calls that wait for it. */

extern int *seam_parked_lists_locked(void) __attribute__((weak, visibility("hidden")));
static pthread_mutex_t asks = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t answer = PTHREAD_COND_INITIALIZER;
enum { AWAKE, SLEEPS, SLEPT };
static int owner, asked;
static void sleep_with_lock(int s) {
	struct timespec some = {.tv_nsec = 100000000}, rest = {.tv_nsec = 900000000};
	int awake = AWAKE, before;
	(void)s;
	if (!seam_parked_lists_locked || *seam_parked_lists_locked() == 0 ||
	    !__atomic_compare_exchange_n(&owner, &awake, SLEEPS, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		return;
	before = __atomic_load_n(&asked, __ATOMIC_SEQ_CST);
	nanosleep(&some, NULL);
	/* Some have come further: it was about to take the lock, and another moment will be better. */
	if (__atomic_load_n(&asked, __ATOMIC_SEQ_CST) > before + 100) {
		__atomic_store_n(&owner, AWAKE, __ATOMIC_SEQ_CST);
		return;
	}
	nanosleep(&rest, NULL);
	__atomic_store_n(&owner, SLEPT, __ATOMIC_SEQ_CST);
}
static void *owns(void *unused) {
	while (__atomic_load_n(&owner, __ATOMIC_SEQ_CST) != SLEPT)
		pthread_cond_signal(&answer);
	return unused;
}
int starve_owner(void) {
	struct sigaction a = {.sa_handler = sleep_with_lock, .sa_flags = SA_RESTART};
	pthread_t t;
	sigaction(SIGUSR2, &a, NULL);
	if (pthread_create(&t, NULL, owns, NULL) != 0)
		return -1;
	while (__atomic_load_n(&owner, __ATOMIC_SEQ_CST) != SLEPT) {
		if (__atomic_load_n(&owner, __ATOMIC_SEQ_CST) == AWAKE)
			pthread_kill(t, SIGUSR2);
		usleep(50);
	}
	return pthread_join(t, NULL);
}
void ask_owner(void) {
	while (__atomic_load_n(&owner, __ATOMIC_SEQ_CST) != SLEPT) {
		struct timespec t;
		pthread_mutex_lock(&asks);
		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_sec += (t.tv_nsec += 1000000) / 1000000000;
		t.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&answer, &asks, &t);
		pthread_mutex_unlock(&asks);
		__atomic_fetch_add(&asked, 1, __ATOMIC_SEQ_CST);
	}
}

/* ---- what only the kernel can wait for, and what nobody sees */

static int set;
int make_set(void) { return set = semget(IPC_PRIVATE, 1, 0600); }
int set_down(void) {
	struct sembuf b = {0, -1, 0};
	return semop(set, &b, 1);
}
int set_up(void) {
	struct sembuf b = {0, 1, 0};
	return semop(set, &b, 1);
}
int drop_set(void) { return semctl(set, 0, IPC_RMID); }

/* Computes until Go has released so many, or for 20 s: then 1. */
static int computing, released;
int compute(int until) {
	struct timespec begin, now;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	__atomic_store_n(&computing, until, __ATOMIC_SEQ_CST);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec > begin.tv_sec + 20)
			return 1;
	} while (__atomic_load_n(&released, __ATOMIC_SEQ_CST) < until);
	return 0;
}
int is_computing(void) { return __atomic_load_n(&computing, __ATOMIC_SEQ_CST); }
void release(int n) {
	int so_far = __atomic_load_n(&released, __ATOMIC_SEQ_CST);
	while (so_far < n && !__atomic_compare_exchange_n(&released, &so_far, n, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
}

/* ---- a stack that C has made itself */

struct own_stack {
	ucontext_t back, own;
	uintptr_t h;
	int fd, got;
	char stack[64 << 10];
};
static void on_own_stack(unsigned high, unsigned low) {
	struct own_stack *o = (struct own_stack *)((uintptr_t)high << 32 | low);
	char c = 0;
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&m);
	o->got = read(o->fd, &c, 1) == 1 ? c : -1;
	usleep(1000);
	pthread_mutex_unlock(&m);
	o->got += goCallback(o->h, 1);
}
int read_on_own_stack(int fd, uintptr_t h) {
	struct own_stack *o = calloc(1, sizeof *o);
	int got;
	if (!o || getcontext(&o->own) != 0)
		return -1;
	o->fd = fd;
	o->h = h;
	o->own.uc_stack.ss_sp = o->stack;
	o->own.uc_stack.ss_size = sizeof o->stack;
	o->own.uc_link = &o->back;
	makecontext(&o->own, (void (*)(void))on_own_stack, 2, (unsigned)((uintptr_t)o >> 32), (unsigned)(uintptr_t)o);
	if (swapcontext(&o->back, &o->own) != 0)
		return -1;
	got = o->got;
	free(o);
	return got;
}

/* ---- C whose reads never have to wait, and a call that has begun on the same worker */

static int enough_read;
int read_until_told(void) {
	struct timespec begin, now;
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	char c;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec > begin.tv_sec + 20 || read(fd, &c, 1) != 1)
			return 1;
	} while (!__atomic_load_n(&enough_read, __ATOMIC_SEQ_CST));
	return close(fd);
}
int wait_and_tell(int fd) {
	char c;
	if (read(fd, &c, 1) != 1)
		return 1;
	__atomic_store_n(&enough_read, 1, __ATOMIC_SEQ_CST);
	return 0;
}
