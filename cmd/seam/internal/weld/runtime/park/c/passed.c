/* In a program that parks nothing: what has libc's names, for sigurg.c. */

#define PASS(result, name, parameters, arguments) \
	result netio_##name parameters { return libc.name arguments; }
SIGURG_SLEEPS(PASS)
SIGURG_POLLS(PASS)

/* And what they become in libraries compiled with _FORTIFY_SOURCE: libc's would call its own. */
extern void chk_fail(void) __asm__("__chk_fail") __attribute__((weak, noreturn));

static void check(int fits) {
	if (fits)
		return;
	if (chk_fail)
		chk_fail();
	abort();
}

int netio_poll_chk(struct pollfd *fds, nfds_t n, int ms, size_t room) LIBC(__poll_chk);
int netio_poll_chk(struct pollfd *fds, nfds_t n, int ms, size_t room) {
	check(n <= room / sizeof *fds);
	return libc.poll(fds, n, ms);
}

int netio_ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask, size_t room) LIBC(__ppoll_chk);
int netio_ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask, size_t room) {
	check(n <= room / sizeof *fds);
	return libc.ppoll(fds, n, t, mask);
}
