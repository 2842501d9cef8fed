/* The run-time of a traced program: libc, the raw file's layout, the process. See seam_trace_impl.h. */
#pragma GCC system_header

/* ---- the C library and Linux, under names that no user's text declares ---- */

struct seam_timespec { long sec, nsec; };

extern int *seam_c_errno(void) __asm__("__errno_location");
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
	SEAM_EEXIST = 17, SEAM_EFBIG = 27, SEAM_ENOSPC = 28,
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
	return why != SEAM_ENOSPC && why != SEAM_EFBIG && seam_c_ftruncate(fd, (long)to) == 0;
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
