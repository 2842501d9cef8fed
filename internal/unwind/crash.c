//go:build cgo && linux && (amd64 || arm64)

// What a program says when a fault in C ends it, before Go's own report: that has the stack
// with the Go functions, and the registers.
#define _GNU_SOURCE
#include "kernel.h"
#include "say.h"
#include "traceback.h"

#ifdef SEAM_UNWIND
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

static char copy_path[512];
static int copy = -1; // where the report goes besides standard error

int seam_crash_copy(const char *path) {
	size_t n = strlen(path);
	if (n >= sizeof copy_path)
		return ENAMETOOLONG;
	memcpy(copy_path, path, n + 1);
	return 0;
}

static void write_all(int fd, const seam_text *t) {
	for (size_t at = 0; at < t->n;) {
		long n = seam_kernel(SYS_write, fd, (long)(t->at + at), (long)(t->n - at), 0, 0, 0);
		if (n <= 0)
			break;
		at += (size_t)n;
	}
}

static void flush(seam_text *t) {
	write_all(2, t);
	if (copy >= 0)
		write_all(copy, t);
	t->n = 0;
}

static const char *fault(int sig) {
	switch (sig) {
	case SIGSEGV: return "SIGSEGV";
	case SIGBUS: return "SIGBUS";
	case SIGFPE: return "SIGFPE";
	case SIGILL: return "SIGILL";
	case SIGTRAP: return "SIGTRAP";
	case SIGABRT: return "SIGABRT";
	}
	return "SIGSYS";
}

static void put_registers(seam_text *t, const ucontext_t *uc) {
#ifdef __x86_64__
	static const struct {
		const char *name;
		int at;
	} list[] = {{"rip", REG_RIP}, {"rsp", REG_RSP}, {"rbp", REG_RBP}, {"rax", REG_RAX}, {"rbx", REG_RBX}, {"rcx", REG_RCX},
		{"rdx", REG_RDX}, {"rsi", REG_RSI}, {"rdi", REG_RDI}, {"r8", REG_R8}, {"r9", REG_R9}, {"r10", REG_R10},
		{"r11", REG_R11}, {"r12", REG_R12}, {"r13", REG_R13}, {"r14", REG_R14}, {"r15", REG_R15}};
	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		seam_put(t, i % 6 == 0 && i ? "\n\t" : i ? " " : "\t");
		seam_put(t, list[i].name);
		seam_put(t, "=");
		seam_put_hex(t, (uintptr_t)uc->uc_mcontext.gregs[list[i].at]);
	}
#else
	const mcontext_t *m = &uc->uc_mcontext;
	seam_put(t, "\tpc=");
	seam_put_hex(t, m->pc);
	seam_put(t, " sp=");
	seam_put_hex(t, m->sp);
	for (unsigned i = 0; i < 31; i++) {
		seam_put(t, i % 6 == 4 ? "\n\tx" : " x");
		seam_put_number(t, i);
		seam_put(t, "=");
		seam_put_hex(t, m->regs[i]);
	}
#endif
	seam_put(t, "\n");
}

