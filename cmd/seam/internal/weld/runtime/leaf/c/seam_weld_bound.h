/* Bounds: at most so many goroutines at once in a C function, a group of them or all
 * of the program. The others wait in Go, where they take no thread; so all of it is
 * Go's, in rt/bound.go, but for the data, which every welded package may define and
 * the linker keeps once, and the watch. */
#ifdef __GNUC__
#pragma GCC system_header
#endif

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
