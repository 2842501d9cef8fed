//go:build cgo && linux && !android && (amd64 || arm64)

/* Each function of libc that waits. The tests of seam weld use this file too. */
#define _GNU_SOURCE
#include <aio.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include "table.h"

/* A wait is longer than Go lets a goroutine run before it sends a signal. */
enum { WAIT = 40, LONG = 100000 };

static struct timespec after(clockid_t clock, int ms) {
	struct timespec t;
	clock_gettime(clock, &t);
	t.tv_sec += ms / 1000;
	t.tv_nsec += ms % 1000 * 1000000L;
	if (t.tv_nsec >= 1000000000)
		t.tv_sec++, t.tv_nsec -= 1000000000;
	return t;
}

static void rest(int ms) {
	struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
	while (nanosleep(&t, &t) != 0)
		;
}

/* ---- a thread of C's that ends the wait */

static void (*ends_it)(void);
static pthread_t helper;
static int over; /* the wait is, for helpers that go on until it is */

static void *helps(void *unused) {
	rest(WAIT);
	ends_it();
	return unused;
}

static void later(void (*f)(void)) {
	ends_it = f;
	__atomic_store_n(&over, 0, __ATOMIC_SEQ_CST);
	pthread_create(&helper, NULL, helps, NULL);
}

static void nothing(void) {}

static long helped(long result) {
	int e = errno;
	__atomic_store_n(&over, 1, __ATOMIC_SEQ_CST);
	pthread_join(helper, NULL);
	errno = e;
	return result;
}

/* ---- descriptors */

static int a, b;
static char byte[8];
static struct iovec part = {byte, 1};
static struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
static char big[1 << 20];
static struct iovec all = {big, sizeof big};
static struct msghdr much = {.msg_iov = &all, .msg_iovlen = 1};

static void two(int fds[2]) { a = fds[0], b = fds[1]; }
static void pipes(void) {
	int fds[2];
	if (pipe(fds) == 0)
		two(fds);
}
static void pairs(void) {
	int fds[2];
	struct timeval t = {LONG / 1000, 0};
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0)
		two(fds);
	setsockopt(a, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
}
static void put(void) {
	if (write(b, "x", 1) != 1)
		abort();
}
static void drain(void) {
	size_t got = 0;
	ssize_t n;
	static char to[1 << 16];
	while (got < sizeof big && (n = read(a, to, sizeof to)) > 0)
		got += (size_t)n;
}
static long closed(long r) {
	int e = errno;
	close(a);
	close(b);
	errno = e;
	return r;
}

#define READS(name, open, call) static long ends_##name(void) { open(); later(put); return closed(helped(call)); }
#define WRITES(name, open, call) static long ends_##name(void) { open(); later(drain); return closed(helped(call)); }
#define TIMES_OUT(name, call) static long late_##name(void) { \
	struct timeval t = {0, WAIT * 1000}; pairs(); setsockopt(a, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t); return closed(call); }
READS(read, pipes, read(a, byte, 1))
READS(readv, pipes, readv(a, &part, 1))
READS(recv, pairs, recv(a, byte, 1, 0))
READS(recvfrom, pairs, recvfrom(a, byte, 1, 0, NULL, NULL))
READS(recvmsg, pairs, recvmsg(a, &message, 0))
WRITES(write, pipes, write(b, big, sizeof big))
WRITES(writev, pipes, writev(b, &all, 1))
WRITES(send, pairs, send(b, big, sizeof big, 0))
WRITES(sendto, pairs, sendto(b, big, sizeof big, 0, NULL, 0))
WRITES(sendmsg, pairs, sendmsg(b, &much, 0))
TIMES_OUT(read, read(a, byte, 1))
TIMES_OUT(readv, readv(a, &part, 1))
TIMES_OUT(recv, recv(a, byte, 1, 0))
TIMES_OUT(recvfrom, recvfrom(a, byte, 1, 0, NULL, NULL))
TIMES_OUT(recvmsg, recvmsg(a, &message, 0))

