//go:build cgo

// Descriptors that C closes while coroutines wait for them. On Linux such a wait hangs, so
// package netio calls seam_coro_closing before it closes one, and the pollers end the waits.
#define _GNU_SOURCE
#include "native.h"

int32_t seam_waiters;       // how many waits there are; if none, nothing is announced
_Alignas(8) uint64_t seam_closing_last; // number of the newest entry
_Alignas(8) uint64_t seam_closing_ring[SEAM_CLOSING_RING]; // number << 32 | descriptor

#ifdef __linux__
#include <errno.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

static int announce = -1;
static pid_t owner;

// Signal handlers may close descriptors, so there is no lock. If 256 others overtake a writer,
// its entry counts as overwritten, and the reader checks all descriptors.
static void announce_fd(uint32_t fd) {
	if (getpid() != owner) // a child made by vfork shares our memory, not our descriptors
		return;
	uint64_t seq = __atomic_add_fetch(&seam_closing_last, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&seam_closing_ring[seq % SEAM_CLOSING_RING], seq << 32 | fd, __ATOMIC_SEQ_CST);
	int keep = errno;
	uint64_t one = 1;
	long n = syscall(SYS_write, announce, &one, sizeof one); // write may be package netio's
	(void)n;
	errno = keep;
}

void seam_coro_closing(int fd) {
	if (__atomic_load_n(&seam_waiters, __ATOMIC_SEQ_CST) != 0 && fd >= 0)
		announce_fd((uint32_t)fd);
}

void seam_coro_closed(int fd) {
	if (__atomic_load_n(&seam_waiters, __ATOMIC_SEQ_CST) != 0 && fd >= 0)
		announce_fd((uint32_t)fd | SEAM_CLOSED);
}

// Returns the descriptor that announces entries, or a negative errno value.
int seam_closing_start(void) {
	owner = getpid();
	announce = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return announce < 0 ? -errno : announce;
}

#else
void seam_coro_closing(int fd) { (void)fd; }
void seam_coro_closed(int fd) { (void)fd; }
int seam_closing_start(void) { return -1; }
#endif
