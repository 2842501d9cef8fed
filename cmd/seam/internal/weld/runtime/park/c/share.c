/* In a program that imports package coro's netio, libc's names are that package's, and the definitions above have lost
 * against them: those of descriptors since they are weak, the others if that package comes first in the link. What its
 * functions call as libc's in their turn, outside of package coro's coroutines, are two tables: they get our functions,
 * and so both wait without a thread. */

extern struct seam_netio_libc their_libc __asm__("seam_" "netio_libc") __attribute__((weak));
extern struct seam_netio_own their_own __asm__("seam_" "netio_own") __attribute__((weak));
extern const char their_rows[] __asm__("seam_" "netio_rows") __attribute__((weak));

/* Names of ours that nobody else defines. */
#define OURS(result, name, n, parameters, ...) \
	result park_our_##name parameters __attribute__((alias(#name), visibility("hidden")));
#ifdef SEAM_PARKS
#define SHARED_DESCRIPTORS(F) LIBC_FUNCTIONS(F)
#define SHARED_OWN(F) OWN_FUNCTIONS(F)
#else
#define SHARED_DESCRIPTORS(F) TRANSFERS(F) SLEEPS(F) POLLS(F)
#define SHARED_OWN(F) NAMED_WAITS(F) SYSTEM_WAITS(F)
#endif
SHARED_DESCRIPTORS(OURS)
SHARED_OWN(OURS)

int shares_netio;

/* Their tables must be as ours. */
static __attribute__((constructor(103))) void share_netio(void) {
	if (!&their_libc || !&their_own || !their_rows || strcmp(their_rows, seam_netio_rows) != 0)
		return;
	need_own();
#define SHARE_LIBC(result, name, ...) \
	if ((void *)netio_##name != (void *)park_our_##name) \
		their_libc.name = park_our_##name;
	SHARED_DESCRIPTORS(SHARE_LIBC)
#define SHARE_OWN(result, name, ...) \
	if ((void *)netio_##name != (void *)park_our_##name) \
		their_own.name = park_our_##name;
	SHARED_OWN(SHARE_OWN)
	shares_netio = 1;
}

#ifdef SEAM_PARKS
/* park_interposed says why libraries don't find our functions; NULL if they do. */
const char *park_interposed(void) {
	void *f = dlsym(RTLD_DEFAULT, "pthread_mutex_lock"), *g = dlsym(RTLD_DEFAULT, "recv");
	if (!f && !g) { /* a static executable */
		f = (void *)netio_pthread_mutex_lock;
		g = (void *)netio_recv;
	}
	if ((f == (void *)park_our_pthread_mutex_lock && g == (void *)park_our_recv) || shares_netio)
		return NULL;
	return "libraries of this program don't find seam's recv and pthread_mutex_lock before libc's (a shared library, or package netio of another version in the program)";
}
#endif
