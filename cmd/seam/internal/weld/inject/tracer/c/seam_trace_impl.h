/*
 * The run-time of a traced program: what it does. Every traced package holds a
 * copy in its _cgo_export.c; weak symbols make the linker keep one.
 *
 * The record is a file that the process maps, so that nothing is lost however
 * the process ends. raw.go of package trace reads it. Its parts are written by
 * one thread each wherever that can be: threads own slots, and a slot has a
 * shard of counters for every function it called. Threads beyond SEAM_SLOTS
 * share the last slot, with atomic operations.
 */
#pragma GCC system_header

#ifndef SEAM_TRACE_IMPL_H
#define SEAM_TRACE_IMPL_H

#include <errno.h>

#define SEAM_WEAK __attribute__((__weak__, __visibility__("hidden")))

typedef unsigned long long seam_u64;
typedef unsigned int seam_u32;

typedef char seam_trace_assert_long[sizeof(long) == 8 && sizeof(void *) == 8 ? 1 : -1];

/* ---- the C library and Linux, under names that no user's text declares ---- */

struct seam_timespec { long sec, nsec; };

extern int seam_c_clock_gettime(int, struct seam_timespec *) __asm__("clock_gettime");
extern int seam_c_getrusage(int, void *) __asm__("getrusage");
extern int seam_c_nanosleep(const struct seam_timespec *, struct seam_timespec *) __asm__("nanosleep");
extern int seam_c_open(const char *, int, ...) __asm__("open");
extern int seam_c_close(int) __asm__("close");
extern int seam_c_mkdir(const char *, seam_u32) __asm__("mkdir");
extern int seam_c_ftruncate(int, long) __asm__("ftruncate");
extern int seam_c_posix_fallocate(int, long, long) __asm__("posix_fallocate");
extern void *seam_c_mmap(void *, unsigned long, int, int, int, long) __asm__("mmap");
extern int seam_c_munmap(void *, unsigned long) __asm__("munmap");
extern int seam_c_madvise(void *, unsigned long, int) __asm__("madvise");
extern char *seam_c_getenv(const char *) __asm__("getenv");
extern int seam_c_getpid(void) __asm__("getpid");
extern long seam_c_readlink(const char *, char *, unsigned long) __asm__("readlink");
extern long seam_c_write(int, const void *, unsigned long) __asm__("write");
extern int seam_c_unlink(const char *) __asm__("unlink");
extern int seam_c_sched_yield(void) __asm__("sched_yield");
/* Weak: before glibc 2.34 these are in a library that only runtime/cgo asks for. */
extern int seam_c_key_create(seam_u32 *, void (*)(void *)) __asm__("pthread_key_create") __attribute__((__weak__));
extern int seam_c_setspecific(seam_u32, const void *) __asm__("pthread_setspecific") __attribute__((__weak__));

enum {
	SEAM_O_RDWR = 02, SEAM_O_CREAT = 0100, SEAM_O_EXCL = 0200, SEAM_O_CLOEXEC = 02000000,
	SEAM_PROT_RW = 3, SEAM_MAP_SHARED = 1, SEAM_MAP_PRIVATE = 2, SEAM_MAP_ANONYMOUS = 0x20, SEAM_MAP_NORESERVE = 0x4000,
	SEAM_MADV_WIPEONFORK = 18,
	SEAM_CLOCK_REALTIME = 0, SEAM_CLOCK_MONOTONIC = 1, SEAM_CLOCK_THREAD = 3,
	SEAM_RUSAGE_THREAD = 1, SEAM_RU_NVCSW = 16 /* in longs */
};

/* ---- the raw file; the same as in raw.go ---- */

enum {
	SEAM_RAW_VERSION = 1,
	SEAM_HEADER = 4096,        /* bytes before the first chunk */
	SEAM_BINS = 272,
	SEAM_MAX_FILE = 256 << 20,
	SEAM_GROW = 1 << 20,
	SEAM_MAX_FUNCTIONS = 1 << 15,
	SEAM_SLOTS = 64,           /* slots with one owner; one more is shared */

	SEAM_FUNCTION = 1, SEAM_SHARD = 2, SEAM_CALLER = 3, SEAM_TEXT = 4, SEAM_CROSSING = 5,

	SEAM_NO_SWITCHES = 1       /* flag: the kernel doesn't count voluntary switches */
};

struct seam_trace_header {
	char magic[8];
	seam_u32 version, order;
	seam_u64 used, pid, start_real, start, clock_ps, empty_ps;
	seam_u64 lost_calls, lost_stacks, go_samples, go_sample_ns, flags;
};

struct seam_trace_chunk { seam_u32 size, type; };

