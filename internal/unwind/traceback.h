// The structs and functions of runtime.SetCgoTraceback.
#ifndef SEAM_TRACEBACK_H
#define SEAM_TRACEBACK_H

#include "unwind.h"

typedef struct {
	uintptr_t context;
} seam_context_arg;

typedef struct {
	uintptr_t context, signal;
	uintptr_t *buf;
	uintptr_t max;
} seam_traceback_arg;

typedef struct {
	uintptr_t pc;
	const char *file;
	uintptr_t line;
	const char *function;
	uintptr_t entry, more, data;
} seam_symbol_arg;

void seam_context(seam_context_arg *);
void seam_traceback(seam_traceback_arg *);
void seam_symbolize(seam_symbol_arg *);

// seam_interrupted are those at which seam_on_signal met the signal, if this is its context.
seam_regs seam_interrupted(const void *context);

// seam_is_announced says whether seam_on_signal has announced the call that this context is in.
int seam_is_announced(const void *context);

// seam_reached says that Go's handler has the signal with this context.
void seam_reached(const void *context);

// seam_is_go_thread says whether the thread has a g.
int seam_is_go_thread(void);

// seam_stack_end says, in a handler of SIGPROF with this context, up to where the stack is known
// to be there that the thread is on; 0 where nothing is known.
uintptr_t seam_stack_end(const void *context, uintptr_t sp);

// seam_is_entering says, in a handler of SIGPROF with this context, of the innermost call of Go by
// C on the thread, which has this context of the runtime's and whose caller has this stack pointer,
// whether the thread is on the way to that function, or back from it.
int seam_is_entering(const void *context, uintptr_t callback, uintptr_t caller);

// A seam_layout says where the runtime keeps what announcing a call takes: byte offsets in a g
// and in an m, and a function that returns the thread's g.
typedef struct {
	uintptr_t this_g, g_stack_lo, g_stack_hi, g_m, g_sched_sp, g_sched_pc, g_syscall_sp, g_syscall_pc, g_cgo_ctxt, m_g0, m_curg, m_ncgo;
} seam_layout;

// seam_announce puts handlers in front of Go's that announce calls of C which the runtime
// doesn't know of. It returns NULL, or why it can't. It is called by cgo.
const char *seam_announce(const seam_layout *);

#endif
