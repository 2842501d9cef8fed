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
import "C"

func start() int {
	C.install()
	C.masked()
	return int(C.number())
}