/* Function chunk: this, then package, name, signature, build, each with a 0. */
struct seam_trace_record {
	struct seam_trace_chunk chunk;
	seam_u32 id, text;
	void *crossing;            /* a pointer of the process, nothing in the file */
	char pad[40];
	seam_u32 inside, most;     /* threads, on a line of their own */
	char pad2[56];
};

struct seam_trace_shard {
	struct seam_trace_chunk chunk;
	seam_u32 id, slot;
	seam_u64 entered, open;    /* calls begun; sum of the starts of those not ended */
	seam_u64 last, total, max, max_busy, callbacks, judged, blocked, preempted, abandoned;
	seam_u64 pad[3];
	seam_u64 bins[SEAM_BINS];
};

/* Caller chunk: this, then triples of function, file, line, each with a 0. */
struct seam_trace_caller {
	struct seam_trace_chunk chunk;
	seam_u32 id, text;
	seam_u64 calls, ns;
};

struct seam_trace_crossing {
	struct seam_trace_chunk chunk;
	seam_u32 id, pad;
	seam_u32 bins[SEAM_BINS];
};

/* ---- the process ---- */

struct seam_trace_frame {
	void *address;
	struct seam_trace_function *function;
	struct seam_trace_shard *shard;
	seam_u64 begin, start, stamp, stamp_cpu, stamp_switches, callback;
	int marked, again, sampled;
};

struct seam_trace_slot {
	struct seam_trace_shard **shards;
	int taken;
};

/* A thread. It lies in memory of its own, with the frames behind it. */
struct seam_trace_thread {
	struct seam_trace_slot *slot;
	int shared;
	int sampled;               /* Go times the next call */
	struct seam_trace_function *span_of;
	seam_u64 span;
	seam_u64 stamp, stamp_cpu, stamp_switches;
	unsigned long bytes;
	unsigned depth, room;
	struct seam_trace_frame *frames;
};

enum { SEAM_NEW, SEAM_ON, SEAM_OFF };

struct seam_trace_process {
	int state, lock;
	int *alive;                /* wiped to 0 in a forked child */
	int alive_pid;             /* else, where the kernel can't wipe: whose process this is */
	int key_made;
	seam_u32 key;
	struct seam_trace_header *file;
	unsigned long size;        /* of the file */
	unsigned long clock_ns;
	struct seam_trace_package *packages;
	struct seam_trace_slot slots[SEAM_SLOTS + 1];
	char path[4096];
};

SEAM_WEAK struct seam_trace_process seam_trace_process;
SEAM_WEAK __thread struct seam_trace_thread *seam_trace_self;

static __inline__ seam_u64 seam_trace_clock(int which)
{
	struct seam_timespec t;
	t.sec = t.nsec = 0;
	seam_c_clock_gettime(which, &t);
	return (seam_u64)t.sec * 1000000000ull + (seam_u64)t.nsec;
}

static __inline__ seam_u64 seam_trace_now(void) { return seam_trace_clock(SEAM_CLOCK_MONOTONIC); }

/* Voluntary switches of this thread: how often it waited. */
static __inline__ seam_u64 seam_trace_switches(void)
{
	long usage[64];
	usage[SEAM_RU_NVCSW] = 0;
	seam_c_getrusage(SEAM_RUSAGE_THREAD, usage);
	return (seam_u64)usage[SEAM_RU_NVCSW];
}

static __inline__ unsigned seam_trace_bin(seam_u64 ns)
{
	unsigned e;
	if (ns < 16)
		return (unsigned)ns;
	e = 63 - (unsigned)__builtin_clzll(ns);
	if (e > 35)
		return SEAM_BINS - 1;
	return 16 + (e - 4) * 8 + (unsigned)(ns >> (e - 3) & 7);
}

/* Is this the process that the record belongs to? A forked child records
   nothing: it has the parent's memory and none of its threads. */
static __inline__ int seam_trace_mine(void)
{
	struct seam_trace_process *p = &seam_trace_process;
	int *alive = __atomic_load_n(&p->alive, __ATOMIC_ACQUIRE);
	return alive && __atomic_load_n(alive, __ATOMIC_RELAXED) &&
		__builtin_expect(!p->alive_pid || p->alive_pid == seam_c_getpid(), 1);
}

static __inline__ void seam_trace_bump(int shared, seam_u64 *counter, seam_u64 n)
{
	if (shared)
		__atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
	else
		__atomic_store_n(counter, __atomic_load_n(counter, __ATOMIC_RELAXED) + n, __ATOMIC_RELAXED);
}

