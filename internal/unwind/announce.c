//go:build cgo && linux && (amd64 || arm64)

// C that the runtime doesn't know of: leaves, coroutines and welded calls run on the thread's
// system stack, or on one of their own, without telling the scheduler. A signal's handler
// then takes the thread for one in Go's scheduler, and asks nobody for frames of C.
//
// So handlers in front of Go's tell it for as long as they run: they set what an announced
// call would have set, call Go's handler, and put it back. It is right because
//
//   - it is done only while the thread's g is its g0 and another instruction than one of Go's
//     was interrupted, with a goroutine on the thread that is in no announced call. That
//     goroutine has left for the system stack, and its saved context says from where: code that
//     switches writes it before (leaf, coro and weld say "in mustNotCallGo, called by …");
//   - Go's own instructions count, for profiles, only where it is known that they are on the way
//     to C or back, or called by it (_cgo_topofstack). Leaf, coro and weld tell what they write
//     in the saved context: their stand-ins for C. With g0 as g and a stand-in there, no one
//     but they can have left the goroutine: code that leaves it writes another program counter
//     first, and the runtime never writes one of these. With the goroutine itself as g the
//     instruction must be in the entry of leaf, coro or weld, which Go can't walk (it writes the
//     stack pointer), with the stack pointer where the stand-in's frame has its return address:
//     the entry and the stand-in have the same frame, so the walk is that of a moment later; or,
//     on arm64 before the frame is made and after it is gone, with the return address in the
//     link register and the caller's frame at the stack pointer, so the walk begins there. A
//     goroutine can't be stopped there, since it is assembly, so nobody reads its words;
//   - the words are the thread's own. Others read them only of goroutines that don't run:
//     this one does, and can't be stopped before C returns. (A report of a crash on another
//     thread looks at it, and may print a stack that is a moment old.)
//   - all signals are blocked meanwhile, as in Go's own handler.
//
// The rest of Go's code has its own ways of unwinding.
#define _GNU_SOURCE
#include "alternate.h"
#include "handler.h"
#include "say.h"
#include "traceback.h"

#ifdef SEAM_UNWIND
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

// What the entries into C are, as leaf, coro and weld tell it in their C, where they are in the
// program.
typedef struct {
	uintptr_t pc;        // the stand-in: what the goroutine's saved context says while C runs
	uintptr_t low, high; // the entry
	uintptr_t frame;     // where the stand-in's frame is, in the entry: AT_SP…
} standin;

enum {
	AT_SP,   // at the stack pointer: the entry has no frame, or is entered with it
	FRAMED,  // arm64: the same, but at its first instruction and its returns it has no frame
	SAVED,   // where the saved context says: the stack pointer may be C's
	PUSHED,  // at the stack pointer, but before and after the entry has its frame a word below
};

extern const struct sigaction *seamcoro_before_v1(int sig, uintptr_t handler) __attribute__((weak));

extern const standin seamleaf_standins_v1[2] __attribute__((weak));
extern const standin seamcoro_standins_v1[1] __attribute__((weak));
extern const standin _seamweld_standins_v1[5] __attribute__((weak));

static seam_layout rt;
static struct sigaction before[65];
static int go_is_program;

// A profile's, and those with which C ends a program.
static const int announced[] = {SIGPROF, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};

// The signal that the thread handles, while it does: a handler of package coro changes the
// stack pointer that Go sees. It is initial-exec, so no handler makes it.
typedef struct {
	const void *context;
	seam_regs regs;
	int sig;
	int announced; // by us
	int passed_on; // a fault that somebody may handle who comes before Go: there is no report of it yet
	const siginfo_t *info;
} met;
static __thread met *handling __attribute__((tls_model("initial-exec")));

// What is met in this context, by a handler of ours that has not returned. One that a library has
// left by longjmp leaves its address behind: it is believed only where the handler's frame can be,
// above on this stack.
static SEAM_PLAIN met *innermost(void) {
	enum { DEPTH = 256 << 10 };
	uintptr_t here = (uintptr_t)__builtin_frame_address(0), at = (uintptr_t)handling;
	return at > here && at - here < DEPTH ? handling : NULL;
}

