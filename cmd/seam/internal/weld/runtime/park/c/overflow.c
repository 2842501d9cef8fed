/* A stack that is too small ends the program with an explanation.
 *
 * Our handler stands in front of Go's: it looks whether the address is in the guard of the
 * coroutine that runs on this thread, and leaves everything else to Go. */

#include "dump.h"

static struct sigaction park_gos[2];

static void overflow(int signal, siginfo_t *info, void *context) {
	seam_coro *co = seam_park_current;
	char *at = info->si_addr;
	struct sigaction *gos = &park_gos[signal == SIGBUS];
	if (co && at < co->low && at >= co->high - co->mapped) {
		size_t size = (size_t)(co->high - co->low);
		csys_say("seam: ", co->function->name, " needs a larger stack than the ", csys_decimal(size >> 10),
			" KiB that it has, all of which were used; write stack=", csys_decimal(size >> 8), "KiB in its line of seam.plan, or cgo\n");
		sigset_t only;
		struct sigaction dies = {.sa_handler = SIG_DFL};
		sigaction(SIGABRT, &dies, NULL);
		sigemptyset(&only);
		sigaddset(&only, SIGABRT);
		pthread_sigmask(SIG_UNBLOCK, &only, NULL);
		raise(SIGABRT);
	}
	csys_pass_on(gos, signal, info, context);
}

void park_catch_overflow(void) {
	static int done;
	if (__atomic_exchange_n(&done, 1, __ATOMIC_RELAXED))
		return;
	park_catch_quit();
	int signals[2] = {SIGSEGV, SIGBUS};
	int i;
	for (i = 0; i < 2; i++) {
		struct sigaction ours;
		if (sigaction(signals[i], NULL, &park_gos[i]) != 0)
			continue;
		ours = park_gos[i];
		ours.sa_sigaction = overflow;
		ours.sa_flags |= SA_SIGINFO | SA_ONSTACK;
		sigaction(signals[i], &ours, NULL);
	}
}

void park_give_signal_stack(void) {
	enum { SIZE = 1 << 16 };
	stack_t s = {.ss_sp = malloc(SIZE), .ss_size = SIZE};
	if (s.ss_sp)
		sigaltstack(&s, NULL);
}
