/* What a welded program counts of its C functions, as its own C has it and package weld reads it: the number in the
 * names of the lists changes whenever that does. Written for any C, like seam_weld.h of cmd/seam, which it is a
 * part of. */
#ifndef _SEAM_WELD_SLOTS_H
#define _SEAM_WELD_SLOTS_H
#ifdef __GNUC__
#pragma GCC system_header
#endif

typedef __UINT64_TYPE__ _seam_u64;
typedef __UINT32_TYPE__ _seam_u32;

/* Go knows this struct as SeamSlot. The first 64 bytes are read on every call
 * and written when a function's state changes; the rest is written by calls
 * that are timed. */
struct _seam_slot {
	void *_entry;		/* what Go runs as a leaf; NULL: Go's slow path */
	void *_leaf;		/* entry of a function that kept its budget */
	void *_probe;		/* entry of a new function: every call is timed */
	void *_call;		/* the function as cgo runs it */
	void *_prepare;		/* _seam_prepare_v1 */
	void *_nothing;		/* _seam_nothing_v1 */
	const char *_name;	/* import path, dot, name in C */
	_seam_u32 _usable;	/* Go writes 1 if leaves can be run, 4 if they can and
				 * GOMAXPROCS is 1, 2 if not; 3 when the demotion
				 * has been told */
	_seam_u32 _state;

	_seam_u64 _budget __attribute__((__aligned__(64)));	/* ns */
	_seam_u64 _allow;		/* calls in a million that may be over budget */
	_seam_u64 _timed;		/* calls that were timed, */
	_seam_u64 _over;		/* over budget, */
	_seam_u64 _longest;	/* ns */
	struct _seam_slot *_next;
	_seam_u32 _logged;
	void *_watched;		/* entry with GOMAXPROCS=1 */
	int _trial;		/* calls that the trial still has; none if 0 or less */
	_seam_u64 _usual;	/* ns of a call that kept the budget */
	_seam_u64 _tried;	/* calls of trials, or stretches of C between callbacks, */
	_seam_u64 _late;	/* over budget, */
	_seam_u64 _noise;	/* and where the control was */
	void *_pause;		/* _seam_pause_v1; Go knows its place */
	_seam_u32 _coro;	/* the plan says coro, not leaf; package weld knows its place */
	_seam_u32 _go_minor;	/* of the version of Go, 0 if it isn't known: Go writes it */
	_seam_u64 _controls;	/* that were run in trials: one a call, which may be many stretches of C */
	void *_standins;	/* _seamweld_standins_v1; Go knows its place */
	struct _seam_gate *_gate;	/* _seam_gate_v1, of a coro function; Go knows its place */
	_seam_u64 _kept;	/* how often the watch has found it keeping its processor */
} __attribute__((__aligned__(64)));

/* What profiles and the watch know of the entries: Go writes it, package prof reads it too. */
struct _seam_standin { _seam_u64 _pc, _low, _high, _frame; };
extern struct _seam_standin _seamweld_standins_v1[5] __attribute__((__visibility__("hidden")));

/* The list of all slots that were used, for the program's own statistics. */
extern struct _seam_slot *_seam_slots_v1 __attribute__((__visibility__("hidden")));

/* What one of the goroutines that are in has: a cache line of its own. */
struct _seam_place {
	_seam_u32 _taken;
	_seam_u64 _calls;
	const char *_who;	/* the function that is or was called */
} __attribute__((__aligned__(64)));

/* Go knows this struct as SeamBound. The first 64 bytes are read on every call and
 * written when somebody has to wait. */
struct _seam_bound {
	_seam_u32 _on;		/* 0: nobody has called yet; 1; 2: it is off */
	_seam_u32 _places;
	struct _seam_place *_place;
	_seam_u32 _waiting;	/* goroutines in the queue */
	_seam_u32 _usable;	/* Go writes 1 if it can bound, 2 if not */
	const char *_name;
	void *_begin;		/* _seam_bound_begin_v1 */
	void *_watch;		/* _seam_bound_watch_v1 */
	void *_queue;		/* Go's */
	void *_let_one;		/* Go's function that lets one goroutine in */

	_seam_u64 _waited __attribute__((__aligned__(64)));	/* calls that had to wait, */
	_seam_u64 _served;	/* that were given a place, */
	_seam_u64 _let;	/* or let in without one */
	struct _seam_bound *_next;
	_seam_u64 _seen;	/* the watch's own: _served when it last looked, */
	_seam_u32 _looks;	/* how often that was the same, */
	_seam_u32 _told;
} __attribute__((__aligned__(64)));

/* The list of all bounds that were used. */
extern struct _seam_bound *_seam_bounds_v1 __attribute__((__visibility__("hidden")));

#endif