static struct sockaddr_un address;
static socklen_t address_len;
static void listens(void) {
	struct sockaddr_un any = {.sun_family = AF_UNIX};
	a = socket(AF_UNIX, SOCK_STREAM, 0);
	bind(a, (struct sockaddr *)&any, sizeof(sa_family_t)); /* the kernel names it */
	listen(a, 0);
	address_len = sizeof address;
	getsockname(a, (struct sockaddr *)&address, &address_len);
	b = socket(AF_UNIX, SOCK_STREAM, 0);
}
static void joins(void) { connect(b, (struct sockaddr *)&address, address_len); }
static void takes(void) { close(accept(a, NULL, NULL)); }
static long ends_accept(void) { int fd; listens(); later(joins); fd = (int)helped(accept(a, NULL, NULL)); close(fd); return closed(fd >= 0); }
static long ends_accept4(void) { int fd; listens(); later(joins); fd = (int)helped(accept4(a, NULL, NULL, SOCK_CLOEXEC)); close(fd); return closed(fd >= 0); }
static long ends_connect(void) {
	int fd;
	long r;
	listens();
	joins(); /* which fills the queue */
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	later(takes);
	r = helped(connect(fd, (struct sockaddr *)&address, address_len));
	close(fd);
	return closed(r);
}

static struct pollfd asks(void) { return (struct pollfd){.fd = a, .events = POLLIN}; }
static const struct timespec some = {0, WAIT * 1000000};
static sigset_t none;
#define POLLS(name, ms, timeout, call) \
	static long name(void) { \
		struct pollfd p; struct epoll_event e = {.events = EPOLLIN}; struct timeval tv = {ms / 1000, ms % 1000 * 1000}; \
		struct timespec t = {ms / 1000, ms % 1000 * 1000000L}; fd_set set; int ep; long r; (void)t, (void)tv; \
		pipes(); p = asks(); ep = epoll_create1(0); epoll_ctl(ep, EPOLL_CTL_ADD, a, &e); FD_ZERO(&set); FD_SET(a, &set); \
		if (!timeout) later(put); \
		r = call; \
		if (!timeout) helped(r); \
		r = r * 100 + p.revents * 10 + (FD_ISSET(a, &set) != 0); \
		close(ep); \
		return closed(r); \
	}
#define POLL(name, call) POLLS(ends_##name, LONG, 0, call) POLLS(late_##name, WAIT, 1, call)
static int timeout_ms(const struct timeval *t) { return (int)(t->tv_sec * 1000 + t->tv_usec / 1000); }
POLL(poll, poll(&p, 1, timeout_ms(&tv)))
POLL(ppoll, ppoll(&p, 1, &t, &none))
POLL(select, select(a + 1, &set, NULL, NULL, &tv))
POLL(pselect, pselect(a + 1, &set, NULL, NULL, &t, &none))
POLL(epoll_wait, epoll_wait(ep, &e, 1, timeout_ms(&tv)))
POLL(epoll_pwait, epoll_pwait(ep, &e, 1, timeout_ms(&tv), &none))
POLL(epoll_pwait2, (int)syscall(441, ep, &e, 1, &t, NULL, 0))

static long late_nanosleep(void) { return nanosleep(&some, NULL); }
static long late_clock_nanosleep(void) { struct timespec t = after(CLOCK_MONOTONIC, WAIT); return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL); }
static long late_usleep(void) { return usleep(WAIT * 1000); }
static long late_sleep(void) { return sleep(1); }
static long late_thrd_sleep(void) { return thrd_sleep(&some, NULL); }

/* ---- locks: a thread has one until the wait is over, or for a time */

static pthread_mutex_t mutex;
static pthread_rwlock_t rwlock;
static pthread_spinlock_t spin;
static sem_t semaphore, taken;
static pthread_cond_t cond;
static pthread_barrier_t barrier;
static mtx_t mtx;
static cnd_t cnd;
static int for_good;

static void *holds(void *unused) {
	pthread_mutex_lock(&mutex);
	mtx_lock(&mtx);
	pthread_rwlock_wrlock(&rwlock);
	pthread_spin_lock(&spin);
	flockfile(stdin);
	sem_post(&taken);
	if (for_good)
		while (!__atomic_load_n(&over, __ATOMIC_SEQ_CST))
			rest(1);
	else
		rest(WAIT);
	funlockfile(stdin);
	pthread_spin_unlock(&spin);
	pthread_rwlock_unlock(&rwlock);
	mtx_unlock(&mtx);
	pthread_mutex_unlock(&mutex);
	sem_post(&semaphore);
	return unused;
}
static void held(int good) {
	pthread_mutexattr_t kind;
	pthread_mutexattr_init(&kind);
	pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&mutex, &kind);
	pthread_rwlock_init(&rwlock, NULL);
	pthread_spin_init(&spin, 0);
	mtx_init(&mtx, mtx_timed);
	sem_init(&semaphore, 0, 0);
	sem_init(&taken, 0, 0);
	for_good = good;
	__atomic_store_n(&over, 0, __ATOMIC_SEQ_CST);
	pthread_create(&helper, NULL, holds, NULL);
	while (sem_trywait(&taken) != 0)
		rest(1);
}
#define REAL(ms) &(struct timespec[]){after(CLOCK_REALTIME, ms)}[0]
#define STEADY(ms) &(struct timespec[]){after(CLOCK_MONOTONIC, ms)}[0]
#define LOCKED(name, call, unlock) static long ends_##name(void) { long r; held(0); r = call; unlock; return helped(r); }
#define LOCK(name, by, unlock) \
	static long ends_##name(void) { int ms = LONG; long r; held(0); r = by; unlock; return helped(r); } \
	static long late_##name(void) { int ms = WAIT; held(1); return helped(by); }
