//go:build cgo && linux && !android && (amd64 || arm64) && !msan

/* One FILE by several coroutines. libc's lock of it knows the thread, which coroutines
 * share: where one of them has it (by flockfile, or in a stream of the program's own
 * that waits), others wait here as for flockfile. What libc does then for a pipe or a disk
 * keeps the thread, as ever. */

#include "netio.h"
#include "locks.h"
#ifdef SEAM_HAS_LOCKS

#include <stdio_ext.h>

/* have_file returns the coroutine if it has taken the file's lock for it. */
static seam_coro *have_file(FILE *f) {
	seam_coro *any, *co = sharing(&any);
	need_own();
	if (!co || !f || __fsetlocking(f, FSETLOCKING_QUERY) == FSETLOCKING_BYCALLER)
		return NULL;
	wait_until(co, f, try_file, f, EBUSY, FOREVER);
	return co;
}

static void leave_file(seam_coro *co, FILE *f) {
	int keep = get_errno();
	if (co)
		netio_funlockfile(f);
	set_errno(keep);
}

#define STREAM_DEFINE(result, name, n, parameters, arguments, how, signal, otherwise, file) \
	result netio_##name parameters { \
		FILE *of = file; \
		seam_coro *co = have_file(of); \
		result r = own.name arguments; \
		leave_file(co, of); \
		return r; \
	}
STREAMS(STREAM_DEFINE)

/* The same with arguments that are a list. */
#define STREAM_LIST(name, by, parameters, arguments) \
	int netio_##name parameters LIBC_WEAK(name); \
	int netio_##name parameters { \
		va_list a; \
		va_start(a, format); \
		int r = netio_##by arguments; \
		va_end(a); \
		return r; \
	}
STREAM_LIST(fprintf, vfprintf, (FILE *f, const char *format, ...), (f, format, a))
STREAM_LIST(printf, vprintf, (const char *format, ...), (format, a))
STREAM_LIST(__fprintf_chk, __vfprintf_chk, (FILE *f, int flag, const char *format, ...), (f, flag, format, a))
STREAM_LIST(__printf_chk, __vprintf_chk, (int flag, const char *format, ...), (flag, format, a))

#endif
