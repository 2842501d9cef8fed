/*
 * The run-time of programs that record something about themselves: the C
 * library, and the file that the process maps. Whatever way the process ends,
 * what it has written there is kept. Package recording reads what all such files
 * have in common; its recordlayout.go has the same layout.
 *
 * It is compiled into the user's packages, with the user's flags and behind the
 * user's text: it includes nothing and takes no name that isn't its own.
 */
#pragma GCC system_header

#ifndef SEAM_RECORD_H
#define SEAM_RECORD_H

#define SEAM_HIDDEN __attribute__((__visibility__("hidden")))
#define SEAM_WEAK __attribute__((__weak__, __visibility__("hidden")))

typedef unsigned long long seam_u64;
typedef unsigned int seam_u32;

typedef char seam_record_assert_long[sizeof(long) == 8 && sizeof(void *) == 8 ? 1 : -1];

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
extern int seam_c_sched_yield(void) __asm__("sched_yield");
extern long seam_c_syscall(long, ...) __asm__("syscall");
extern long seam_c_pread(int, void *, unsigned long, long) __asm__("pread");
/* Weak: before glibc 2.34 these are in a library that only runtime/cgo asks for. */
extern int seam_c_key_create(seam_u32 *, void (*)(void *)) __asm__("pthread_key_create") __attribute__((__weak__));
extern int seam_c_setspecific(seam_u32, const void *) __asm__("pthread_setspecific") __attribute__((__weak__));

enum {
	SEAM_O_RDWR = 02, SEAM_O_CREAT = 0100, SEAM_O_EXCL = 0200, SEAM_O_CLOEXEC = 02000000,
	SEAM_PROT_RW = 3, SEAM_MAP_SHARED = 1, SEAM_MAP_PRIVATE = 2, SEAM_MAP_ANONYMOUS = 0x20, SEAM_MAP_NORESERVE = 0x4000,
	SEAM_MADV_WIPEONFORK = 18,
	SEAM_CLOCK_REALTIME = 0, SEAM_CLOCK_MONOTONIC = 1, SEAM_CLOCK_THREAD = 3,
	SEAM_EINTR = 4, SEAM_EEXIST = 17, SEAM_ENODEV = 19, SEAM_EINVAL = 22, SEAM_EFBIG = 27, SEAM_ENOSPC = 28,
	SEAM_ENOSYS = 38, SEAM_EOPNOTSUPP = 95,
	SEAM_RUSAGE_THREAD = 1, SEAM_RU_NVCSW = 16, /* in longs */
#if defined(__x86_64__)
	SEAM_SYS_GETTID = 186
#else
	SEAM_SYS_GETTID = 178
#endif
};

/* ---- small things ---- */

static __inline__ seam_u64 seam_clock(int which)
{
	struct seam_timespec t;
	t.sec = t.nsec = 0;
	seam_c_clock_gettime(which, &t);
	return (seam_u64)t.sec * 1000000000ull + (seam_u64)t.nsec;
}

static __inline__ seam_u64 seam_now(void) { return seam_clock(SEAM_CLOCK_MONOTONIC); }

static __inline__ void seam_lock(int *lock)
{
	while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
		seam_c_sched_yield();
}

static __inline__ void seam_unlock(int *lock) { __atomic_store_n(lock, 0, __ATOMIC_RELEASE); }

/* Memory that malloc knows nothing of. */
SEAM_WEAK void *seam_memory(unsigned long bytes)
{
	void *m = seam_c_mmap(0, bytes, SEAM_PROT_RW, SEAM_MAP_PRIVATE | SEAM_MAP_ANONYMOUS, -1, 0);
	return m == (void *)-1 ? 0 : m;
}

/* Text: each returns the end of what it wrote, put behind the 0. */
static __inline__ char *seam_put(char *to, const char *s)
{
	unsigned long n = __builtin_strlen(s) + 1;
	__builtin_memcpy(to, s, n);
	return to + n;
}

static __inline__ char *seam_number(char *to, seam_u64 n)
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

/* ---- the record ---- */

enum {
	SEAM_HEADER = 4096,        /* bytes before the first chunk */
	SEAM_MAX_FILE = 256 << 20,
	SEAM_GROW = 1 << 20,
	SEAM_TEXT = 4              /* type of a chunk that tells of the process */
};