static SEAM_PLAIN met *meeting(const void *context) {
	met *m = innermost();
	return m && m->context == context ? m : NULL;
}

static SEAM_PLAIN uintptr_t *word(uintptr_t at) { return (uintptr_t *)at; }

SEAM_PLAIN seam_regs seam_interrupted(const void *context) {
	const met *m = meeting(context);
	return m ? m->regs : csys_registers(context);
}

SEAM_PLAIN int seam_is_announced(const void *context) {
	const met *m = meeting(context);
	return m && m->announced;
}

int seam_is_go_thread(void) { return rt.this_g && ((uintptr_t(*)(void))rt.this_g)() != 0; }

static SEAM_PLAIN int in(uintptr_t v, uintptr_t low, uintptr_t high) { return v >= low && v < high; }

// The system stack of a thread with a g is the one that the kernel or pthread has given it, in one
// piece, and it stays as long as the thread. For threads that Go made the runtime has put its end
// within the first frame; of others it asks pthread, and where it can't, it assumes bounds that
// are smaller than the distance from the lower one that is kept here: a function may have moved
// the stack pointer into the guard page and not have used it yet. Faults may come of an m that
// has been overwritten, so only profiles rely on it.
SEAM_PLAIN uintptr_t seam_stack_end(const void *context, uintptr_t sp) {
	enum { APART = 64 << 10 };
	const met *here = meeting(context);
	if (!here || here->sig != SIGPROF)
		return 0;
	uintptr_t g = ((uintptr_t(*)(void))rt.this_g)(), m = g ? *word(g + rt.g_m) : 0, g0 = m ? *word(m + rt.m_g0) : 0;
	if (!g0)
		return 0;
	uintptr_t low = *word(g0 + rt.g_stack_lo), high = *word(g0 + rt.g_stack_hi);
	return high > sp && sp > low && sp - low > APART ? high : 0;
}

// On the way the goroutine is still in its call of C, or again, and the runtime doesn't have the
// callback's context yet, or no more; within the callback it has, be it in another call of C. The
// frames between are cgocallback's and crosscall2's: it has put the system stack's pointer there,
// unless it is still on its way itself. A callback that has ended by a panic has given nothing
// back: its caller's frame lies below.
SEAM_PLAIN int seam_is_entering(const void *context, uintptr_t callback, uintptr_t caller) {
	enum { NEAR = 1024 };
	const met *here = meeting(context);
	if (!here || here->sig != SIGPROF)
		return 0;
	uintptr_t g = ((uintptr_t(*)(void))rt.this_g)(), m = g ? *word(g + rt.g_m) : 0, curg = m ? *word(m + rt.m_curg) : 0, g0 = m ? *word(m + rt.m_g0) : 0;
	if (!curg || !g0)
		return 0;
	uintptr_t contexts = *word(curg + rt.g_cgo_ctxt), n = *word(curg + rt.g_cgo_ctxt + 8), sp = *word(g0 + rt.g_sched_sp);
	if (n && *word(contexts + (n - 1) * 8) == callback)
		return 0;
	return in(sp, caller - NEAR, caller) || (g == g0 && in(here->regs.sp, caller - NEAR, caller));
}

// The stand-in that is meant by pc: as itself, or as an instruction of its entry.
static SEAM_PLAIN const standin *among(const standin *list, size_t n, uintptr_t pc, int entry) {
	for (size_t i = 0; list && i < n; i++) {
		uintptr_t is = __atomic_load_n(&list[i].pc, __ATOMIC_ACQUIRE);
		if (is && (entry ? in(pc, list[i].low, list[i].high) : pc == is))
			return &list[i];
	}
	return NULL;
}

static SEAM_PLAIN const standin *find_standin(uintptr_t pc, int entry) {
	const standin *s = among(seamleaf_standins_v1, 2, pc, entry);
	if (!s)
		s = among(seamcoro_standins_v1, 1, pc, entry);
	return s ? s : among(_seamweld_standins_v1, 5, pc, entry);
}

// Where a walk of the goroutine that waits for C begins; g is 0 where none waits.
typedef struct {
	uintptr_t g, pc, sp;
} waiter;

