//go:build cgo

// The watch: who waits in the kernel on a coroutine's stack keeps a processor from Go. A wait that package
// netio doesn't see (a system call instruction, a library that was loaded with RTLD_DEEPBIND) would otherwise stop the
// program without a word: Go can't look, as it may be what has stopped.
//
// So a thread of C's looks, from outside: the kernel says of each thread in which system call it is and where its
// stack pointer is. One that is in the same call, at the same place of a coroutine's stack, at two looks is told. (How
// often it has slept between them says nothing: Go's preemption signal ends a sleep every 10 ms.) A thread that
// computes is not: it is "running".
#define _GNU_SOURCE
#include "native.h"

#if defined(SEAM_CORO_NATIVE_)
#include "watch.h"

#include <time.h>

enum {
	LOOK_MS = 200,          // at least: C is told of after one to two of these
	THREADS_A_SECOND = 100, // looks at one thread cost some 8 µs: less than a thousandth of a processor
	SEEN = 256,             // threads that are compared with the last look
	PLACES = 64,            // that are told; each once
};

int (*seam_coro_brief)(uint64_t);
uint64_t seam_kept; // how often C was found so

static struct {
	int tid, fd; // what the kernel says of it stays open: opening takes most of a look
	uint64_t turn;
	csys_sight at;
} seen[SEEN];
static uint64_t turn;

static void forget(unsigned i) {
	if (seen[i].tid)
		csys_call(SYS_close, seen[i].fd, 0, 0, 0);
	seen[i].tid = 0;
}

// 0: it doesn't wait; -1: no descriptors.
static int look_at(unsigned i, int tid, csys_sight *s) {
	char text[256];
	if (seen[i].tid != tid) {
		int fd = csys_open_of(tid, "syscall");
		forget(i);
		if (fd < 0)
			return errno == EMFILE || errno == ENFILE ? -1 : 0;
		seen[i].tid = tid;
		seen[i].fd = fd;
		seen[i].turn = 0;
	}
	long n = csys_call(SYS_pread64, seen[i].fd, (long)text, sizeof text - 1, 0);
	if (n <= 0) { // another thread has its number
		forget(i);
		return 0;
	}
	text[n] = 0;
	return csys_parse_sight(text, s);
}

static seam_coro *on_stack(uint64_t sp) {
	seam_coro *co = seam_block_at(sp);
	return co && sp >= (uintptr_t)co->stack_low && seam_is_whole(co) ? co : NULL;
}

static void tell(int tid, const seam_coro *co, const csys_sight *s) {
	static struct {
		seam_coro_fn fn;
		uint64_t pc;
	} told[PLACES];
	static int count;
	for (int i = 0; i < count; i++)
		if (told[i].fn == co->fn && told[i].pc == s->pc)
			return;
	if (count == PLACES)
		return;
	told[count].fn = co->fn;
	told[count++].pc = s->pc;
	if (!csys_speak())
		return;
	csys_say("seam: coro: C function ", seam_name_of(co), " was waiting in ", csys_call_name(s->pc, (char[128]){0}), " (system call ", csys_decimal(s->call), ") at two looks 200 ms apart, or more, where package netio doesn't see it. While it waits there it keeps a processor from Go,"
		" and no collection can end: call it by seam_offload, or run it with cgo. C was here:\n");
	csys_say_stack(tid, s, (uintptr_t)co);
	csys_hush();
}

static int look(void) {
	DIR *d = opendir("/proc/self/task");
	int threads = 0, scarce = !d && (errno == EMFILE || errno == ENFILE || errno == ENOMEM);
	if (!d && !scarce)
		return -1;
	turn++;
	for (struct dirent *e; d && (e = readdir(d));) {
		int tid = atoi(e->d_name);
		csys_sight now;
		if (tid <= 0)
			continue;
		threads++;
		unsigned i = (unsigned)tid % SEEN;
		int waits = look_at(i, tid, &now);
		scarce |= waits < 0;
		seam_coro *co = waits > 0 ? on_stack(now.sp) : NULL;
		if (!co || (now.call == SYS_futex && seam_coro_brief && seam_coro_brief(now.first)))
			continue;
		if (seen[i].turn == turn - 1 && memcmp(&seen[i].at, &now, sizeof now) == 0)
			tell(tid, co, &now), __atomic_fetch_add(&seam_kept, 1, __ATOMIC_RELAXED);
		seen[i].turn = turn;
		seen[i].at = now;
	}
	if (d)
		closedir(d);
	for (unsigned i = 0; scarce && i < SEEN; i++) // it is not so for ever
		forget(i);
	return threads;
}

static void watch(void) {
	for (int threads; (threads = look()) >= 0;) {
		long ms = threads * 1000L / THREADS_A_SECOND;
		if (ms < LOOK_MS)
			ms = LOOK_MS;
		struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
		csys_call(SYS_nanosleep, (long)&t, 0, 0, 0);
	}
}

static void *start(void *unused) {
	csys_watch(watch);
	return unused;
}

int seam_watch_start(void) {
	const char *env = getenv("SEAM_WATCH");
	return env && strcmp(env, "0") == 0 ? 0 : csys_start_watch(start);
}
#else
int (*seam_coro_brief)(uint64_t);
uint64_t seam_kept;
int seam_watch_start(void) { return 0; }
#endif
