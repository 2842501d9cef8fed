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
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	LOOK_MS = 200,          // at least: C is told of after one to two of these
	THREADS_A_SECOND = 100, // looks at one thread cost some 8 µs: less than a thousandth of a processor
	SEEN = 1024,            // threads that are compared with the last look
	PLACES = 64,            // that are told; each once
};

// The same numbers on all processors; older headers lack them.
enum { SYS_PIDFD_OPEN = 434, SYS_CLOSE_RANGE = 436, SYS_PIDFD_GETFD = 438 };

uint64_t seam_kept; // how often C was found so

typedef struct {
	int tid;
	uint64_t sp, pc, call, turn;
} sight;

static sight seen[SEEN];
static uint64_t turn;

// Parses "NUMBER 0xARG …(6) 0xSP 0xPC", or "-1 0xSP 0xPC" for a thread that is blocked elsewhere, or "running".
static int look_at(int tid, sight *s) {
	char path[64], text[256];
	snprintf(path, sizeof path, "/proc/self/task/%d/syscall", tid);
	int fd = (int)seam_system_call(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return 0;
	long n = seam_system_call(SYS_read, fd, (long)text, sizeof text - 1, 0);
	seam_system_call(SYS_close, fd, 0, 0, 0);
	if (n <= 0)
		return 0;
	text[n] = 0;
	unsigned long long number, a[6], sp, pc;
	if (sscanf(text, "%llu %llx %llx %llx %llx %llx %llx %llx %llx", &number, &a[0], &a[1], &a[2], &a[3], &a[4], &a[5], &sp, &pc) != 9)
		return 0;
	*s = (sight){.tid = tid, .sp = sp, .pc = pc, .call = number, .turn = turn};
	return 1;
}

static seam_coro *on_stack(uint64_t sp) {
	unsigned bits = sp >> 48 ? 0 : __atomic_load_n(&seam_coro_chunks[sp >> SEAM_CHUNK_BITS_], __ATOMIC_ACQUIRE);
	if (!bits)
		return NULL;
	uintptr_t size = (uintptr_t)1 << (bits - 1);
	seam_coro *co = (seam_coro *)((sp & ~(size - 1)) + size - SEAM_CORO_ROOM_);
	return sp >= (uintptr_t)co->stack_low && co->canary == (SEAM_CANARY_ ^ (uintptr_t)co) ? co : NULL; // a thread is there: it is in use
}

// The watch has a table of descriptors of its own, which is empty: what it opened among the program's would take numbers
// that the program has just closed, and that its C may expect to get next, or still wait for.
static int own_descriptors(void) {
	if (unshare(CLONE_FILES) != 0)
		return -1;
	if (seam_system_call(SYS_CLOSE_RANGE, 0, UINT32_MAX, 0, 0) == 0)
		return 0;
	DIR *d = opendir("/proc/thread-self/fd"); // before Linux 5.9
	if (!d)
		return -1;
	for (struct dirent *e; (e = readdir(d));)
		if (e->d_name[0] != '.' && atoi(e->d_name) != dirfd(d))
			seam_system_call(SYS_close, atoi(e->d_name), 0, 0, 0);
	closedir(d);
	return 0;
}

// Makes descriptor 2 what it is in the program.
static int borrow_error_output(void) {
	long process = seam_system_call(SYS_PIDFD_OPEN, getpid(), 0, 0, 0);
	long fd = process < 0 ? -1 : seam_system_call(SYS_PIDFD_GETFD, process, 2, 0, 0);
	if (fd < 0) // an old kernel, or a container that forbids it; a socket can't be opened so
		fd = seam_system_call(SYS_openat, AT_FDCWD, (long)"/proc/self/fd/2", O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC, 0);
	if (process >= 0)
		seam_system_call(SYS_close, process, 0, 0, 0);
	if (fd >= 0 && fd != 2) {
		seam_system_call(SYS_dup3, fd, 2, 0, 0);
		seam_system_call(SYS_close, fd, 0, 0, 0);
	}
	return fd >= 0;
}

static void tell(const seam_coro *co, const sight *s) {
	static struct {
		seam_coro_fn fn;
		uint64_t pc;
	} told[PLACES];
	static int count;
	__atomic_fetch_add(&seam_kept, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < count; i++)
		if (told[i].fn == co->fn && told[i].pc == s->pc)
			return;
	if (count == PLACES)
		return;
	told[count].fn = co->fn;
	told[count++].pc = s->pc;
	char name[128];
	if (!borrow_error_output())
		return;
	seam_say("seam: coro: C function ");
	seam_say_function(co);
	seam_say(" was waiting in ");
	if (!seam_function_name(s->pc, name, sizeof name))
		strcpy(name, "a system call");
	seam_say(name);
	seam_say(" (system call ");
	seam_say_number(s->call);
	seam_say(") at two looks 200 ms apart, or more, where package netio doesn't see it. While it waits there it keeps a processor from Go,"
		" and no collection can end: call it by seam_offload, or run it with cgo\n");
	seam_system_call(SYS_close, 2, 0, 0, 0);
}

static int look(void) {
	DIR *d = opendir("/proc/self/task");
	int threads = 0;
	if (!d)
		return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? 0 : -1; // what is scarce now is not so for ever
	turn++;
	for (struct dirent *e; (e = readdir(d));) {
		int tid = atoi(e->d_name);
		sight now;
		if (tid <= 0)
			continue;
		threads++;
		if (!look_at(tid, &now))
			continue;
		seam_coro *co = on_stack(now.sp);
		if (!co)
			continue;
		sight *before = &seen[(unsigned)tid % SEEN];
		if (before->tid == tid && before->turn == turn - 1 && before->sp == now.sp && before->pc == now.pc && before->call == now.call)
			tell(co, &now);
		*before = now;
	}
	closedir(d);
	return threads;
}

static void *watch(void *unused) {
	(void)unused;
	prctl(PR_SET_NAME, "seam-watch");
	if (own_descriptors() != 0)
		return NULL; // better none
	for (int threads; (threads = look()) >= 0;) {
		long ms = threads * 1000L / THREADS_A_SECOND;
		if (ms < LOOK_MS)
			ms = LOOK_MS;
		struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
		seam_system_call(SYS_nanosleep, (long)&t, 0, 0, 0);
	}
	return NULL;
}

int seam_watch_start(void) {
	const char *env = getenv("SEAM_WATCH");
	if (env && strcmp(env, "0") == 0)
		return 0;
	pthread_attr_t a;
	pthread_t id;
	sigset_t all, before;
	int err = pthread_attr_init(&a);
	if (err != 0)
		return err;
	pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&a, 128 << 10);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); // signals are for Go's threads
	err = pthread_create(&id, &a, watch, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&a);
	return err;
}
#else
uint64_t seam_kept;
int seam_watch_start(void) { return 0; }
#endif
