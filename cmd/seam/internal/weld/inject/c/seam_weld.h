/* The C side of a welded program: what stands between Go and a welded C
 * function. cgo's own files include it, behind the user's text and under the
 * user's compiler flags, so it is written for any C from C89 with GNU
 * extensions on, includes nothing and names no libc function by its own name.
 *
 * Definitions are weak and hidden: every welded package brings them and the
 * linker keeps one. */
#ifndef SEAM_WELD_H
#define SEAM_WELD_H
#ifdef __GNUC__
#pragma GCC system_header
#endif

typedef __UINT64_TYPE__ seam_u64;
typedef __UINT32_TYPE__ seam_u32;

/* Go knows this struct as SeamSlot. The first 64 bytes are read on every call
 * and written when a function's state changes; the rest is written by calls
 * that are timed. */
struct seam_slot {
	void *entry;		/* what Go runs as a leaf; NULL: Go's slow path */
	void *leaf;		/* entry of a function that kept its budget */
	void *probe;		/* entry of a new function: every call is timed */
	void *call;		/* the function as cgo runs it */
	void *prepare;		/* seam_prepare */
	void *nothing;		/* seam_nothing */
	const char *name;	/* import path, dot, name in C */
	seam_u32 usable;	/* written by Go: 1 if leaves can be run, 2 if not */
	seam_u32 state;

	seam_u64 budget __attribute__((aligned(64)));	/* ns */
	seam_u64 allow;		/* calls in a million that may be over budget */
	seam_u64 timed;		/* calls that were timed, */
	seam_u64 over;		/* over budget, */
	seam_u64 longest;	/* ns */
	struct seam_slot *next;
	seam_u32 logged;
} __attribute__((aligned(64)));

enum { seam_new, seam_leaf, seam_demoted, seam_cgo };

/* A thread's countdown to the next call that is timed: its own, so that no two
 * threads write one cache line. initial-exec spares a call of __tls_get_addr
 * where the program is a shared library. */
struct seam_thread {
	int tick;
	seam_u32 random;
};
extern __thread struct seam_thread seam_thread_v1
	__attribute__((visibility("hidden"), tls_model("initial-exec")));

/* The list of all slots that were used, for the program's own statistics. */
extern struct seam_slot *seam_slots_v1 __attribute__((visibility("hidden")));

void seam_prepare_v1(struct seam_slot *s) __attribute__((visibility("hidden")));
void seam_nothing_v1(void *unused) __attribute__((visibility("hidden")));
int seam_timed_v1(struct seam_slot *s, int (*body)(void *), void *v)
	__attribute__((visibility("hidden"), noinline, cold));
void seam_timed_void_v1(struct seam_slot *s, void (*body)(void *), void *v)
	__attribute__((visibility("hidden"), noinline, cold));

#define SEAM_SLOT(slot, path, body, leaf, probe, budget, allow)			\
	struct seam_slot slot __attribute__((visibility("hidden"))) = {		\
		0, (void *)leaf, (void *)probe, (void *)body,			\
		(void *)seam_prepare_v1, (void *)seam_nothing_v1, path, 0, 0,	\
		budget, allow, 0, 0, 0, 0, 0					\
	};

/* SEAM_WELD defines what Go calls in place of cgo's wrapper, which has become
 * the static function body. leaf has the wrapper's name. */
#define SEAM_WELD_ERRNO(slot, path, body, leaf, probe, budget, allow)		\
	static int probe(void *v);						\
	int leaf(void *v);							\
	SEAM_SLOT(slot, path, body, leaf, probe, budget, allow)			\
	int leaf(void *v)							\
	{									\
		if (__builtin_expect(--seam_thread_v1.tick > 0, 1))		\
			return body(v);						\
		return seam_timed_v1(&slot, body, v);				\
	}									\
	static int probe(void *v) { return seam_timed_v1(&slot, body, v); }

#define SEAM_WELD(slot, path, body, leaf, probe, budget, allow)			\
	static void probe(void *v);						\
	void leaf(void *v);							\
	SEAM_SLOT(slot, path, body, leaf, probe, budget, allow)			\
	void leaf(void *v)							\
	{									\
		if (__builtin_expect(--seam_thread_v1.tick > 0, 1)) {		\
			body(v);						\
			return;							\
		}								\
		seam_timed_void_v1(&slot, body, v);				\
	}									\
	static void probe(void *v) { seam_timed_void_v1(&slot, body, v); }

#endif
