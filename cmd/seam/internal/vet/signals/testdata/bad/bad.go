// Package bad has C that handles signals.
package bad

// #include <signal.h>
// static void handler(int n) {}
// static void install(void) { signal(SIGUSR1, handler); }
// static void deep(void) { install(); }
// static void mask(void) { sigset_t s; sigfillset(&s); sigprocmask(SIG_BLOCK, &s, 0); }
import "C"

func start() {
	C.install() // want warning "C.install installs a signal handler without SA_ONSTACK (install → signal)"
	C.deep()    // want warning "deep → install → signal"
	C.mask()    // want warning "C.mask changes which signals"
}
