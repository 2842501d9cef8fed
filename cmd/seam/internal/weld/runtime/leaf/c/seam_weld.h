/* The C side of a welded program: what stands between Go and a welded C
 * function. cgo's own files include it, behind the user's text and under the
 * user's compiler flags, so it is written for any C from C89 with GNU
 * extensions on, includes nothing and names no libc function by its own name.
 *
 * A user may define any plain word (#define budget 3): package macros shields
 * this text, but what the macros below expand to behind it only has names that
 * begin with _, and attributes are written __weak__.
 *
 * Definitions are weak and hidden: every welded package brings them and the
 * linker keeps one. */
#ifndef _SEAM_WELD_H
#define _SEAM_WELD_H
#ifdef __GNUC__
#pragma GCC system_header
#endif

#include "seam_weld_slots.h"

enum { _seam_new, _seam_leaf, _seam_demoted, _seam_cgo, _seam_called };

/* A thread's countdown to the next call that is timed: its own, so that no two
 * threads write one cache line. initial-exec spares a call of __tls_get_addr
 * where the program is a shared library. */
struct _seam_thread {
	int _tick;
	_seam_u32 _random;
	struct _seam_watch *_watch;
	struct _seam_clock *_clock;
};

/* What a call that is timed or watched has on C's stack. The thread's _clock is it
 * while C runs, and NULL while Go does: a panic may drop C's frames. */
struct _seam_clock {
	void (*_go_on)(struct _seam_clock *c);	/* Go calls it; so it is first */
	_seam_u64 _start;	/* of C, at the call or after the last callback; 0: not timed */
	_seam_u32 _timed;	/* the call is; of its stretches, which may be very many, some are */
	_seam_u32 _next;	/* stretches until one is timed */
	_seam_u64 _longest;	/* that C has run without Go until then */
	_seam_u64 _budget;
	_seam_u64 _ran;		/* all that C has run, */
	_seam_u64 _stretches;	/* in so many stretches, */
	_seam_u64 _late;	/* of which so many were over budget */
	struct _seam_slot *_watched;
};

/* What the watch sees of a thread. It is never freed: the thread may end at any
 * time. */
struct _seam_watch {
	struct _seam_slot *_slot;	/* the leaf that it runs, or NULL */
	_seam_u64 _calls;
	unsigned long _id;
	struct _seam_watch *_next;
	_seam_u64 _seen;	/* the watch's own: _calls when it last looked, */
	int _looks;		/* and how often that was the same */
};
extern __thread struct _seam_thread _seam_thread_v1
	__attribute__((__visibility__("hidden"), __tls_model__("initial-exec")));

void _seam_prepare_v1(struct _seam_slot *s) __attribute__((__visibility__("hidden")));
void _seam_nothing_v1(void *_unused) __attribute__((__visibility__("hidden")));
int _seam_timed_v1(struct _seam_slot *s, int (*_body)(void *), void *v)
	__attribute__((__visibility__("hidden"), __noinline__, __cold__));
void _seam_timed_void_v1(struct _seam_slot *s, void (*_body)(void *), void *v)
	__attribute__((__visibility__("hidden"), __noinline__, __cold__));
void _seam_begin_v1(struct _seam_slot *s, struct _seam_clock *c) __attribute__((__visibility__("hidden")));
void _seam_end_v1(void) __attribute__((__visibility__("hidden")));
struct _seam_clock *_seam_pause_v1(void) __attribute__((__visibility__("hidden")));

/* What stands between an exported Go function and crosscall2 where C calls it: Go writes _from_c, which
 * does the same for C that was called by a coro function, and calls _slowly for all other. Waits of
 * such C (waitsbygo.c) ask _in_coro, and have Go make a cgo call by _wait. */
struct _seam_gate {
	void (*_from_c)(void (*f)(void *), void *a, int n, __SIZE_TYPE__ _ctxt);
	void (*_slowly)(void (*f)(void *), void *a, int n, __SIZE_TYPE__ _ctxt);
	int (*_in_coro)(void);
	void (*_wait)(void *);
};
extern struct _seam_gate _seam_gate_v1 __attribute__((__visibility__("hidden")));

