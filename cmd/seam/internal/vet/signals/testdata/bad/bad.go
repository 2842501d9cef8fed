// Package bad has C that handles signals.
package bad

// #include <signal.h>
// #include <string.h>
// static void handler(int n) {}
// static void install(void) { signal(SIGUSR1, handler); }
// static void deep(void) { install(); }
// static void mask(void) { sigset_t s; sigfillset(&s); sigprocmask(SIG_BLOCK, &s, 0); }
// static void byAction(void) { struct sigaction a = { .sa_handler = handler, .sa_flags = SA_RESTART }; sigaction(SIGUSR1, &a, 0); }
// static void info(int n, siginfo_t *i, void *c) {}
// static void byMember(void) {
//   struct sigaction a;
//   memset(&a, 0, sizeof a);
//   sigemptyset(&a.sa_mask);
//   a.sa_flags = SA_SIGINFO;
//   a.sa_flags |= SA_RESTART;
//   a.sa_sigaction = info;
//   sigaction(SIGUSR2, &a, 0);
// }
// static __sighandler_t handler_of(void) { return handler; }
import "C"

func start() {
	C.install()                         // want warning "C.install installs a signal handler without SA_ONSTACK (install → signal)"
	C.deep()                            // want warning "deep → install → signal"
	C.byAction()                        // want warning "C.byAction installs a signal handler without SA_ONSTACK (byAction → sigaction)"
	C.byMember()                        // want warning "byMember → sigaction"
	C.signal(C.SIGUSR1, C.handler_of()) // want warning "C.signal installs a signal handler without SA_ONSTACK (signal)"
	C.mask()                            // want warning "C.mask changes which signals"
}
