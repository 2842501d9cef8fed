//go:build cgo && linux && !android && (amd64 || arm64) && !msan

// What no coroutine can wait for without a thread: it is called through Go, where it keeps neither the processor nor
// other coroutines. In a welded program that is weld's (waitsbygo.c).
#include "netio.h"
#include "locks.h"
#ifdef SEAM_HAS_LOCKS

#define BY_GO(result, f, n, arguments, how) \
	const long words[8] = {WORDS##n arguments}; \
	return (result)through_go(co, (go_call *)(void *)f, how, words)

#define DEFINE_PARKS(...)
#define DEFINE_GO(result, name, n, parameters, arguments, signal, first) \
	result netio_##name parameters { \
		seam_coro *co = self(); \
		int keep = get_errno(); \
		long r = -1; \
		need_own(); \
		if (!co) \
			return own.name arguments; \
		if (first) \
			return (result)r; \
		set_errno(keep); \
		BY_GO(result, own.name, n, arguments, signal ? THROUGH_GO_QUIET : 0); \
	}
#define DEFINE(result, name, n, parameters, arguments, how, signal, otherwise, first) \
	DEFINE_##how(result, name, n, parameters, arguments, signal, first)
SYSTEM_WAITS(DEFINE)
OTHER_WAITS(DEFINE)

int waits_by_go(void) { return here() != NULL; }

long wait_by_go(go_call *f, int how, const long *a) {
	seam_coro *co = self();
	return co ? through_go(co, f, how, a) : f(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
}

#endif
