/* seam/ring.h: the C side of package ring. C11 and C++17, header-only, Linux.
 *
 * Rings of records in memory that two processes share. One of them makes the rings
 * (seam_ring_serve, ring.Serve in Go, Conn.serve in Python), the other one connects:
 *
 *     seam_ring_conn c;
 *     if (seam_ring_connect(&c, sock, NULL) != SEAM_RING_OK)    // sock: a connected Unix socket
 *         die(c.error);
 *     const void *rec; size_t n;
 *     int err = SEAM_RING_OK;
 *     while (err == SEAM_RING_OK && (err = seam_ring_next(&c.reader, &rec, &n, -1)) == SEAM_RING_OK)
 *         err = seam_ring_send(&c.writer, rec, n, -1);
 *     if (err == SEAM_RING_END)
 *         seam_ring_conn_close(&c);  // the peer reads the rest, and then SEAM_RING_END
 *     else
 *         seam_ring_conn_abort(&c);  // the peer gets SEAM_RING_EGONE, as if this process had died
 *
 * Two threads of one process can share a ring too: seam_ring_local.
 *
 * The rules:
 *
 *   - Each end belongs to one thread at a time. seam_ring_conn_stop ends the waits of both from
 *     any thread.
 *   - What seam_ring_next returns may be used until the next call for that reader. Code that
 *     doesn't trust the writer copies it first: the writer can change it at any time.
 *   - What is committed is seen after seam_ring_flush, or when the writer has to wait.
 *   - That the other process has ended is seen by the side that waits, and by seam_ring_flush and
 *     seam_ring_send, which look at the socket every 10 ms at most.
 *   - Records begin at multiples of SEAM_RING_ALIGN bytes, in the ring and where Go and Python copy
 *     them for a reader that doesn't trust the writer, and at no larger power of two that can be
 *     relied on. What wants more (alignas(16), vectors, long double) is copied out with memcpy. In
 *     C++ seam::ring_record and seam::ring_room give a record its type, and don't compile for such.
 *   - A stream has ended where its writer said so: by seam_ring_end_of_records or
 *     seam_ring_conn_close. Whatever else ends a process or a connection is SEAM_RING_EGONE to
 *     the peer, also a seam_ring_conn_close while a C++ exception unwinds the stack.
 *   - A connection belongs to the process that set it up. In a forked child seam_ring_conn_close
 *     frees the copy and tells the peer nothing, as seam_ring_conn_abandon does; the ends return
 *     SEAM_RING_EFORKED there, unless the parent has ended, as a daemon's does, or
 *     seam_ring_conn_adopt was called. The socket is closed in programs that are executed, but
 *     not in a child that is only forked: let that call seam_ring_conn_abandon, or the peer
 *     can't see this process end.
 *
 * Timeouts are in milliseconds; -1 waits for ever and 0 not at all. Waiting spins for some
 * microseconds (between processes as long as waits have taken lately, at most 50), then sleeps
 * in poll or futex. Every index and length of the peer is read
 * once, and checked before it is used.
 */
#ifndef SEAM_RING_H
#define SEAM_RING_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/types.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__GLIBC__) && !defined(__USE_MISC)
#error "include seam/ring.h before the system's headers, or compile with -D_GNU_SOURCE"
#endif

#ifdef __cplusplus
#include <type_traits>
#ifdef __cpp_exceptions
#include <exception>
#endif
#endif

/* Before glibc 2.34 it takes -pthread. */
#if defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 34)
#define SEAM_RING_ATFORK_ 1
#else
#define SEAM_RING_ATFORK_ 0
#endif
#else
#define SEAM_RING_ATFORK_ 1
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define SEAM_RING_ALIGN 8 /* what the addresses of all records are multiples of */

enum {
	SEAM_RING_OK = 0,
	SEAM_RING_END = -1,      /* the writer has closed, and everything has been read */
	SEAM_RING_EGONE = -2,    /* nobody is at the other end any more */
	SEAM_RING_EAGAIN = -3,   /* nothing there, or no room, within the timeout */
	SEAM_RING_EINVALID = -4, /* an argument can't be right; the record is too large */
	SEAM_RING_ECORRUPT = -5, /* the other end broke the protocol */
	SEAM_RING_EMISMATCH = -6,/* the peers don't fit together */
	SEAM_RING_ESYSTEM = -7,  /* a system call failed: errno */
	SEAM_RING_ECLOSED = -8,  /* the connection was stopped here: seam_ring_conn_stop */
	SEAM_RING_EFORKED = -9   /* the connection belongs to another process: see seam_ring_conn_adopt */
};

/* seam_ring_strerror says what an error means. */
static inline const char *seam_ring_strerror(int err) {
	switch (err) {
	case SEAM_RING_OK: return "no error";
	case SEAM_RING_END: return "the peer has ended its records";
	case SEAM_RING_EGONE: return "nobody is at the other end any more";
	case SEAM_RING_EAGAIN: return "nothing there, or no room, within the timeout";
	case SEAM_RING_EINVALID: return "an argument can't be right, or the record is larger than the ring or than what was reserved";
	case SEAM_RING_ECORRUPT: return "the other end broke the protocol";
	case SEAM_RING_EMISMATCH: return "the peers don't fit together";
	case SEAM_RING_ESYSTEM: return "a system call failed";
	case SEAM_RING_ECLOSED: return "the connection is closed";
	case SEAM_RING_EFORKED: return "the connection belongs to another process, which this one was forked from or forked";
	}
	return "an unknown error";
}

/* ---- the memory, shared with package ring: see layout.go there. Not for direct use. */

typedef struct {
	uint32_t state;   /* SEAM_RING_WAITS_ | SEAM_RING_CLOSED_ | SEAM_RING_ABORTED_ */
	uint32_t adopted; /* the process that took the end over from the one that set it up; 0: none */
	uint64_t sleeps, wakes, dropped;
	uint8_t pad2_[96];
} seam_ring_side;

typedef struct {
	uint64_t magic;
	uint32_t version, size;
	uint64_t layout, features, capacity;
	uint8_t pad_[88];
	uint64_t written;
	uint8_t pad2_[120];
	uint64_t read;
	uint8_t pad3_[120];
	seam_ring_side reader, writer;
	uint8_t pad4_[384];
} seam_ring_control;

#define SEAM_RING_MAGIC_ 0x474e49524d414553u
#define SEAM_RING_VERSION_ 1u
#define SEAM_RING_LAYOUT_ 0x1413aaff2adbfaeau
#define SEAM_RING_SOCKET_BELLS_ 1u
#define SEAM_RING_DROPPING_ 2u
#define SEAM_RING_WAITS_ 1u
#define SEAM_RING_CLOSED_ 2u
#define SEAM_RING_ABORTED_ 4u /* as if its process had died; peers who don't know it see the socket hang up */
#define SEAM_RING_OVER_ (SEAM_RING_CLOSED_ | SEAM_RING_ABORTED_)
#define SEAM_RING_CLAIMED_ 1u
#define SEAM_RING_PADDING_ 1u
#define SEAM_RING_SPINS_ 512
#define SEAM_RING_LONGEST_ 50000 /* ns */
#define SEAM_RING_FETCH_ 512
#define SEAM_RING_LOOK_MS_ 10
#define SEAM_RING_ASK_MS_ 100

/* An end of a ring. Not for direct use. */
typedef struct {
	seam_ring_control *control;
	uint8_t *data;
	uint64_t capacity;
	seam_ring_side *mine, *theirs;
	uint64_t *watched;  /* the position that the other end moves */
	uint64_t seen;      /* it, when last looked at */
	uint64_t pos;       /* the next record */
	uint64_t published; /* up to where the other end knows */
	uint64_t edge;      /* up to where one comparison is enough, never before pos: see seam_ring_reach_ */
	uint64_t promised;  /* a writer's: the end of what is reserved at pos; not beyond pos if nothing is */
	uint64_t records;   /* a writer's: how many are committed */
	uint64_t taken;     /* and of these given back, when last counted */
	int bell;           /* what this end sleeps on; -1: the socket, or futex if there is none */
	int other;          /* what the other one sleeps on */
	int sock;           /* -1 between threads */
	int kick;           /* rung within this process to make this end look: its bell, or one of its own */
	int sibling;        /* the kick of the connection's other end here */
	int failed;         /* why this end can't be used any more */
	int stopped;        /* by seam_ring_conn_stop, in whatever thread */
	int drops;          /* the writer drops the oldest records */
	int keeps;          /* a reader's: what lies beyond kept isn't given back, see python/seam_ring */
	uint64_t kept;
	int owner;          /* the process that may use it; 0: any */
	int waited;         /* for the owner's end, in a child */
	uint32_t adopted;   /* control's, as last known */
	const volatile int *self; /* where this process's id stands */
	int64_t looked;     /* when a writer has last looked whether the peer is there */
	int judges;         /* it learns by itself how long to look before it sleeps */
	unsigned limit, spins, vain; /* spins: how often to look, if it is told; vain: how often it did in vain */
	int64_t expect;     /* what waits have taken lately, asleep or not, in ns */
} seam_ring_end;

typedef struct { seam_ring_end e; } seam_ring_writer;
typedef struct { seam_ring_end e; } seam_ring_reader;

/* How a connection is made. NULL or zeroes are usable. */
typedef struct {
	uint64_t capacity;     /* of each ring, for the side that makes them: a power of two; 0: 64 KiB */
	uint64_t max_capacity; /* of a ring that the other side made; 0: 64 MiB */
	int drop_oldest;       /* this side's writer makes room by dropping what the reader has not come to */
	int untrusted;         /* the peer may be hostile: both wake each other through the socket, where nobody
	                          can make the other wait. Records must be copied before they are looked at. */
	int timeout;           /* of the set-up, in ms; 0: for ever */
	int (*cancelled)(void *data); /* asked several times a second, and after a signal, while the peer is silent
	                                 during the set-up, which ends with SEAM_RING_EAGAIN if it isn't 0 */
	void *data;
} seam_ring_options;