static SEAM_PLAIN waiter waiting(seam_regs regs, int in_go) {
	const waiter none = {0, 0, 0};
	uintptr_t g = ((uintptr_t(*)(void))rt.this_g)();
	uintptr_t m = g ? *word(g + rt.g_m) : 0, curg = m ? *word(m + rt.m_curg) : 0, g0 = m ? *word(m + rt.m_g0) : 0;
	if (!curg || curg == g0 || *word(curg + rt.g_m) != m || *word(curg + rt.g_syscall_sp) != 0)
		return none;
	waiter w = {curg, *word(curg + rt.g_sched_pc), *word(curg + rt.g_sched_sp)};
	if (g == curg) {
		const standin *entry = in_go ? find_standin(regs.pc, 1) : NULL;
		if (!entry)
			return none;
		if (entry->frame == AT_SP)
			w = (waiter){curg, entry->pc, regs.sp};
		else if (entry->frame == PUSHED) {
			// The return address is Go's; what else may be there are the frame pointer that was
			// pushed, and the function to call, which is C's.
			if (!in(regs.sp, *word(curg + rt.g_stack_lo), *word(curg + rt.g_stack_hi) - 16) || (regs.sp & 7))
				return none;
			int pushed = !in(*word(regs.sp), seam_go_low, seam_go_high);
			w = (waiter){curg, entry->pc, pushed ? regs.sp : regs.sp - 8};
		} else if (entry->frame == FRAMED) {
			// One instruction makes the frame, one removes it, and RET is next. Without it the
			// caller's frame is where the stack pointer is.
			const uint32_t ret = 0xd65f03c0;
			int open = regs.pc != entry->low && *(const uint32_t *)regs.pc != ret;
			w = (waiter){curg, open ? entry->pc : regs.lr, regs.sp};
		} else if (!find_standin(w.pc, 0))
			return none;
	} else if (g != g0 || (in_go && !find_standin(w.pc, 0)))
		return none;
	if (!in(w.sp, *word(curg + rt.g_stack_lo), *word(curg + rt.g_stack_hi)) || !in(w.pc, seam_go_low, seam_go_high))
		return none;
	return w;
}

// Where nobody was before us the kernel's own treatment ends the program: of the same signal again,
// which comes when the handler returns.
static SEAM_PLAIN void pass_on(int sig, siginfo_t *info, void *context) {
	if (before[sig].sa_handler != SIG_DFL) {
		before[sig].sa_sigaction(sig, info, context);
		return;
	}
	sigaction(sig, &before[sig], NULL);
	csys_kernel(SYS_tgkill, csys_kernel(SYS_getpid, 0, 0, 0, 0, 0, 0), csys_kernel(SYS_gettid, 0, 0, 0, 0, 0, 0), sig, 0, 0, 0);
}

// Whether a signal that has met C ends the program, unless somebody handles it.
static SEAM_PLAIN int is_crash(int sig, const siginfo_t *info) {
	return sig != SIGPROF && (sig == SIGABRT || info->si_code > 0 || seam_is_own(info));
}

// Libraries handle faults of their own: they fill pages when they are touched, or test for NULL
// that way. A report of one would be of a crash that there isn't. Who comes before Go gets the
// fault first, and what becomes of it is seen:
//
//   - C that had a handler before the runtime did, as by a constructor: Go passes faults in C on to
//     it. What it doesn't handle either ends the program by the same fault, met again with the
//     handler that was before, and that is none. (Abort, in it, has a report of its own.)
//   - C that has put a handler in front of Go's before we came. What it passes on to Go ends the
//     program, and Go asks for the frames of C before it says so (seam_reached).
//   - Where neither is known the report comes first. Should the fault be handled all the same, the
//     report says so, and there will be none before such faults any more.
static struct sigaction early[65]; // those of before the runtime's
static char to_go[65];        // what is behind ours is Go's, or leads to it
static _Atomic int handled[65];

static SEAM_PLAIN int is_go_handler(const struct sigaction *a) { return in((uintptr_t)a->sa_sigaction, seam_go_low, seam_go_high); }

// Whether a handler is Go's, or coro's in front of it.
static int leads_to_go(int sig, const struct sigaction *a) {
	const struct sigaction *next = seamcoro_before_v1 ? seamcoro_before_v1(sig, (uintptr_t)a->sa_sigaction) : NULL;
	return is_go_handler(next ? next : a);
}