LOCKED(pthread_mutex_lock, pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex))
LOCK(pthread_mutex_timedlock, pthread_mutex_timedlock(&mutex, REAL(ms)), pthread_mutex_unlock(&mutex))
LOCK(pthread_mutex_clocklock, pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, STEADY(ms)), pthread_mutex_unlock(&mutex))
LOCKED(pthread_rwlock_rdlock, pthread_rwlock_rdlock(&rwlock), pthread_rwlock_unlock(&rwlock))
LOCKED(pthread_rwlock_wrlock, pthread_rwlock_wrlock(&rwlock), pthread_rwlock_unlock(&rwlock))
LOCK(pthread_rwlock_timedrdlock, pthread_rwlock_timedrdlock(&rwlock, REAL(ms)), pthread_rwlock_unlock(&rwlock))
LOCK(pthread_rwlock_timedwrlock, pthread_rwlock_timedwrlock(&rwlock, REAL(ms)), pthread_rwlock_unlock(&rwlock))
LOCK(pthread_rwlock_clockrdlock, pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, STEADY(ms)), pthread_rwlock_unlock(&rwlock))
LOCK(pthread_rwlock_clockwrlock, pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, STEADY(ms)), pthread_rwlock_unlock(&rwlock))
LOCKED(pthread_spin_lock, pthread_spin_lock(&spin), pthread_spin_unlock(&spin))
LOCKED(sem_wait, sem_wait(&semaphore), )
LOCK(sem_timedwait, sem_timedwait(&semaphore, REAL(ms)), )
LOCK(sem_clockwait, sem_clockwait(&semaphore, CLOCK_MONOTONIC, STEADY(ms)), )
LOCKED(flockfile, (flockfile(stdin), 0), funlockfile(stdin))
LOCKED(mtx_lock, mtx_lock(&mtx), mtx_unlock(&mtx))
LOCK(mtx_timedlock, mtx_timedlock(&mtx, REAL(ms)), mtx_unlock(&mtx))
LOCKED(pthread_join, pthread_join(helper, NULL), later(nothing))
LOCK(pthread_timedjoin_np, pthread_timedjoin_np(helper, NULL, REAL(ms)), later(nothing))
LOCK(pthread_clockjoin_np, pthread_clockjoin_np(helper, NULL, CLOCK_MONOTONIC, STEADY(ms)), later(nothing))

static int short_thread(void *unused) { (void)unused; rest(WAIT); return 7; }
static long ends_thrd_join(void) { thrd_t t; int r = 0; thrd_create(&t, short_thread, NULL); return thrd_join(t, &r) * 100 + r; }

static void signals(void) {
	while (!__atomic_load_n(&over, __ATOMIC_SEQ_CST)) { /* its wait may not have begun */
		pthread_mutex_lock(&mutex);
		pthread_cond_signal(&cond);
		pthread_mutex_unlock(&mutex);
		mtx_lock(&mtx);
		cnd_signal(&cnd);
		mtx_unlock(&mtx);
		rest(1);
	}
}
static void conditions(void) {
	pthread_mutex_init(&mutex, NULL);
	pthread_cond_init(&cond, NULL);
	mtx_init(&mtx, mtx_plain);
	cnd_init(&cnd);
}
#define CONDITION(name, by) static long ends_##name(void) { \
	int ms = LONG; long r; (void)ms; conditions(); pthread_mutex_lock(&mutex); later(signals); r = by; pthread_mutex_unlock(&mutex); return helped(r); }
#define LATE_CONDITION(name, by) static long late_##name(void) { \
	int ms = WAIT; long r; conditions(); pthread_mutex_lock(&mutex); r = by; pthread_mutex_unlock(&mutex); return r; }
