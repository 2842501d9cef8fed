//go:build cgo && linux && (amd64 || arm64)

// What a program says when a fault in C ends it, before Go's own report: that has the stack
// with the Go functions, and the registers.
#define _GNU_SOURCE
#include "handler.h"
#include "image.h"
#include "say.h"
#include "traceback.h"

#ifdef SEAM_UNWIND
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

static char copy_path[512];
static int copy = -1; // where the report goes besides standard error

int seam_crash_copy(const char *path) {
	size_t n = strlen(path);
	if (n >= sizeof copy_path)
		return ENAMETOOLONG;
	memcpy(copy_path, path, n + 1);
	return 0;
}

static char directory[512]; // where each crash gets a file of its own; "": nowhere
static char go_version[64];
static int in_directory = -1, directory_failed; // an errno
static char path_now[sizeof directory + 64], path_then[sizeof directory + 64];

int seam_crash_directory(const char *path) {
	size_t n = strlen(path);
	if (n >= sizeof directory)
		return ENAMETOOLONG;
	memcpy(directory, path, n + 1);
	return 0;
}

static int output = -1;

int seam_crash_output(int fd) { return __atomic_exchange_n(&output, fd, __ATOMIC_SEQ_CST); }

void seam_crash_version(const char *version) {
	size_t n = strlen(version);
	memcpy(go_version, version, n < sizeof go_version ? n : sizeof go_version - 1);
}

// Returns 0 or an errno.
static int write_all(int fd, const seam_text *t) {
	for (size_t at = 0; at < t->n;) {
		long n = csys_kernel(SYS_write, fd, (long)(t->at + at), (long)(t->n - at), 0, 0, 0);
		if (n <= 0)
			return n < 0 ? (int)-n : EIO;
		at += (size_t)n;
	}
	return 0;
}

static void flush(seam_text *t) {
	write_all(2, t);
	if (copy >= 0)
		write_all(copy, t);
	if (in_directory >= 0 && !directory_failed)
		directory_failed = write_all(in_directory, t);
	int to = __atomic_load_n(&output, __ATOMIC_SEQ_CST);
	if (to >= 0)
		write_all(to, t);
	t->n = 0;
}

static void put_registers(seam_text *t, const ucontext_t *uc) {
#ifdef __x86_64__
	static const struct {
		const char *name;
		int at;
	} list[] = {{"rip", REG_RIP}, {"rsp", REG_RSP}, {"rbp", REG_RBP}, {"rax", REG_RAX}, {"rbx", REG_RBX}, {"rcx", REG_RCX},
		{"rdx", REG_RDX}, {"rsi", REG_RSI}, {"rdi", REG_RDI}, {"r8", REG_R8}, {"r9", REG_R9}, {"r10", REG_R10},
		{"r11", REG_R11}, {"r12", REG_R12}, {"r13", REG_R13}, {"r14", REG_R14}, {"r15", REG_R15}};
	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		seam_put(t, i % 6 == 0 && i ? "\n\t" : i ? " " : "\t");
		seam_put(t, list[i].name);
		seam_put(t, "=");
		seam_put_hex(t, (uintptr_t)uc->uc_mcontext.gregs[list[i].at]);
	}
#else
	const mcontext_t *m = &uc->uc_mcontext;
	seam_put(t, "\tpc=");
	seam_put_hex(t, m->pc);
	seam_put(t, " sp=");
	seam_put_hex(t, m->sp);
	for (unsigned i = 0; i < 31; i++) {
		seam_put(t, i % 6 == 4 ? "\n\tx" : " x");
		seam_put_number(t, i);
		seam_put(t, "=");
		seam_put_hex(t, m->regs[i]);
	}
#endif
	seam_put(t, "\n");
}

