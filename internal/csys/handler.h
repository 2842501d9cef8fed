// What handlers of signals have to do.
#ifndef SEAM_CSYS_HANDLER_H
#define SEAM_CSYS_HANDLER_H

#include "cfi.h"
#include <signal.h>
#include <ucontext.h>

// csys_signal_name returns NULL for signals that programs rarely meet.
CSYS const char *csys_signal_name(int sig) {
	static const char *const names[] = {[SIGHUP] = "SIGHUP", [SIGINT] = "SIGINT", [SIGQUIT] = "SIGQUIT", [SIGILL] = "SIGILL",
		[SIGTRAP] = "SIGTRAP", [SIGABRT] = "SIGABRT", [SIGBUS] = "SIGBUS", [SIGFPE] = "SIGFPE", [SIGUSR1] = "SIGUSR1",
		[SIGSEGV] = "SIGSEGV", [SIGUSR2] = "SIGUSR2", [SIGPIPE] = "SIGPIPE", [SIGALRM] = "SIGALRM", [SIGTERM] = "SIGTERM",
		[SIGCHLD] = "SIGCHLD", [SIGURG] = "SIGURG", [SIGPROF] = "SIGPROF", [SIGSYS] = "SIGSYS", [SIGWINCH] = "SIGWINCH"};
	return (size_t)sig < sizeof names / sizeof *names ? names[sig] : NULL;
}

// csys_pass_on does what was to be done before us, of the default when the signal comes again.
CSYS void csys_pass_on(const struct sigaction *to, int sig, siginfo_t *info, void *context) {
	if (to->sa_flags & SA_SIGINFO)
		to->sa_sigaction(sig, info, context);
	else if (to->sa_handler != SIG_DFL && to->sa_handler != SIG_IGN)
		to->sa_handler(sig);
	else
		sigaction(sig, to, NULL);
}

#if defined(__linux__) && defined(__LP64__) && (defined(__x86_64__) || defined(__aarch64__))
// csys_registers are those in a handler's third argument.
CSYS SEAM_PLAIN seam_regs csys_registers(const void *context) {
	const mcontext_t *m = &((const ucontext_t *)context)->uc_mcontext;
#ifdef __x86_64__
	seam_regs r = {(uintptr_t)m->gregs[REG_RIP], (uintptr_t)m->gregs[REG_RSP], (uintptr_t)m->gregs[REG_RBP], 0};
#else
	seam_regs r = {m->pc, m->sp, m->regs[29], m->regs[30]};
#endif
	return r;
}
#endif

#endif