CONDITION(pthread_cond_wait, pthread_cond_wait(&cond, &mutex))
CONDITION(pthread_cond_timedwait, pthread_cond_timedwait(&cond, &mutex, REAL(ms)))
CONDITION(pthread_cond_clockwait, pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, STEADY(ms)))
LATE_CONDITION(pthread_cond_timedwait, pthread_cond_timedwait(&cond, &mutex, REAL(ms)))
LATE_CONDITION(pthread_cond_clockwait, pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, STEADY(ms)))
static long ends_cnd_wait(void) { long r; conditions(); mtx_lock(&mtx); later(signals); r = cnd_wait(&cnd, &mtx); mtx_unlock(&mtx); return helped(r); }
static long ends_cnd_timedwait(void) { long r; conditions(); mtx_lock(&mtx); later(signals); r = cnd_timedwait(&cnd, &mtx, REAL(LONG)); mtx_unlock(&mtx); return helped(r); }
static long late_cnd_timedwait(void) { long r; conditions(); mtx_lock(&mtx); r = cnd_timedwait(&cnd, &mtx, REAL(WAIT)); mtx_unlock(&mtx); return r; }

static void meets(void) { pthread_barrier_wait(&barrier); }
static long ends_pthread_barrier_wait(void) { long r; pthread_barrier_init(&barrier, NULL, 2); later(meets); r = pthread_barrier_wait(&barrier); helped(r); pthread_barrier_destroy(&barrier); return r == 0 || r == PTHREAD_BARRIER_SERIAL_THREAD; }

static int made;
static void makes(void) { rest(WAIT); made++; }
static pthread_once_t *once;
static void does_once(void) { pthread_once(once, makes); }
static long ends_pthread_once(void) { pthread_once_t o = PTHREAD_ONCE_INIT; made = 0; once = &o; later(does_once); rest(WAIT + 5); pthread_once(&o, makes); return helped(made); }
static long ends_call_once(void) { once_flag o = ONCE_FLAG_INIT; made = 0; call_once(&o, makes); call_once(&o, makes); return made; }

/* ---- signals */

static int handled;
static void handles(int s) { (void)s; __atomic_fetch_add(&handled, 1, __ATOMIC_SEQ_CST); }
static void to_all(void) { /* again, since its wait may not have begun */
	while (!__atomic_load_n(&over, __ATOMIC_SEQ_CST)) {
		DIR *d = opendir("/proc/self/task");
		struct dirent *e;
		while (d && (e = readdir(d)))
			if (atoi(e->d_name) > 0 && atoi(e->d_name) != (int)syscall(SYS_gettid))
				syscall(SYS_tgkill, getpid(), atoi(e->d_name), SIGUSR1);
		closedir(d);
		rest(5);
	}
}
static void handler(void) {
	struct sigaction h = {.sa_handler = handles, .sa_flags = SA_RESTART | SA_ONSTACK};
	sigaction(SIGUSR1, &h, NULL);
}
static long ends_pause(void) { handler(); later(to_all); return helped(pause()); }
static long ends_sigsuspend(void) { sigset_t m; sigemptyset(&m); handler(); later(to_all); return helped(sigsuspend(&m)); }

static pthread_t waiter;
static void one_signal(void) { pthread_kill(waiter, SIGUSR2); }
static sigset_t blocks(void) {
	sigset_t s;
	sigemptyset(&s);
	sigaddset(&s, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &s, NULL);
	waiter = pthread_self();
	return s;
}
static long unblocked(long r) {
	sigset_t s;
	int e = errno;
	sigemptyset(&s);
	sigaddset(&s, SIGUSR2);
	pthread_sigmask(SIG_UNBLOCK, &s, NULL);
	errno = e;
	return r;
}
static long ends_sigtimedwait(void) { sigset_t s = blocks(); struct timespec t = {LONG / 1000, 0}; later(one_signal); return unblocked(helped(sigtimedwait(&s, NULL, &t))); }
static long late_sigtimedwait(void) { sigset_t s = blocks(); return unblocked(sigtimedwait(&s, NULL, &some)); }
static long ends_sigwaitinfo(void) { sigset_t s = blocks(); siginfo_t i; long r; later(one_signal); r = unblocked(helped(sigwaitinfo(&s, &i))); return r * 100 + i.si_signo; }
static long ends_sigwait(void) { sigset_t s = blocks(); int got = 0; later(one_signal); return unblocked(helped(sigwait(&s, &got))) * 100 + got; }