/* A connection: a ring in each direction. */
typedef struct {
	seam_ring_writer writer;
	seam_ring_reader reader;
	int sock;
	int fds[4];
	void *map;
	size_t size;
	char error[160]; /* what was wrong, if the set-up failed */
} seam_ring_conn;

static inline uint64_t *seam_ring_header_at_(seam_ring_end *e, uint64_t pos) {
	return (uint64_t *)(void *)(e->data + (pos & (e->capacity - 1)));
}

static inline uint64_t *seam_ring_header_(seam_ring_end *e) { return seam_ring_header_at_(e, e->pos); }

/* A reader that waits loads the next record's header ahead, and ignores what it gets. That is a
 * race by design, which ThreadSanitizer would report. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SEAM_RING_READS_AHEAD_ 0
#endif
#endif
#if !defined(SEAM_RING_READS_AHEAD_) && defined(__SANITIZE_THREAD__)
#define SEAM_RING_READS_AHEAD_ 0
#endif
#ifndef SEAM_RING_READS_AHEAD_
#define SEAM_RING_READS_AHEAD_ 1
#endif

/* What is called for each record is inlined as far as it is short, and the rest is called. */
#if defined(__GNUC__)
#define SEAM_RING_SELDOM_ static __attribute__((noinline, unused))
#define SEAM_RING_LIKELY_(x) __builtin_expect(!!(x), 1)
#define SEAM_RING_PREFETCH_(p) __builtin_prefetch(p)
#else
#define SEAM_RING_SELDOM_ static inline
#define SEAM_RING_LIKELY_(x) (x)
#define SEAM_RING_PREFETCH_(p) ((void)(p))
#endif

/* seam_ring_fail_ ends the use of an end: no record passes any more by one comparison. */
static inline int seam_ring_fail_(seam_ring_end *e, int why) {
	e->edge = e->promised = e->pos;
	return e->failed = why;
}

/* ---- forks
 *
 * An end's memory is shared with the peer, and so with forked children of this process. A child that
 * writes to it asks first whether it is the process that owns the end. The answer is a load and
 * a comparison: the id stands in a page that the kernel wipes in a forked child, and that a
 * handler of pthread_atfork wipes where the kernel doesn't (before Linux 4.14, under qemu-user). */

#if defined(__GNUC__)
#define SEAM_RING_ONCE_ __attribute__((weak, visibility("hidden"))) /* one for all files of a program or library */
#else
#define SEAM_RING_ONCE_ static
#endif
SEAM_RING_ONCE_ volatile int *seam_ring_self_page_;
static const int seam_ring_unknown_ = -1, seam_ring_anybody_ = 0;

SEAM_RING_SELDOM_ void seam_ring_in_child_(void) {
	volatile int *page = __atomic_load_n(&seam_ring_self_page_, __ATOMIC_ACQUIRE);
	if (page != NULL)
		*page = 0;
}

