/*
 * The run-time of a traced program: what its packages declare. seam trace puts
 * this header beside what cgo generates.
 *
 * It comes behind the user's own text and is compiled with the user's flags, so
 * it includes nothing, takes no name that isn't its own, and calls functions of
 * the C library by names of its own (see seam_trace_impl.h).
 */
#pragma GCC system_header

#ifndef SEAM_TRACE_H
#define SEAM_TRACE_H

#define SEAM_TRACE_HIDDEN __attribute__((__visibility__("hidden")))

/* A C function that the package calls. */
struct seam_trace_function {
	const char *name, *signature;
	void *record; /* struct seam_trace_record */
};

/* A package; all of a program form a list. */
struct seam_trace_package {
	const char *path;
	const char *build; /* cgo's hash over the package's files */
	struct seam_trace_function *functions;
	unsigned long count;
	struct seam_trace_package *next;
};

/*
 * Enter notes that a call begins and returns a ticket for leave; 0 if the call
 * isn't traced. Frame is the address of the caller's frame.
 */
SEAM_TRACE_HIDDEN unsigned seam_trace_enter(struct seam_trace_function *f, void *frame);
SEAM_TRACE_HIDDEN void seam_trace_leave(unsigned ticket, void *frame);

/* Callback notes that C calls Go, and callback_end that Go has returned. */
SEAM_TRACE_HIDDEN void seam_trace_callback(void *frame);
SEAM_TRACE_HIDDEN void seam_trace_callback_end(void *frame);

/* How Go speaks with the tracer; see rt/trace.go. */
SEAM_TRACE_HIDDEN void seam_trace_go(void *request);

SEAM_TRACE_HIDDEN void seam_trace_add(struct seam_trace_package *p);

/* A wrapper of cgo's, enclosed. Result is int with errno, else void. */
#define SEAM_TRACE_VOID(outer, inner, function) \
	void outer(void *v); \
	void outer(void *v) \
	{ \
		unsigned seam_ticket = seam_trace_enter(function, __builtin_frame_address(0)); \
		inner(v); \
		seam_trace_leave(seam_ticket, __builtin_frame_address(0)); \
	}

#define SEAM_TRACE_ERRNO(outer, inner, function) \
	int outer(void *v); \
	int outer(void *v) \
	{ \
		int seam_errno; \
		unsigned seam_ticket = seam_trace_enter(function, __builtin_frame_address(0)); \
		seam_errno = inner(v); \
		seam_trace_leave(seam_ticket, __builtin_frame_address(0)); \
		return seam_errno; \
	}

#define SEAM_TRACE_PACKAGE(path, build, functions, count, prefix) \
	void prefix##_go(void *v); \
	void prefix##_go(void *v) { seam_trace_go(v); } \
	static struct seam_trace_package prefix##_package = {path, build, functions, count, 0}; \
	__attribute__((__constructor__)) static void prefix##_add(void) { seam_trace_add(&prefix##_package); }

#define SEAM_TRACE_MARK seam_trace_callback(__builtin_frame_address(0));
#define SEAM_TRACE_MARK_END seam_trace_callback_end(__builtin_frame_address(0));

#endif
