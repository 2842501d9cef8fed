//go:build cgo

// Descriptors that C closes while coroutines wait for them. On Linux such a wait hangs, so
// package netio calls seam_coro_closing before it closes one, and the pollers end the waits.
#define _GNU_SOURCE
#include "native.h"

int32_t seam_waiters;       // how many waits there are; if none, nothing is announced
int32_t seam_waited[SEAM_COUNTED];
_Alignas(8) uint64_t seam_closing_last; // number of the newest entry
_Alignas(8) uint64_t seam_closing_ring[SEAM_CLOSING_RING]; // number << 32 | descriptor

#ifdef __linux__
#include "child.h"

static int announce = -1; // not yet: announcements are kept until then

uint64_t seam_closing_number(void) { return __atomic_add_fetch(&seam_closing_last, 1, __ATOMIC_SEQ_CST); }

// If 256 others have overtaken a writer, its entry is missed, and the reader checks all
// descriptors. It must not replace theirs.
void seam_closing_write(uint64_t seq, uint32_t fd) {
	uint64_t *entry = &seam_closing_ring[seq % SEAM_CLOSING_RING], old = __atomic_load_n(entry, __ATOMIC_SEQ_CST);
	while ((int32_t)((uint32_t)(old >> 32) - (uint32_t)seq) < 0 &&
		!__atomic_compare_exchange_n(entry, &old, seq << 32 | fd, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}
}

// Signal handlers may close descriptors, so there is no lock.
static void announce_fd(uint32_t fd) {
	if (csys_child()) // after vfork it shares our memory, not our descriptors
		return;
	seam_closing_write(seam_closing_number(), fd);
	seam_ring_event(&announce);
}

// A wait is counted before it looks at its descriptor. One that is not counted here yet looks at it
// after the close, or is seen by seam_coro_closed.
static int waited(int fd) {
	return fd >= 0 && __atomic_load_n(&seam_waiters, __ATOMIC_SEQ_CST) != 0 &&
	       (fd >= SEAM_COUNTED || __atomic_load_n(&seam_waited[fd], __ATOMIC_SEQ_CST) != 0);
}

void seam_coro_closing(int fd) {
	if (waited(fd))
		announce_fd((uint32_t)fd);
}

void seam_coro_closed(int fd) {
	if (waited(fd))
		announce_fd((uint32_t)fd | SEAM_CLOSED);
}

void seam_closing_start(int fd) {
	__atomic_store_n(&announce, fd, __ATOMIC_SEQ_CST);
}

#else
void seam_coro_closing(int fd) { (void)fd; }
void seam_coro_closed(int fd) { (void)fd; }
void seam_closing_start(int fd) { (void)fd; }
#endif
