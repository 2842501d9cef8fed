//go:build cgo && linux && (amd64 || arm64)

// What C libraries have done to the handlers of signals. Go needs its own for some, and all of
// them on the alternate stack: a goroutine's has no room for what the kernel lays on it.
#define _GNU_SOURCE
#include "handler.h"
#include "image.h"
#include "say.h"
#include "traceback.h"

#ifdef SEAM_UNWIND
#include <signal.h>
#include <string.h>

static void put_name(seam_text *t, int sig) {
	const char *name = csys_signal_name(sig);
	if (name) {
		seam_put(t, name);
		return;
	}
	seam_put(t, "signal ");
	seam_put_number(t, (unsigned long)sig);
}

int seam_put_signals(seam_text *t, const char *begin) {
	int found = 0;
	for (int sig = 1; sig <= 64; sig++) {
		struct sigaction a;
		if (sig == SIGKILL || sig == SIGSTOP || sigaction(sig, NULL, &a) != 0)
			continue;
		uintptr_t handler = (uintptr_t)a.sa_sigaction;
		int needed = sig == SIGPROF || sig == SIGURG || sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE;
		int none = a.sa_handler == SIG_DFL || a.sa_handler == SIG_IGN;
		if (none && sig == SIGPROF && !seam_go_is_program())
			continue; // in a program of C's Go has one while it takes a profile, and takes it away itself
		if (none && needed) {
			seam_put(t, begin);
			put_name(t, sig);
			seam_put(t, " has no handler any more: somebody has taken Go's away");
			found++;
		} else if (!none && !seam_is_our_handler(handler)) {
			int off_stack = !(a.sa_flags & SA_ONSTACK);
			if (!needed && !off_stack)
				continue;
			seam_put(t, begin);
			put_name(t, sig);
			seam_put(t, " is handled by ");
			seam_put_place(t, handler);
			if (needed)
				seam_put(t, ", in Go's place or in front of it");
			if (off_stack)
				seam_put(t, ", installed without SA_ONSTACK: where it meets Go code it ends the program or overwrites memory");
			found++;
		} else if (!none && !(a.sa_flags & SA_ONSTACK)) {
			seam_put(t, begin);
			put_name(t, sig);
			seam_put(t, "'s handler has lost SA_ONSTACK: somebody has installed it again without");
			found++;
		} else
			continue;
		seam_put(t, "\n");
	}
	return found;
}

void seam_put_callers(seam_text *t, const char *function, const char *begin) {
	uintptr_t value;
	int epoch, found = 0;
	const seam_snapshot *s = seam_enter(&epoch);
	for (size_t i = 0; i < s->count; i++) {
		const char *path = s->objects[i]->path;
		seam_image f = seam_open(path);
		if (f.at && seam_find_symbol(f, function, 0, &value)) {
			seam_put(t, found++ ? " or " : begin);
			seam_put(t, *path ? path : "the program");
		}
		seam_free_pages((void *)f.at, f.size);
	}
	seam_leave(epoch);
}
#endif
