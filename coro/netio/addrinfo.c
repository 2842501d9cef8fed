//go:build cgo && linux && !android && (amd64 || arm64) && !msan

// getaddrinfo reads files and asks servers by means of its own, so a coroutine runs it on an
// ordinary thread. A server that does not answer holds it there for many seconds, and nothing
// can stop it. So a call that is cancelled leaves it behind, and what it uses belongs to
// whichever of the two ends last.
//
// What it does depends on its thread: on the resolver's state (_res), the locale, the namespaces.
// Where a coroutine has its thread for itself and C has changed one of these, the thread runs it, and
// nothing ends it.
#include "netio.h"

#include <arpa/nameser.h>
#include <locale.h>
#include <resolv.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Without glibc's symbols a static executable has no way to call libc's function, so there
// it must stay libc's.
#ifdef __GLIBC__

typedef int function(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **result);

// Weak, because in a static executable libc's definition comes with freeaddrinfo and must
// take precedence. There a coroutine blocks.
__attribute__((weak)) function netio_getaddrinfo LIBC(getaddrinfo);
__attribute__((used)) static void (*const bring_libcs)(struct addrinfo *) = freeaddrinfo;

static function *libcs;

static __attribute__((constructor(101))) void resolve_libcs(void) { resolve("getaddrinfo", &libcs); }

struct lookup {
	const char *host, *service;
	const struct addrinfo *hints;
	struct addrinfo *list, copied_hints;
	int result, err;
	int one_has_ended; // the thread or the coroutine
	char text[];
};

static struct lookup *new_lookup(const char *host, const char *service, const struct addrinfo *hints) {
	size_t host_size = host ? strlen(host) + 1 : 0, service_size = service ? strlen(service) + 1 : 0;
	struct lookup *l = calloc(1, sizeof *l + host_size + service_size);
	if (!l)
		return NULL;
	if (host)
		l->host = memcpy(l->text, host, host_size);
	if (service)
		l->service = memcpy(l->text + host_size, service, service_size);
	if (hints) {
		l->copied_hints = *hints;
		l->hints = &l->copied_hints;
	}
	return l;
}

static int ends_last(struct lookup *l) { return __atomic_exchange_n(&l->one_has_ended, 1, __ATOMIC_ACQ_REL); }

static void free_all(struct lookup *l) {
	if (l->list)
		freeaddrinfo(l->list);
	free(l);
}

static void look_up(void *arg) {
	struct lookup *l = arg;
	l->result = libcs(l->host, l->service, l->hints, &l->list);
	l->err = get_errno();
	if (ends_last(l))
		free_all(l);
}

static long on_this_thread(long host, long service, long hints, long list, long unused, long unused2, long unused3, long unused4) {
	(void)unused, (void)unused2, (void)unused3, (void)unused4;
	return libcs((const char *)host, (const char *)service, (const struct addrinfo *)hints, (struct addrinfo **)list);
}

// Whether the thread's resolver was told anything that the files of the system don't say.
static int own_resolver(void) {
	struct __res_state usual = {0};
	if (!(_res.options & RES_INIT)) // it has not been used here
		return 0;
	if (res_ninit(&usual) != 0)
		return 1;
	int own = _res.options != usual.options || _res.retrans != usual.retrans || _res.retry != usual.retry ||
		_res.nscount != usual.nscount || memcmp(_res.nsaddr_list, usual.nsaddr_list, sizeof usual.nsaddr_list) != 0 ||
		strcmp(_res.defdname, usual.defdname) != 0;
	res_nclose(&usual);
	return own;
}

// The namespaces that it looks at, as the program began with them.
static const char *const namespaces[] = {"/proc/thread-self/ns/net", "/proc/thread-self/ns/mnt"};
enum { NAMESPACES = sizeof namespaces / sizeof *namespaces };
static ino_t began_in[NAMESPACES];

static __attribute__((constructor(101))) void remember_namespaces(void) {
	struct stat s;
	int i, keep = errno;
	for (i = 0; i < NAMESPACES; i++)
		began_in[i] = stat(namespaces[i], &s) == 0 ? s.st_ino : 0;
	errno = keep;
}

static int other_namespace(void) {
	struct stat s;
	int i, other = 0;
	for (i = 0; i < NAMESPACES && !other; i++)
		other = began_in[i] && stat(namespaces[i], &s) == 0 && s.st_ino != began_in[i];
	return other;
}

static int thread_matters(const seam_coro *co) {
	if (shares_thread(co))
		return 0;
	int keep = get_errno(), matters = own_resolver() || uselocale((locale_t)0) != LC_GLOBAL_LOCALE || other_namespace();
	set_errno(keep);
	return matters;
}

int netio_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **list) {
	seam_coro *co = self();
	if (!libcs) // only a library's constructor can call this early
		resolve_libcs();
	if (!co)
		return libcs(host, service, hints, list);
	if (thread_matters(co)) {
		long a[8] = {(long)host, (long)service, (long)hints, (long)list};
		return (int)through_go(co, on_this_thread, THROUGH_GO_HERE, a);
	}
	int keep = get_errno(), runs;
	struct lookup *l = new_lookup(host, service, hints);
	if (!l)
		return EAI_MEMORY;
	int err = run_detached(co, look_up, l, &runs);
	if (err) {
		if (!runs || ends_last(l))
			free_all(l);
		set_errno(err);
		return EAI_SYSTEM;
	}
	int result = l->result;
	if (result == 0) {
		*list = l->list;
		l->list = NULL;
	}
	err = result == EAI_SYSTEM ? l->err : keep;
	free_all(l);
	set_errno(err);
	return result;
}
#endif
