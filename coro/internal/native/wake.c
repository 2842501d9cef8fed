//go:build cgo

// What package netio asks of this one: coroutines that wait in libc's locks, which C itself
// wakes; those that run for long; and those whose C is on a stack that it has made itself.
#include "native.h"

_Alignas(8) seam_mailbox seam_shared_mailbox = {.event = -1, .asleep = 1};

#ifdef SEAM_CORO_NATIVE_
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(sizeof(seam_below) % 16 == 0, "stacks begin at a multiple of 16");

// ---- waking

// A coroutine is in one mailbox at most, and once. Who takes it out clears woken after it has read
// next, so it may be put in again at once. That it was woken too often does no harm: a pause may
// end without cause.
void seam_coro_wake(seam_coro *co) {
	seam_below *b = seam_below_of(co);
	if (__atomic_exchange_n(&b->woken, 1, __ATOMIC_SEQ_CST))
		return;
	seam_mailbox *m = (seam_mailbox *)(uintptr_t)b->mailbox;
	uint64_t first = __atomic_load_n(&m->first, __ATOMIC_RELAXED);
	do
		b->next = first;
	while (!__atomic_compare_exchange_n(&m->first, &first, (uint64_t)(uintptr_t)co, 1, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
	if (!__atomic_exchange_n(&m->asleep, 0, __ATOMIC_SEQ_CST))
		return;
	seam_ring_event(&m->event);
}

// Nobody wakes it any more, but somebody may have done so just now.
void seam_coro_settle(seam_coro *co) {
	while (__atomic_load_n(&seam_below_of(co)->woken, __ATOMIC_SEQ_CST)) {
		co->op = SEAM_OP_PAUSE_;
		co->n = 0;
		seam_switch_(co);
	}
}

// ---- running for long
//
// To Go a coroutine that computes is a goroutine without a safe point: who stops the world waits for
// it. C that calls libc often, and never has to wait, so gives way about once in a millisecond.

static inline uint64_t ticks(void) {
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	uint64_t t;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
	return t;
#endif
}

// Processors count between 1 and 5 ticks in a nanosecond.
static inline uint64_t budget(void) {
#ifdef __x86_64__
	return 2000000;
#else
	uint64_t hz;
	__asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
	return hz / 1000;
#endif
}

int seam_coro_due(seam_coro *co) {
	seam_below *b = seam_below_of(co);
	uint64_t t = ticks();
	if (b->since == 0) {
		b->since = t;
		return 0;
	}
	return t - b->since > budget(); // another processor's count may be smaller: then it gives way for nothing
}

void seam_coro_switched(seam_coro *co) { seam_below_of(co)->since = 0; }
uint32_t *seam_coro_owns(seam_coro *co) { return &seam_below_of(co)->owns; }

// ---- stacks of C's own

static const seam_runtime *rt;

void seam_know_runtime(const seam_runtime *r) { __atomic_store_n(&rt, r, __ATOMIC_RELEASE); }

// C may switch to a stack that it has made, as boost.context and OpenSSL's jobs do, and wait there.
// Then the thread's g is its g0, of whose stack we are outside, and the goroutine that the
// thread runs has stopped in coro.resume, with the coroutine as the argument (see fault.c). In a cgo
// call it has stopped elsewhere. A signal handler is on the thread's signal stack, or on the stack that
// it has interrupted.
seam_coro *seam_coro_elsewhere(void) {
	const seam_runtime *r = __atomic_load_n(&rt, __ATOMIC_ACQUIRE);
	if (!r || __atomic_load_n(&seam_chunk_count, __ATOMIC_RELAXED) == 0)
		return NULL;
	uintptr_t g0 = r->this_g(), sp = (uintptr_t)__builtin_frame_address(0);
	if (!g0)
		return NULL;
	uintptr_t m = seam_word(g0 + r->g_m);
	if (!m || seam_word(m + r->m_g0) != g0 || (sp >= seam_word(g0 + r->g_stack_lo) && sp <= seam_word(g0 + r->g_stack_hi)))
		return NULL;
	uintptr_t g = seam_word(m + r->m_curg);
	if (!g || seam_word(g + r->g_sched_pc) != r->in_c)
		return NULL;
	seam_coro *co = (seam_coro *)seam_word(seam_word(g + r->g_sched_sp) + r->resume_arg);
	if (!co || !seam_is_whole(co) || (uintptr_t)co->go_g != g)
		return NULL;
	stack_t s;
	int keep = errno, handler = sigaltstack(NULL, &s) != 0 || s.ss_flags & SS_ONSTACK;
	errno = keep;
	return handler ? NULL : co;
}
#else
seam_coro *seam_coro_elsewhere(void) { return NULL; }
int seam_coro_due(seam_coro *co) { return co == NULL; }
void seam_coro_switched(seam_coro *co) { (void)co; }
void seam_coro_wake(seam_coro *co) { (void)co; }
#endif