int seam_is_own(const void *given) {
	const siginfo_t *info = given;
	return (info->si_code == SI_TKILL || info->si_code == SI_USER) && info->si_pid == (int)csys_kernel(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

// Whether a fault at an address is the stack's end: a frame that has been entered lies there, or
// the call or the function below it was about to write. While -fstack-clash-protection touches the
// pages of a large frame, one after the other, no caller can be found: the page that is touched
// is next to memory that is there.
static int is_overflow(seam_regs regs, uintptr_t address, const uintptr_t *pcs, size_t n) {
	enum { BELOW = 256, PAGE = 4096 }; // what functions that call no other may use without moving the stack pointer
	if (!csys_readable(regs.sp & ~(uintptr_t)7))
		return (n > 1 && pcs[1] != (uintptr_t)seam_truncated) ||
		       (address >= regs.sp && address - regs.sp < PAGE && !csys_readable(address & ~(uintptr_t)7) && csys_readable((address | (PAGE - 1)) + 1));
	return address < regs.sp && regs.sp - address <= BELOW && !csys_readable(address & ~(uintptr_t)7);
}

static int has_function(const uintptr_t *pcs, size_t n, const char *name) {
	for (size_t i = 0; i < n; i++) {
		seam_symbol_arg arg = {.pc = pcs[i]};
		seam_symbolize(&arg);
		if (arg.function && strcmp(arg.function, name) == 0)
			return 1;
	}
	return 0;
}

static void put_two(seam_text *t, unsigned long v) {
	seam_put(t, v < 10 ? "0" : "");
	seam_put_number(t, v);
}

static void put_time(seam_text *t, int64_t seconds) {
	// Days since 0000-03-01, so that leap days come last in their years.
	int64_t day = seconds / 86400 + 719468, left = seconds % 86400;
	unsigned long era = (unsigned long)day / 146097, of_era = (unsigned long)day % 146097;
	unsigned long year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	unsigned long of_year = of_era - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;
	year += era * 400 + (month >= 10);
	seam_put_number(t, year);
	seam_put(t, "-");
	put_two(t, month < 10 ? month + 3 : month - 9);
	seam_put(t, "-");
	put_two(t, of_year - (153 * month + 2) / 5 + 1);
	seam_put(t, " ");
	put_two(t, (unsigned long)left / 3600);
	seam_put(t, ":");
	put_two(t, (unsigned long)left / 60 % 60);
	seam_put(t, ":");
	put_two(t, (unsigned long)left % 60);
	seam_put(t, " UTC");
}

static int64_t wall_clock(void) {
	struct timespec t = {0, 0};
	csys_kernel(SYS_clock_gettime, CLOCK_REALTIME, (long)&t, 0, 0, 0, 0);
	return t.tv_sec;
}

static void put_name_in_brackets(seam_text *t, const char *file) {
	char name[64];
	int fd = (int)csys_kernel(SYS_openat, AT_FDCWD, (long)file, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0)
		return;
	long n = csys_kernel(SYS_read, fd, (long)name, sizeof name - 1, 0, 0, 0);
	csys_kernel(SYS_close, fd, 0, 0, 0, 0, 0);
	if (n <= 0)
		return;
	name[n - (name[n - 1] == '\n')] = 0;
	for (char *p = name; *p; p++) // a thread may be called anything
		if (*p < ' ' || *p > '~')
			*p = '?';
	seam_put(t, " (");
	seam_put(t, name);
	seam_put(t, ")");
}

extern const char *gnu_get_libc_version(void) __attribute__((weak));

// What glibc has written before it aborts: of free, of an assertion, of a stack that was smashed. It
// keeps that where debuggers find it by a name, which is no program's to link with.
static void put_abort_message(seam_text *t) {
	enum { MOST = 400 };
	int epoch;
	const seam_snapshot *s = seam_enter(&epoch);
	for (size_t i = 0; i < s->count; i++) {
		const seam_object *o = s->objects[i];
		if (*o->path && !strstr(o->path, "/libc.so") && !strstr(o->path, "/libc-"))
			continue; // a static program has it itself
		seam_image f = seam_open(o->path);
		uintptr_t value = 0, at = f.at && seam_find_symbol(f, "__abort_msg", 1, &value) ? o->base + value : 0;
		seam_free_pages((void *)f.at, f.size);
		if (!at || !csys_readable(at) || !(at = *(const uintptr_t *)at) || !csys_readable(at & ~(uintptr_t)7))
			continue;
		const char *m = (const char *)(at + sizeof(unsigned)), *end = m; // behind its size
		while (end - m < MOST && ((uintptr_t)end % 4096 || csys_readable((uintptr_t)end)) && *end && *end != '\n')
			end++;
		if (end == m)
			break;
		seam_put(t, "seam: the C library says: ");
		for (; m < end; m++)
			seam_put(t, (char[]){*m < ' ' || *m > '~' ? '?' : *m, 0});
		seam_put(t, "\n");
		break;
	}
	seam_leave(epoch);
}

static void put_who(seam_text *t) {
	seam_put(t, "seam: process ");
	seam_put_number(t, (unsigned long)csys_kernel(SYS_getpid, 0, 0, 0, 0, 0, 0));
	put_name_in_brackets(t, "/proc/self/comm");
	seam_put(t, ", thread ");
	seam_put_number(t, (unsigned long)csys_kernel(SYS_gettid, 0, 0, 0, 0, 0, 0));
	put_name_in_brackets(t, "/proc/thread-self/comm");
	seam_put(t, ", ");
	put_time(t, wall_clock());
	seam_put(t, ", ");
	seam_put(t, go_version);
	seam_put(t, ", ");
#ifdef __GLIBC__
	seam_put(t, "glibc ");
	if (gnu_get_libc_version)
		seam_put(t, gnu_get_libc_version());
	else { // in a static program, which has what it was compiled with
		seam_put_number(t, __GLIBC__);
		seam_put(t, ".");
		seam_put_number(t, __GLIBC_MINOR__);
	}
#else
	seam_put(t, "a libc that is not GNU's");
#endif
	seam_put(t, "\n");
}

// The files that the stack is in, and which builds of them: another one has other functions at
// these addresses.
static void put_files(seam_text *t, const uintptr_t *pcs, size_t n) {
	int epoch;
	const seam_snapshot *s = seam_enter(&epoch);
	seam_put(t, "seam: build IDs:\n");
	for (size_t i = 0; i < s->count; i++) {
		const seam_object *o = s->objects[i];
		int in_stack = !*o->path;
		for (size_t k = 0; k < n && !in_stack; k++)
			in_stack = pcs[k] >= o->low && pcs[k] < o->high && !seam_is_mark(pcs[k]);
		if (!in_stack)
			continue;
		seam_put(t, "\t");
		seam_put(t, *o->path ? o->path : "program");
		seam_put(t, ": ");
		seam_put(t, *o->build_id ? o->build_id : "none");
		seam_put(t, "\n");
		flush(t);
	}
	seam_leave(epoch);
}

static void put_with_commas(seam_text *t, unsigned long v) {
	if (v >= 1000) {
		put_with_commas(t, v / 1000);
		seam_put(t, ",");
		seam_put(t, v % 1000 < 100 ? "0" : "");
		seam_put(t, v % 1000 < 10 ? "0" : "");
		v %= 1000;
	}
	seam_put_number(t, v);
}

static void put_stack(seam_text *t, const uintptr_t *pcs, const uint32_t *times, size_t n) {
	for (size_t i = 0; i < n; i++) {
		seam_put(t, "\t");
		if (pcs[i] == (uintptr_t)seam_recursion) {
			size_t period = times[i] >> SEAM_ROUNDS;
			seam_put(t, "[recursion] ");
			for (size_t k = i - period; k < i; k++) {
				seam_symbol_arg arg = {.pc = pcs[k]};
				seam_symbolize(&arg);
				seam_put(t, arg.function ? arg.function : "[unknown]");
				seam_put(t, k + 1 < i ? " \xe2\x86\x94 " : " \xc3\x97 ");
			}
			put_with_commas(t, times[i] & ((1u << SEAM_ROUNDS) - 1));
		} else if (pcs[i] == (uintptr_t)seam_omitted) {
			seam_put(t, "[left out] ");
			put_with_commas(t, times[i]);
			seam_put(t, " functions");
		} else
			seam_put_place(t, pcs[i]);
		seam_put(t, "\n");
		flush(t);
	}
}

// A file is there as a whole or not at all: it gets its name when it is.
static void begin_file(void) {
	directory_failed = 0;
	if (!*directory)
		return;
	seam_text now = {path_now, 0, sizeof path_now - 1}, then = {path_then, 0, sizeof path_then - 1};
	seam_put(&then, directory);
	seam_put(&then, "/");
	seam_put_number(&then, (unsigned long)wall_clock());
	seam_put(&then, "-");
	seam_put_number(&then, (unsigned long)csys_kernel(SYS_getpid, 0, 0, 0, 0, 0, 0));
	seam_put(&then, "-");
	seam_put_number(&then, (unsigned long)csys_kernel(SYS_gettid, 0, 0, 0, 0, 0, 0));
	seam_put(&then, ".crash");
	path_then[then.n] = 0;
	seam_put(&now, path_then);
	seam_put(&now, ".new");
	path_now[now.n] = 0;
	in_directory = (int)csys_kernel(SYS_openat, AT_FDCWD, (long)path_now, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600, 0, 0);
	if (in_directory < 0)
		directory_failed = -in_directory;
}

static void end_file(seam_text *t) {
	static const struct {
		int err;
		const char *words;
	} why[] = {{ENOSPC, "the disk is full"}, {EDQUOT, "the quota is used up"}, {EROFS, "it can only be read"}, {EACCES, "no permission"},
		{EPERM, "no permission"}, {ENOENT, "no file can be made there"}, {EFBIG, "the limit on the size of files is reached"},
		{EMFILE, "no descriptor is left"}, {ENFILE, "no descriptor is left"}};
	if (in_directory >= 0) {
		long err = csys_kernel(SYS_fsync, in_directory, 0, 0, 0, 0, 0);
		if (err < 0 && err != -EINVAL && !directory_failed) // not every file system has it
			directory_failed = (int)-err;
		csys_kernel(SYS_close, in_directory, 0, 0, 0, 0, 0);
		in_directory = -1;
		err = directory_failed ? 0 : csys_kernel(SYS_renameat2, AT_FDCWD, (long)path_now, AT_FDCWD, (long)path_then, 0, 0);
		if (err < 0)
			directory_failed = (int)-err;
		if (directory_failed)
			csys_kernel(SYS_unlinkat, AT_FDCWD, (long)path_now, 0, 0, 0, 0);
	}
	if (!directory_failed)
		return;
	seam_put(t, "seam: SEAM_CRASH: this report has no file in ");
	seam_put(t, directory);
	seam_put(t, ": ");
	size_t i = 0;
	while (i < sizeof why / sizeof *why && why[i].err != directory_failed)
		i++;
	seam_put(t, i < sizeof why / sizeof *why ? why[i].words : "errno ");
	if (i == sizeof why / sizeof *why)
		seam_put_number(t, (unsigned long)directory_failed);
	seam_put(t, "\n");
	flush(t);
}

void seam_crash_handled(void) {
	char room[256];
	seam_text t = {room, 0, sizeof room};
	seam_put(&t, "seam: somebody has handled that fault after all, and the program goes on: no crash\nseam: from now on a fault of this kind may end the program without a report\n");
	write_all(2, &t);
	if (*copy_path)
		csys_kernel(SYS_unlinkat, AT_FDCWD, (long)copy_path, 0, 0, 0, 0);
	if (*path_then) // it is of no crash
		csys_kernel(SYS_unlinkat, AT_FDCWD, (long)path_then, 0, 0, 0, 0);
}

int seam_crash(int sig, const void *given, const void *context) {
	// One at a time, and none within another: a second fault is Go's to tell. On another thread it
	// would end the program in the middle of the report; it waits, but not for ever.
	static int crashing;
	int self = (int)csys_kernel(SYS_gettid, 0, 0, 0, 0, 0, 0), other = 0;
	if (!__atomic_compare_exchange_n(&crashing, &other, self, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
		enum { MS = 3000 };
		const struct timespec one = {0, 1000000};
		for (int i = 0; i < MS && other != self && __atomic_load_n(&crashing, __ATOMIC_SEQ_CST) == other; i++)
			csys_kernel(SYS_nanosleep, (long)&one, 0, 0, 0, 0, 0);
		return 0;
	}
	enum { MOST = 128 };
	static char room[4096]; // alternate stacks are small
	static uintptr_t pcs[MOST];
	static uint32_t times[MOST];
	seam_text t = {room, 0, sizeof room};
	const siginfo_t *info = given;
	seam_regs regs = seam_interrupted(context);
	int memory = sig == SIGSEGV || sig == SIGBUS, told = memory && info->si_code > 0 && info->si_code != SI_KERNEL;
	uintptr_t address = told ? (uintptr_t)info->si_addr : 0, target = regs.pc;
	int jumped = target == 0 || (told && address == target); // an instruction was to be fetched
	if (jumped)
		regs.pc = 0; // the walk then begins with the caller
	size_t n = seam_walk_fault(regs, pcs, times, MOST);
	if (n && pcs[n - 1] == (uintptr_t)seam_truncated) { // by a library that has just been loaded?
		seam_await_refresh();
		n = seam_walk_fault(regs, pcs, times, MOST);
	}
	// Somebody may send SIGABRT to say something else.
	if (sig == SIGABRT && !has_function(pcs, n, "abort")) {
		__atomic_store_n(&crashing, 0, __ATOMIC_SEQ_CST);
		return 0;
	}
	begin_file();
	if (*copy_path) // now: the program may have closed a descriptor that it doesn't know
		copy = (int)csys_kernel(SYS_openat, AT_FDCWD, (long)copy_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600, 0, 0);
	seam_put(&t, "seam: ");
	seam_put(&t, csys_signal_name(sig));
	seam_put(&t, " in C, ");
	if (sig != SIGABRT && seam_is_own(info))
		seam_put(&t, "sent by the program itself, ");
	if (jumped && target == 0)
		seam_put(&t, "which has called NULL");
	else if (jumped) {
		seam_put(&t, "which has called or returned to ");
		seam_put_hex(&t, target);
		seam_put(&t, ", where no code is");
	} else {
		seam_put(&t, "at ");
		seam_put_place(&t, regs.pc);
	}
	seam_put(&t, "\n");
	put_who(&t);
	if (told) {
		seam_put(&t, "seam: address ");
		seam_put_hex(&t, address);
		seam_put(&t, sig == SIGSEGV && info->si_code == SEGV_MAPERR && csys_readable(address & ~(uintptr_t)7) ? ": nothing was mapped there; now there is " : ": ");
		seam_put_mapping(&t, address);
		seam_put(&t, "\n");
	} else if (memory && info->si_code > 0)
		seam_put(&t, "seam: the address is none that a program can have, or was not told\n");
	enum { NO_PAGE = 2 }; // BUS_ADRERR
	if (told && sig == SIGBUS && info->si_code == NO_PAGE)
		seam_put(&t, "seam: the memory there has no page: the file is shorter than its mapping, or none could be had (a read that failed, a full disk or tmpfs, no huge page)\n");
	if (sig == SIGABRT)
		put_abort_message(&t);
	if (told && is_overflow(regs, address, pcs, n))
		seam_put(&t, "seam: the stack has overflowed\n");
	seam_put(&t, "seam: stack pointer ");
	seam_put_hex(&t, regs.sp);
	seam_put(&t, ": ");
	seam_put_mapping(&t, regs.sp);
	seam_put(&t, "\n");
	flush(&t);
	seam_put(&t, seam_is_go_thread() ? "seam: the C stack (Go's report below has the Go functions that called it):\n" : "seam: the C stack, of a thread without Go:\n");
	put_stack(&t, pcs, times, n);
	put_files(&t, pcs, n);
	seam_put(&t, "seam: registers:\n");
	put_registers(&t, context);
	flush(&t);
	if (seam_put_signals(&t, "seam: signals: ") == 0)
		seam_put(&t, "seam: signals: all handlers are as Go needs them\n");
	stack_t alternate;
	if (seam_is_go_thread() && sigaltstack(NULL, &alternate) == 0 && (alternate.ss_flags & SS_DISABLE)) {
		seam_put(&t, "seam: signals: this thread has lost its alternate stack: C has taken it away by sigaltstack");
		seam_put_callers(&t, "sigaltstack", ", which is called by ");
		seam_put(&t, "\n");
	}
	flush(&t);
	if (copy >= 0)
		csys_kernel(SYS_close, copy, 0, 0, 0, 0, 0);
	copy = -1;
	end_file(&t);
	__atomic_store_n(&crashing, 0, __ATOMIC_SEQ_CST);
	return 1;
}
#endif
