/* Functions that the plan parks: what Go and the C in package runtime/cgo
 * (runtime/park) know of each. */
#ifdef __GNUC__
#pragma GCC system_header
#endif

/* Go knows this struct as SeamParked, package runtime/cgo as struct park_function. */
struct _seam_park {
	_seam_u32 _on;		/* 0: nobody has called yet; 1; 2: it is called through cgo */
	_seam_u32 _usable;	/* Go writes 1 if it can park, 2 if not */
	const char *_name;
	void *_call;		/* the function as cgo runs it */
	int (*_body)(void *);	/* the same, for arguments that don't move */
	_seam_u64 _in;		/* bytes of the arguments */
	_seam_u64 _out_at, _out;	/* where the result is, and its size */
	_seam_u64 _stack;		/* bytes that the plan says, or 0 */
	void *_begin, *_submit, *_resume, *_finish, *_drop, *_cross;
	_seam_u64 _workers, _direct;	/* of Go's, of C's */
	void *_wake;
	_seam_u64 _calls, _parked, _callbacks;
	struct _seam_park *_next;
	_seam_u32 _told, _asked;
	int (*_nothing)(void *), (*_pause)(void *);	/* Go's alone */
};

extern void _seam_park_begin_v1(void *) __attribute__((__visibility__("hidden")));
extern void _seam_park_submit_v1(void *) __attribute__((__visibility__("hidden")));
extern void _seam_park_resume_v1(void *) __attribute__((__visibility__("hidden")));
extern void _seam_park_finish_v1(void *) __attribute__((__visibility__("hidden")));
extern void _seam_park_drop_v1(void *) __attribute__((__visibility__("hidden")));
extern int _seam_park_cross_v1(void *, void *) __attribute__((__visibility__("hidden")));

extern int usleep(unsigned int);
static int __attribute__((__unused__)) _seam_park_nothing(void *v) { return v != v; }
static int __attribute__((__unused__)) _seam_park_pause(void *v) { return usleep(500) && v; }

#define SEAM_PARK(park, path, call, body, in, out_at, out, stack)				\
	struct _seam_park park __attribute__((__visibility__("hidden"))) = {			\
		0, 0, path, (void *)call, body, in, out_at, out, stack,				\
		(void *)_seam_park_begin_v1, (void *)_seam_park_submit_v1,			\
		(void *)_seam_park_resume_v1, (void *)_seam_park_finish_v1,			\
		(void *)_seam_park_drop_v1, (void *)_seam_park_cross_v1,			\
		0, 0, (void *)0, 0, 0, 0, (struct _seam_park *)0, 0, 0,				\
		_seam_park_nothing, _seam_park_pause						\
	};
