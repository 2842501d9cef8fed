// What a thread sees of others from outside, for those that may keep a processor from Go without a word: Go can't look,
// as it may be what has stopped. The kernel says of each thread in which system call it is and where its stack pointer
// is; its stack is read by the kernel, since it may go on meanwhile.
//
// The thread that looks takes nothing from the program: no signal, no lock of the loader's, and no descriptor. What it opened
// among the program's would take numbers that the program has just closed, and that its C may expect to get next, or
// still wait for.
#ifndef SEAM_CSYS_WATCH_H
#define SEAM_CSYS_WATCH_H

#include "frames.h"
#include "thread.h"

#if defined(__linux__) && defined(__LP64__)
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

// The same numbers on all processors; older headers lack them.
enum { CSYS_PIDFD_OPEN = 434, CSYS_CLOSE_RANGE = 436, CSYS_PIDFD_GETFD = 438 };

enum { CSYS_WATCH_STACK = 128 << 10 };

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
	enum { SIZE = CSYS_WATCH_STACK, FLAGS = CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM };
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

// csys_start_watch starts a thread that runs it.
CSYS int csys_start_watch(void *(*f)(void *)) {
	pthread_t id;
	return csys_start(f, NULL, CSYS_WATCH_STACK, 0, &id);
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

// csys_parse_sight reads "NUMBER 0xARG …(6) 0xSP 0xPC". Others are "-1 0xSP 0xPC", where a thread is blocked elsewhere,
// and "running".
CSYS int csys_parse_sight(const char *text, csys_sight *s) {
	unsigned long long call, a[6], sp, pc;
	if (text[0] < '0' || text[0] > '9' ||
	    sscanf(text, "%llu %llx %llx %llx %llx %llx %llx %llx %llx", &call, &a[0], &a[1], &a[2], &a[3], &a[4], &a[5], &sp, &pc) != 9)
		return 0;
	s->call = call;
	s->first = a[0];
	s->sp = sp;
	s->pc = pc;
	s->fp = CSYS_NO_FP;
	s->lr = 0;
	return 1;
}

// csys_look stores where a thread waits in the kernel. It returns 0 if it doesn't.
CSYS int csys_look(int tid, csys_sight *s) {
	char text[256];
	return csys_read_of(tid, "syscall", text, sizeof text) && csys_parse_sight(text, s);
}

// csys_look_well does so where a signal may have met the thread, after which its wait begins anew.
CSYS int csys_look_well(int tid, csys_sight *s) {
	struct timespec ms = {0, 1000000};
	int tries;
	for (tries = 0; tries < 5; tries++) {
		if (csys_look(tid, s))
			return 1;
		csys_call(SYS_nanosleep, (long)&ms, 0, 0, 0);
	}
	return 0;
}

// csys_runs returns whether a thread has a processor, or waits for one.
CSYS int csys_runs(int tid) {
	char text[512], *end;
	return csys_read_of(tid, "stat", text, sizeof text) && (end = strrchr(text, ')')) && end[1] == ' ' && end[2] == 'R';
}

// csys_say_stack says where a thread waits, and who has called that. The thread may go on meanwhile.
CSYS void csys_say_stack(int tid, const csys_sight *s, uintptr_t high) {
	static csys_room room; // of the watch alone
	csys_stack stack;
	csys_sight now;
	csys_frames_begin(&room);
	csys_walk(&room, s, high, &stack);
	if (!csys_look_well(tid, &now) || memcmp(&now, s, sizeof now) != 0)
		stack.sure = 0;
	csys_say_frames(&stack);
}

#endif
#endif
