/* In a program that imports package coro's netio, libc's names are that package's, and the
 * definitions above have lost against them. What they call as libc's in their turn, outside of
 * package coro's coroutines, is a table: it gets our functions, and so both wait without a
 * thread. */

/* Names of ours that nobody else defines. */
#define OURS(result, name, n, parameters, ...) \
	result park_our_##name parameters __attribute__((alias(#name), visibility("hidden")));
LIBC_FUNCTIONS(OURS)

extern struct seam_netio_libc park_theirs __asm__("seam_" "netio_libc") __attribute__((weak));

/* park_share_netio tells whether their table, which must be as ours, is filled. Nobody else calls it at the
 * same time. */
int park_share_netio(void) {
	static int shared;
	if (shared)
		return 1;
	if (!&park_theirs || memcmp(&park_theirs, &libc, sizeof libc) != 0)
		return 0;
#define SHARE(result, name, ...) \
	if (libc.name) \
		__atomic_store_n(&park_theirs.name, park_our_##name, __ATOMIC_RELAXED);
	LIBC_FUNCTIONS(SHARE)
	return shared = 1;
}