/* A new function's first calls are all timed, and those of a trial. */
#define _SEAM_PROBATION 100
#define _seam_times_all(s)								\
	(__atomic_load_n(&(s)->_timed, __ATOMIC_RELAXED) < _SEAM_PROBATION ||	\
	 __atomic_load_n(&(s)->_trial, __ATOMIC_RELAXED) > 0)

#define _SEAM_SLOT(slot, path, body, leaf, probe, watched, budget, allow, coro)	\
	struct _seam_slot slot __attribute__((__visibility__("hidden"))) = {		\
		0, (void *)leaf, (void *)probe, (void *)body,			\
		(void *)_seam_prepare_v1, (void *)_seam_nothing_v1, path, 0, 0,	\
		budget, allow, 0, 0, 0, 0, 0, (void *)watched, 0, 0, 0, 0, 0,	\
		(void *)_seam_pause_v1, coro, 0, 0, (void *)_seamweld_standins_v1,	\
		(coro) ? &_seam_gate_v1 : (struct _seam_gate *)0		\
	};

/* SEAM_WELD defines what Go calls in place of cgo's wrapper, which has become
 * the static function body. leaf has the wrapper's name. SEAM_CORO does so for a
 * function that the plan calls coro. */
#define SEAM_WELD(slot, path, body, leaf, probe, watched, budget, allow)		\
	_SEAM_WELD(slot, path, body, leaf, probe, watched, budget, allow, 0)
#define SEAM_WELD_ERRNO(slot, path, body, leaf, probe, watched, budget, allow)	\
	_SEAM_WELD_ERRNO(slot, path, body, leaf, probe, watched, budget, allow, 0)
#define SEAM_CORO(slot, path, body, leaf, probe, watched, budget, allow)		\
	_SEAM_WELD(slot, path, body, leaf, probe, watched, budget, allow, 1)
#define SEAM_CORO_ERRNO(slot, path, body, leaf, probe, watched, budget, allow)	\
	_SEAM_WELD_ERRNO(slot, path, body, leaf, probe, watched, budget, allow, 1)

#define _SEAM_WELD_ERRNO(slot, path, body, leaf, probe, watched, budget, allow, coro) \
	static int probe(void *v);						\
	static int watched(void *v);						\
	int leaf(void *v);							\
	_SEAM_SLOT(slot, path, body, leaf, probe, watched, budget, allow, coro)	\
	int leaf(void *v)							\
	{									\
		if (__builtin_expect(--_seam_thread_v1._tick > 0, 1))		\
			return body(v);						\
		return _seam_timed_v1(&slot, body, v);				\
	}									\
	static int probe(void *v) { return _seam_timed_v1(&slot, body, v); }	\
	static int watched(void *v)						\
	{									\
		struct _seam_clock _clock;					\
		int _result;							\
		_seam_begin_v1(&slot, &_clock);					\
		_result = _seam_times_all(&slot) ? probe(v) : leaf(v);		\
		_seam_end_v1();							\
		return _result;							\
	}

#define _SEAM_WELD(slot, path, body, leaf, probe, watched, budget, allow, coro)	\
	static void probe(void *v);						\
	static void watched(void *v);						\
	void leaf(void *v);							\
	_SEAM_SLOT(slot, path, body, leaf, probe, watched, budget, allow, coro)	\
	void leaf(void *v)							\
	{									\
		if (__builtin_expect(--_seam_thread_v1._tick > 0, 1)) {		\
			body(v);						\
			return;							\
		}								\
		_seam_timed_void_v1(&slot, body, v);				\
	}									\
	static void probe(void *v) { _seam_timed_void_v1(&slot, body, v); }	\
	static void watched(void *v)						\
	{									\
		struct _seam_clock _clock;					\
		_seam_begin_v1(&slot, &_clock);					\
		if (_seam_times_all(&slot))					\
			probe(v);						\
		else								\
			leaf(v);						\
		_seam_end_v1();							\
	}

#include "seam_weld_bound.h"
#include "seam_weld_park.h"

#endif
