// Package good has C that handles signals as Go needs it.
package good

// #include <signal.h>
// static void handler(int n) {}
// static int install(void) {
//   struct sigaction a = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
//   return sigaction(SIGUSR1, &a, 0);
// }
// static void masked(void) {
//   sigset_t all, old;
//   sigfillset(&all);
//   pthread_sigmask(SIG_BLOCK, &all, &old);
//   pthread_sigmask(SIG_SETMASK, &old, 0);
// }
// static int number(void) { return SIGUSR1; }
// static void ored(void) {
//   struct sigaction a = { .sa_handler = handler };
//   a.sa_flags |= SA_RESTART;
//   a.sa_flags |= SA_ONSTACK;
//   sigaction(SIGUSR1, &a, 0);
// }
// static void ignored(void) {
//   struct sigaction a = { .sa_handler = SIG_IGN };
//   sigaction(SIGPIPE, &a, 0);
// }
// static void ignoredOldWay(void) { signal(SIGPIPE, SIG_IGN); signal(SIGCHLD, SIG_DFL); }
// static void given(int flags) {
//   struct sigaction a = { .sa_handler = handler, .sa_flags = flags };
//   sigaction(SIGUSR1, &a, 0);
// }
// static void back(void) {
//   struct sigaction old;
//   sigaction(SIGUSR1, 0, &old);
//   sigaction(SIGUSR1, &old, 0);
// }
// static void copied(const struct sigaction *from) {
//   struct sigaction a = *from;
//   a.sa_handler = handler;
//   sigaction(SIGUSR1, &a, 0);
// }
import "C"

func start() int {
	C.install()
	C.masked()
	C.ored()
	C.ignored()
	C.ignoredOldWay()
	C.signal(C.SIGPIPE, C.SIG_IGN)
	C.given(0)
	C.back()
	C.copied(nil)
	return int(C.number())
}