int seam_is_own(const void *given) {
	const siginfo_t *info = given;
	return (info->si_code == SI_TKILL || info->si_code == SI_USER) && info->si_pid == (int)seam_kernel(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

// Whether a fault at an address is the stack's end: a frame that has been entered lies there, or
// the call or the function below it was about to write. While -fstack-clash-protection touches the
// pages of a large frame, one after the other, no caller can be found: the page that is touched
// is next to memory that is there.
static int is_overflow(seam_regs regs, uintptr_t address, const uintptr_t *pcs, size_t n) {
	enum { BELOW = 256, PAGE = 4096 }; // what functions that call no other may use without moving the stack pointer
	if (!seam_readable(regs.sp & ~(uintptr_t)7))
		return (n > 1 && pcs[1] != (uintptr_t)seam_truncated) ||
		       (address >= regs.sp && address - regs.sp < PAGE && !seam_readable(address & ~(uintptr_t)7) && seam_readable((address | (PAGE - 1)) + 1));
	return address < regs.sp && regs.sp - address <= BELOW && !seam_readable(address & ~(uintptr_t)7);
}

static int has_function(const uintptr_t *pcs, size_t n, const char *name) {
	for (size_t i = 0; i < n; i++) {
		seam_symbol_arg arg = {.pc = pcs[i]};
		seam_symbolize(&arg);
		if (arg.function && strcmp(arg.function, name) == 0)
			return 1;
	}
	return 0;
}

void seam_crash(int sig, const void *given, const void *context) {
	// One at a time, and none within another: a second fault is Go's to tell. On another thread it
	// would end the program in the middle of the report; it waits, but not for ever.
	static int crashing;
	int self = (int)seam_kernel(SYS_gettid, 0, 0, 0, 0, 0, 0), other = 0;
	if (!__atomic_compare_exchange_n(&crashing, &other, self, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
		enum { MS = 3000 };
		const struct timespec one = {0, 1000000};
		for (int i = 0; i < MS && other != self && __atomic_load_n(&crashing, __ATOMIC_SEQ_CST) == other; i++)
			seam_kernel(SYS_nanosleep, (long)&one, 0, 0, 0, 0, 0);
		return;
	}
	char room[4096];
	seam_text t = {room, 0, sizeof room};
	const siginfo_t *info = given;
	seam_regs regs = seam_interrupted(context);
	int memory = sig == SIGSEGV || sig == SIGBUS, told = memory && info->si_code > 0 && info->si_code != SI_KERNEL;
	uintptr_t address = told ? (uintptr_t)info->si_addr : 0, target = regs.pc;
	int jumped = target == 0 || (told && address == target); // an instruction was to be fetched
	if (jumped)
		regs.pc = 0; // the walk then begins with the caller
	uintptr_t pcs[64];
	size_t n = seam_walk_fault(regs, pcs, 64);
	if (n && pcs[n - 1] == (uintptr_t)seam_truncated) { // by a library that has just been loaded?
		seam_await_refresh();
		n = seam_walk_fault(regs, pcs, 64);
	}
	// Somebody may send SIGABRT to say something else.
	if (sig == SIGABRT && !has_function(pcs, n, "abort")) {
		__atomic_store_n(&crashing, 0, __ATOMIC_SEQ_CST);
		return;
	}
	if (*copy_path) // now: the program may have closed a descriptor that it doesn't know
		copy = (int)seam_kernel(SYS_openat, AT_FDCWD, (long)copy_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600, 0, 0);
	seam_put(&t, "seam: ");
	seam_put(&t, fault(sig));
	seam_put(&t, " in C, ");
	if (sig != SIGABRT && seam_is_own(info))
		seam_put(&t, "sent by the program itself, ");
	if (jumped && target == 0)
		seam_put(&t, "which has called NULL");
	else if (jumped) {
		seam_put(&t, "which has called or returned to ");
		seam_put_hex(&t, target);
		seam_put(&t, ", where no code is");
	} else {
		seam_put(&t, "at ");
		seam_put_place(&t, regs.pc);
	}
	seam_put(&t, "\n");
	if (told) {
		seam_put(&t, "seam: address ");
		seam_put_hex(&t, address);
		seam_put(&t, sig == SIGSEGV && info->si_code == SEGV_MAPERR && seam_readable(address & ~(uintptr_t)7) ? ": nothing was mapped there; now there is " : ": ");
		seam_put_mapping(&t, address);
		seam_put(&t, "\n");
	} else if (memory && info->si_code > 0)
		seam_put(&t, "seam: the address is none that a program can have, or was not told\n");
	if (told && is_overflow(regs, address, pcs, n))
		seam_put(&t, "seam: the stack has overflowed\n");
	seam_put(&t, "seam: stack pointer ");
	seam_put_hex(&t, regs.sp);
	seam_put(&t, ": ");
	seam_put_mapping(&t, regs.sp);
	seam_put(&t, "\n");
	flush(&t);
	seam_put(&t, seam_is_go_thread() ? "seam: the C stack (Go's report below has the Go functions that called it):\n" : "seam: the C stack, of a thread without Go:\n");
	for (size_t i = 0; i < n; i++) {
		seam_put(&t, "\t");
		seam_put_place(&t, pcs[i]);
		seam_put(&t, "\n");
		flush(&t);
	}
	seam_put(&t, "seam: registers:\n");
	put_registers(&t, context);
	flush(&t);
	if (seam_put_signals(&t, "seam: signals: ") == 0)
		seam_put(&t, "seam: signals: all handlers are as Go needs them\n");
	stack_t alternate;
	if (seam_is_go_thread() && sigaltstack(NULL, &alternate) == 0 && (alternate.ss_flags & SS_DISABLE)) {
		seam_put(&t, "seam: signals: this thread has lost its alternate stack: C has taken it away by sigaltstack");
		seam_put_callers(&t, "sigaltstack", ", which is called by ");
		seam_put(&t, "\n");
	}
	flush(&t);
	if (copy >= 0)
		seam_kernel(SYS_close, copy, 0, 0, 0, 0, 0);
	copy = -1;
	__atomic_store_n(&crashing, 0, __ATOMIC_SEQ_CST);
}
#endif
