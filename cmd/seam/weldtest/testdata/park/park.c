#define _GNU_SOURCE
#include "park.h"
#include <alloca.h>
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* The signal by which Go stops a goroutine may end a sleep whose call is not parked, as with cgo. */
int sleep_ms(int ms) {
	int r;
	while ((r = usleep(ms * 1000)) != 0 && errno == EINTR)
		;
	return r;
}

int pipe_pass(int from, int to) {
	signed char c; /* on arm64 a char has no sign */
	if (read(from, &c, 1) != 1)
		return -1;
	c++;
	return write(to, &c, 1) == 1 ? c : -2;
}

int socket_echo(int fd, int n) {
	char buf[64];
	for (int i = 0; i < n; i++) {
		ssize_t got = recv(fd, buf, sizeof buf, 0);
		if (got <= 0 || send(fd, buf, got, 0) != got)
			return i;
	}
	return n;
}

long sum(int a, long b, char c, double d) {
	usleep(1000);
	return a + b + c + (long)d;
}

static pthread_mutex_t locks[3] = {PTHREAD_MUTEX_INITIALIZER};
static int holders[3];
static __attribute__((constructor)) void make_locks(void) {
	int kinds[3] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK};
	for (int i = 0; i < 3; i++) {
		pthread_mutexattr_t a;
		pthread_mutexattr_init(&a);
		pthread_mutexattr_settype(&a, kinds[i]);
		pthread_mutex_init(&locks[i], &a);
	}
}

/* Returns how many others were inside, which is 0, with an error negative. */
int lock_over_sleep(int kind, int ms) {
	int r = pthread_mutex_lock(&locks[kind]);
	if (r)
		return -r;
	if (kind == 1 && (r = pthread_mutex_lock(&locks[kind])) != 0)
		return -r;
	if (kind == 2 && (r = pthread_mutex_lock(&locks[kind])) != EDEADLK)
		return -1000 - r;
	int others = holders[kind]++;
	usleep(ms * 1000);
	holders[kind]--;
	if (kind == 1)
		pthread_mutex_unlock(&locks[kind]);
	r = pthread_mutex_unlock(&locks[kind]);
	return r ? -2000 - r : others;
}

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int generation, waits;
void waiter(void) {
	pthread_mutex_lock(&m);
	waits++;
	for (int g = generation; g == generation;)
		pthread_cond_wait(&c, &m);
	waits--;
	pthread_mutex_unlock(&m);
}
int waiting(void) {
	pthread_mutex_lock(&m);
	int n = waits;
	pthread_mutex_unlock(&m);
	return n;
}
void wake_all(void) {
	pthread_mutex_lock(&m);
	generation++;
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
}

static sem_t s;
static __attribute__((constructor)) void make_semaphore(void) { sem_init(&s, 0, 0); }
void sem_down(void) {
	while (sem_wait(&s) != 0)
		;
}
void sem_up(void) { sem_post(&s); }

int timed(int ms) {
	static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER;
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += ms * 1000000L;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	int r;
	pthread_mutex_lock(&mine);
	while ((r = pthread_cond_timedwait(&never, &mine, &t)) == 0)
		;
	pthread_mutex_unlock(&mine);
	return r == ETIMEDOUT;
}

static void *sleeper(void *ms) {
	usleep((intptr_t)ms * 1000);
	return ms;
}
int thread_joined(int ms) {
	pthread_t t;
	void *r;
	if (pthread_create(&t, NULL, sleeper, (void *)(intptr_t)ms) != 0 || pthread_join(t, &r) != 0)
		return -1;
	return (intptr_t)r;
}

extern int goCallback(uintptr_t h, int i);
int call_back(uintptr_t h, int n, int ms) {
	int total = 0;
	for (int i = 0; i < n; i++) {
		total += goCallback(h, i);
		if (ms)
			usleep(ms * 1000);
	}
	return total;
}

__attribute__((noinline)) int deep(int kib) {
	volatile char frame[1024];
	memset((char *)frame, kib, sizeof frame);
	usleep(1);
	int below = kib <= 0 ? 0 : deep(kib - 1);
	return below + (frame[7] != (char)kib);
}

/* A wait that nobody can see: libc isn't asked. */
__attribute__((noinline)) static long ask_kernel(long number, void *a, long b, long c, void *d) {
#if defined(__x86_64__)
	long r;
	register void *fourth __asm__("r10") = d;
	__asm__ volatile("syscall" : "=a"(r) : "0"(number), "D"(a), "S"(b), "d"(c), "r"(fourth) : "rcx", "r11", "memory");
	return r;
#else
	register long n __asm__("x8") = number;
	register void *x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register void *x3 __asm__("x3") = d;
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(n), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return (long)x0;
#endif
}
int raw_futex(int ms) {
	int word = 0;
	struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
	ask_kernel(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &t);
	return ms;
}

