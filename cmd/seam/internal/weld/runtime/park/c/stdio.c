/* One FILE by several coroutines. libc's lock of it knows the thread, which the coroutines of a
 * worker share: where one of them has it (by flockfile, or in a stream of the program's own
 * that waits), others wait here as for flockfile. What libc does then for a pipe or a disk
 * keeps the thread, as ever. */

#include <stdarg.h>
#include <stdio_ext.h>

#define STREAMS(S) \
	S(int, fputs, (const char *s, FILE *f), (s, f), f) \
	S(int, puts, (const char *s), (s), stdout) \
	S(int, fputc, (int c, FILE *f), (c, f), f) \
	S(int, putc, (int c, FILE *f), (c, f), f) \
	S(int, putchar, (int c), (c), stdout) \
	S(size_t, fwrite, (const void *p, size_t size, size_t n, FILE *f), (p, size, n, f), f) \
	S(int, fflush, (FILE *f), (f), f) \
	S(int, vfprintf, (FILE *f, const char *format, va_list a), (f, format, a), f) \
	S(int, vprintf, (const char *format, va_list a), (format, a), stdout) \
	S(int, __vfprintf_chk, (FILE *f, int flag, const char *format, va_list a), (f, flag, format, a), f) \
	S(int, __vprintf_chk, (int flag, const char *format, va_list a), (flag, format, a), stdout) \
	S(int, fgetc, (FILE *f), (f), f) \
	S(int, getc, (FILE *f), (f), f) \
	S(char *, fgets, (char *s, int n, FILE *f), (s, n, f), f) \
	S(size_t, fread, (void *p, size_t size, size_t n, FILE *f), (p, size, n, f), f)

#define STREAM_FIELD(result, name, parameters, arguments, file) result(*name) parameters;
static struct { STREAMS(STREAM_FIELD) } stream;

static int streams_resolved;

static __attribute__((constructor(101))) void resolve_streams(void) {
	int keep = errno;
#define STREAM_RESOLVE(result, name, parameters, arguments, file) resolve_lock(#name, &stream.name);
	STREAMS(STREAM_RESOLVE)
	__atomic_store_n(&streams_resolved, 1, __ATOMIC_RELEASE);
	errno = keep;
}

/* have_file returns the coroutine if it has taken the file's lock for it. */
static seam_coro *have_file(FILE *f) {
	seam_coro *co = seam_on_stack_();
	if (__builtin_expect(!__atomic_load_n(&streams_resolved, __ATOMIC_ACQUIRE), 0))
		resolve_streams();
	if (!co || !f || __fsetlocking(f, FSETLOCKING_QUERY) == FSETLOCKING_BYCALLER)
		return NULL;
	need_locks();
	until(co, f, try_file, f, EBUSY, PARK_FOREVER);
	return co;
}

static void leave_file(seam_coro *co, FILE *f) {
	int keep = errno;
	if (co)
		park_funlockfile(f);
	errno = keep;
}

#define STREAM_DEFINE(result, name, parameters, arguments, file) \
	result park_##name parameters __asm__(#name) __attribute__((weak, visibility("default"))); \
	result park_##name parameters { \
		FILE *of = file; \
		seam_coro *co = have_file(of); \
		result r = stream.name arguments; \
		leave_file(co, of); \
		return r; \
	}
STREAMS(STREAM_DEFINE)

/* The same with arguments that are a list. */
#define STREAM_LIST(name, by, parameters, arguments) \
	int park_##name parameters __asm__(#name) __attribute__((weak, visibility("default"))); \
	int park_##name parameters { \
		va_list a; \
		va_start(a, format); \
		int r = park_##by arguments; \
		va_end(a); \
		return r; \
	}
STREAM_LIST(fprintf, vfprintf, (FILE *f, const char *format, ...), (f, format, a))
STREAM_LIST(printf, vprintf, (const char *format, ...), (format, a))
STREAM_LIST(__fprintf_chk, __vfprintf_chk, (FILE *f, int flag, const char *format, ...), (f, flag, format, a))
STREAM_LIST(__printf_chk, __vprintf_chk, (int flag, const char *format, ...), (flag, format, a))
