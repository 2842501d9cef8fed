#define _GNU_SOURCE
#include "wait.h"
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
struct waiter { char byte; };
static int live, calls;
long wait_read(int fd, void *room, size_t n) { __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST); return read(fd, room, n); }
waiter *wait_new(int fd) { /* also if it is interrupted */
	waiter *w = malloc(sizeof *w);
	__atomic_add_fetch(&live, 1, __ATOMIC_SEQ_CST);
	w->byte = 0;
	if (read(fd, &w->byte, 1) < 0) w->byte = '!';
	return w;
}
void wait_free(waiter *w) { __atomic_sub_fetch(&live, 1, __ATOMIC_SEQ_CST); free(w); }
int wait_each(waiter *w, int n, int (*f)(void *, int, pair), void *data) {
	int sum = 0;
	for (int i = 0; i < n; i++) {
		pair p = {i / 2.0, w->byte};
		usleep(1);
		sum += f(data, i, p);
	}
	return sum;
}
pair wait_pair(pair p, int n) { p.x *= n; p.n *= n; return p; }
int wait_thread(void) { return syscall(SYS_gettid); }
#ifndef REPORTED
#define REPORTED 20000
#endif
int wait_version(void) { return REPORTED; }
const char *wait_name(void) { return REPORTED < 30000 ? "2.0" : "31"; }
int wait_live(void) { return __atomic_load_n(&live, __ATOMIC_SEQ_CST); }
int wait_calls(void) { return __atomic_load_n(&calls, __ATOMIC_SEQ_CST); }
int wait_deep(int bytes) {
	volatile char room[bytes];
	for (int i = bytes - 1; i >= 0; i -= 512) room[i] = 1;
	return room[bytes - 1];
}