int set_errno(int e, int ms) {
	errno = e;
	usleep(ms * 1000);
	return errno == e ? 0 : -1;
}

int same_thread(int ms) {
	pid_t before = gettid();
	pthread_t self = pthread_self();
	usleep(ms * 1000);
	return before == gettid() && self == pthread_self();
}

int sleep_and_tell(void) {
	usleep(1000);
	return gettid();
}

int many_fds(int a, int b, int ms) {
	struct pollfd p[2] = {{a, POLLIN, 0}, {b, POLLIN, 0}};
	int n = poll(p, 2, ms);
	return n <= 0 ? n : (p[0].revents ? 1 : 0) | (p[1].revents ? 2 : 0);
}

/* The same with the threads of C11. */
static once_flag c11_once = ONCE_FLAG_INIT;
static mtx_t c11_mutex, c11_recursive;
static cnd_t c11_cond;
static int c11_generation, c11_waits, c11_holders;
static void c11_make(void) {
	mtx_init(&c11_mutex, mtx_plain);
	mtx_init(&c11_recursive, mtx_timed | mtx_recursive);
	cnd_init(&c11_cond);
}
void c11_waiter(void) {
	call_once(&c11_once, c11_make);
	mtx_lock(&c11_mutex);
	c11_waits++;
	for (int g = c11_generation; g == c11_generation;)
		cnd_wait(&c11_cond, &c11_mutex);
	c11_waits--;
	mtx_unlock(&c11_mutex);
}
int c11_waiting(void) {
	call_once(&c11_once, c11_make);
	mtx_lock(&c11_mutex);
	int n = c11_waits;
	mtx_unlock(&c11_mutex);
	return n;
}
void c11_wake(int all) {
	mtx_lock(&c11_mutex);
	c11_generation++;
	if (all)
		cnd_broadcast(&c11_cond);
	else
		cnd_signal(&c11_cond);
	mtx_unlock(&c11_mutex);
}
/* Returns how many others held the lock, which is 0. */
int c11_lock_over_sleep(int ms) {
	call_once(&c11_once, c11_make);
	struct timespec far = {.tv_sec = time(NULL) + 60};
	if (mtx_timedlock(&c11_recursive, &far) != thrd_success || mtx_trylock(&c11_recursive) != thrd_success)
		return -1;
	int others = c11_holders++;
	usleep(ms * 1000);
	c11_holders--;
	if (mtx_unlock(&c11_recursive) != thrd_success || mtx_unlock(&c11_recursive) != thrd_success)
		return -2;
	return others;
}
int c11_timed(int ms) {
	struct timespec t;
	call_once(&c11_once, c11_make);
	timespec_get(&t, TIME_UTC);
	t.tv_nsec += ms * 1000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	mtx_lock(&c11_mutex);
	int r = thrd_success;
	while (r == thrd_success)
		r = cnd_timedwait(&c11_cond, &c11_mutex, &t);
	mtx_unlock(&c11_mutex);
	return r == thrd_timedout;
}
static int c11_sleeps(void *ms) {
	usleep(*(int *)ms * 1000);
	return *(int *)ms;
}
int c11_joined(int ms) {
	thrd_t t;
	int result = 0;
	if (thrd_create(&t, c11_sleeps, &ms) != thrd_success || thrd_join(t, &result) != thrd_success)
		return -1;
	return result;
}

/* Who has the file's lock writes three numbers, and waits in between. */
static FILE *shared;
int shared_open(const char *path) { return (shared = fopen(path, "w")) != NULL; }
int shared_close(void) { return fclose(shared); }
int shared_write(int n, int ms) {
	int r = 0;
	flockfile(shared);
	for (int i = 0; i < 3; i++) {
		r |= fprintf(shared, "%d\n", n) < 0;
		usleep(ms * 1000);
	}
	funlockfile(shared);
	return r;
}

/* ---- where C is */

/* The size of the stack that C is told it runs on; negative if it runs elsewhere. */
int stack_kb(void) {
	pthread_attr_t a;
	void *low;
	size_t size;
	char here;
	if (pthread_getattr_np(pthread_self(), &a) != 0)
		return -1;
	pthread_attr_getstack(&a, &low, &size);
	pthread_attr_destroy(&a);
	return &here >= (char *)low && &here < (char *)low + size ? (int)(size >> 10) : -2;
}
int stack_kb_again(void) { return stack_kb(); }
