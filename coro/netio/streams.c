//go:build cgo && linux && !android && (amd64 || arm64) && !msan

/* Streams. Of one by several coroutines libc's lock knows the thread, which they share: where one of them has it (by
 * flockfile, or in a stream of the program's own that waits), others wait here as for flockfile.
 *
 * What libc then does may wait for another (a pipe, a socket, a terminal): so if the buffer isn't enough it is done by
 * Go, on this thread, whose lock it is. An executor's other coroutines wait meanwhile, and the processor is free. To wait
 * before libc does is not the same: before it reads it writes what another stream has for the terminal. */

#include "netio.h"
#include "locks.h"
#ifdef SEAM_HAS_LOCKS

#include <stdio_ext.h>
#include <string.h>
#include <sys/stat.h>

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

/* Files of the disk are read and written on the spot. */
static int waits_for_another(FILE *f) {
	struct stat st;
	int keep = get_errno(), fd = f ? fileno_unlocked(f) : -1;
	int others = fd >= 0 && fstat(fd, &st) == 0 && !S_ISREG(st.st_mode);
	set_errno(keep);
	return others;
}

/* Whether the buffer has n bytes to read, or a line's end before; and whether it takes n bytes more. */
static int has(const FILE *f, size_t n, int end) {
	size_t there = (size_t)(f->_IO_read_end - f->_IO_read_ptr);
	return there >= n || (end >= 0 && there > 0 && memchr(f->_IO_read_ptr, end, there));
}
static int takes(const FILE *f, size_t n) {
	return f->_IO_write_end > f->_IO_write_ptr && n <= (size_t)(f->_IO_write_end - f->_IO_write_ptr);
}

#define enough_fputs(s, f) takes(f, strlen(s))
#define enough_puts(s) takes(stdout, strlen(s) + 1)
#define enough_fputc(c, f) takes(f, 1)
#define enough_putc(c, f) takes(f, 1)
#define enough_putchar(c) takes(stdout, 1)
#define enough_fwrite(p, size, n, f) takes(f, size * n)
#define enough_fflush(f) (!f || f->_IO_write_ptr == f->_IO_write_base)
#define enough_vfprintf(...) 0
#define enough_vprintf(...) 0
#define enough___vfprintf_chk(...) 0
#define enough___vprintf_chk(...) 0
#define enough_fgetc(f) has(f, 1, -1)
#define enough_getc(f) has(f, 1, -1)
#define enough_fgets(s, n, f) has(f, (size_t)n - 1, '\n')
#define enough_fread(p, size, n, f) has(f, size * n, -1)
#define enough_getdelim(line, size, end, f) has(f, SIZE_MAX, end)
#define enough___getdelim enough_getdelim
#define enough_getline(line, size, f) has(f, SIZE_MAX, '\n')

#define STREAM_DEFINE(result, name, n, parameters, arguments, how, signal, otherwise, file) \
	result netio_##name parameters { \
		FILE *of = file; \
		seam_coro *co = have_file(of); \
		result r; \
		if (waits_by_go() && !(enough_##name arguments) && waits_for_another(of)) { \
			const long words[8] = {STREAM_WORDS##n arguments}; \
			r = (result)wait_by_go((go_call *)(void *)own.name, THROUGH_GO_HERE, words); \
		} else \
			r = own.name arguments; \
		leave_file(co, of); \
		return r; \
	}
#define STREAM_WORDS1 WORDS1
#define STREAM_WORDS2 WORDS2
#define STREAM_WORDS3 WORDS3
#define STREAM_WORDS4 WORDS4
STREAMS(STREAM_DEFINE)

#undef STREAM_WORDS2
#undef STREAM_WORDS3
#undef STREAM_WORDS4
#if defined(__x86_64__)
#define LIST_WORD(a) WORD(a)
#else
#define LIST_WORD(a) WORD(&(a)) /* passed by reference */
#endif
#define STREAM_WORDS2(a, b) WORD(a), LIST_WORD(b)
#define STREAM_WORDS3(a, b, c) WORD(a), WORD(b), LIST_WORD(c)
#define STREAM_WORDS4(a, b, c, d) WORD(a), WORD(b), WORD(c), LIST_WORD(d)
LIST_STREAMS(STREAM_DEFINE)

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