enum first { REPORT, PASS_ON };

static SEAM_PLAIN int is_none(const struct sigaction *a) { return a->sa_handler == SIG_DFL || a->sa_handler == SIG_IGN; }

// Whether Go passes this signal on to who was there before it.
static SEAM_PLAIN int go_passes_on(int sig) { return (sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE) && !is_none(&early[sig]) && !is_go_handler(&early[sig]); }

static SEAM_PLAIN enum first first(int sig, const siginfo_t *info, const waiter *w) {
	if (info->si_code <= 0)
		return REPORT;
	if (atomic_load_explicit(&handled[sig], memory_order_relaxed))
		return PASS_ON;
	if (to_go[sig])
		return go_passes_on(sig) && !w->g ? PASS_ON : REPORT; // not what the scheduler doesn't know of
	if (is_none(&before[sig]))
		return REPORT;
	uintptr_t g = ((uintptr_t(*)(void))rt.this_g)(), m = g ? *word(g + rt.g_m) : 0, curg = m ? *word(m + rt.m_curg) : 0;
	return curg && *word(curg + rt.g_syscall_sp) && *(int32_t *)(m + rt.m_ncgo) > 0 ? PASS_ON : REPORT;
}

SEAM_PLAIN void seam_reached(const void *context) {
	met *m = meeting(context);
	if (m && m->passed_on && !to_go[m->sig] && !go_passes_on(m->sig)) {
		m->passed_on = 0;
		seam_crash(m->sig, m->info, context);
	}
}

// The report that the thread has made of a fault of whose end nothing is known yet: where its
// handler's frame is.
static __thread struct {
	uintptr_t at;
	int sig;
} open_report __attribute__((tls_model("initial-exec")));

static SEAM_PLAIN void take_back(int sig) {
	open_report.at = 0;
	seam_crash_handled();
	atomic_store_explicit(&handled[sig], 1, memory_order_relaxed);
}

// What becomes of a fault when who was asked first has returned.
static SEAM_PLAIN void returned(met *here, int reported, void *context) {
	struct sigaction now;
	if (here->sig == SIGABRT || sigaction(here->sig, NULL, &now) != 0)
		return;
	if (is_none(&now)) { // it is met again, and nobody is left
		if (here->passed_on)
			seam_crash(here->sig, here->info, context);
		return;
	}
	if (reported && here->info->si_code > 0)
		take_back(here->sig);
}

// The kernel leaves it to handlers whether words that aren't aligned may be read, as a program that
// has jumped astray has set it.
static inline SEAM_PLAIN __attribute__((always_inline)) void allow_unaligned(void) {
#ifdef __x86_64__
	enum { AC = 1 << 18 };
	unsigned long flags = __builtin_ia32_readeflags_u64();
	if (flags & AC)
		__builtin_ia32_writeeflags_u64(flags & ~(unsigned long)AC);
#endif
}

SEAM_PLAIN static void on_signal(int sig, siginfo_t *info, void *context) {
	allow_unaligned();
	// Go's handler waits for a lock that a thread of the parent may have held at the fork, for
	// ever; and nobody is left who would write the sample down.
	if (sig == SIGPROF && seam_forked)
		return;
	met here = {.context = context, .regs = csys_registers(context), .sig = sig, .info = info};
	int in_go = in(here.regs.pc, seam_go_low, seam_go_high), crash = !in_go && is_crash(sig, info), reported = 0;
	waiter w = in_go && sig != SIGPROF ? (waiter){0, 0, 0} : waiting(here.regs, in_go);
	if (open_report.at && (uintptr_t)&here >= open_report.at) // that handler was left by longjmp
		take_back(open_report.sig);
	met *outer = innermost();
	if (crash && first(sig, info, &w) == REPORT) {
		here.announced = w.g != 0;
		handling = &here;
		reported = seam_crash(sig, info, context);
		if (reported && info->si_code > 0) {
			open_report.sig = sig;
			open_report.at = (uintptr_t)&here;
		}
	} else if (crash) {
		here.passed_on = 1;
		w.g = 0; // it may be left by longjmp, which would put nothing back
	}
	here.announced = w.g != 0;
	handling = &here;
	if (!w.g) {
		pass_on(sig, info, context);
		if (crash)
			returned(&here, reported, context);
		handling = outer;
		return;
	}
	uintptr_t *sp = word(w.g + rt.g_syscall_sp), *pc = word(w.g + rt.g_syscall_pc), pc_before = *pc;
	int32_t *ncgo = (int32_t *)(*word(w.g + rt.g_m) + rt.m_ncgo), ncgo_before = *ncgo;
	*pc = w.pc;
	*sp = w.sp;
	*ncgo = ncgo_before + 1;
	pass_on(sig, info, context);
	*ncgo = ncgo_before;
	*sp = 0;
	*pc = pc_before;
	if (crash)
		returned(&here, reported, context);
	handling = outer;
}