/* ---- the kernel's */

static long late_sched_yield(void) { return sched_yield(); }
static long late_thrd_yield(void) { thrd_yield(); return 0; }
static pid_t child(void) {
	pid_t p = fork();
	if (p == 0) {
		poll(NULL, 0, WAIT);
		_exit(7);
	}
	return p;
}
static long ends_wait4(void) { int s = 0; pid_t p = child(); return (wait4(p, &s, 0, NULL) == p) * 100 + WEXITSTATUS(s); }
static long ends_waitid(void) { siginfo_t i = {0}; pid_t p = child(); return waitid(P_PID, (id_t)p, &i, WEXITED) * 1000 + (i.si_pid == p) * 100 + i.si_status; }
static long ends_wait(void) { int s = 0; pid_t p = child(); return (wait(&s) == p) * 100 + WEXITSTATUS(s); }
static long ends_wait3(void) { int s = 0; pid_t p = child(); return (wait3(&s, 0, NULL) == p) * 100 + WEXITSTATUS(s); }
static long ends_waitpid(void) { int s = 0; pid_t p = child(); return (waitpid(p, &s, 0) == p) * 100 + WEXITSTATUS(s); }
static long late_wait4(void) { return wait4(-1, NULL, 0, NULL); } /* ECHILD */
static long ends_system(void) { return WEXITSTATUS(system("sleep 0.05; exit 7")); }
static long ends_pclose(void) { FILE *f = popen("sleep 0.05; exit 7", "r"); return f ? WEXITSTATUS(pclose(f)) : -1; }

static void unlocks(void) { flock(b, LOCK_UN); }
static void open_two(void) {
	char name[] = "/tmp/seam-table-XXXXXX";
	a = mkstemp(name);
	b = open(name, O_RDWR);
	unlink(name);
}
static long ends_flock(void) { open_two(); flock(b, LOCK_EX); later(unlocks); return closed(helped(flock(a, LOCK_EX))); }
static long late_flock(void) { long r; open_two(); flock(b, LOCK_EX); r = flock(a, LOCK_EX | LOCK_NB); return closed(r); }

static struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
static void opens_lock(void) { struct flock un = {.l_type = F_UNLCK, .l_whence = SEEK_SET}; fcntl(b, F_OFD_SETLK, &un); }
static void locked_file(void) { open_two(); fcntl(b, F_OFD_SETLK, &whole); later(opens_lock); }
static long ends_fcntl(void) { locked_file(); return closed(helped(fcntl(a, F_OFD_SETLKW, &whole))); }
static long ends_fcntl64(void) { locked_file(); return closed(helped(fcntl64(a, F_SETLKW, &whole))); }
static long ends_lockf(void) { locked_file(); return closed(helped(lockf(a, F_LOCK, 0))); }
static long ends_lockf64(void) { locked_file(); return closed(helped(lockf64(a, F_LOCK, 0))); }
static long late_lockf(void) { long r; open_two(); fcntl(b, F_OFD_SETLK, &whole); r = lockf(a, F_TLOCK, 0); return closed(r); }

static int set, queue;
static void raises(void) { struct sembuf up = {0, 1, 0}; semop(set, &up, 1); }
#define SETS(name, by, wakes) static long name(void) { \
	struct sembuf down = {0, -1, 0}; long r; int e; set = semget(IPC_PRIVATE, 1, 0600); \
	if (wakes) later(raises); \
	r = by; if (wakes) helped(r); e = errno; semctl(set, 0, IPC_RMID); errno = e; return r; }
SETS(ends_semop, semop(set, &down, 1), 1)
SETS(ends_semtimedop, semtimedop(set, &down, 1, &(struct timespec){LONG / 1000, 0}), 1)
SETS(late_semtimedop, semtimedop(set, &down, 1, &some), 0)

static struct { long type; char text[1024]; } mail = {1, "x"};
static void sends_mail(void) { msgsnd(queue, &mail, sizeof mail.text, 0); }
static void takes_mail(void) { if (msgrcv(queue, &mail, sizeof mail.text, 0, 0) < 0) abort(); }
#define QUEUES(name, fill, f, by) static long name(void) { \
	long r; int e; queue = msgget(IPC_PRIVATE, 0600); while (fill && msgsnd(queue, &mail, sizeof mail.text, IPC_NOWAIT) == 0) ; \
	later(f); r = helped(by); e = errno; msgctl(queue, IPC_RMID, NULL); errno = e; return r; }
