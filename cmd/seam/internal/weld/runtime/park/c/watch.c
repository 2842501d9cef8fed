/* Waits that nobody sees: a system call by the processor's instruction, a lock of libc's, a device. They hold
 * the worker with all of its coroutines.
 *
 * A thread looks ten times a second, while there are calls, whether a worker is still at the same
 * piece of work and has used no processor for it. Then it names the function, once, with what
 * looks like return addresses on its stack; from then on the function is called through
 * cgo. The worker gets no new calls until it goes on, those that have not begun go to
 * another one. The latter is so, too, where a call computes for some tenths of a second.
 *
 * A hundred times a second it looks whether a call has the worker that it had before. Then it tells Go of the calls
 * that have ended or call Go, which the worker would do only afterwards, and asks the call to give way: it
 * does when it next comes to netio. As long as calls do, it looks a thousand times a second. */

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>

enum { LOOK_NS = 100000000, TICK_NS = 10000000, QUICK_TICK_NS = 1000000, LOOKS = 3, MOST_FRAMES = 12 };

static int64_t cpu_of(struct park_worker *w) {
	clockid_t clock;
	struct timespec t;
	if (pthread_getcpuclockid(w->thread, &clock) != 0 || clock_gettime(clock, &t) != 0)
		return -1;
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static ssize_t read_file_of(struct park_worker *w, const char *name, char *to, size_t room) {
	char path[64];
	snprintf(path, sizeof path, "/proc/self/task/%d/%s", w->tid, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t n = libc.read(fd, to, room - 1);
	libc.close(fd);
	to[n < 0 ? 0 : n] = 0;
	return n;
}

static void watch_marker(void) {} /* an address in the executable */

/* static_name finds a function that is not exported, in the symbol table of the executable. */
static const char *static_name(uintptr_t at, uintptr_t *from) {
	static const char *text;
	static size_t size;
	if (!text) {
		struct stat st;
		int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
		if (fd < 0 || fstat(fd, &st) != 0)
			return NULL;
		size = (size_t)st.st_size;
		text = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
		libc.close(fd);
		if (text == MAP_FAILED) {
			text = NULL;
			return NULL;
		}
	}
	const ElfW(Ehdr) *e = (const void *)text;
	if (size < sizeof *e || e->e_shoff > size || (size - e->e_shoff) / sizeof(ElfW(Shdr)) < e->e_shnum)
		return NULL;
	const ElfW(Shdr) *sections = (const void *)(text + e->e_shoff);
	int i;
	for (i = 0; i < e->e_shnum; i++) {
		const ElfW(Shdr) *t = &sections[i];
		if (t->sh_type != SHT_SYMTAB || t->sh_link >= e->e_shnum || t->sh_offset > size || t->sh_size > size - t->sh_offset)
			continue;
		const ElfW(Shdr) *names = &sections[t->sh_link];
		if (names->sh_offset > size || names->sh_size > size - names->sh_offset || names->sh_size == 0 || text[names->sh_offset + names->sh_size - 1] != 0)
			continue;
		const ElfW(Sym) *symbols = (const void *)(text + t->sh_offset);
		size_t k;
		for (k = 0; k < t->sh_size / sizeof *symbols; k++)
			if ((symbols[k].st_info & 15) == STT_FUNC && at >= symbols[k].st_value && at < symbols[k].st_value + symbols[k].st_size && symbols[k].st_name < names->sh_size) {
				*from = symbols[k].st_value;
				return text + names->sh_offset + symbols[k].st_name;
			}
	}
	return NULL;
}

/* place describes an address of code. */
static int place(const void *pc, char *to, size_t room) {
	Dl_info i;
	if (!dladdr(pc, &i) || !i.dli_fname)
		return 0;
	const char *file = strrchr(i.dli_fname, '/');
	file = file ? file + 1 : i.dli_fname;
	uintptr_t base = (uintptr_t)i.dli_fbase, from = 0;
	Dl_info me;
	if (!i.dli_sname && dladdr((void *)(uintptr_t)watch_marker, &me) && me.dli_fbase == i.dli_fbase) {
		/* Addresses in a file that is loaded where it likes are from its beginning. */
		const ElfW(Ehdr) *e = i.dli_fbase;
		const char *name = static_name(e->e_type == ET_DYN ? (uintptr_t)pc - base : (uintptr_t)pc, &from);
		if (name) {
			snprintf(to, room, "%s+0x%zx (%s)", name, (e->e_type == ET_DYN ? (uintptr_t)pc - base : (uintptr_t)pc) - from, file);
			return 1;
		}
	}
	if (i.dli_sname)
		snprintf(to, room, "%s+0x%zx (%s)", i.dli_sname, (size_t)((const char *)pc - (const char *)i.dli_saddr), file);
	else
		snprintf(to, room, "%s+0x%zx", file, (size_t)((const char *)pc - (const char *)i.dli_fbase));
	return 1;
}

/* after_call tells whether code before pc may be a call. */
static int after_call(const unsigned char *pc) {
#if defined(__x86_64__)
	return pc[-5] == 0xe8 || (pc[-2] == 0xff && (pc[-1] & 0x38) == 0x10) || (pc[-3] == 0xff && (pc[-2] & 0x38) == 0x10) ||
		(pc[-6] == 0xff && (pc[-5] & 0x38) == 0x10);
#else
	uint32_t before;
	if ((uintptr_t)pc & 3)
		return 0;
	memcpy(&before, pc - 4, 4);
	return before >> 26 == 0x25 || (before & 0xfffffc1f) == 0xd63f0000;
#endif
}

/* Code is in a segment that can be executed. */
struct code_query {
	uintptr_t at;
	int found;
};

static int in_object(struct dl_phdr_info *info, size_t size, void *arg) {
	struct code_query *q = arg;
	(void)size;
	int i;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + p->p_vaddr;
		if (p->p_type == PT_LOAD && p->p_flags & PF_X && q->at >= begin + 8 && q->at < begin + p->p_memsz)
			q->found = 1;
	}
	return q->found;
}

static int is_code(uintptr_t at) {
	struct code_query q = {at, 0};
	return at > 4096 && dl_iterate_phdr(in_object, &q);
}

/* The function may return while we look: its stack is read by the kernel, which fails where
 * there is no memory any more. */
static void tell(struct park_worker *w, struct park_function *f, uintptr_t high) {
	enum { MOST = 4096 };
	static uintptr_t stack[MOST]; /* of the watch alone */
	char text[512], why[64] = "";
	unsigned long long number = 0, sp = 0, pc = 0, a[6];
	if (read_file_of(w, "syscall", text, sizeof text) > 0 &&
	    sscanf(text, "%llu 0x%llx 0x%llx 0x%llx 0x%llx 0x%llx 0x%llx 0x%llx 0x%llx", &number, &a[0], &a[1], &a[2], &a[3], &a[4], &a[5], &sp, &pc) == 9)
		snprintf(why, sizeof why, number == SYS_futex ? " (a futex)" : " (system call %llu)", number);
	const char *words[] = {"seam: ", f->name, " waits in a way that keeps its thread", why,
		"; it is called through cgo from now on. Mark it cgo in seam.plan. C was here:", NULL};
	park_say(words);
	if (is_code(pc) && place((void *)(uintptr_t)pc, text, sizeof text)) {
		const char *line[] = {"seam:     ", text, NULL};
		park_say(line);
	}
	sp = (sp + 7) & ~7ull;
	if (sp == 0 || sp >= high)
		return;
	size_t size = high - sp < sizeof stack ? high - sp : sizeof stack;
	struct iovec to = {stack, size}, from = {(void *)(uintptr_t)sp, size};
	ssize_t n = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
	int frames = 0;
	ssize_t i;
	for (i = 0; i < n / (ssize_t)sizeof *stack && frames < MOST_FRAMES; i++)
		if (is_code(stack[i]) && after_call((const unsigned char *)stack[i]) && place((void *)stack[i], text, sizeof text)) {
			const char *line[] = {"seam:     ", text, NULL};
			park_say(line);
			frames++;
		}
}

static void demote(struct park_worker *w) {
	struct park_function *f = w->function;
	uintptr_t high = (uintptr_t)w->high;
	__atomic_store_n(&f->on, PARK_OFF, __ATOMIC_RELEASE);
	if (!(__atomic_fetch_or(&f->told, PARK_TOLD, __ATOMIC_RELAXED) & PARK_TOLD))
		tell(w, f, high);
}

/* give_away gives calls that have not begun to another worker. */
static void give_away(struct park_worker *w) {
	struct park_worker *other = NULL;
	int count = __atomic_load_n(&park_worker_count, __ATOMIC_ACQUIRE);
	int i;
	for (i = 0; i < count; i++)
		if (!__atomic_load_n(&park_workers[i]->stuck, __ATOMIC_RELAXED))
			other = park_workers[i];
	if (!other) {
		park_lock(&park_mu);
		other = park_add_worker();
		park_unlock(&park_mu);
	}
	if (!other)
		return;
	park_lock(&w->mu);
	seam_coro *list = NULL, **at = &w->fresh;
	w->fresh_end = &w->fresh;
	while (*at) {
		seam_coro *co = *at;
		if (co->root == co) {
			*at = co->next;
			co->next = list;
			list = co;
		} else { /* it belongs to the thread of the call above it */
			at = &co->next;
			w->fresh_end = at;
		}
	}
	park_unlock(&w->mu);
	while (list) {
		seam_coro *co = list;
		list = co->next;
		co->worker = other;
		__atomic_fetch_sub(&w->active, 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&other->active, 1, __ATOMIC_RELAXED);
		give(co);
	}
}

/* Who computes for long has all the time that it wants, but what is to stop it may be a call that
 * has not begun: an interrupt, a cancellation. */
static void computes(struct park_worker *w, uint64_t runs) {
	w->looks = 0;
	if (++w->computes < 2 || __atomic_load_n(&w->runs, __ATOMIC_RELAXED) != runs)
		return;
	__atomic_store_n(&w->stuck, 1, __ATOMIC_RELAXED);
	int waiting = 0;
	park_lock(&w->mu);
	seam_coro *co;
	for (co = w->fresh; co && !waiting; co = co->next)
		waiting = co->root == co;
	park_unlock(&w->mu);
	if (waiting)
		give_away(w);
}

static void look_at(struct park_worker *w) {
	seam_coro *co = __atomic_load_n(&w->current, __ATOMIC_RELAXED);
	uint64_t runs = __atomic_load_n(&w->runs, __ATOMIC_RELAXED);
	if (!co || runs != w->seen_runs) {
		w->seen_runs = runs;
		w->looks = w->computes = 0;
		__atomic_store_n(&w->stuck, 0, __ATOMIC_RELAXED);
		w->seen_cpu = cpu_of(w);
		return;
	}
	int64_t cpu = cpu_of(w);
	if (cpu - w->seen_cpu > LOOK_NS / 10) {
		w->seen_cpu = cpu;
		computes(w, runs);
		return;
	}
	w->seen_cpu = cpu;
	if (++w->looks < LOOKS)
		return;
	char state[256];
	/* Asleep, or waiting for a processor? */
	if (w->looks == LOOKS && read_file_of(w, "stat", state, sizeof state) > 0) {
		char *end = strrchr(state, ')');
		if (end && end[1] == ' ' && end[2] == 'R') {
			computes(w, runs);
			return;
		}
	}
	/* For a lock of ours, whose owner never waits, but may itself have to wait for a processor: where hundreds of
	 * threads want one, for seconds. */
	int *own = __atomic_load_n(&w->own_locks, __ATOMIC_RELAXED);
	if (own && __atomic_load_n(own, __ATOMIC_RELAXED) > 0) {
		w->looks--;
		return;
	}
	if (__atomic_load_n(&w->runs, __ATOMIC_RELAXED) != runs)
		return;
	__atomic_store_n(&w->stuck, 1, __ATOMIC_RELAXED);
	if (w->looks == LOOKS)
		demote(w);
	give_away(w);
}

/* tick returns 1 if a call has given way since the last one. */
static int tick(struct park_worker *w) {
	uint64_t runs = __atomic_load_n(&w->runs, __ATOMIC_RELAXED);
	int gave_way = w->asked && !__atomic_load_n(&w->asks_to_give_way, __ATOMIC_RELAXED);
	w->asked = 0;
	if (runs == w->ticked_runs && __atomic_load_n(&w->current, __ATOMIC_ACQUIRE)) {
		struct park_function *f = w->function;
		int64_t cpu = cpu_of(w);
		park_tell(w, 1);
		/* Not if it waits for a processor, as on a busy machine. */
		if (w->ticked_cpu > 0 && cpu - w->ticked_cpu > TICK_NS / 4)
			__atomic_fetch_or(&f->told, PARK_SLOW, __ATOMIC_RELAXED);
		w->ticked_cpu = cpu;
		w->asked = 1;
		__atomic_store_n(&w->asks_to_give_way, 1, __ATOMIC_RELAXED);
	} else
		w->ticked_cpu = 0;
	w->ticked_runs = runs;
	return gave_way;
}

static int calls_now(void) {
	int i, count = __atomic_load_n(&park_worker_count, __ATOMIC_ACQUIRE);
	for (i = 0; i < count; i++)
		if (__atomic_load_n(&park_workers[i]->active, __ATOMIC_SEQ_CST) > 0)
			return 1;
	return 0;
}

/* While there are no calls, the watch sleeps until there is one. */
static uint32_t watch_sleeps;

void park_wake_watch(void) {
	if (__atomic_load_n(&watch_sleeps, __ATOMIC_SEQ_CST) && __atomic_exchange_n(&watch_sleeps, 0, __ATOMIC_SEQ_CST))
		enter(SYS_futex, (long)&watch_sleeps, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

static void *watch(void *unused) {
	int64_t next_look = 0;
	(void)unused;
	for (;;) {
		struct timespec t = {.tv_nsec = TICK_NS};
		int i, count = __atomic_load_n(&park_worker_count, __ATOMIC_ACQUIRE), look = park_now() >= next_look;
		for (i = 0; i < count; i++) {
			if (tick(park_workers[i]))
				t.tv_nsec = QUICK_TICK_NS;
			if (look)
				look_at(park_workers[i]);
		}
		if (look)
			next_look = park_now() + LOOK_NS;
		if (!calls_now()) {
			__atomic_store_n(&watch_sleeps, 1, __ATOMIC_SEQ_CST);
			if (!calls_now())
				enter(SYS_futex, (long)&watch_sleeps, FUTEX_WAIT_PRIVATE, 1, 0, 0, 0);
			__atomic_store_n(&watch_sleeps, 0, __ATOMIC_SEQ_CST);
		}
		libc.nanosleep(&t, NULL);
	}
	return NULL;
}

void park_start_watch(void) {
	static int started;
	pthread_t id;
	if (__atomic_exchange_n(&started, 1, __ATOMIC_RELAXED))
		return;
	if (park_start_thread(watch, NULL, &id) != 0)
		__atomic_store_n(&started, 0, __ATOMIC_RELAXED);
}
