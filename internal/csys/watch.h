// What a thread sees of others from outside, for those that may keep a processor from Go without a word: Go can't look,
// as it may be what has stopped. The kernel says of each thread in which system call it is and where its stack pointer
// is; its stack is read by the kernel, since it may go on meanwhile.
//
// Whoever looks takes nothing from the program: no signal, no lock of the loader's, and no descriptor. What it opened
// among the program's would take numbers that the program has just closed, and that its C may expect to get next, or
// still wait for.
#ifndef SEAM_CSYS_WATCH_H
#define SEAM_CSYS_WATCH_H

#include "symbol.h"

#if defined(__linux__) && defined(__LP64__)
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/uio.h>

// The same numbers on all processors; older headers lack them.
enum { CSYS_PIDFD_OPEN = 434, CSYS_CLOSE_RANGE = 436, CSYS_PIDFD_GETFD = 438 };

// csys_start starts a thread that takes no signals: those are for Go's threads. It returns 0 or an errno value.
CSYS int csys_start(void *(*f)(void *), void *arg) {
	pthread_attr_t a;
	pthread_t id;
	sigset_t all, before;
	int err = pthread_attr_init(&a);
	if (err != 0)
		return err;
	pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&a, 128 << 10);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&id, &a, f, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&a);
	return err;
}

CSYS int csys_close_all(void) {
	DIR *d;
	struct dirent *e;
	if (csys_call(CSYS_CLOSE_RANGE, 0, UINT32_MAX, 0, 0) == 0)
		return 0;
	d = opendir("/proc/thread-self/fd"); // before Linux 5.9
	if (!d)
		return -1;
	while ((e = readdir(d)))
		if (e->d_name[0] != '.' && atoi(e->d_name) != dirfd(d))
			csys_call(SYS_close, atoi(e->d_name), 0, 0, 0);
	closedir(d);
	return 0;
}

CSYS int csys_watch_alone(void *look) {
	if (csys_close_all() == 0)
		((void (*)(void))look)();
	return 0;
}

// csys_watch runs look on a thread that has a table of descriptors of its own, which is empty. Go must not be called
// there: the runtime would find its descriptors missing. Containers often forbid unshare. Then a further thread is made
// without the program's table: on the thread pointer of the first one, which so sleeps for ever, as after vfork.
CSYS void csys_watch(void (*look)(void)) {
	enum { SIZE = 128 << 10, FLAGS = CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM };
	char *stack;
	prctl(PR_SET_NAME, "seam-watch");
	if (unshare(CLONE_FILES) == 0) {
		csys_watch_alone((void *)look);
		return;
	}
	stack = (char *)mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack == MAP_FAILED || clone(csys_watch_alone, stack + SIZE, FLAGS, (void *)look) < 0)
		return;
	for (;;)
		csys_call(SYS_ppoll, 0, 0, 0, 0);
}

// csys_speak makes descriptor 2 what it is in the program, until csys_hush.
CSYS int csys_speak(void) {
	long process = csys_call(CSYS_PIDFD_OPEN, getpid(), 0, 0, 0);
	long fd = process < 0 ? -1 : csys_call(CSYS_PIDFD_GETFD, process, 2, 0, 0);
	char path[64];
	if (fd < 0) { // an old kernel, or a container that forbids it; a socket can't be opened so
		snprintf(path, sizeof path, "/proc/%d/fd/2", getpid());
		fd = csys_call(SYS_openat, AT_FDCWD, (long)path, O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC, 0);
	}
	if (process >= 0)
		csys_call(SYS_close, process, 0, 0, 0);
	if (fd >= 0 && fd != 2) {
		csys_call(SYS_dup3, fd, 2, 0, 0);
		csys_call(SYS_close, fd, 0, 0, 0);
	}
	return fd >= 0;
}

CSYS void csys_hush(void) { csys_call(SYS_close, 2, 0, 0, 0); }

CSYS int csys_open_of(int tid, const char *name) {
	char path[64];
	snprintf(path, sizeof path, "/proc/self/task/%d/%s", tid, name);
	return (int)csys_call(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0);
}

CSYS int csys_read_of(int tid, const char *name, char *to, size_t room) {
	int fd = csys_open_of(tid, name);
	long n;
	if (fd < 0)
		return 0;
	n = csys_call(SYS_read, fd, (long)to, (long)room - 1, 0);
	csys_call(SYS_close, fd, 0, 0, 0);
	to[n < 0 ? 0 : n] = 0;
	return n > 0;
}

typedef struct {
	uint64_t call, sp, pc;
} csys_sight;