static __inline__ void seam_trace_raise(int shared, seam_u64 *most, seam_u64 n)
{
	seam_u64 old = __atomic_load_n(most, __ATOMIC_RELAXED);
	if (n <= old)
		return;
	if (!shared) {
		__atomic_store_n(most, n, __ATOMIC_RELAXED);
		return;
	}
	while (n > old && !__atomic_compare_exchange_n(most, &old, n, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static __inline__ void seam_trace_lock(void)
{
	while (__atomic_exchange_n(&seam_trace_process.lock, 1, __ATOMIC_ACQUIRE))
		seam_c_sched_yield();
}

static __inline__ void seam_trace_unlock(void)
{
	__atomic_store_n(&seam_trace_process.lock, 0, __ATOMIC_RELEASE);
}

SEAM_WEAK void seam_trace_add(struct seam_trace_package *p)
{
	seam_trace_lock();
	p->next = seam_trace_process.packages;
	seam_trace_process.packages = p;
	seam_trace_unlock();
}

SEAM_WEAK void *seam_trace_memory(unsigned long bytes)
{
	void *m = seam_c_mmap(0, bytes, SEAM_PROT_RW, SEAM_MAP_PRIVATE | SEAM_MAP_ANONYMOUS, -1, 0);
	return m == (void *)-1 ? 0 : m;
}

/* Makes the file longer: with its blocks, so that no write to the mapping can
   find the disk full. */
SEAM_WEAK int seam_trace_grow(int fd, unsigned long from, unsigned long to)
{
	int why = seam_c_posix_fallocate(fd, (long)from, (long)(to - from));
	if (why == 0)
		return 1;
	return why != ENOSPC && why != EFBIG && seam_c_ftruncate(fd, (long)to) == 0;
}

/* A part of the file; 0 if it is full. The lock is held. The caller writes the
   type when the rest is in place. */
SEAM_WEAK void *seam_trace_chunk(unsigned long bytes)
{
	struct seam_trace_process *p = &seam_trace_process;
	unsigned long used = (unsigned long)p->file->used;
	struct seam_trace_chunk *c;
	bytes = (bytes + 63) & ~63ul;
	if (bytes > SEAM_MAX_FILE || used + bytes > SEAM_MAX_FILE)
		return 0;
	if (used + bytes > p->size) {
		unsigned long size = (used + bytes + SEAM_GROW - 1) & ~(unsigned long)(SEAM_GROW - 1);
		int ok, fd = seam_c_open(p->path, SEAM_O_RDWR | SEAM_O_CLOEXEC);
		if (fd < 0)
			return 0;
		ok = seam_trace_grow(fd, p->size, size);
		seam_c_close(fd);
		if (!ok)
			return 0;
		p->size = size;
	}
	c = (struct seam_trace_chunk *)((char *)p->file + used);
	c->size = (seam_u32)bytes;
	__atomic_store_n(&p->file->used, used + bytes, __ATOMIC_RELEASE);
	return c;
}

static __inline__ void seam_trace_done(struct seam_trace_chunk *c, seam_u32 type)
{
	__atomic_store_n(&c->type, type, __ATOMIC_RELEASE);
}

static __inline__ char *seam_trace_put(char *to, const char *s)
{
	unsigned long n = __builtin_strlen(s) + 1;
	__builtin_memcpy(to, s, n);
	return to + n;
}

/* ---- opening the file ---- */

static __inline__ void seam_trace_say(const char *what, const char *path)
{
	char line[4400];
	char *to = seam_trace_put(line, "seam: nothing is traced in this process: ") - 1;
	to = seam_trace_put(to, what) - 1;
	to = seam_trace_put(to, path) - 1;
	*to++ = '\n';
	if (seam_c_write(2, line, (unsigned long)(to - line)) < 0)
		return;
}

static __inline__ char *seam_trace_number(char *to, seam_u64 n)
{
	char digits[24];
	int i = 0;
	do
		digits[i++] = (char)('0' + n % 10);
	while (n /= 10);
	while (i)
		*to++ = digits[--i];
	return to;
}

/* Writes the folder for raw files into to; 0 if there is none. */
static __inline__ char *seam_trace_folder(char *to, unsigned long room)
{
	const char *dir = seam_c_getenv("SEAM_TRACE"), *below = "";
	char *start = to;
	if (!dir || !*dir) {
		below = "/seam/trace";
		dir = seam_c_getenv("XDG_CACHE_HOME");
	}
	if (!dir || !*dir) {
		below = "/.cache/seam/trace";
		dir = seam_c_getenv("HOME");
	}
	if (!dir || !*dir || __builtin_strlen(dir) + 64 > room)
		return 0;
	to = seam_trace_put(to, dir) - 1;
	to = seam_trace_put(to, below) - 1;
	for (dir = start + 1; dir <= to; dir++) {
		char *slash = (char *)dir;
		char was = *slash;
		if (was && was != '/')
			continue;
		*slash = 0;
		seam_c_mkdir(start, 0700); /* it is there, or open will tell */
		*slash = was;
	}
	return to;
}

SEAM_WEAK void seam_trace_calibrate(void);

SEAM_WEAK void seam_trace_function_chunk(struct seam_trace_package *p, struct seam_trace_function *f, seam_u32 id)
{
	unsigned long text = __builtin_strlen(p->path) + __builtin_strlen(f->name) +
		__builtin_strlen(f->signature) + __builtin_strlen(p->build) + 4;
	struct seam_trace_record *r = (struct seam_trace_record *)seam_trace_chunk(sizeof *r + text);
	char *to;
	if (!r)
		return;
	r->id = id;
	r->text = (seam_u32)text;
	to = seam_trace_put((char *)(r + 1), p->path);
	to = seam_trace_put(to, f->name);
	to = seam_trace_put(to, f->signature);
	seam_trace_put(to, p->build);
	seam_trace_done(&r->chunk, SEAM_FUNCTION);
	f->record = r;
}

/* Makes the file. The lock is held. */
SEAM_WEAK int seam_trace_open(void)
{
	struct seam_trace_process *p = &seam_trace_process;
	struct seam_trace_header *h;
	struct seam_trace_package *pkg;
	seam_u64 real = seam_trace_clock(SEAM_CLOCK_REALTIME);
	seam_u32 id = 0;
	char exe[4096];
	long n;
	int fd = -1;
	unsigned try;
	char *end = seam_trace_folder(p->path, sizeof p->path);
	int *alive;
	if (!end) {
		seam_trace_say("no folder for its record: set SEAM_TRACE to one", "");
		return 0;
	}
	for (try = 0; try < 100 && fd < 0; try++) {
		char *to = seam_trace_put(end, "/") - 1;
		to = seam_trace_number(to, (seam_u64)seam_c_getpid());
		*to++ = '-';
		to = seam_trace_number(to, real + try);
		seam_trace_put(to, ".raw");
		fd = seam_c_open(p->path, SEAM_O_RDWR | SEAM_O_CREAT | SEAM_O_EXCL | SEAM_O_CLOEXEC, 0600);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0) {
		seam_trace_say("can't write ", p->path);
		return 0;
	}
	h = (struct seam_trace_header *)-1;
	if (seam_trace_grow(fd, 0, SEAM_GROW))
		h = (struct seam_trace_header *)seam_c_mmap(0, SEAM_MAX_FILE, SEAM_PROT_RW,
			SEAM_MAP_SHARED | SEAM_MAP_NORESERVE, fd, 0);
	seam_c_close(fd);
	if (h == (struct seam_trace_header *)-1) {
		seam_c_unlink(p->path);
		seam_trace_say("no room for ", p->path);
		return 0;
	}
	p->size = SEAM_GROW;
	p->file = h;
	h->version = SEAM_RAW_VERSION;
	h->order = 0x01020304;
	h->used = SEAM_HEADER;
	h->pid = (seam_u64)seam_c_getpid();
	h->start_real = real;
	h->start = seam_trace_now();
	alive = (int *)seam_trace_memory(4096);
	if (!alive)
		return 0;
	*alive = 1;
	if (seam_c_madvise(alive, 4096, SEAM_MADV_WIPEONFORK) != 0)
		p->alive_pid = seam_c_getpid();
	n = seam_c_readlink("/proc/self/exe", exe, sizeof exe - 1);
	if (n > 0) {
		struct seam_trace_caller *c;
		exe[n] = 0;
		c = (struct seam_trace_caller *)seam_trace_chunk(sizeof *c + 4 + (unsigned long)n + 1);
		if (c) {
			c->text = 4 + (seam_u32)n + 1;
			seam_trace_put(seam_trace_put((char *)(c + 1), "exe"), exe);
			seam_trace_done(&c->chunk, SEAM_TEXT);
		}
	}
	for (pkg = p->packages; pkg; pkg = pkg->next) {
		unsigned long i;
		for (i = 0; i < pkg->count && id < SEAM_MAX_FUNCTIONS; i++)
			seam_trace_function_chunk(pkg, &pkg->functions[i], id++);
	}
	if (seam_c_key_create && seam_c_setspecific) {
		extern void seam_trace_exit(void *) SEAM_TRACE_HIDDEN;
		p->key_made = seam_c_key_create(&p->key, seam_trace_exit) == 0;
	}
	__atomic_store_n(&p->alive, alive, __ATOMIC_RELEASE);
	seam_trace_calibrate();
	/* Last: without it the file is not one of ours. */
	__builtin_memcpy(h->magic, "SEAMRAW", 8);
	return 1;
}

/* ---- threads ---- */

SEAM_WEAK struct seam_trace_thread *seam_trace_new_thread(struct seam_trace_slot *slot, int shared)
{
	unsigned long bytes = 4096;
	struct seam_trace_thread *t = (struct seam_trace_thread *)seam_trace_memory(bytes);
	if (!t)
		return 0;
	t->slot = slot;
	t->shared = shared;
	t->bytes = bytes;
	t->frames = (struct seam_trace_frame *)(t + 1);
	t->room = (unsigned)((bytes - sizeof *t) / sizeof *t->frames);
	return t;
}

/* The first call of a thread. */
SEAM_WEAK struct seam_trace_thread *seam_trace_thread_start(void)
{
	struct seam_trace_process *p = &seam_trace_process;
	struct seam_trace_thread *t = 0;
	int i, was = errno;
	if (__atomic_load_n(&p->state, __ATOMIC_ACQUIRE) == SEAM_OFF)
		return 0;
	seam_trace_lock();
	if (p->state == SEAM_NEW)
		__atomic_store_n(&p->state, seam_trace_open() ? SEAM_ON : SEAM_OFF, __ATOMIC_RELEASE);
	if (p->state == SEAM_ON) {
		for (i = 0; i < SEAM_SLOTS && p->slots[i].taken; i++)
			;
		if (!p->slots[i].shards)
			p->slots[i].shards = (struct seam_trace_shard **)seam_trace_memory(SEAM_MAX_FUNCTIONS * sizeof(void *));
		if (p->slots[i].shards)
			t = seam_trace_new_thread(&p->slots[i], i == SEAM_SLOTS);
		if (t) {
			p->slots[i].taken = 1;
			seam_trace_self = t;
			if (p->key_made)
				seam_c_setspecific(p->key, t);
		} else
			p->file->lost_calls++;
	}
	seam_trace_unlock();
	errno = was;
	return t;
}

/* More frames: calls nest through callbacks. */
SEAM_WEAK struct seam_trace_thread *seam_trace_more_frames(struct seam_trace_thread *t)
{
	int was = errno;
	unsigned long bytes = t->bytes * 2;
	struct seam_trace_thread *more = bytes > (64ul << 20) ? 0 : (struct seam_trace_thread *)seam_trace_memory(bytes);
	if (more) {
		__builtin_memcpy(more, t, t->bytes);
		more->bytes = bytes;
		more->frames = (struct seam_trace_frame *)(more + 1);
		more->room = (unsigned)((bytes - sizeof *more) / sizeof *more->frames);
		seam_trace_self = more;
		if (seam_trace_process.key_made)
			seam_c_setspecific(seam_trace_process.key, more);
		seam_c_munmap(t, t->bytes);
	}
	errno = was;
	return more;
}

SEAM_WEAK struct seam_trace_shard *seam_trace_new_shard(struct seam_trace_thread *t, struct seam_trace_record *r)
{
	struct seam_trace_shard *s;
	int was = errno;
	seam_trace_lock();
	s = t->slot->shards[r->id]; /* of a shared slot another thread may have made it */
	if (!s) {
		s = (struct seam_trace_shard *)seam_trace_chunk(sizeof *s);
		if (s) {
			s->id = r->id;
			s->slot = (seam_u32)(t->slot - seam_trace_process.slots);
			seam_trace_done(&s->chunk, SEAM_SHARD);
			__atomic_store_n(&t->slot->shards[r->id], s, __ATOMIC_RELEASE);
		}
	}
	seam_trace_unlock();
	errno = was;
	return s;
}

/* ---- a call ---- */

/* A call ended: the counters that every call moves. */
static __inline__ void seam_trace_count(struct seam_trace_thread *t, struct seam_trace_frame *f, seam_u64 now, seam_u64 ns)
{
	struct seam_trace_shard *s = f->shard;
	struct seam_trace_record *r = (struct seam_trace_record *)f->function->record;
	seam_trace_bump(t->shared, &s->bins[seam_trace_bin(ns)], 1);
	seam_trace_bump(t->shared, &s->total, ns);
	seam_trace_bump(t->shared, &s->open, -f->start);
	seam_trace_raise(t->shared, &s->max, ns);
	__atomic_store_n(&s->last, now, __ATOMIC_RELAXED);
	if (!f->again)
		__atomic_fetch_sub(&r->inside, 1, __ATOMIC_RELAXED);
}

/* The innermost call was left by a panic that went through C: the runtime
   drops C's frames. It ran until its last callback at least. */
SEAM_WEAK void seam_trace_abandon(struct seam_trace_thread *t)
{
	struct seam_trace_frame *f = &t->frames[--t->depth];
	seam_u64 ns = f->callback > f->start ? f->callback - f->start : 0;
	seam_trace_count(t, f, f->start + ns, ns);
	seam_trace_raise(t->shared, &f->shard->max_busy, ns);
	seam_trace_bump(t->shared, &f->shard->abandoned, 1);
}

/* The thread ends: what it owned is for others. */
SEAM_WEAK void seam_trace_exit(void *thread)
{
	struct seam_trace_thread *t = (struct seam_trace_thread *)thread;
	if (!seam_trace_mine() || t != seam_trace_self)
		return;
	while (t->depth)
		seam_trace_abandon(t);
	seam_trace_lock();
	if (!t->shared)
		t->slot->taken = 0;
	seam_trace_self = 0;
	seam_trace_unlock();
	seam_c_munmap(t, t->bytes);
}

static __inline__ void seam_trace_stamp(struct seam_trace_thread *t)
{
	t->stamp_cpu = seam_trace_clock(SEAM_CLOCK_THREAD);
	t->stamp_switches = seam_trace_switches();
	t->stamp = seam_trace_now();
}

/* How old a stamp may be, how long a call takes before it is judged, and what counts as long. */
enum { SEAM_STAMP_NS = 10000, SEAM_JUDGE_NS = 10000, SEAM_LONG_NS = 50000 };

SEAM_WEAK unsigned seam_trace_enter(struct seam_trace_function *function, void *frame)
{
	struct seam_trace_thread *t = seam_trace_self;
	struct seam_trace_record *r;
	struct seam_trace_shard *s;
	struct seam_trace_frame *f;
	seam_u64 begin = 0;
	unsigned i;
	if (__builtin_expect(!t, 0)) {
		if (seam_trace_process.alive && !seam_trace_mine())
			return 0;
		t = seam_trace_thread_start();
		if (!t)
			return 0;
	}
	if (__builtin_expect(!seam_trace_mine(), 0))
		return 0;
	if (t->sampled)
		begin = seam_trace_now();
	/* The stack grows down: a call that is still running lies above this one. */
	while (t->depth && (char *)t->frames[t->depth - 1].address <= (char *)frame)
		seam_trace_abandon(t);
	if (__builtin_expect(t->depth == t->room, 0)) {
		t = seam_trace_more_frames(t);
		if (!t) {
			__atomic_fetch_add(&seam_trace_process.file->lost_calls, 1, __ATOMIC_RELAXED);
			return 0;
		}
	}
	r = (struct seam_trace_record *)function->record;
	s = 0;
	if (__builtin_expect(r != 0, 1)) {
		s = __atomic_load_n(&t->slot->shards[r->id], __ATOMIC_ACQUIRE);
		if (__builtin_expect(!s, 0))
			s = seam_trace_new_shard(t, r);
	}
	if (__builtin_expect(!s, 0)) {
		__atomic_fetch_add(&seam_trace_process.file->lost_calls, 1, __ATOMIC_RELAXED);
		return 0;
	}
	f = &t->frames[t->depth];
	f->address = frame;
	f->function = function;
	f->shard = s;
	f->begin = begin;
	f->callback = 0;
	f->marked = f->again = 0;
	f->sampled = t->sampled;
	t->sampled = 0;
	for (i = t->depth; i-- > 0;) {
		if (t->frames[i].function == function) {
			f->again = 1; /* this thread is inside already */
			break;
		}
	}
	t->depth++;
	if (!f->again) {
		seam_u32 inside = __atomic_add_fetch(&r->inside, 1, __ATOMIC_RELAXED);
		seam_u32 most = __atomic_load_n(&r->most, __ATOMIC_RELAXED);
		while (inside > most &&
			!__atomic_compare_exchange_n(&r->most, &most, inside, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			;
	}
	seam_trace_bump(t->shared, &s->entered, 1);
	f->start = seam_trace_now();
	if (__builtin_expect(f->start - t->stamp > SEAM_STAMP_NS, 0)) {
		seam_trace_stamp(t);
		f->start = seam_trace_now();
	}
	f->stamp = t->stamp;
	f->stamp_cpu = t->stamp_cpu;
	f->stamp_switches = t->stamp_switches;
	seam_trace_bump(t->shared, &s->open, f->start);
	return t->depth;
}

/*
 * Judge tells what a call that took long did: wait, run, or neither, when the
 * kernel gave the processor to others. CPU time and switches are known from the
 * stamp, a little before the call. So the thread ran for at most (CPU time since
 * the stamp), and if it ran all the time before the call, for that less the time
 * from stamp to call.
 */
SEAM_WEAK void seam_trace_judge(struct seam_trace_thread *t, struct seam_trace_frame *f, seam_u64 wall)
{
	struct seam_trace_shard *s = f->shard;
	seam_u64 cpu = seam_trace_clock(SEAM_CLOCK_THREAD) - f->stamp_cpu;
	seam_u64 before = f->start - f->stamp;
	seam_u64 ran = cpu > before ? cpu - before : 0;
	int waited = seam_trace_switches() != f->stamp_switches;
	if (seam_trace_process.file->flags & SEAM_NO_SWITCHES) {
		waited = 1;
		ran = cpu;
	}
	if (waited && wall > ran + SEAM_JUDGE_NS && wall / 2 > ran) {
		seam_trace_bump(t->shared, &s->blocked, 1);
		seam_trace_raise(t->shared, &s->max_busy, wall);
		return;
	}
	if (wall > SEAM_LONG_NS && wall > cpu + SEAM_JUDGE_NS)
		seam_trace_bump(t->shared, &s->preempted, 1);
	seam_trace_raise(t->shared, &s->max_busy, wall < cpu ? wall : cpu);
}

SEAM_WEAK void seam_trace_leave(unsigned ticket, void *frame)
{
	seam_u64 now = seam_trace_now();
	struct seam_trace_thread *t = seam_trace_self;
	struct seam_trace_frame *f;
	seam_u64 ns;
	if (!ticket || !t || !seam_trace_mine())
		return;
	if (ticket > t->depth || t->frames[ticket - 1].address != frame)
		return; /* it was taken for abandoned */
	while (t->depth > ticket)
		seam_trace_abandon(t);
	f = &t->frames[t->depth - 1];
	ns = now - f->start;
	ns = ns > seam_trace_process.clock_ns ? ns - seam_trace_process.clock_ns : 0;
	seam_trace_count(t, f, now, ns);
	seam_trace_bump(t->shared, &f->shard->judged, 1);
	if (__builtin_expect(ns > SEAM_JUDGE_NS, 0))
		seam_trace_judge(t, f, ns);
	else
		seam_trace_raise(t->shared, &f->shard->max_busy, ns);
	t->depth--;
	if (f->sampled) {
		t->span_of = f->function;
		t->span = seam_trace_now() - f->begin;
	}
}

SEAM_WEAK void seam_trace_callback(void *frame)
{
	struct seam_trace_thread *t = seam_trace_self;
	unsigned i;
	if (!t || !seam_trace_mine())
		return;
	while (t->depth && (char *)t->frames[t->depth - 1].address <= (char *)frame)
		seam_trace_abandon(t);
	if (!t->depth)
		return;
	t->frames[t->depth - 1].callback = seam_trace_now();
	/* What is marked was so with all calls outside it. */
	for (i = t->depth; i-- > 0 && !t->frames[i].marked;) {
		t->frames[i].marked = 1;
		seam_trace_bump(t->shared, &t->frames[i].shard->callbacks, 1);
	}
}

/* ---- what tracing itself costs ---- */

SEAM_WEAK void seam_trace_sort(seam_u64 *v, int n)
{
	int i, j;
	for (i = 1; i < n; i++)
		for (j = i; j > 0 && v[j - 1] > v[j]; j--) {
			seam_u64 x = v[j];
			v[j] = v[j - 1];
			v[j - 1] = x;
		}
}

SEAM_WEAK void seam_trace_calibrate(void)
{
	enum { rounds = 51, calls = 40 };
	struct seam_trace_process *p = &seam_trace_process;
	struct seam_trace_thread *was = seam_trace_self, *t;
	struct seam_trace_slot slot;
	struct seam_trace_shard *table[1], *shard;
	struct seam_trace_record record;
	struct seam_trace_function function;
	struct seam_timespec nap;
	seam_u64 took[rounds], a, switches;
	int i, k;
	for (i = 0; i < rounds; i++) {
		a = seam_trace_now();
		for (k = 0; k < calls; k++)
			seam_trace_now();
		took[i] = (seam_trace_now() - a) * 1000 / (calls + 1);
	}
	seam_trace_sort(took, rounds);
	p->file->clock_ps = took[rounds / 2];
	p->clock_ns = (unsigned long)(took[rounds / 2] / 1000);

	switches = seam_trace_switches();
	nap.sec = 0;
	nap.nsec = 1000;
	seam_c_nanosleep(&nap, 0);
	if (seam_trace_switches() == switches)
		p->file->flags |= SEAM_NO_SWITCHES;

	/* Calls of nothing, counted in memory that is then given back. */
	shard = (struct seam_trace_shard *)seam_trace_memory(sizeof *shard);
	table[0] = shard;
	slot.shards = table;
	slot.taken = 1;
	t = shard ? seam_trace_new_thread(&slot, 0) : 0;
	if (t) {
		__builtin_memset(&record, 0, sizeof record);
		function.name = function.signature = "";
		function.record = &record;
		seam_trace_self = t;
		for (i = 0; i < rounds; i++) {
			a = seam_trace_now();
			for (k = 0; k < calls; k++)
				seam_trace_leave(seam_trace_enter(&function, &a), &a);
			took[i] = (seam_trace_now() - a) * 1000 / calls;
		}
		seam_trace_self = was;
		seam_trace_sort(took, rounds);
		p->file->empty_ps = took[rounds / 2];
		seam_c_munmap(t, t->bytes);
	}
	if (shard)
		seam_c_munmap(shard, sizeof *shard);
}

/* ---- Go's side ---- */

/* The same as in tracer.go. */
struct seam_trace_request {
	int op;
	seam_u32 index;
	struct seam_trace_function *functions;
	seam_u64 now;              /* out */
	seam_u64 span;             /* out: the call between begin and end; 0: unknown */
	struct seam_trace_caller *caller; /* out of NEW, in of COUNT */
	seam_u64 weight, ns, cost;
	long long crossing;        /* -1: unknown */
	const char *text;
	unsigned long length;
};

enum { SEAM_BEGIN, SEAM_END, SEAM_NEW_CALLER, SEAM_COUNT, SEAM_NEW_TEXT };

SEAM_WEAK void seam_trace_text(struct seam_trace_request *q, seam_u32 id, seam_u32 type)
{
	struct seam_trace_caller *c;
	int was = errno;
	seam_trace_lock();
	c = (struct seam_trace_caller *)seam_trace_chunk(sizeof *c + q->length);
	if (c) {
		c->id = id;
		c->text = (seam_u32)q->length;
		__builtin_memcpy(c + 1, q->text, q->length);
		seam_trace_done(&c->chunk, type);
	} else
		seam_trace_process.file->lost_stacks++;
	seam_trace_unlock();
	q->caller = c;
	errno = was;
}

SEAM_WEAK void seam_trace_cross(struct seam_trace_record *r, seam_u64 ns)
{
	struct seam_trace_crossing *c = (struct seam_trace_crossing *)__atomic_load_n(&r->crossing, __ATOMIC_ACQUIRE);
	if (!c) {
		int was = errno;
		seam_trace_lock();
		c = (struct seam_trace_crossing *)r->crossing;
		if (!c) {
			c = (struct seam_trace_crossing *)seam_trace_chunk(sizeof *c);
			if (c) {
				c->id = r->id;
				seam_trace_done(&c->chunk, SEAM_CROSSING);
				__atomic_store_n(&r->crossing, (void *)c, __ATOMIC_RELEASE);
			}
		}
		seam_trace_unlock();
		errno = was;
		if (!c)
			return;
	}
	__atomic_fetch_add(&c->bins[seam_trace_bin(ns)], 1, __ATOMIC_RELAXED);
}

SEAM_WEAK void seam_trace_go(void *request)
{
	struct seam_trace_request *q = (struct seam_trace_request *)request;
	struct seam_trace_thread *t = seam_trace_self;
	struct seam_trace_record *r;
	if (!t && (!seam_trace_process.alive || seam_trace_mine()))
		t = seam_trace_thread_start();
	q->now = seam_trace_now();
	q->span = 0;
	if (!t || !seam_trace_mine())
		return;
	r = (struct seam_trace_record *)q->functions[q->index].record;
	switch (q->op) {
	case SEAM_BEGIN:
		t->span = 0;
		t->sampled = 1;
		q->now = seam_trace_now();
		break;
	case SEAM_END:
		t->sampled = 0;
		if (t->span_of == &q->functions[q->index])
			q->span = t->span + seam_trace_process.clock_ns;
		t->span = 0;
		break;
	case SEAM_NEW_CALLER:
		if (r)
			seam_trace_text(q, r->id, SEAM_CALLER);
		break;
	case SEAM_NEW_TEXT:
		seam_trace_text(q, 0, SEAM_TEXT);
		break;
	case SEAM_COUNT:
		if (q->caller) {
			__atomic_fetch_add(&q->caller->calls, q->weight, __ATOMIC_RELAXED);
			__atomic_fetch_add(&q->caller->ns, q->weight * q->ns, __ATOMIC_RELAXED);
		}
		if (r && q->crossing >= 0)
			seam_trace_cross(r, (seam_u64)q->crossing);
		__atomic_fetch_add(&seam_trace_process.file->go_samples, 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&seam_trace_process.file->go_sample_ns, q->cost, __ATOMIC_RELAXED);
		break;
	}
}

#endif