QUEUES(ends_msgrcv, 0, sends_mail, msgrcv(queue, &mail, sizeof mail.text, 0, 0))
QUEUES(ends_msgsnd, 1, takes_mail, msgsnd(queue, &mail, sizeof mail.text, 0))

static mqd_t mq;
static void opens_mq(int full) {
	struct mq_attr how = {.mq_maxmsg = 1, .mq_msgsize = 8};
	char name[64];
	snprintf(name, sizeof name, "/seam-table-%d", (int)getpid());
	mq = mq_open(name, O_CREAT | O_RDWR, 0600, &how);
	mq_unlink(name);
	if (full)
		mq_send(mq, "x", 1, 0);
}
static long closed_mq(long r) { int e = errno; mq_close(mq); errno = e; return r; }
static void sends_mq(void) { mq_send(mq, "x", 1, 0); }
static void takes_mq(void) { char m[8]; mq_receive(mq, m, sizeof m, NULL); }
static long ends_mq_send(void) { opens_mq(1); later(takes_mq); return closed_mq(helped(mq_send(mq, "y", 1, 0))); }
static long ends_mq_receive(void) { char m[8]; opens_mq(0); later(sends_mq); return closed_mq(helped(mq_receive(mq, m, sizeof m, NULL))); }
static long ends_mq_timedsend(void) { opens_mq(1); later(takes_mq); return closed_mq(helped(mq_timedsend(mq, "y", 1, 0, REAL(LONG)))); }
static long ends_mq_timedreceive(void) { char m[8]; opens_mq(0); later(sends_mq); return closed_mq(helped(mq_timedreceive(mq, m, sizeof m, NULL, REAL(LONG)))); }
static long late_mq_timedsend(void) { opens_mq(1); return closed_mq(mq_timedsend(mq, "y", 1, 0, REAL(WAIT))); }
static long late_mq_timedreceive(void) { char m[8]; opens_mq(0); return closed_mq(mq_timedreceive(mq, m, sizeof m, NULL, REAL(WAIT))); }

static long ends_recvmmsg(void) { struct mmsghdr m = {.msg_hdr = message}; pairs(); later(put); return closed(helped(recvmmsg(a, &m, 1, 0, NULL))); }
static long ends_sendmmsg(void) { struct mmsghdr m = {.msg_hdr = much}; pairs(); later(drain); return closed(helped(sendmmsg(b, &m, 1, 0))); }
static long late_fsync(void) { long r; open_two(); r = fsync(a); return closed(r); }
static long late_fdatasync(void) { long r; open_two(); r = fdatasync(a); return closed(r); }
static long late_syncfs(void) { return syncfs(-1); } /* EBADF: the disk may take its time */
static int file;
static void source(void) { open_two(); file = a; if (ftruncate(file, 1 << 16) != 0) abort(); close(b); pipes(); fcntl(b, F_SETPIPE_SZ, 4096); while (fcntl(b, F_GETPIPE_SZ) > 4096 && 0) ; }
static void takes_all(void) { size_t got = 0; ssize_t n; char to[4096]; while (got < 1 << 16 && (n = read(a, to, sizeof to)) > 0) got += (size_t)n; }
#define COPIES(name, by) static long ends_##name(void) { ssize_t n; long sum = 0; off_t at = 0; (void)at; source(); later(takes_all); \
	while (sum < 1 << 16 && (n = by) > 0) \
		sum += n; \
	helped(sum); close(file); return closed(sum); }
COPIES(sendfile, sendfile(b, file, NULL, 1 << 16))
COPIES(sendfile64, sendfile64(b, file, NULL, 1 << 16))
COPIES(splice, splice(file, &at, b, NULL, 1 << 16, 0))
static long ends_vmsplice(void) {
	struct iovec left = all;
	ssize_t r = 0;
	pipes();
	later(drain);
	for (; left.iov_len > 0 && r >= 0; left.iov_len -= r < 0 ? 0 : (size_t)r)
		r = vmsplice(b, &left, 1, 0);
	return closed(helped((long)left.iov_len));
}
static long ends_tee(void) { int to[2]; long r; pipes(); if (pipe(to) != 0) return -1; later(put); r = helped(tee(a, to[1], 1, 0)); close(to[0]); close(to[1]); return closed(r); }
static long late_copy_file_range(void) { long r; open_two(); if (ftruncate(a, 100) != 0) return -1; int c = open("/tmp", O_TMPFILE | O_RDWR, 0600); off_t at = 0; r = copy_file_range(a, &at, c, NULL, 100, 0); close(c); return closed(r); }
static long late_tcdrain(void) { return tcdrain(-1); }