/* How every file begins. */
struct seam_record_header {
	char magic[8];
	seam_u32 version, order;
	seam_u64 used, pid, start_real, start;
	seam_u64 failed;           /* errno for which the file could not grow; 0 if it could */
};

/* Size is that of the whole chunk, a multiple of 64. Type is written when the
   rest is in place. */
struct seam_chunk { seam_u32 size, type; };

/* A text chunk: this, then strings, each with a 0. */
struct seam_text {
	struct seam_chunk chunk;
	seam_u32 id, length;
	seam_u64 pad[2];
};

struct seam_record {
	int lock;
	int alive_pid;             /* where the kernel can't wipe: whose process this is */
	int *alive;                /* wiped to 0 in a forked child */
	struct seam_record_header *file;
	unsigned long size;        /* of the file */
	char path[4096];
};

/* Is this the process that the record belongs to? A forked child records
   nothing: it has the parent's memory and none of its threads. */
static __inline__ int seam_record_mine(struct seam_record *r)
{
	int *alive = __atomic_load_n(&r->alive, __ATOMIC_ACQUIRE);
	return alive && __atomic_load_n(alive, __ATOMIC_RELAXED) &&
		__builtin_expect(!r->alive_pid || r->alive_pid == seam_c_getpid(), 1);
}

/* Makes the file longer: with its blocks, so that no write to the mapping can
   find the disk full. Only where the file system knows of no blocks it goes
   without. 0, or why it can't. */
SEAM_WEAK int seam_record_grow(int fd, unsigned long from, unsigned long to)
{
	int why;
	do
		why = seam_c_posix_fallocate(fd, (long)from, (long)(to - from));
	while (why == SEAM_EINTR);
	if (why == SEAM_EINVAL || why == SEAM_ENODEV || why == SEAM_ENOSYS || why == SEAM_EOPNOTSUPP)
		why = seam_c_ftruncate(fd, (long)to) == 0 ? 0 : *seam_c_errno();
	return why;
}

/* A part of the file, zeroed; 0 if it is full, with the reason in the header. The
   record's lock is held. */
SEAM_WEAK void *seam_record_chunk(struct seam_record *r, unsigned long bytes)
{
	unsigned long used = (unsigned long)r->file->used;
	struct seam_chunk *c;
	bytes = (bytes + 63) & ~63ul;
	if (bytes > SEAM_MAX_FILE || used + bytes > SEAM_MAX_FILE) {
		r->file->failed = SEAM_EFBIG;
		return 0;
	}
	if (used + bytes > r->size) {
		unsigned long size = (used + bytes + SEAM_GROW - 1) & ~(unsigned long)(SEAM_GROW - 1);
		int why, fd = seam_c_open(r->path, SEAM_O_RDWR | SEAM_O_CLOEXEC);
		if (fd < 0) {
			r->file->failed = (seam_u64)*seam_c_errno();
			return 0;
		}
		why = seam_record_grow(fd, r->size, size);
		seam_c_close(fd);
		if (why) {
			r->file->failed = (seam_u64)why;
			return 0;
		}
		r->size = size;
	}
	c = (struct seam_chunk *)((char *)r->file + used);
	c->size = (seam_u32)bytes;
	__atomic_store_n(&r->file->used, used + bytes, __ATOMIC_RELEASE);
	return c;
}

static __inline__ void seam_chunk_done(struct seam_chunk *c, seam_u32 type)
{
	__atomic_store_n(&c->type, type, __ATOMIC_RELEASE);
}

/* A chunk of texts, each with a 0; nothing if there is no room for it. */
SEAM_WEAK void seam_record_text(struct seam_record *r, seam_u32 type, const char *text, unsigned long length)
{
	struct seam_text *c;
	seam_lock(&r->lock);
	c = (struct seam_text *)seam_record_chunk(r, sizeof *c + length);
	if (c) {
		c->length = (seam_u32)length;
		__builtin_memcpy(c + 1, text, length);
		seam_chunk_done(&c->chunk, type);
	}
	seam_unlock(&r->lock);
}

static __inline__ void seam_say(const char *what, const char *why, const char *path)
{
	char line[4400];
	char *to = seam_put(line, what) - 1;
	to = seam_put(to, why) - 1;
	to = seam_put(to, path) - 1;
	*to++ = '\n';
	if (seam_c_write(2, line, (unsigned long)(to - line)) < 0)
		return;
}