// Whether the layout is that of this program: in an announced call, as this one, it must show
// one.
static int right(void) {
	uintptr_t g = ((uintptr_t(*)(void))rt.this_g)();
	uintptr_t m = g ? *word(g + rt.g_m) : 0, curg = m ? *word(m + rt.m_curg) : 0;
	return curg && *word(m + rt.m_g0) == g && *word(curg + rt.g_m) == m && *(int32_t *)(m + rt.m_ncgo) == 1 &&
	       in(*word(curg + rt.g_syscall_sp), *word(curg + rt.g_stack_lo), *word(curg + rt.g_stack_hi)) &&
	       in(*word(curg + rt.g_syscall_pc), seam_go_low, seam_go_high);
}

// Whether a handler is Go's, or one that Seam has put in front of it. Those are in the program
// that Go is in; where that has no names they can't be told from others there.
int seam_is_our_handler(uintptr_t handler) {
	if (in(handler, seam_go_low, seam_go_high) || handler == (uintptr_t)on_signal)
		return 1;
	int epoch;
	const seam_snapshot *s = seam_enter(&epoch);
	int same = seam_find(s, handler) == seam_find(s, seam_go_low);
	seam_leave(epoch);
	if (!same)
		return 0;
	seam_symbol_arg name = {.pc = handler};
	seam_symbolize(&name);
	return !name.entry || !name.function || strncmp(name.function, "seam", 4) == 0;
}

// Constructors run before the program's runtime takes the handlers, and after those of the libraries
// that it is linked with; in a library the first must come before the runtime itself.
static void remember_early(void) {
	for (size_t i = 0; i < sizeof announced / sizeof *announced; i++) {
		struct sigaction now;
		if (sigaction(announced[i], NULL, &now) == 0 && !is_none(&now) && is_none(&early[announced[i]]))
			early[announced[i]] = now;
	}
}

__attribute__((constructor(101))) static void remember_first(void) { remember_early(); }
__attribute__((constructor)) static void remember_last(void) { remember_early(); }

int seam_go_is_program(void) { return go_is_program; }

const char *seam_announce(const seam_layout *layout) {
	int epoch;
	const seam_object *o = seam_find(seam_enter(&epoch), seam_go_low);
	go_is_program = o && !*o->path;
	seam_leave(epoch);
	rt = *layout;
	if (!right())
		return "the runtime's data is not laid out as expected";
	for (size_t i = 0; i < sizeof announced / sizeof *announced; i++) {
		int sig = announced[i];
		struct sigaction now;
		if (sigaction(sig, NULL, &before[sig]) != 0)
			return "signal handlers can't be read";
		// In a C program with Go in it there are some that Go doesn't handle: a profile's, which has
		// nobody to be told then, and others that end the program without a word.
		int none = before[sig].sa_handler == SIG_DFL && sig != SIGPROF && !go_is_program;
		if (!none && (!(before[sig].sa_flags & SA_SIGINFO) || !(before[sig].sa_flags & SA_ONSTACK)))
			continue;
		to_go[sig] = (char)leads_to_go(sig, &before[sig]);
		now = before[sig];
		now.sa_sigaction = on_signal;
		if (none) {
			now.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
			sigfillset(&now.sa_mask);
		}
		if (sigaction(sig, &now, NULL) != 0)
			return "signal handlers can't be set";
		if (sig == SIGSEGV)
			seamalternate_on_v1 = 1;
	}
	return NULL;
}
#endif