static long aio(const struct timespec *t, int wakes, int wide) {
	struct aiocb c = {0};
	const struct aiocb *list[1] = {&c};
	long r;
	pipes();
	c.aio_fildes = a, c.aio_buf = byte, c.aio_nbytes = 1, c.aio_sigevent.sigev_notify = SIGEV_NONE;
	if (aio_read(&c) != 0)
		return -2;
	if (wakes)
		later(put);
	r = wide ? aio_suspend64((const struct aiocb64 *const *)(const void *)list, 1, t) : aio_suspend(list, 1, t);
	int e = errno;
	if (wakes)
		helped(r);
	else
		put();
	while (aio_error(&c) == EINPROGRESS)
		rest(1);
	errno = e;
	return closed(r);
}
static long ends_aio_suspend(void) { return aio(NULL, 1, 0); }
static long late_aio_suspend(void) { return aio(&some, 0, 0); }
static long ends_aio_suspend64(void) { return aio(&(struct timespec){LONG / 1000, 0}, 1, 1); }

static int ask_kernel(void *context, long least, long n, void *events, struct timespec *t) { long r = syscall(SYS_io_getevents, context, least, n, events, t); return r < 0 ? -errno : (int)r; }
static long late_io_getevents(void) {
	int (*f)(void *, long, long, void *, struct timespec *) = dlsym(RTLD_DEFAULT, "io_getevents");
	struct io_event e;
	struct timespec t = some;
	aio_context_t c = 0;
	long r;
	if (syscall(SYS_io_setup, 1, &c) != 0)
		return -2;
	r = (f ? f : ask_kernel)((void *)c, 1, 1, &e, &t);
	syscall(SYS_io_destroy, c);
	return r;
}

static uint32_t word;
static void changes(void) { __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST); while (!__atomic_load_n(&over, __ATOMIC_SEQ_CST)) { syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0); rest(1); } }
static long ends_syscall(void) {
	long r = 0;
	word = 0;
	later(changes);
	while (__atomic_load_n(&word, __ATOMIC_SEQ_CST) == 0)
		r = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	helped(0);
	pipes();
	later(put);
	return closed(helped(syscall(SYS_read, a, byte, 1L))) * 10 + (r < 0 && errno != EAGAIN);
}
static long late_syscall(void) { uint32_t w = 0; return syscall(SYS_futex, &w, FUTEX_WAIT_PRIVATE, 0, &some, NULL, 0); }

/* ---- names */

static long family(const struct hostent *h) { return h ? h->h_addrtype * 100 + h->h_length : -h_errno; }
static const unsigned char loopback[4] = {127, 0, 0, 1};
static long late_gethostbyname(void) { return family(gethostbyname("127.0.0.1")); }
static long late_gethostbyname2(void) { return family(gethostbyname2("::1", AF_INET6)); }
static long late_gethostbyaddr(void) { return family(gethostbyaddr(loopback, 3, AF_INET)); } /* no address */
#define RE(name, ...) static long late_##name(void) { struct hostent h, *found = NULL; char buf[1024]; int e = 0; long r = name(__VA_ARGS__, &h, buf, sizeof buf, &found, &e); return r * 1000 + (found != NULL) * 100 + e; }
RE(gethostbyname_r, "127.0.0.1")
RE(gethostbyname2_r, "::1", AF_INET6)
RE(gethostbyaddr_r, loopback, 3, AF_INET)
static long late_getaddrinfo(void) { struct addrinfo *l = NULL, how = {.ai_flags = AI_NUMERICHOST}; int r = getaddrinfo("127.0.0.1", "80", &how, &l); if (l) freeaddrinfo(l); return r; }

static char fifo[64];
static void opens_fifo(void) {
	int fd = open(fifo, O_WRONLY);
	if (fd >= 0)
		close(fd);
}
static long opened(int fd) {
	long r = helped(fd >= 0 ? 0 : -1);
	if (fd >= 0)
		close(fd);
	unlink(fifo);
	return r;
}
static const char *a_fifo(void) {
	snprintf(fifo, sizeof fifo, "/tmp/seam-fifo-%d", (int)getpid());
	mkfifo(fifo, 0600);
	later(opens_fifo);
	return fifo;
}
static long ends_open(void) { return opened(open(a_fifo(), O_RDONLY)); }
static long late_open(void) { return open("/none/such", O_RDONLY); }
static long ends_open64(void) { return opened(open64(a_fifo(), O_RDONLY)); }
static long ends_openat(void) { return opened(openat(AT_FDCWD, a_fifo(), O_RDONLY)); }
static long ends_openat64(void) { return opened(openat64(AT_FDCWD, a_fifo(), O_RDONLY)); }

