//go:build cgo && linux && !android && (amd64 || arm64) && !msan

// getaddrinfo reads files and asks servers by means of its own, so a coroutine runs it on an
// ordinary thread.
#include "netio.h"

#include <dlfcn.h>
#include <string.h>

// Without glibc's symbols a static executable has no way to call libc's function, so there
// it must stay libc's.
#ifdef __GLIBC__

typedef int function(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **result);

// Weak, because in a static executable libc's definition comes with freeaddrinfo and must
// take precedence. There a coroutine blocks.
__attribute__((weak)) function netio_getaddrinfo LIBC(getaddrinfo);
__attribute__((used)) static void (*const bring_libcs)(struct addrinfo *) = freeaddrinfo;

static function *libcs;

static __attribute__((constructor(101))) void resolve(void) {
	void *f = dlsym(RTLD_NEXT, "getaddrinfo");
	if (f)
		memcpy(&libcs, &f, sizeof f);
}

struct lookup {
	const char *host, *service;
	const struct addrinfo *hints;
	struct addrinfo **list;
	int result, err;
};

static void look_up(void *arg) {
	struct lookup *l = arg;
	l->result = libcs(l->host, l->service, l->hints, l->list);
	l->err = get_errno();
}

int netio_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **list) {
	seam_coro *co = self();
	if (!libcs) // only a library's constructor can call this early
		resolve();
	if (!co)
		return libcs(host, service, hints, list);
	struct lookup l = {.host = host, .service = service, .hints = hints, .list = list};
	int keep = get_errno(), err = run_on_thread(co, look_up, &l);
	if (err) {
		set_errno(err);
		return EAI_SYSTEM;
	}
	set_errno(l.result == EAI_SYSTEM ? l.err : keep);
	return l.result;
}
#endif
