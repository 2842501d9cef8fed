/* Bounds: at most so many goroutines at once in a C function, a group of them or all
 * of the program. The others wait in Go, where they take no thread; so all of it is
 * Go's, in rt/bound.go, but for the data, which every welded package may define and
 * the linker keeps once, and the watch. */
#ifdef __GNUC__
#pragma GCC system_header
#endif

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

void _seam_bound_begin_v1(struct _seam_bound *b) __attribute__((__visibility__("hidden")));
void _seam_bound_watch_v1(struct _seam_bound *b) __attribute__((__visibility__("hidden")));

/* SEAM_BOUND defines a bound, in every package that has a function in it. */
#define SEAM_BOUND(bound, name, threads)							\
	struct _seam_place bound##_places[threads]					\
		__attribute__((__weak__, __visibility__("hidden")));			\
	struct _seam_bound bound __attribute__((__weak__, __visibility__("hidden"))) = {	\
		0, threads, bound##_places, 0, 0, name,					\
		(void *)_seam_bound_begin_v1, (void *)_seam_bound_watch_v1,		\
		(void *)0, (void *)0, 0, 0, 0, (struct _seam_bound *)0, 0, 0, 0		\
	};