static long late_close(void) { return close(-1); }
static long late_dup2(void) { return dup2(-1, 100); }
static long late_dup3(void) { return dup3(0, 0, 0); }

/* Waits that end, and those that time out or return at once. */
#define CASES(BOTH, ENDS, LATE) \
	BOTH(read) BOTH(readv) BOTH(recv) BOTH(recvfrom) BOTH(recvmsg) ENDS(write) ENDS(writev) ENDS(send) ENDS(sendto) ENDS(sendmsg) \
	ENDS(connect) ENDS(accept) ENDS(accept4) BOTH(poll) BOTH(ppoll) BOTH(select) BOTH(pselect) BOTH(epoll_wait) BOTH(epoll_pwait) \
	BOTH(epoll_pwait2) LATE(nanosleep) LATE(clock_nanosleep) LATE(usleep) LATE(sleep) LATE(thrd_sleep) \
	ENDS(pthread_mutex_lock) BOTH(pthread_mutex_timedlock) BOTH(pthread_mutex_clocklock) ENDS(pthread_cond_wait) \
	BOTH(pthread_cond_timedwait) BOTH(pthread_cond_clockwait) ENDS(pthread_rwlock_rdlock) ENDS(pthread_rwlock_wrlock) \
	BOTH(pthread_rwlock_timedrdlock) BOTH(pthread_rwlock_timedwrlock) BOTH(pthread_rwlock_clockrdlock) BOTH(pthread_rwlock_clockwrlock) \
	ENDS(pthread_spin_lock) ENDS(pthread_once) ENDS(pthread_join) BOTH(pthread_timedjoin_np) BOTH(pthread_clockjoin_np) \
	ENDS(pthread_barrier_wait) ENDS(sem_wait) BOTH(sem_timedwait) BOTH(sem_clockwait) ENDS(flockfile) ENDS(mtx_lock) BOTH(mtx_timedlock) \
	ENDS(cnd_wait) BOTH(cnd_timedwait) ENDS(thrd_join) ENDS(call_once) BOTH(sigtimedwait) ENDS(sigwaitinfo) ENDS(sigwait) \
	LATE(sched_yield) BOTH(wait4) ENDS(waitid) BOTH(flock) BOTH(semtimedop) ENDS(msgsnd) ENDS(msgrcv) ENDS(recvmmsg) ENDS(sendmmsg) \
	BOTH(mq_timedsend) BOTH(mq_timedreceive) LATE(fsync) LATE(fdatasync) LATE(syncfs) ENDS(sendfile) ENDS(sendfile64) ENDS(splice) ENDS(tee) \
	LATE(copy_file_range) LATE(thrd_yield) ENDS(wait) ENDS(wait3) ENDS(waitpid) ENDS(semop) ENDS(mq_send) ENDS(mq_receive) \
	BOTH(aio_suspend) ENDS(aio_suspend64) LATE(io_getevents) ENDS(pause) BOTH(lockf) ENDS(lockf64) LATE(tcdrain) ENDS(system) ENDS(pclose) \
	LATE(gethostbyname) LATE(gethostbyname2) LATE(gethostbyaddr) LATE(gethostbyname_r) LATE(gethostbyname2_r) LATE(gethostbyaddr_r) \
	BOTH(open) ENDS(open64) ENDS(openat) ENDS(openat64) ENDS(vmsplice) ENDS(fcntl) ENDS(fcntl64) ENDS(sigsuspend) BOTH(syscall) LATE(getaddrinfo) LATE(close) LATE(dup2) LATE(dup3)
#define CASE_BOTH(name) {#name, ends_##name, late_##name},
#define CASE_ENDS(name) {#name, ends_##name, NULL},
#define CASE_LATE(name) {#name, NULL, late_##name},
static const struct { const char *name; long (*ends)(void), (*late)(void); } cases[] = {CASES(CASE_BOTH, CASE_ENDS, CASE_LATE) {NULL, NULL, NULL}};

const char *case_name(int i) { return cases[i].name; }
long case_ends(int i) { errno = 0; return cases[i].ends ? cases[i].ends() : 0; }
long case_times_out(int i) { errno = 0; return cases[i].late ? cases[i].late() : 0; }