// csys_parse_sight reads "NUMBER 0xARG …(6) 0xSP 0xPC". Others are "-1 0xSP 0xPC", where a thread is blocked elsewhere,
// and "running".
CSYS int csys_parse_sight(const char *text, csys_sight *s) {
	unsigned long long call, a[6], sp, pc;
	if (text[0] < '0' || text[0] > '9' ||
	    sscanf(text, "%llu %llx %llx %llx %llx %llx %llx %llx %llx", &call, &a[0], &a[1], &a[2], &a[3], &a[4], &a[5], &sp, &pc) != 9)
		return 0;
	s->call = call;
	s->sp = sp;
	s->pc = pc;
	return 1;
}

// csys_look stores where a thread waits in the kernel. It returns 0 if it doesn't.
CSYS int csys_look(int tid, csys_sight *s) {
	char text[256];
	return csys_read_of(tid, "syscall", text, sizeof text) && csys_parse_sight(text, s);
}

// csys_runs returns whether a thread has a processor, or waits for one.
CSYS int csys_runs(int tid) {
	char text[512], *end;
	return csys_read_of(tid, "stat", text, sizeof text) && (end = strrchr(text, ')')) && end[1] == ' ' && end[2] == 'R';
}

CSYS int csys_copy(void *to, uintptr_t from, size_t size) {
	struct iovec here = {to, size}, there = {(void *)from, size};
	return (int)process_vm_readv(getpid(), &here, 1, &there, 1, 0);
}

// ---- what has been called, by what lies on the stack: what looks like a return address behind a call. That is a guess
// in places, and needs neither a signal in foreign code nor unwind tables.

enum { CSYS_RANGES = 256, CSYS_FRAMES = 12 };

typedef struct {
	uintptr_t start[CSYS_RANGES], end[CSYS_RANGES];
	int count;
} csys_code;

CSYS int csys_add_code(void *arg, const csys_mapping *m) {
	csys_code *c = (csys_code *)arg;
	if (m->code && m->path) {
		c->start[c->count] = m->start;
		c->end[c->count++] = m->end;
	}
	return c->count == CSYS_RANGES;
}

CSYS int csys_is_return(const csys_code *c, uintptr_t at) {
	unsigned char b[8];
	int i;
	for (i = 0; i < c->count && (at < c->start[i] + 8 || at >= c->end[i]); i++)
		;
	if (i == c->count || csys_copy(b, at - 8, 8) != 8)
		return 0;
#if defined(__x86_64__)
	return b[3] == 0xe8 || (b[6] == 0xff && (b[7] & 0x38) == 0x10) || (b[5] == 0xff && (b[6] & 0x38) == 0x10) ||
		(b[2] == 0xff && (b[3] & 0x38) == 0x10);
#else
	uint32_t before;
	memcpy(&before, b + 4, 4);
	return at % 4 == 0 && (before >> 26 == 0x25 || (before & 0xfffffc1f) == 0xd63f0000);
#endif
}

// csys_say_place says on a line of its own in which function an address is.
CSYS void csys_say_place(uintptr_t at) {
	char name[128], file[64];
	uintptr_t into;
	size_t n = csys_symbol(at, name, sizeof name, &into, file, sizeof file);
	if (!file[0])
		return;
	csys_say("seam:     ");
	csys_say(n ? name : file);
	csys_say("+0x");
	csys_say_number(into, 16);
	if (n) {
		csys_say(" (");
		csys_say(file);
		csys_say(")");
	}
	csys_say("\n");
}

typedef struct {
	uintptr_t stack[4096];
	csys_code code;
} csys_room; // of who looks alone

// csys_find_frames stores who has called what is at s, up to the stack's end, after that itself.
CSYS int csys_find_frames(csys_room *room, const csys_sight *s, uintptr_t high, uintptr_t *frames) {
	uintptr_t sp = (s->sp + 7) & ~(uintptr_t)7;
	size_t size = high - sp < sizeof room->stack ? high - sp : sizeof room->stack;
	int i, n, count = 0;
	frames[count++] = s->pc;
	n = sp && sp < high ? csys_copy(room->stack, sp, size) : 0;
	for (i = 0; i < n / (int)sizeof *room->stack && count <= CSYS_FRAMES; i++)
		if (csys_is_return(&room->code, room->stack[i]))
			frames[count++] = room->stack[i] - 1;
	return count;
}

CSYS void csys_say_stack(const csys_sight *s, uintptr_t high) {
	static csys_room room; // of the watch alone
	uintptr_t frames[CSYS_FRAMES + 1];
	int i, n;
	room.code.count = 0;
	csys_each_mapping(csys_add_code, &room.code);
	n = csys_find_frames(&room, s, high, frames);
	for (i = 0; i < n; i++)
		csys_say_place(frames[i]);
}

#endif
#endif