/* seam_ring_self_ returns where this process's id stands, or where an impossible one does. */
SEAM_RING_SELDOM_ const volatile int *seam_ring_self_(void) {
	volatile int *page = __atomic_load_n(&seam_ring_self_page_, __ATOMIC_ACQUIRE);
	if (page == NULL) {
		volatile int *none = NULL;
		void *fresh = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		int wiped = 0;
		if (fresh == MAP_FAILED)
			return &seam_ring_unknown_;
		wiped = madvise(fresh, 4096, 18 /* MADV_WIPEONFORK */) == 0;
		page = (volatile int *)fresh;
		*page = (int)getpid();
		if (!__atomic_compare_exchange_n(&seam_ring_self_page_, &none, page, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
			munmap(fresh, 4096); /* another thread was faster */
			return none;
		}
#if SEAM_RING_ATFORK_
		wiped |= pthread_atfork(NULL, NULL, seam_ring_in_child_) == 0;
#endif
		if (!wiped)
			*page = -1; /* for ever: each question is a system call */
	} else if (*page == 0) {
		*page = (int)getpid();
	}
	return page;
}

/* seam_ring_take_ makes this process the owner of an end, unless another one was faster. */
static inline int seam_ring_take_(seam_ring_end *e) {
	uint32_t was = e->adopted;
	int self = (int)getpid();
	if (!__atomic_compare_exchange_n(&e->mine->adopted, &was, (uint32_t)self, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		return SEAM_RING_EFORKED;
	e->adopted = (uint32_t)self;
	e->owner = self;
	e->self = seam_ring_self_();
	return SEAM_RING_OK;
}

/* seam_ring_ended_ reports whether a process has ended. It waits for that for tries times 10 ms. */
static inline int seam_ring_ended_(int pid, int tries) {
	struct pollfd p;
	int i;
	p.fd = (int)syscall(434 /* pidfd_open */, pid, 0);
	p.events = POLLIN;
	p.revents = 0;
	if (p.fd < 0 && errno == ESRCH)
		return 1;
	for (i = 0; i <= tries && p.revents == 0; i++) {
		if (p.fd >= 0)
			(void)poll(&p, 1, i < tries ? 10 : 0);
		else if (kill(pid, 0) != 0 && errno == ESRCH) /* before Linux 5.3 */
			return 1;
		else
			(void)poll(NULL, 0, i < tries ? 10 : 0);
	}
	if (p.fd >= 0)
		close(p.fd);
	return p.revents != 0;
}

/* seam_ring_foreign_ is called where the id isn't the owner's. */
SEAM_RING_SELDOM_ int seam_ring_foreign_(seam_ring_end *e) {
	int saved = errno, err;
	if (e->owner == 0 || (int)getpid() == e->owner) {
		(void)seam_ring_self_(); /* this process's id stands there from now on, if that is possible */
		return SEAM_RING_OK;
	}
	/* The parent of a daemon ends about when its child goes on: for a second that is waited for, once. */
	err = seam_ring_ended_(e->owner, e->waited ? 0 : 100) ? seam_ring_take_(e) : SEAM_RING_EFORKED;
	e->waited = 1;
	errno = saved;
	return err;
}

/* seam_ring_own_ returns SEAM_RING_OK if this process may use the end. */
static inline int seam_ring_own_(seam_ring_end *e) {
	return SEAM_RING_LIKELY_(*e->self == e->owner) ? SEAM_RING_OK : seam_ring_foreign_(e);
}

/* seam_ring_reach_ sets the edge: limit, or the end of the ring if that is nearer. What lies
 * between pos and the edge is in one piece, and needs no other look. */
static inline void seam_ring_reach_(seam_ring_end *e, uint64_t limit) {
	uint64_t tail = e->capacity - (e->pos & (e->capacity - 1));
	e->edge = limit - e->pos < tail ? limit : e->pos + tail;
}

/* ---- waiting */

static inline uint64_t seam_ring_size_(uint64_t n) { return 8 + ((n + 7) & ~(uint64_t)7); }

static inline void seam_ring_pause_(void) {
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("isb");
#endif
}

static inline void seam_ring_wake_(seam_ring_end *e) {
	uint64_t one = 1;
	ssize_t n = 0;
	if (!(__atomic_fetch_and(&e->theirs->state, ~SEAM_RING_WAITS_, __ATOMIC_SEQ_CST) & SEAM_RING_WAITS_))
		return;
	__atomic_fetch_add(&e->mine->wakes, 1, __ATOMIC_RELAXED);
	if (e->other >= 0)
		n = write(e->other, &one, sizeof one);
	else if (e->sock >= 0)
		n = send(e->sock, &one, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	else
		n = syscall(SYS_futex, &e->theirs->state, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	(void)n; /* it fails if there are wake-ups that the other has not taken, or nobody is there */
}

/* seam_ring_shut_ ends the use of an end for good, and tells the other one. */
static inline void seam_ring_shut_(seam_ring_end *e, int why) {
	seam_ring_fail_(e, e->failed != 0 ? e->failed : why);
	if (!(__atomic_fetch_or(&e->mine->state, SEAM_RING_CLOSED_, __ATOMIC_SEQ_CST) & SEAM_RING_CLOSED_))
		seam_ring_wake_(e);
}

/* seam_ring_move_ publishes a position of this end, and wakes the other if it sleeps. The
 * exchange is a full fence: first the position is there, then we look. Nobody else moves a
 * writer's position, so if it isn't where this end left it, two processes or threads use it. */
static inline void seam_ring_move_(seam_ring_end *e, uint64_t *position) {
	uint64_t to = e->keeps ? e->kept : e->pos, was = e->published;
	if (to == was)
		return;
	e->published = to;
	was ^= __atomic_exchange_n(position, to, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&e->theirs->state, __ATOMIC_SEQ_CST) & SEAM_RING_WAITS_)
		seam_ring_wake_(e);
	if (was != 0 && position == &e->control->written) {
		__atomic_fetch_or(&e->mine->state, SEAM_RING_ABORTED_, __ATOMIC_SEQ_CST);
		seam_ring_shut_(e, SEAM_RING_ECORRUPT);
	}
}

static inline int64_t seam_ring_ms_(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* seam_ring_kick_ makes an end of this process look. */
static inline void seam_ring_kick_(int kick) {
	uint64_t one = 1;
	ssize_t n = write(kick, &one, sizeof one);
	(void)n; /* it fails only if the count is at its limit, and then the end looks anyhow */
}

/* seam_ring_hung_up_ takes what is in the socket, and returns why the connection is over,
 * or 0. A byte that rings may be for the other end, which another thread may have. */
static inline int seam_ring_hung_up_(seam_ring_end *e) {
	char b[64];
	ssize_t n = recv(e->sock, b, sizeof b, MSG_DONTWAIT);
	if (n > 0) {
		if (e->bell >= 0)
			return SEAM_RING_ECORRUPT;
		seam_ring_kick_(e->sibling);
		return 0;
	}
	return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : SEAM_RING_EGONE;
}

/* seam_ring_doze_ sleeps for up to ms, or for no time at all. It returns why the connection
 * is over, or 0. */
static inline int seam_ring_doze_(seam_ring_end *e, int ms) {
	struct pollfd p[2];
	uint64_t count;
	if (e->sock < 0) {
		/* The kernel's own struct: time_t of a 32-bit C library may have 64. */
		struct { __kernel_long_t sec, nsec; } t;
		t.sec = ms / 1000;
		t.nsec = ms % 1000 * 1000000L;
		/* Sleeps only while nobody has taken the flag back. */
		syscall(SYS_futex, &e->mine->state, FUTEX_WAIT, SEAM_RING_WAITS_, ms < 0 ? NULL : &t, NULL, 0);
		return 0;
	}
	memset(p, 0, sizeof p);
	p[0].fd = e->sock;
	p[1].fd = e->kick;
	p[0].events = p[1].events = POLLIN;
	if (poll(p, 2, ms) <= 0)
		return 0;
	if (p[1].revents != 0 && read(e->kick, &count, sizeof count) < 0 && errno != EAGAIN && errno != EINTR)
		return SEAM_RING_EGONE;
	return p[0].revents != 0 ? seam_ring_hung_up_(e) : 0;
}

static inline int64_t seam_ring_ns_(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* seam_ring_learn_ is told how many ns a wait has taken. */
static inline void seam_ring_learn_(seam_ring_end *e, int64_t took) {
	int64_t most = 2 * SEAM_RING_LONGEST_;
	e->expect += ((took < most ? took : most) - e->expect) / 8;
}

/* seam_ring_budget_ is for how many ns to look: twice what waits have taken lately and a little,
 * or where that is too long next to nothing, but for every 64th time. */
static inline int64_t seam_ring_budget_(const seam_ring_end *e) {
	int64_t twice = 2 * e->expect + SEAM_RING_LONGEST_ / 8;
	if (e->vain % 64 == 63)
		return SEAM_RING_LONGEST_;
	if (e->expect > SEAM_RING_LONGEST_)
		return 0;
	return twice < SEAM_RING_LONGEST_ ? twice : SEAM_RING_LONGEST_;
}

/* seam_ring_spin_ looks for a while and returns 1 if the other end has moved on. *began is
 * when it began, if it learns and looked for more than a moment. */
static inline int seam_ring_spin_(seam_ring_end *e, int64_t *began) {
	unsigned i, spins = e->judges ? 1u << 20 : e->vain % 64 == 63 ? e->limit : e->spins;
	int64_t budget = 0, took = 0;
	for (i = 0; i < spins; i++) {
		/* The next record's line is on its way here as soon as the writer has left it, and
		 * not only when its position has come. */
		if (SEAM_RING_READS_AHEAD_ && i >= 16 && e->watched == &e->control->written)
			(void)*(volatile uint64_t *)seam_ring_header_(e);
		if (__atomic_load_n(e->watched, __ATOMIC_ACQUIRE) != e->seen) {
			e->spins = e->limit;
			e->vain = 0;
			if (*began != 0)
				seam_ring_learn_(e, took);
			return 1;
		}
		seam_ring_pause_();
		if (e->judges && i % 64 == 63) {
			int64_t now = seam_ring_ns_(); /* it takes as long as some looks */
			if (*began == 0) {
				*began = now;
				budget = seam_ring_budget_(e);
			}
			took = now - *began;
			if (took >= budget)
				break;
		}
	}
	e->vain++;
	e->spins = e->spins / 2 > e->limit / 32 ? e->spins / 2 : e->limit / 32;
	return 0;
}

/* seam_ring_over_ returns why nothing more will come, or 0. Who was stopped here isn't told what
 * the peer did; who aborted after all has aborted, also if it has closed. */
static inline int seam_ring_over_(seam_ring_end *e, int closing, int gone) {
	uint32_t state = __atomic_load_n(&e->theirs->state, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&e->stopped, __ATOMIC_SEQ_CST))
		return SEAM_RING_ECLOSED;
	return state & SEAM_RING_ABORTED_ ? SEAM_RING_EGONE : state & SEAM_RING_CLOSED_ ? closing : gone;
}

/* seam_ring_await_ returns SEAM_RING_OK when the other end has moved on from e->seen. All
 * that this end has done must be published before. *until is 0, and then when the timeout is
 * over: one who has to wait again passes it again. */
static inline int seam_ring_await_(seam_ring_end *e, int closing, int timeout, int64_t *until) {
	int gone = 0;
	int64_t began = 0;
	if (timeout > 0) { /* also where the other end always moves before we sleep, a little */
		int64_t now = seam_ring_ms_();
		if (*until == 0)
			*until = now + timeout;
		else if (now >= *until)
			return SEAM_RING_EAGAIN;
	}
	if (timeout != 0 && seam_ring_spin_(e, &began))
		return SEAM_RING_OK;
	for (;;) {
		int64_t left = timeout > 0 ? *until - seam_ring_ms_() : timeout;
		int over = seam_ring_over_(e, closing, gone);
		int moved = __atomic_load_n(e->watched, __ATOMIC_SEQ_CST) != e->seen;
		int late = timeout == 0 || (timeout > 0 && left <= 0);
		if (began != 0 && (moved || late))
			seam_ring_learn_(e, seam_ring_ns_() - began);
		if (moved)
			return SEAM_RING_OK; /* what was published before the end counts */
		if (over != 0)
			return seam_ring_fail_(e, over);
		if (late) {
			/* Who never sleeps must still see the peer hang up. */
			if (timeout == 0 && e->sock >= 0 && gone == 0 && (gone = seam_ring_hung_up_(e)) != 0)
				continue;
			return SEAM_RING_EAGAIN;
		}
		/* Say that we sleep, then look once more: a full fence between the two. */
		__atomic_fetch_or(&e->mine->state, SEAM_RING_WAITS_, __ATOMIC_SEQ_CST);
		if (__atomic_load_n(e->watched, __ATOMIC_SEQ_CST) == e->seen &&
		    seam_ring_over_(e, 1, 0) == 0) {
			__atomic_fetch_add(&e->mine->sleeps, 1, __ATOMIC_RELAXED);
			gone = seam_ring_doze_(e, (int)left);
		}
		__atomic_fetch_and(&e->mine->state, ~SEAM_RING_WAITS_, __ATOMIC_SEQ_CST);
	}
}

/* seam_ring_notice_ is for a writer that doesn't wait: it looks whether the reader has closed,
 * and now and then whether its process has ended. Most calls read a clock of the kernel that
 * is memory, and no more. */
static inline void seam_ring_notice_(seam_ring_end *e) {
	struct timespec t;
	struct pollfd p;
	int64_t now;
	if (__atomic_load_n(&e->theirs->state, __ATOMIC_RELAXED) & SEAM_RING_OVER_) {
		seam_ring_fail_(e, SEAM_RING_EGONE);
		return;
	}
	if (e->sock < 0)
		return;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	now = (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
	if (now - e->looked < SEAM_RING_LOOK_MS_)
		return;
	e->looked = now;
	p.fd = e->sock;
	p.events = POLLRDHUP; /* and takes nothing that would wake the reader */
	p.revents = 0;
	if (poll(&p, 1, 0) > 0 && (p.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)))
		seam_ring_fail_(e, SEAM_RING_EGONE);
}

/* seam_ring_spins sets how often an end (&w.e, &r.e) looks for the other one before it
 * sleeps; 0 for never. Without it that is 512 times between threads, which is some 10 µs, and
 * between processes it is learnt. */
static inline void seam_ring_spins(seam_ring_end *e, unsigned n) {
	e->judges = 0;
	e->limit = e->spins = n;
}

/* ---- writer */

/* seam_ring_flush publishes what is committed. An error says that nobody will read it: it isn't
 * published. */
static inline int seam_ring_flush(seam_ring_writer *w) {
	int err = seam_ring_own_(&w->e);
	if (err != SEAM_RING_OK)
		return err;
	if (w->e.failed == 0)
		seam_ring_notice_(&w->e); /* before: a reader may take this and then close */
	if (w->e.failed == 0 && w->e.pos != w->e.published)
		seam_ring_move_(&w->e, &w->e.control->written);
	return w->e.failed;
}

/* seam_ring_drop_ makes room for need bytes by moving the reader's position beyond its oldest
 * records. */
static inline int seam_ring_drop_(seam_ring_writer *w, uint64_t need) {
	seam_ring_end *e = &w->e;
	int i;
	if (__atomic_load_n(&e->theirs->state, __ATOMIC_SEQ_CST) & SEAM_RING_OVER_)
		return seam_ring_fail_(e, SEAM_RING_EGONE);
	/* A reader that keeps to the rules makes this fail once at most for each record that it
	 * takes. Another one could go on for ever. */
	for (i = 0; i < 64; i++) {
		uint64_t read = __atomic_load_n(e->watched, __ATOMIC_SEQ_CST), pos = read & ~(uint64_t)SEAM_RING_CLAIMED_, h, size;
		if (pos - e->seen > e->published - e->seen || pos % 8 != 0)
			break;
		e->seen = pos;
		if (need <= e->capacity - (e->pos - pos))
			return SEAM_RING_OK;
		if (pos == e->published)
			seam_ring_move_(e, &e->control->written); /* what is dropped must have been there */
		if (read & SEAM_RING_CLAIMED_) {
			int err = seam_ring_flush(w);
			return err != SEAM_RING_OK ? err : SEAM_RING_EAGAIN;
		}
		h = __atomic_load_n(seam_ring_header_at_(e, pos), __ATOMIC_RELAXED);
		size = seam_ring_size_((uint32_t)h);
		if (size > e->published - pos || size > e->capacity - (pos & (e->capacity - 1)))
			break; /* it was changed */
		if (__atomic_compare_exchange_n(e->watched, &read, pos + size, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
			e->seen = pos + size;
			if (h >> 32 != SEAM_RING_PADDING_)
				__atomic_fetch_add(&e->mine->dropped, 1, __ATOMIC_RELAXED);
			return SEAM_RING_OK;
		}
	}
	if (i < 64) {
		seam_ring_shut_(e, SEAM_RING_ECORRUPT);
		return e->failed;
	}
	i = seam_ring_flush(w);
	return i != SEAM_RING_OK ? i : SEAM_RING_EAGAIN;
}

/* seam_ring_begin_record_ writes a header. It comes before its record: lines that come from
 * another processor arrive fastest where what is written goes one way, with little between. */
static inline uint64_t *seam_ring_begin_record_(seam_ring_end *e, uint64_t n) {
	uint64_t *header = seam_ring_header_(e);
	*header = n;
	return header;
}

/* seam_ring_make_room_ is the rest of seam_ring_reserve. */
SEAM_RING_SELDOM_ int seam_ring_make_room_(seam_ring_writer *w, size_t n, void **room, int timeout) {
	seam_ring_end *e = &w->e;
	uint64_t size = seam_ring_size_(n);
	int64_t until = 0;
	int err = seam_ring_own_(e);
	*room = NULL;
	if (err != SEAM_RING_OK)
		return err;
	e->promised = e->pos;
	if (e->failed != 0)
		return e->failed;
	if (n > e->capacity - 8)
		return SEAM_RING_EINVALID;
	for (;;) {
		uint64_t tail = e->capacity - (e->pos & (e->capacity - 1));
		uint64_t need = size <= tail ? size : tail; /* the padding first */
		uint64_t now;
		if (need <= e->capacity - (e->pos - e->seen)) {
			if (size <= tail)
				break;
			*seam_ring_header_(e) = (uint64_t)SEAM_RING_PADDING_ << 32 | (tail - 8);
			e->pos += tail;
			e->edge = e->pos;
			continue;
		}
		e->edge = e->pos;
		if (e->drops) {
			if ((err = seam_ring_drop_(w, need)) != SEAM_RING_OK)
				return err;
			continue;
		}
		now = __atomic_load_n(e->watched, __ATOMIC_ACQUIRE);
		if (now == e->seen) {
			seam_ring_flush(w); /* the reader may need it to go on */
			if ((err = seam_ring_await_(e, SEAM_RING_EGONE, timeout, &until)) != SEAM_RING_OK)
				return err;
			now = __atomic_load_n(e->watched, __ATOMIC_ACQUIRE);
		}
		if (now - e->seen > e->published - e->seen || now % 8 != 0) {
			seam_ring_shut_(e, SEAM_RING_ECORRUPT);
			return e->failed;
		}
		e->seen = now;
	}
	seam_ring_reach_(e, e->seen + e->capacity);
	*room = seam_ring_begin_record_(e, n) + 1;
	e->promised = e->pos + 8 + n;
	return SEAM_RING_OK;
}

/* seam_ring_reserve returns room for a record of n bytes, up to the capacity less 8. It
 * belongs to the caller until seam_ring_commit or the next seam_ring_reserve. A writer that
 * drops the oldest doesn't wait: SEAM_RING_EAGAIN says that the reader looks at the oldest. */
static inline int seam_ring_reserve(seam_ring_writer *w, size_t n, void **room, int timeout) {
	uint64_t left = w->e.edge - w->e.pos;
	if (!SEAM_RING_LIKELY_(left >= 8 && n <= left - 8 && *w->e.self == w->e.owner))
		return seam_ring_make_room_(w, n, room, timeout);
	*room = seam_ring_begin_record_(&w->e, n) + 1;
	w->e.promised = w->e.pos + 8 + n;
	return SEAM_RING_OK;
}

/* seam_ring_commit makes a record of the first n bytes reserved. */
static inline int seam_ring_commit(seam_ring_writer *w, size_t n) {
	seam_ring_end *e = &w->e;
	uint64_t have = e->promised - e->pos - 8;
	if (!SEAM_RING_LIKELY_(have < e->capacity && n <= have))
		return e->failed != 0 ? e->failed : SEAM_RING_EINVALID;
	if (n != have) {
		*seam_ring_header_(e) = n;
		e->promised = e->pos;
	}
	e->pos += seam_ring_size_(n);
	e->records++;
	return SEAM_RING_OK;
}

/* seam_ring_append copies a record into the ring, and seam_ring_send publishes it too. */
static inline int seam_ring_append(seam_ring_writer *w, const void *p, size_t n, int timeout) {
	void *room;
	int err = seam_ring_reserve(w, n, &room, timeout);
	if (err != SEAM_RING_OK)
		return err;
	if (n != 0)
		memcpy(room, p, n);
	return seam_ring_commit(w, n);
}

/* seam_ring_copy_ is memcpy for small records, without a call for each. */
static inline void seam_ring_copy_(uint8_t *to, const uint8_t *from, size_t n) {
	for (; n >= 32; n -= 32, to += 32, from += 32)
		memcpy(to, from, 32);
	if (n & 16) {
		memcpy(to, from, 16);
		to += 16;
		from += 16;
	}
	if (n & 8) {
		memcpy(to, from, 8);
		to += 8;
		from += 8;
	}
	for (n &= 7; n > 0; n--)
		*to++ = *from++;
}

/* seam_ring_append_many copies count records of n bytes each, which lie one behind the other,
 * into the ring: where records are small, faster than one by one. *done, unless done is NULL,
 * is how many of them are there if there was no room for all within the timeout. */
static inline int seam_ring_append_many(seam_ring_writer *w, const void *records, size_t n, size_t count, size_t *done, int timeout) {
	seam_ring_end *e = &w->e;
	const uint8_t *from = (const uint8_t *)records;
	uint64_t size = seam_ring_size_(n);
	size_t i = 0;
	int err = seam_ring_own_(e);
	while (i < count && err == SEAM_RING_OK) {
		/* What fits before the edge is written in one go, with nothing in between that this end
		 * notes for itself. */
		uint64_t fit = n < e->capacity ? (e->edge - e->pos) / size : 0;
		size_t k, m = fit < count - i ? (size_t)fit : count - i;
		uint8_t *to = (uint8_t *)seam_ring_header_(e);
		if (m == 0) {
			if ((err = seam_ring_append(w, from, n, timeout)) == SEAM_RING_OK) {
				from += n;
				i++;
			}
			continue;
		}
		for (k = 0; k < m; k++) {
			*(uint64_t *)(void *)to = n;
			if (n <= 256)
				seam_ring_copy_(to + 8, from, n);
			else
				memcpy(to + 8, from, n);
			to += size;
			from += n;
		}
		e->promised = e->pos; /* what was reserved is taken back */
		e->pos += m * size;
		e->records += m;
		i += m;
	}
	if (done != NULL)
		*done = i;
	return err;
}

static inline int seam_ring_send(seam_ring_writer *w, const void *p, size_t n, int timeout) {
	int err = seam_ring_append(w, p, n, timeout);
	return err != SEAM_RING_OK ? err : seam_ring_flush(w);
}

/* seam_ring_taken returns how many of the records that were committed, from the first on, the reader
 * is done with: it has given them back, or they were dropped. When the peer is SEAM_RING_EGONE all
 * that came after them may be lost, and goes to the next connection. A record that the peer was at,
 * and up to an eighth of the ring before it, counts as not taken. To be called before
 * seam_ring_conn_close or seam_ring_conn_abort, which free the memory. */
SEAM_RING_SELDOM_ uint64_t seam_ring_taken(seam_ring_writer *w) {
	seam_ring_end *e = &w->e;
	uint64_t at = __atomic_load_n(e->watched, __ATOMIC_SEQ_CST) & ~(uint64_t)SEAM_RING_CLAIMED_, behind = 0;
	if (e->pos - at > e->capacity || at % 8 != 0)
		return e->taken; /* no place that a reader can be at */
	while (at != e->pos) {
		uint64_t h = __atomic_load_n(seam_ring_header_at_(e, at), __ATOMIC_RELAXED), size = seam_ring_size_((uint32_t)h);
		if (size > e->pos - at || size > e->capacity - (at & (e->capacity - 1)))
			return e->taken; /* it was changed */
		behind += h >> 32 != SEAM_RING_PADDING_;
		at += size;
	}
	if (behind <= e->records && e->records - behind > e->taken)
		e->taken = e->records - behind;
	return e->taken;
}

/* seam_ring_end_of_records publishes what is committed, and says that nothing follows. */
static inline void seam_ring_end_of_records(seam_ring_writer *w) {
	if (seam_ring_own_(&w->e) != SEAM_RING_OK)
		return;
	seam_ring_flush(w);
	seam_ring_shut_(&w->e, SEAM_RING_END);
}

/* seam_ring_abort_records says that the records up to here are not all that there should have
 * been: the reader gets those that were flushed, and then SEAM_RING_EGONE, as if this process
 * had died. After seam_ring_end_of_records it does nothing. */
static inline void seam_ring_abort_records(seam_ring_writer *w) {
	if (seam_ring_own_(&w->e) != SEAM_RING_OK)
		return;
	if (!(__atomic_load_n(&w->e.mine->state, __ATOMIC_SEQ_CST) & SEAM_RING_CLOSED_)) {
		__atomic_fetch_or(&w->e.mine->state, SEAM_RING_ABORTED_, __ATOMIC_SEQ_CST);
		seam_ring_shut_(&w->e, SEAM_RING_END);
	}
}

/* ---- reader */

/* seam_ring_release gives back everything that seam_ring_next has returned. Call it before
 * doing something that takes long. */
static inline void seam_ring_release(seam_ring_reader *r) {
	if (seam_ring_own_(&r->e) != SEAM_RING_OK)
		return;
	if (r->e.pos != r->e.published && r->e.failed == 0)
		seam_ring_move_(&r->e, &r->e.control->read);
}

/* seam_ring_claim_ gives back the record that was lent, and claims the oldest one, so that the
 * writer can't drop it. Where the claim lies is settled by one atomic operation: the writer
 * moves the position only if nothing is claimed. */
static inline int seam_ring_claim_(seam_ring_end *e, int timeout, int64_t *until) {
	for (;;) {
		uint64_t pos, written;
		int err;
		if (e->published != e->pos) {
			e->published = e->pos;
			__atomic_exchange_n(&e->control->read, e->pos, __ATOMIC_SEQ_CST);
		}
		pos = __atomic_fetch_add(&e->control->read, SEAM_RING_CLAIMED_, __ATOMIC_SEQ_CST); /* or would be a loop */
		written = __atomic_load_n(e->watched, __ATOMIC_SEQ_CST);
		if (written - pos > e->capacity || pos - e->pos > written - e->pos || (pos | written) % 8 != 0) {
			seam_ring_shut_(e, SEAM_RING_ECORRUPT);
			return e->failed;
		}
		e->pos = e->published = e->edge = pos;
		e->seen = written;
		if (pos != written)
			return SEAM_RING_OK;
		__atomic_fetch_and(&e->control->read, ~(uint64_t)SEAM_RING_CLAIMED_, __ATOMIC_SEQ_CST);
		if ((err = seam_ring_await_(e, SEAM_RING_END, timeout, until)) != SEAM_RING_OK)
			return err;
	}
}

/* seam_ring_look_ is the rest of seam_ring_next. */
SEAM_RING_SELDOM_ int seam_ring_look_(seam_ring_reader *r, const void **p, size_t *n, int timeout) {
	seam_ring_end *e = &r->e;
	int64_t until = 0;
	int err = seam_ring_own_(e);
	*p = NULL;
	*n = 0;
	if (err != SEAM_RING_OK)
		return err;
	if (e->failed != 0)
		return e->failed;
	for (;;) {
		uint64_t h, size, tail, kept;
		if (e->pos == e->seen && e->drops) {
			err = seam_ring_claim_(e, timeout, &until);
			if (err != SEAM_RING_OK)
				return err;
		} else if (e->pos == e->seen) {
			uint64_t now = __atomic_load_n(e->watched, __ATOMIC_ACQUIRE);
			if (now == e->seen) {
				seam_ring_release(r); /* the writer may need the room to go on */
				if ((err = seam_ring_await_(e, SEAM_RING_END, timeout, &until)) != SEAM_RING_OK)
					return err;
				now = __atomic_load_n(e->watched, __ATOMIC_ACQUIRE);
			}
			if (now - e->pos > e->capacity || now % 8 != 0)
				break;
			e->seen = now;
		}
		h = __atomic_load_n(seam_ring_header_(e), __ATOMIC_RELAXED); /* once */
		size = seam_ring_size_((uint32_t)h);
		tail = e->capacity - (e->pos & (e->capacity - 1));
		if (size > e->seen - e->pos || size > tail)
			break;
		if (h >> 32 == 0) {
			uint8_t *at = (uint8_t *)seam_ring_header_(e) + 8;
			if (!e->drops && e->pos - e->published >= e->capacity / 8)
				seam_ring_move_(e, &e->control->read); /* up to here, without this record */
			e->pos += size;
			if (e->drops)
				e->seen = e->pos; /* the next record must be claimed first */
			/* As far as what is read may be kept, there is nothing else to do. */
			kept = e->pos - e->published;
			kept = kept < e->capacity / 8 ? e->capacity / 8 - kept : 0;
			seam_ring_reach_(e, e->seen - e->pos < kept ? e->seen : e->pos + kept);
			*p = at;
			*n = (uint32_t)h;
			return SEAM_RING_OK;
		}
		if (h >> 32 != SEAM_RING_PADDING_ || tail == e->capacity || size != tail)
			break;
		e->pos += size;
		e->edge = e->pos;
	}
	seam_ring_shut_(e, SEAM_RING_ECORRUPT);
	return e->failed;
}

/* seam_ring_next returns a record where it lies. It is the caller's until the next call for
 * this reader. */
static inline int seam_ring_next(seam_ring_reader *r, const void **p, size_t *n, int timeout) {
	uint64_t left = r->e.edge - r->e.pos;
	if (SEAM_RING_LIKELY_(left >= 8)) {
		uint64_t *at = seam_ring_header_(&r->e);
		uint64_t h = __atomic_load_n(at, __ATOMIC_RELAXED); /* once */
		if (SEAM_RING_LIKELY_(h <= left - 8)) { /* and so it is no padding */
			r->e.pos += seam_ring_size_(h);
			/* Where the next record is stands in this one, so nothing else would fetch
			 * several lines at once. What isn't published is left to the writer. */
			if (left > SEAM_RING_FETCH_ + 64)
				SEAM_RING_PREFETCH_((const uint8_t *)at + SEAM_RING_FETCH_);
			*p = at + 1;
			*n = (size_t)h;
			return SEAM_RING_OK;
		}
	}
	return seam_ring_look_(r, p, n, timeout);
}

/* ---- event loops
 *
 * A program that waits for other things too doesn't wait in this header, but has its loop
 * watch two descriptors for reading: seam_ring_fd of the end, and the socket, which tells
 * that the peer has hung up. When seam_ring_next or seam_ring_reserve with a timeout of 0
 * has returned SEAM_RING_EAGAIN:
 *
 *     if (seam_ring_arm_reader(&c.reader))
 *         ... sleep until one of them is readable ...
 *     seam_ring_disarm(&c.reader.e);
 *     ... look again ...
 *
 */

/* seam_ring_fd returns what becomes readable when this end should look again; -1 between
 * threads. If a side is untrusted, it is the socket that is readable first. */
static inline int seam_ring_fd(const seam_ring_end *e) { return e->kick; }

static inline int seam_ring_arm_(seam_ring_end *e) {
	if (seam_ring_own_(e) != SEAM_RING_OK)
		return 0; /* what is tried next says so */
	__atomic_fetch_or(&e->mine->state, SEAM_RING_WAITS_, __ATOMIC_SEQ_CST);
	if (e->failed == 0 && __atomic_load_n(e->watched, __ATOMIC_SEQ_CST) == e->seen && seam_ring_over_(e, 1, 0) == 0) {
		__atomic_fetch_add(&e->mine->sleeps, 1, __ATOMIC_RELAXED);
		return 1;
	}
	return 0;
}

/* seam_ring_arm_reader and seam_ring_arm_writer ask the other end to wake this one. They
 * return 0 if there is no need to sleep. */
static inline int seam_ring_arm_reader(seam_ring_reader *r) {
	seam_ring_release(r);
	return r->e.pos == r->e.seen && seam_ring_arm_(&r->e);
}

static inline int seam_ring_arm_writer(seam_ring_writer *w) {
	seam_ring_flush(w);
	return seam_ring_arm_(&w->e);
}

/* seam_ring_disarm takes that back, and what has been rung. */
static inline void seam_ring_disarm(seam_ring_end *e) {
	struct pollfd p;
	uint64_t count;
	if (seam_ring_own_(e) != SEAM_RING_OK)
		return;
	__atomic_fetch_and(&e->mine->state, ~SEAM_RING_WAITS_, __ATOMIC_SEQ_CST);
	p.fd = e->kick;
	p.events = POLLIN;
	p.revents = 0;
	if (e->kick >= 0 && poll(&p, 1, 0) > 0 && read(e->kick, &count, sizeof count) < 0)
		return; /* somebody else has: one more look */
}

/* seam_ring_ready says whether there is something for seam_ring_next to look at: a record, or
 * padding alone. */
static inline int seam_ring_ready(const seam_ring_reader *r) {
	return r->e.failed == 0 && (r->e.pos != r->e.seen || __atomic_load_n(r->e.watched, __ATOMIC_ACQUIRE) != r->e.seen);
}

/* ---- set-up */

static inline void seam_ring_begin_(seam_ring_end *e, seam_ring_control *c, uint64_t capacity, int writer, int drops) {
	memset(e, 0, sizeof *e);
	e->control = c;
	e->data = (uint8_t *)c + sizeof *c;
	e->capacity = capacity;
	e->mine = writer ? &c->writer : &c->reader;
	e->theirs = writer ? &c->reader : &c->writer;
	e->watched = writer ? &c->read : &c->written;
	e->bell = e->other = e->sock = e->kick = e->sibling = -1;
	e->self = &seam_ring_anybody_;
	e->drops = drops;
	e->limit = e->spins = SEAM_RING_SPINS_;
	e->expect = SEAM_RING_LONGEST_ / 5;
}

static inline int seam_ring_capacity_ok_(uint64_t n) { return n >= 64 && n <= 1u << 30 && (n & (n - 1)) == 0; }

/* seam_ring_head_ fills in the head of an empty ring. */
static inline void seam_ring_head_(seam_ring_control *c, uint64_t capacity, uint64_t features) {
	c->magic = SEAM_RING_MAGIC_;
	c->version = SEAM_RING_VERSION_;
	c->size = sizeof *c;
	c->layout = SEAM_RING_LAYOUT_;
	c->features = features;
	c->capacity = capacity;
}

/* seam_ring_local makes a ring between two threads, in sizeof(seam_ring_control) + capacity
 * bytes of zeroed memory at a multiple of 128, which the caller frees when neither end is
 * used any more. The capacity is a power of two from 64 to 2^30. drop_oldest is as in
 * seam_ring_options. */
static inline int seam_ring_local(void *memory, size_t capacity, int drop_oldest, seam_ring_writer *w, seam_ring_reader *r) {
	seam_ring_control *c = (seam_ring_control *)memory;
	if (!seam_ring_capacity_ok_(capacity) || (uintptr_t)memory % 128 != 0)
		return SEAM_RING_EINVALID;
	seam_ring_head_(c, capacity, drop_oldest ? SEAM_RING_DROPPING_ : 0);
	seam_ring_begin_(&w->e, c, capacity, 1, drop_oldest);
	seam_ring_begin_(&r->e, c, capacity, 0, drop_oldest);
	return SEAM_RING_OK;
}

/* The greeting, 64 bytes: hello.go in package ring. */
typedef struct {
	uint64_t magic;
	uint32_t version, status;
	uint64_t layout, features, capacity;
	uint64_t pad_[3];
} seam_ring_hello_;

/* Statuses: what one side thinks of the other. */
enum {
	SEAM_RING_ACCEPTED_,
	SEAM_RING_OTHER_VERSION_,
	SEAM_RING_OTHER_LAYOUT_,
	SEAM_RING_OTHER_FEATURES_,
	SEAM_RING_BAD_MEMORY_
};

/* Descriptors that the serving side sends. The memory is the first, and isn't kept. */
enum { SEAM_RING_CONNECTOR_READS_, SEAM_RING_CONNECTOR_WRITES_, SEAM_RING_SERVER_READS_, SEAM_RING_SERVER_WRITES_, SEAM_RING_BELLS_ };

static inline int seam_ring_refuse_(seam_ring_conn *c, int err, const char *why, unsigned long long value) {
	snprintf(c->error, sizeof c->error, "ring: %s (%#llx)", why, value);
	return err;
}

static inline int seam_ring_say_(seam_ring_conn *c, int err, const char *why) {
	snprintf(c->error, sizeof c->error, "ring: %s", why);
	return err;
}

/* seam_ring_broke_ is for a system call that failed. */
static inline int seam_ring_broke_(seam_ring_conn *c, const char *why) {
	int no = errno;
	snprintf(c->error, sizeof c->error, "ring: %s: %s", why, strerror(no));
	errno = no;
	return SEAM_RING_ESYSTEM;
}

/* seam_ring_patience_ returns when the socket can be read or written, before the set-up's time
 * is over. */
static inline int seam_ring_patience_(seam_ring_conn *c, short events, const seam_ring_options *o, int64_t until) {
	for (;;) {
		struct pollfd p;
		int64_t left = until != 0 ? until - seam_ring_ms_() : 3600 * 1000;
		int n;
		p.fd = c->sock;
		p.events = events;
		p.revents = 0;
		if (o->cancelled != NULL && left > SEAM_RING_ASK_MS_)
			left = SEAM_RING_ASK_MS_;
		n = poll(&p, 1, left > 0 ? (int)left : 0);
		if (n > 0)
			return SEAM_RING_OK;
		if (n < 0 && errno != EINTR)
			return seam_ring_broke_(c, "poll failed");
		if (o->cancelled != NULL && o->cancelled(o->data))
			return seam_ring_say_(c, SEAM_RING_EAGAIN, "the set-up was cancelled");
		if (until != 0 && seam_ring_ms_() >= until)
			return seam_ring_say_(c, SEAM_RING_EAGAIN, "the peer was silent during the set-up");
	}
}

/* seam_ring_greet_ sends a greeting, with descriptors if there are any. The socket may be one
 * that doesn't block. */
static inline int seam_ring_greet_(seam_ring_conn *c, seam_ring_hello_ *h, const int *fds, int count, const seam_ring_options *o, int64_t until) {
	union { struct cmsghdr align; char b[CMSG_SPACE((SEAM_RING_BELLS_ + 1) * sizeof(int))]; } control;
	size_t sent = 0;
	while (sent < sizeof *h) {
		struct iovec v;
		struct msghdr m;
		ssize_t n;
		v.iov_base = (char *)h + sent;
		v.iov_len = sizeof *h - sent;
		memset(&m, 0, sizeof m);
		memset(&control, 0, sizeof control);
		m.msg_iov = &v;
		m.msg_iovlen = 1;
		if (count > 0 && sent == 0) {
			struct cmsghdr *a;
			m.msg_control = control.b;
			m.msg_controllen = CMSG_SPACE((size_t)count * sizeof(int));
			a = CMSG_FIRSTHDR(&m);
			a->cmsg_level = SOL_SOCKET;
			a->cmsg_type = SCM_RIGHTS;
			a->cmsg_len = CMSG_LEN((size_t)count * sizeof(int));
			memcpy(CMSG_DATA(a), fds, (size_t)count * sizeof(int));
		}
		n = sendmsg(c->sock, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n > 0) {
			sent += (size_t)n;
		} else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			int err = seam_ring_patience_(c, POLLOUT, o, until);
			if (err != SEAM_RING_OK)
				return err;
		} else if (n == 0 || errno == EPIPE || errno == ECONNRESET) {
			return seam_ring_say_(c, SEAM_RING_EGONE, "the peer hung up during the set-up");
		} else if (errno != EINTR) {
			return seam_ring_broke_(c, "the greeting can't be sent");
		}
	}
	return SEAM_RING_OK;
}

/* seam_ring_receive_ reads the peer's greeting and its descriptors. */
static inline int seam_ring_receive_(seam_ring_conn *c, seam_ring_hello_ *h, int fds[8], int *count, const seam_ring_options *o, int64_t until) {
	size_t have = 0;
	while (have < sizeof *h) {
		union { struct cmsghdr align; char b[CMSG_SPACE(8 * sizeof(int))]; } control;
		struct iovec v;
		struct msghdr m;
		struct cmsghdr *a;
		ssize_t n;
		int err = seam_ring_patience_(c, POLLIN, o, until);
		if (err != SEAM_RING_OK)
			return err;
		v.iov_base = (char *)h + have;
		v.iov_len = sizeof *h - have;
		memset(&m, 0, sizeof m);
		m.msg_iov = &v;
		m.msg_iovlen = 1;
		m.msg_control = control.b;
		m.msg_controllen = sizeof control.b;
		n = recvmsg(c->sock, &m, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
		if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK))
			continue;
		if (n < 0 && errno != ECONNRESET)
			return seam_ring_broke_(c, "the peer's greeting can't be received");
		if (n <= 0)
			return seam_ring_say_(c, SEAM_RING_EGONE, "the peer hung up during the set-up");
		for (a = CMSG_FIRSTHDR(&m); a != NULL; a = CMSG_NXTHDR(&m, a)) {
			size_t i, k = a->cmsg_level == SOL_SOCKET && a->cmsg_type == SCM_RIGHTS ? (a->cmsg_len - CMSG_LEN(0)) / sizeof(int) : 0;
			for (i = 0; i < k; i++) {
				int fd;
				memcpy(&fd, CMSG_DATA(a) + i * sizeof fd, sizeof fd);
				if (*count < 8)
					fds[(*count)++] = fd;
				else
					close(fd);
			}
		}
		if ((m.msg_flags & MSG_CTRUNC) && *count < 8) { /* there was room for more */
			errno = EMFILE;
			return seam_ring_broke_(c, "the peer's descriptors can't be taken");
		}
		have += (size_t)n;
	}
	return SEAM_RING_OK;
}

/* seam_ring_refused_ is for what the peer said of this side. */
static inline int seam_ring_refused_(seam_ring_conn *c, uint32_t status) {
	switch (status) {
	case SEAM_RING_OTHER_VERSION_: return seam_ring_say_(c, SEAM_RING_EMISMATCH, "the peer refused: it has another version of the protocol");
	case SEAM_RING_OTHER_LAYOUT_: return seam_ring_say_(c, SEAM_RING_EMISMATCH, "the peer refused: it has another layout");
	case SEAM_RING_OTHER_FEATURES_: return seam_ring_say_(c, SEAM_RING_EMISMATCH, "the peer refused: it doesn't know a feature of this side");
	case SEAM_RING_BAD_MEMORY_: return seam_ring_say_(c, SEAM_RING_EMISMATCH, "the peer refused: it can't use the memory (its limit of max_capacity, its trust, or its own memory)");
	}
	return seam_ring_refuse_(c, SEAM_RING_EMISMATCH, "the peer refused for a reason that is unknown here", status);
}

/* seam_ring_judge_ says whether a peer that sent h fits to this side. */
static inline int seam_ring_judge_(seam_ring_conn *c, const seam_ring_hello_ *h, uint32_t *status) {
	*status = SEAM_RING_ACCEPTED_;
	if (h->magic != SEAM_RING_MAGIC_)
		return seam_ring_refuse_(c, SEAM_RING_EMISMATCH, "the peer doesn't speak this protocol", h->magic);
	*status = SEAM_RING_OTHER_VERSION_;
	if (h->version != SEAM_RING_VERSION_)
		return seam_ring_refuse_(c, SEAM_RING_EMISMATCH, "the peer has another version", h->version);
	*status = SEAM_RING_ACCEPTED_;
	if (h->status != 0)
		return seam_ring_refused_(c, h->status);
	*status = SEAM_RING_OTHER_LAYOUT_;
	if (h->layout != SEAM_RING_LAYOUT_)
		return seam_ring_refuse_(c, SEAM_RING_EMISMATCH, "the peer has another layout", h->layout);
	*status = SEAM_RING_OTHER_FEATURES_;
	if (h->features & ~(uint64_t)(SEAM_RING_SOCKET_BELLS_ | SEAM_RING_DROPPING_))
		return seam_ring_refuse_(c, SEAM_RING_EMISMATCH, "the peer has features that are unknown here", h->features);
	*status = SEAM_RING_ACCEPTED_;
	return SEAM_RING_OK;
}

/* seam_ring_allocate_ takes the memory now where the kernel counts what it has promised
 * (vm.overcommit_memory is 2), and where using it later could end in SIGBUS. Elsewhere it is
 * taken as it is used. */
static inline int seam_ring_allocate_(int fd, size_t size) {
	char mode = '0';
	int f = open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC);
	if (f >= 0) {
		if (read(f, &mode, 1) != 1)
			mode = '2';
		close(f);
	}
	if (mode != '2')
		return 0;
	while (fallocate(fd, 0, 0, (off_t)size) != 0)
		if (errno != EINTR)
			return -1;
	return 0;
}

static inline size_t seam_ring_both_(uint64_t capacity) {
	return (size_t)(2 * ((sizeof(seam_ring_control) + capacity + 4095) & ~(uint64_t)4095));
}

static inline int seam_ring_mmap_(seam_ring_conn *c, int fd) {
	void *p;
	if (seam_ring_allocate_(fd, c->size) != 0)
		return seam_ring_broke_(c, "there is no memory for the rings");
	p = mmap(NULL, c->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return seam_ring_broke_(c, "the rings can't be mapped");
	c->map = p;
	return SEAM_RING_OK;
}

/* seam_ring_map_ checks what the server has made, and maps it. */
static inline int seam_ring_map_(seam_ring_conn *c, const seam_ring_hello_ *h, const int *fds, int count, const seam_ring_options *o) {
	const unsigned seals = 1 | 2 | 4; /* F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW */
	uint64_t limit = o->max_capacity != 0 ? o->max_capacity : 64u << 20;
	long have;
	struct stat st;
	if (o->untrusted && !(h->features & SEAM_RING_SOCKET_BELLS_))
		return seam_ring_say_(c, SEAM_RING_EMISMATCH, "the peer doesn't wake this side through the socket, as an untrusted one must");
	if (!seam_ring_capacity_ok_(h->capacity) || h->capacity > limit)
		return seam_ring_refuse_(c, SEAM_RING_EMISMATCH, "the peer's rings are above the limit, or no power of two", h->capacity);
	if (count != (h->features & SEAM_RING_SOCKET_BELLS_ ? 1 : SEAM_RING_BELLS_ + 1))
		return seam_ring_say_(c, SEAM_RING_EMISMATCH, "the peer sent a wrong number of descriptors");
	have = syscall(SYS_fcntl, fds[0], 1034 /* F_GET_SEALS */, 0);
	if (have < 0 || ((unsigned)have & seals) != seals)
		return seam_ring_say_(c, SEAM_RING_EMISMATCH, "the peer's memory isn't sealed: its size could change");
	c->size = seam_ring_both_(h->capacity);
	if (fstat(fds[0], &st) != 0 || (uint64_t)st.st_size != c->size)
		return seam_ring_refuse_(c, SEAM_RING_EMISMATCH, "the peer's memory has the wrong size", (unsigned long long)st.st_size);
	return seam_ring_mmap_(c, fds[0]);
}

/* seam_ring_memfd_ returns shared memory without a name that is not sealed yet, or -1: errno. A size
 * above RLIMIT_FSIZE, which counts for it too, would be a signal that ends the process. */
static inline int seam_ring_memfd_(size_t size) {
	struct rlimit most;
	int fd, no;
	if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY && size > most.rlim_cur) {
		errno = EFBIG;
		return -1;
	}
	fd = (int)syscall(SYS_memfd_create, "seam-ring", 1 | 2 /* MFD_CLOEXEC, MFD_ALLOW_SEALING */);
	if (fd < 0 || ftruncate(fd, (off_t)size) == 0)
		return fd;
	no = errno;
	close(fd);
	errno = no;
	return -1;
}

/* seam_ring_make_ makes what the server sends: the memory, and what both sides sleep on. */
static inline int seam_ring_make_(seam_ring_conn *c, uint64_t capacity, int bells, int fds[8], int *count) {
	int fd;
	c->size = seam_ring_both_(capacity);
	if ((fd = seam_ring_memfd_(c->size)) < 0)
		return seam_ring_broke_(c, errno == EFBIG ? "the rings are above the limit of file sizes (ulimit -f)" : "memfd_create failed");
	fds[(*count)++] = fd;
	if (syscall(SYS_fcntl, fd, 1033 /* F_ADD_SEALS */, 1 | 2 | 4) != 0)
		return seam_ring_broke_(c, "the memory can't be sealed");
	while (*count < 1 + bells) {
		if ((fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0)
			return seam_ring_broke_(c, "eventfd failed");
		fds[(*count)++] = fd;
	}
	return seam_ring_mmap_(c, fds[0]);
}

static inline seam_ring_control *seam_ring_half_(seam_ring_conn *c, int i) {
	return (seam_ring_control *)(void *)((char *)c->map + (i ? c->size / 2 : 0));
}

/* seam_ring_set_up_ begins a set-up, whatever side this is. */
static inline int seam_ring_set_up_(seam_ring_conn *c, int sock, const seam_ring_options *o, seam_ring_hello_ *mine, int64_t *until) {
	int i, domain = AF_UNIX, type = SOCK_STREAM;
	socklen_t n = sizeof domain, m = sizeof type;
	memset(c, 0, sizeof *c);
	c->sock = sock;
	for (i = 0; i < 4; i++)
		c->fds[i] = -1;
	memset(mine, 0, sizeof *mine);
	mine->magic = SEAM_RING_MAGIC_;
	mine->version = SEAM_RING_VERSION_;
	mine->layout = SEAM_RING_LAYOUT_;
	/* Programs that this one starts must not keep the connection when this one has ended. */
	(void)fcntl(sock, F_SETFD, FD_CLOEXEC);
	mine->features = (o->untrusted ? SEAM_RING_SOCKET_BELLS_ : 0) | (o->drop_oldest ? SEAM_RING_DROPPING_ : 0);
	*until = o->timeout > 0 ? seam_ring_ms_() + o->timeout : 0;
	/* Others carry no descriptors, or keep messages apart. */
	(void)getsockopt(sock, SOL_SOCKET, SO_DOMAIN, &domain, &n);
	(void)getsockopt(sock, SOL_SOCKET, SO_TYPE, &type, &m);
	if (domain != AF_UNIX || type != SOCK_STREAM)
		return seam_ring_say_(c, SEAM_RING_EINVALID, "a connection of rings is made over a Unix stream socket, and this one is of another kind");
	return SEAM_RING_OK;
}

/* seam_ring_let_go_ closes all descriptors of a connection, and seam_ring_free_ frees it. */
static inline void seam_ring_let_go_(seam_ring_conn *c) {
	int i;
	for (i = 0; i < 4; i++)
		if (c->fds[i] >= 0)
			close(c->fds[i]);
	if (c->sock >= 0)
		close(c->sock);
	c->sock = c->fds[0] = c->fds[1] = c->fds[2] = c->fds[3] = -1;
}

static inline void seam_ring_free_(seam_ring_conn *c) {
	seam_ring_let_go_(c);
	if (c->map != NULL)
		munmap(c->map, c->size);
	c->map = NULL;
}

/* seam_ring_settle_ ends a set-up: what isn't kept is closed. */
static inline int seam_ring_settle_(seam_ring_conn *c, int err, const int *fds, int count) {
	int i;
	for (i = 0; i < count; i++) {
		if (err == SEAM_RING_OK && i > 0)
			c->fds[i - 1] = fds[i];
		else
			close(fds[i]); /* the memory stays mapped */
	}
	if (err == SEAM_RING_OK && count <= 1) {
		/* Woken through the socket, where a byte may be for either end: the end that takes it
		 * rings for the other one, within this process. */
		for (i = 0; i < 2 && err == SEAM_RING_OK; i++)
			if ((c->fds[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0)
				err = seam_ring_broke_(c, "eventfd failed");
	}
	if (err != SEAM_RING_OK)
		seam_ring_free_(c);
	return err;
}

/* seam_ring_ends_ makes both ends of a connection. mine and theirs are the first of the two
 * descriptors that each side sleeps on: its reader's and its writer's. */
static inline void seam_ring_ends_(seam_ring_conn *c, uint64_t capacity, uint64_t features, int in, int mine, int theirs, int drops_here, int drops_there) {
	int i, socket = (features & SEAM_RING_SOCKET_BELLS_) != 0;
	seam_ring_begin_(&c->reader.e, seam_ring_half_(c, in), capacity, 0, drops_there);
	seam_ring_begin_(&c->writer.e, seam_ring_half_(c, !in), capacity, 1, drops_here);
	for (i = 0; i < 2; i++) {
		seam_ring_end *e = i == 0 ? &c->reader.e : &c->writer.e;
		e->bell = socket ? -1 : c->fds[mine + i];
		e->other = socket ? -1 : c->fds[theirs + 1 - i];
		e->kick = socket ? c->fds[i] : e->bell;
		e->sibling = socket ? c->fds[1 - i] : c->fds[mine + 1 - i];
		e->sock = c->sock;
		e->judges = 1;
		e->owner = (int)getpid();
		e->self = seam_ring_self_();
	}
}

/* seam_ring_connect takes the rings that the server at the other end of a connected Unix
 * stream socket makes. The socket belongs to the connection from then on; if this fails it is
 * closed, and c->error says why. */
static inline int seam_ring_connect(seam_ring_conn *c, int sock, const seam_ring_options *options) {
	seam_ring_options o;
	seam_ring_hello_ mine, theirs;
	int fds[8], count = 0, err;
	int64_t until;
	memset(&o, 0, sizeof o);
	if (options != NULL)
		o = *options;
	memset(&theirs, 0, sizeof theirs);
	if ((err = seam_ring_set_up_(c, sock, &o, &mine, &until)) == SEAM_RING_OK && (err = seam_ring_greet_(c, &mine, NULL, 0, &o, until)) == SEAM_RING_OK && (err = seam_ring_receive_(c, &theirs, fds, &count, &o, until)) == SEAM_RING_OK) {
		if ((err = seam_ring_judge_(c, &theirs, &mine.status)) == SEAM_RING_OK && (err = seam_ring_map_(c, &theirs, fds, count, &o)) != SEAM_RING_OK)
			mine.status = SEAM_RING_BAD_MEMORY_;
		if (err == SEAM_RING_OK)
			err = seam_ring_greet_(c, &mine, NULL, 0, &o, until);
		else
			(void)send(sock, &mine, sizeof mine, MSG_NOSIGNAL | MSG_DONTWAIT); /* so that it knows why */
	}
	if (seam_ring_settle_(c, err, fds, count) != SEAM_RING_OK)
		return err;
	seam_ring_ends_(c, theirs.capacity, theirs.features, 0, SEAM_RING_CONNECTOR_READS_, SEAM_RING_SERVER_READS_, o.drop_oldest, (theirs.features & SEAM_RING_DROPPING_) != 0);
	return SEAM_RING_OK;
}

/* seam_ring_serve makes the rings of a connection and hands them to the peer at the other end
 * of a connected Unix stream socket, which connects. The rest is as with seam_ring_connect. */
static inline int seam_ring_serve(seam_ring_conn *c, int sock, const seam_ring_options *options) {
	seam_ring_options o;
	seam_ring_hello_ mine, theirs, answer;
	int fds[8], none[8], count = 0, strays = 0, err;
	uint32_t ignored;
	int64_t until;
	memset(&o, 0, sizeof o);
	if (options != NULL)
		o = *options;
	if (o.capacity == 0)
		o.capacity = 64u << 10;
	memset(&theirs, 0, sizeof theirs);
	memset(&answer, 0, sizeof answer);
	err = seam_ring_set_up_(c, sock, &o, &mine, &until);
	if (err == SEAM_RING_OK && !seam_ring_capacity_ok_(o.capacity))
		err = seam_ring_refuse_(c, SEAM_RING_EINVALID, "a capacity is a power of two from 64 to 2^30", o.capacity);
	else if (err == SEAM_RING_OK && (err = seam_ring_receive_(c, &theirs, none, &strays, &o, until)) == SEAM_RING_OK && (err = seam_ring_judge_(c, &theirs, &mine.status)) != SEAM_RING_OK)
		(void)send(sock, &mine, sizeof mine, MSG_NOSIGNAL | MSG_DONTWAIT); /* so that it knows why */
	if (err == SEAM_RING_OK) {
		mine.features |= theirs.features & SEAM_RING_SOCKET_BELLS_;
		mine.capacity = o.capacity;
		err = seam_ring_make_(c, o.capacity, mine.features & SEAM_RING_SOCKET_BELLS_ ? 0 : SEAM_RING_BELLS_, fds, &count);
	}
	if (err == SEAM_RING_OK) {
		uint64_t features = mine.features & ~(uint64_t)SEAM_RING_DROPPING_;
		seam_ring_head_(seam_ring_half_(c, 0), o.capacity, mine.features);
		seam_ring_head_(seam_ring_half_(c, 1), o.capacity, features | (theirs.features & SEAM_RING_DROPPING_));
		if ((err = seam_ring_greet_(c, &mine, fds, count, &o, until)) == SEAM_RING_OK && (err = seam_ring_receive_(c, &answer, none, &strays, &o, until)) == SEAM_RING_OK)
			err = seam_ring_judge_(c, &answer, &ignored);
	}
	while (strays > 0)
		close(none[--strays]);
	if (seam_ring_settle_(c, err, fds, count) != SEAM_RING_OK)
		return err;
	seam_ring_ends_(c, o.capacity, mine.features, 1, SEAM_RING_SERVER_READS_, SEAM_RING_CONNECTOR_READS_, o.drop_oldest, (theirs.features & SEAM_RING_DROPPING_) != 0);
	return SEAM_RING_OK;
}

/* seam_ring_unwinding_ reports whether an exception is on its way through this thread. */
#if defined(__cplusplus) && defined(__cpp_exceptions)
static inline int seam_ring_unwinding_(void) { return std::uncaught_exceptions() > 0; }
#else
static inline int seam_ring_unwinding_(void) { return 0; }
#endif

/* seam_ring_hang_up_ tells the peer that this side goes, if the connection is this process's.
 * Descriptors and memory stay. */
static inline void seam_ring_hang_up_(seam_ring_conn *c, int aborts) {
	int self = (int)getpid();
	if (c->sock >= 0 && (self == c->writer.e.owner || self == c->reader.e.owner)) {
		c->writer.e.owner = c->reader.e.owner = self; /* if one was taken over, both are */
		if (aborts)
			seam_ring_abort_records(&c->writer);
		else
			seam_ring_end_of_records(&c->writer);
		seam_ring_shut_(&c->reader.e, SEAM_RING_EGONE);
		(void)shutdown(c->sock, SHUT_RDWR); /* children may have the socket too */
	}
}

/* seam_ring_conn_close publishes what is committed, says that nothing follows, hangs up and
 * frees everything. Neither end, and no record, may be used after that. While a C++ exception
 * unwinds the stack it is seam_ring_conn_abort, and in a forked child seam_ring_conn_abandon. */
static inline void seam_ring_conn_close(seam_ring_conn *c) {
	if (c->map != NULL) {
		seam_ring_hang_up_(c, seam_ring_unwinding_());
		seam_ring_free_(c);
	}
}

/* seam_ring_conn_abort is seam_ring_conn_close for a stream that isn't complete: the peer gets
 * what was flushed, and then SEAM_RING_EGONE, as if this process had died. */
static inline void seam_ring_conn_abort(seam_ring_conn *c) {
	if (c->map != NULL) {
		seam_ring_hang_up_(c, 1);
		seam_ring_free_(c);
	}
}

/* seam_ring_conn_abandon frees this process's copy of a connection, and tells the peer nothing:
 * for a forked child. When no process has the connection any more, the peer sees that as
 * SEAM_RING_EGONE. */
static inline void seam_ring_conn_abandon(seam_ring_conn *c) {
	if (c->map != NULL)
		seam_ring_free_(c);
}

/* seam_ring_conn_adopt makes a forked child the one that the connection belongs to. The process
 * that it was forked from must not use the connection any more, but call seam_ring_conn_abandon.
 * It fails with SEAM_RING_EFORKED if another child was faster. */
static inline int seam_ring_conn_adopt(seam_ring_conn *c) {
	int err = SEAM_RING_OK, self = (int)getpid();
	if (c->map == NULL)
		return SEAM_RING_ECLOSED;
	if (c->reader.e.owner != self)
		err = seam_ring_take_(&c->reader.e);
	if (err == SEAM_RING_OK && c->writer.e.owner != self)
		err = seam_ring_take_(&c->writer.e);
	return err;
}

/* seam_ring_conn_stop makes calls that wait, of either end and in any thread, return
 * SEAM_RING_ECLOSED, as calls do from then on where they would wait. Any thread may call it. The
 * connection stays to be closed, once no thread is in a call. */
static inline void seam_ring_conn_stop(seam_ring_conn *c) {
	__atomic_store_n(&c->reader.e.stopped, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&c->writer.e.stopped, 1, __ATOMIC_SEQ_CST);
	seam_ring_kick_(c->reader.e.kick);
	seam_ring_kick_(c->writer.e.kick);
}

#ifdef __cplusplus
static_assert(sizeof(seam_ring_control) == 1024, "seam_ring_control has the layout of Go's");
#else
_Static_assert(sizeof(seam_ring_control) == 1024, "seam_ring_control has the layout of Go's");
#endif

#ifdef __cplusplus
}

namespace seam {

template <class T> constexpr void ring_may_hold() {
	static_assert(std::is_trivially_copyable<T>::value, "records are bytes: what has pointers to itself, or a destructor, can't be one");
	static_assert(alignof(T) <= SEAM_RING_ALIGN, "records are aligned to SEAM_RING_ALIGN, and this type wants more: memcpy it out of and into the record");
}

/* ring_record is a record of n bytes as a T, where it lies, or nullptr if it is too short for one. */
template <class T> const T *ring_record(const void *rec, size_t n) {
	ring_may_hold<T>();
	return n >= sizeof(T) ? static_cast<const T *>(rec) : nullptr;
}

/* ring_room is what seam_ring_reserve has given, of sizeof(T) bytes or more, as a T to be filled. */
template <class T> T *ring_room(void *room) {
	ring_may_hold<T>();
	return static_cast<T *>(room);
}

/* A connection that hangs up by itself. Only close() says that the records are complete: whatever
 * else ends its life, a return as well as an exception, is an abort to the peer. */
class ring_conn {
public:
	seam_ring_conn c;

	ring_conn() { memset(&c, 0, sizeof c); }
	~ring_conn() { seam_ring_conn_abort(&c); }
	ring_conn(const ring_conn &) = delete;
	ring_conn &operator=(const ring_conn &) = delete;

	int connect(int sock, const seam_ring_options *o = nullptr) { return seam_ring_connect(&c, sock, o); }
	int serve(int sock, const seam_ring_options *o = nullptr) { return seam_ring_serve(&c, sock, o); }
	void close() { seam_ring_conn_close(&c); }
};

} // namespace seam
#endif
#endif