/* Writes the folder for records into to: what the variable says, or one below
   the user's cache. 0 if there is none. */
static __inline__ char *seam_record_folder(char *to, unsigned long room, const char *variable, const char *name)
{
	const char *dir = seam_c_getenv(variable), *cache = "", *below = "";
	char *start = to;
	if (!dir || !*dir) {
		below = name;
		dir = seam_c_getenv("XDG_CACHE_HOME");
	}
	if (!dir || !*dir) {
		cache = "/.cache";
		dir = seam_c_getenv("HOME");
	}
	if (!dir || !*dir || __builtin_strlen(dir) + 64 > room)
		return 0;
	to = seam_put(to, dir) - 1;
	to = seam_put(to, cache) - 1;
	to = seam_put(to, below) - 1;
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

/*
 * Makes the file and maps it; 0, after saying what and why, if it can't. The
 * lock is held. The caller writes the magic last: without it the file is not one
 * of ours. Nothing is recorded before alive is published.
 */
SEAM_WEAK int seam_record_open(struct seam_record *r, const char *what, const char *variable, const char *name,
	seam_u32 version, int **alive_at)
{
	struct seam_record_header *h = (struct seam_record_header *)-1;
	seam_u64 real = seam_clock(SEAM_CLOCK_REALTIME);
	struct seam_text *c;
	char exe[4096];
	int fd = -1, *alive;
	unsigned attempt;
	long n;
	char *end = seam_record_folder(r->path, sizeof r->path, variable, name);
	if (!end) {
		seam_say(what, "no folder for its record: set this variable to one: ", variable);
		return 0;
	}
	for (attempt = 0; attempt < 100 && fd < 0; attempt++) {
		char *to = seam_put(end, "/") - 1;
		to = seam_number(to, (seam_u64)seam_c_getpid());
		*to++ = '-';
		to = seam_number(to, real + attempt);
		seam_put(to, ".raw");
		fd = seam_c_open(r->path, SEAM_O_RDWR | SEAM_O_CREAT | SEAM_O_EXCL | SEAM_O_CLOEXEC, 0600);
		if (fd < 0 && *seam_c_errno() != SEAM_EEXIST)
			break;
	}
	if (fd < 0) {
		/* A sign, for whom no record would mean that nothing happened: a folder
		   takes no descriptor. */
		seam_c_mkdir(r->path, 0700);
		seam_say(what, "can't write ", r->path);
		return 0;
	}
	if (seam_record_grow(fd, 0, SEAM_GROW) == 0)
		h = (struct seam_record_header *)seam_c_mmap(0, SEAM_MAX_FILE, SEAM_PROT_RW,
			SEAM_MAP_SHARED | SEAM_MAP_NORESERVE, fd, 0);
	if (h == (struct seam_record_header *)-1)
		(void)!seam_c_ftruncate(fd, 0); /* the empty file is a sign too */
	seam_c_close(fd);
	if (h == (struct seam_record_header *)-1) {
		seam_say(what, "no room for ", r->path);
		return 0;
	}
	r->size = SEAM_GROW;
	r->file = h;
	h->version = version;
	h->order = 0x01020304;
	h->used = SEAM_HEADER;
	h->pid = (seam_u64)seam_c_getpid();
	h->start_real = real;
	h->start = seam_now();
	alive = (int *)seam_memory(4096);
	if (!alive)
		return 0;
	*alive = 1;
	if (seam_c_madvise(alive, 4096, SEAM_MADV_WIPEONFORK) != 0)
		r->alive_pid = seam_c_getpid();
	*alive_at = alive;
	n = seam_c_readlink("/proc/self/exe", exe, sizeof exe - 1);
	if (n > 0) {
		exe[n] = 0;
		c = (struct seam_text *)seam_record_chunk(r, sizeof *c + 4 + (unsigned long)n + 1);
		if (c) {
			c->length = 4 + (seam_u32)n + 1;
			seam_put(seam_put((char *)(c + 1), "exe"), exe);
			seam_chunk_done(&c->chunk, SEAM_TEXT);
		}
	}
	return 1;
}

#endif
