/*
 * The run-time of a traced program: in what calls wait. See seam_trace_impl.h.
 *
 * A thread looks from time to time at the calls that have begun. The kernel says of
 * each whether it sleeps, in which system call, and where the stack is. The words there that
 * look like return addresses tell the C function through which the library waits: the one
 * that code outside of libc has called. Calls themselves do nothing for it.
 *
 * What is read may change meanwhile: the stack is read through the kernel, and a look
 * counts only if the call is still the same and sleeps at the same place.
 */
#pragma GCC system_header

struct seam_dl_info { const char *fname; void *fbase; const char *sname; void *saddr; };
struct seam_phdr { seam_u32 type, flags; unsigned long offset, vaddr, paddr, filesz, memsz, align; };
struct seam_dl_phdr_info { unsigned long addr; const char *name; const struct seam_phdr *phdr; unsigned short phnum; };

extern int seam_c_dladdr(const void *, struct seam_dl_info *) __asm__("dladdr") __attribute__((__weak__));
extern int seam_c_dl_iterate_phdr(int (*)(struct seam_dl_phdr_info *, unsigned long, void *), void *) __asm__("dl_iterate_phdr") __attribute__((__weak__));
extern int seam_c_pthread_create(unsigned long *, const void *, void *(*)(void *), void *) __asm__("pthread_create") __attribute__((__weak__));
extern int seam_c_pthread_detach(unsigned long) __asm__("pthread_detach") __attribute__((__weak__));
extern int seam_c_pthread_sigmask(int, const void *, void *) __asm__("pthread_sigmask") __attribute__((__weak__));
extern int seam_c_mincore(void *, unsigned long, unsigned char *) __asm__("mincore");

enum {
	SEAM_LOOK_NS = 5000000,    /* from one look to the next, */
	SEAM_IDLE_NS = 20000000,   /* and where no call has lasted: */
	SEAM_LASTS_NS = 20000,     /* this long */
	SEAM_SHARE = 30,           /* looking may take one in so many of the time */
	SEAM_LOOKS = 64,           /* calls that are looked at in turn */
	SEAM_PLACES = 1024,
	SEAM_WORDS = 1024,         /* of a stack */
	SEAM_DEEP = 8,             /* frames that are told */
	SEAM_CODES = 512,
	SEAM_POINTERS = 128,       /* of a stack, behind which locks are searched for, */
	SEAM_NEAR = 2048,          /* so far, */
	SEAM_DATA = 1 << 16,       /* and in so much data of each library on the stack, */
	SEAM_FIRST = 8,            /* in so many looks at a place, then in */
	SEAM_SEARCH = 16,          /* one of so many */
	SEAM_MOST_STACK = 1 << 30
};

struct seam_trace_look {
	struct seam_trace_thread *thread;
	struct seam_trace_frame *frame;
	struct seam_trace_function *function;
	char *high;                /* where the call's stack begins */
	seam_u64 resumed;
	int tid;
	unsigned depth;
};

/* Code that is loaded. */
struct seam_trace_code { unsigned long begin, end, data, data_end; int libc, local; };

struct seam_trace_place { seam_u64 key; struct seam_trace_wait *wait; };

/* All of it is the watch's own. */
struct seam_trace_watch {
	struct seam_trace_look looks[SEAM_LOOKS];
	unsigned first;            /* of the calls that are looked at next */
	seam_u64 last;             /* look */
	unsigned codes;
	struct seam_trace_code code[SEAM_CODES];
	struct seam_trace_place places[2 * SEAM_PLACES];
	unsigned place_count;
	unsigned long words[SEAM_WORDS];
	unsigned word_count;
	seam_u32 data[SEAM_DATA / 4];
};

/* ---- code ---- */

static __inline__ int seam_trace_begins(const char *s, const char *with)
{
	while (*with)
		if (*s++ != *with++)
			return 0;
	return 1;
}

SEAM_WEAK int seam_trace_is_libc(const char *path)
{
	const char *name = path;
	for (; *path; path++)
		if (*path == '/')
			name = path + 1;
	return seam_trace_begins(name, "libc.so.") || seam_trace_begins(name, "libc-2.") || seam_trace_begins(name, "libpthread") ||
		seam_trace_begins(name, "ld-musl-") || seam_trace_begins(name, "libc.musl-");
}

SEAM_WEAK int seam_trace_object(struct seam_dl_phdr_info *info, unsigned long size, void *arg)
{
	struct seam_trace_watch *w = (struct seam_trace_watch *)arg;
	unsigned first = w->codes;
	unsigned long data = 0, data_end = 0;
	int i, local = 0, library = info->name && *info->name; /* the executable has data of Go's, and its thread-local word */
	(void)size;
	for (i = 0; i < info->phnum && w->codes < SEAM_CODES; i++) {
		const struct seam_phdr *p = &info->phdr[i];
		if (p->type == 1 /* PT_LOAD */ && p->flags & 1 /* PF_X */) {
			struct seam_trace_code *c = &w->code[w->codes++];
			c->begin = info->addr + p->vaddr;
			c->end = c->begin + p->memsz;
			c->libc = info->name && seam_trace_is_libc(info->name);
		} else if (p->type == 1 && p->flags & 2 /* PF_W */ && library && p->memsz > data_end - data) {
			data = info->addr + p->vaddr;
			data_end = data + p->memsz;
		} else if (p->type == 7 /* PT_TLS */ && p->memsz > 0)
			local = library;
	}
	for (; first < w->codes; first++) {
		w->code[first].data = data;
		w->code[first].data_end = data_end;
		w->code[first].local = local;
	}
	return 0;
}

static __inline__ struct seam_trace_code *seam_trace_code_at(struct seam_trace_watch *w, unsigned long at)
{
	unsigned i;
	for (i = 0; i < w->codes; i++)
		if (at >= w->code[i].begin + 16 && at < w->code[i].end)
			return &w->code[i];
	return 0;
}

/* The process's own memory, read through the kernel: a library may be unloaded meanwhile. */
static __inline__ int seam_trace_memory(void) { return seam_c_open("/proc/self/mem", SEAM_O_CLOEXEC); }

static __inline__ int seam_trace_peek(int mem, unsigned long at, void *to, unsigned long n)
{
	return seam_c_pread(mem, to, n, (long)at) == (long)n;
}

typedef struct { struct seam_trace_watch *w; int mem; } csys_memory;

static __inline__ int csys_peek(csys_memory *m, unsigned long at, void *to, unsigned long n) { return seam_trace_peek(m->mem, at, to, n); }
static __inline__ int csys_has_code(csys_memory *m, unsigned long at) { return seam_trace_code_at(m->w, at) != 0; }

#include "seam_call.h"

/* ---- what the kernel says ---- */

static __inline__ char *seam_trace_task(char *to, int tid, const char *file)
{
	to = seam_number(seam_put(to, "/proc/self/task/") - 1, (seam_u64)tid);
	return seam_put(to, file);
}

/* A line of the kernel's: "running", "-1 sp pc", or a system call with six arguments, sp and pc. */
struct seam_trace_sleep { long call; unsigned long first, sp, pc; int sleeps; };

SEAM_WEAK int seam_trace_ask(int tid, struct seam_trace_sleep *s)
{
	char line[256], *at = line, path[64];
	unsigned long value[9];
	int fd, n = 0;
	long got;
	seam_trace_task(path, tid, "/syscall");
	fd = seam_c_open(path, SEAM_O_CLOEXEC);
	if (fd < 0)
		return 0;
	got = seam_c_pread(fd, line, sizeof line - 1, 0);
	seam_c_close(fd);
	if (got <= 0)
		return 0;
	line[got] = 0;
	__builtin_memset(s, 0, sizeof *s);
	if (*at == 'r')
		return 1;
	if (*at == '-') {
		at++;
		s->call = -1;
	}
	while (n < 9) {
		unsigned long v = 0, base = 10;
		while (*at == ' ')
			at++;
		if (at[0] == '0' && at[1] == 'x') {
			at += 2;
			base = 16;
		}
		if (!*at || *at == '\n')
			break;
		for (;; at++) {
			unsigned digit = (unsigned)(*at >= 'a' ? *at - 'a' + 10 : *at - '0');
			if (digit >= base)
				break;
			v = v * base + digit;
		}
		if (*at && *at != ' ' && *at != '\n')
			return 0;
		value[n++] = v;
	}
	if (n < 3)
		return 0;
	s->sleeps = 1;
	if (s->call == 0)
		s->call = (long)value[0];
	s->first = value[1];
	s->sp = value[n - 2];
	s->pc = value[n - 1];
	return 1;
}

/* What a descriptor is, where the system call does not say it. */
SEAM_WEAK char *seam_trace_kind(char *to, const struct seam_trace_sleep *s)
{
	char path[64], link[256];
	long n, i;
#if defined(__x86_64__)
	if (s->call != 0 && s->call != 1 && s->call != 19 && s->call != 20) /* read, write, readv, writev */
#else
	if (s->call < 63 || s->call > 66)
#endif
		return seam_put(to, "");
	seam_number(seam_put(path, "/proc/self/fd/") - 1, s->first);
	for (i = 14; path[i] >= '0' && path[i] <= '9'; i++)
		;
	path[i] = 0;
	n = seam_c_readlink(path, link, sizeof link - 1);
	if (n <= 0)
		return seam_put(to, "");
	link[n] = 0;
	if (link[0] == '/')
		return seam_put(to, seam_trace_begins(link, "/dev/") ? "device" : "file");
	for (i = 0; i < n && link[i] != ':'; i++)
		*to++ = link[i];
	*to++ = 0;
	return to;
}

/* How far down the stack has been touched, below what is in use. */
SEAM_WEAK unsigned long seam_trace_touched(char *high, char *sp)
{
	enum { pages = 4, gap = 64 };
	unsigned long page = 4096, at = (unsigned long)sp & ~(page - 1), lowest = at;
	unsigned char seen[pages];
	unsigned none = 0;
	int i;
	while (none < gap && at > pages * page && seam_c_mincore((void *)(at - pages * page), pages * page, seen) == 0) {
		for (i = pages - 1; i >= 0; i--) {
			at -= page;
			none = seen[i] & 1 ? 0 : none + 1;
			if (seen[i] & 1)
				lowest = at;
		}
	}
	return (unsigned long)high - lowest;
}

/* ---- a look ---- */

/* The calls that have lasted, some of them. Returns how many there are. */
SEAM_WEAK unsigned seam_trace_lasting(struct seam_trace_watch *w, unsigned *taken)
{
	struct seam_trace_thread *t;
	seam_u64 now;
	unsigned count = 0, n = 0;
	seam_trace_lock();
	now = seam_now();
	for (t = seam_trace_process.threads; t; t = t->next) {
		unsigned depth = __atomic_load_n(&t->depth, __ATOMIC_RELAXED);
		struct seam_trace_frame *f = &t->frames[depth - 1];
		seam_u64 resumed;
		if (!depth || depth > t->room || __atomic_load_n(&f->in_go, __ATOMIC_RELAXED))
			continue;
		resumed = __atomic_load_n(&f->resumed, __ATOMIC_RELAXED);
		if (now < resumed + SEAM_LASTS_NS)
			continue;
		if (count++ >= w->first && n < SEAM_LOOKS) {
			struct seam_trace_look *l = &w->looks[n++];
			l->thread = t;
			l->frame = f;
			l->function = __atomic_load_n(&f->function, __ATOMIC_RELAXED);
			l->high = (char *)__atomic_load_n(&f->address, __ATOMIC_RELAXED);
			l->resumed = resumed;
			l->tid = t->tid;
			l->depth = depth;
		}
	}
	seam_trace_unlock();
	w->first = w->first + n < count ? w->first + n : 0;
	*taken = n;
	return count;
}

/* Is the call still in the same stretch of C? */
SEAM_WEAK int seam_trace_same(const struct seam_trace_look *l)
{
	struct seam_trace_thread *t;
	int same = 0;
	seam_trace_lock();
	for (t = seam_trace_process.threads; t && t != l->thread; t = t->next)
		;
	if (t && t->tid == l->tid && __atomic_load_n(&t->depth, __ATOMIC_RELAXED) == l->depth)
		same = __atomic_load_n(&l->frame->resumed, __ATOMIC_RELAXED) == l->resumed && !__atomic_load_n(&l->frame->in_go, __ATOMIC_RELAXED);
	seam_trace_unlock();
	return same;
}

static __inline__ seam_u64 seam_trace_mix(seam_u64 key, seam_u64 v)
{
	key = (key ^ v) * 1099511628211ull;
	return key ^ key >> 29;
}

/* The part of a text behind its last slash, or nothing if it can't be read. */
static __inline__ char *seam_trace_name(char *to, int mem, const char *name, unsigned long most)
{
	char text[1024];
	long got = name ? seam_c_pread(mem, text, sizeof text - 1, (long)name) : 0, i, from = 0;
	for (i = 0; i < got && text[i]; i++)
		if (text[i] == '/')
			from = i + 1;
	if (i < got) /* it ends there */
		for (i = from; text[i] && most-- > 1; i++)
			*to++ = text[i];
	*to++ = 0;
	return to;
}

/* Tells whether it is clock_gettime or getrusage, which wait for nothing. Calls of them leave return
   addresses behind: each call that is traced begins with one, of ours, and what waits then has
   its frames where that one had them. */
static __inline__ int seam_trace_is_ours(int mem, unsigned long target)
{
	struct seam_dl_info info;
	char name[32];
	if (!seam_c_dladdr || !seam_c_dladdr((void *)target, &info))
		return 0;
	seam_trace_name(name, mem, info.sname, sizeof name);
	return seam_trace_begins(name, "clock_gettime") || seam_trace_begins(name, "__clock_gettime") ||
	       seam_trace_begins(name, "getrusage") || seam_trace_begins(name, "__getrusage");
}

/* What is known of a wait. */
struct seam_trace_found {
	unsigned long function;    /* outside of which it waits, or an address in it */
	unsigned long frames[SEAM_DEEP];
	unsigned depth;
};

/* Reads the words between sp and high. */
SEAM_WEAK void seam_trace_walk(struct seam_trace_watch *w, const struct seam_trace_sleep *s, char *high, struct seam_trace_found *found)
{
	unsigned long n = ((unsigned long)high - s->sp) / sizeof(long), i, inside = s->pc, maybe = 0;
	struct seam_trace_code *c = seam_trace_code_at(w, s->pc);
	int out = c && !c->libc;
	csys_memory m;
	long got;
	if (n > SEAM_WORDS)
		n = SEAM_WORDS;
	m.w = w;
	m.mem = seam_trace_memory();
	if (m.mem < 0)
		return;
	got = seam_c_pread(m.mem, w->words, n * sizeof(long), (long)s->sp);
	w->word_count = got > 0 ? (unsigned)((unsigned long)got / sizeof(long)) : 0;
	for (i = 0; got > 0 && i < (unsigned long)got / sizeof(long) && found->depth < SEAM_DEEP; i++) {
		unsigned long at = w->words[i], target;
		struct seam_trace_code *to;
		int kind;
		c = seam_trace_code_at(w, at);
		if (!c)
			continue;
		kind = csys_call_before(&m, at, &target);
		if (kind == CSYS_NO_CALL)
			continue;
		if (c->libc) {
			if (!out && !maybe)
				inside = at;
			continue;
		}
		to = kind == CSYS_CALL ? seam_trace_code_at(w, target) : 0;
		if (!out && to && to->libc && seam_trace_is_ours(m.mem, target))
			continue;
		if (!out && to && to->libc) {
			out = 1;
			found->function = target;
			found->depth = 0; /* what was taken for a frame before was none */
		} else if (!out && kind == CSYS_CALL_SOMEWHERE && !maybe)
			maybe = inside;
		found->frames[found->depth++] = at;
	}
	seam_c_close(m.mem);
	if (!found->function)
		found->function = maybe ? maybe : inside;
}

/* ---- locks ---- */

/* Is there a lock of glibc's that the thread has: locked, perhaps more than once, by it, with one
   user, of a kind that there is? */
SEAM_WEAK int seam_trace_locked(const seam_u32 *at, unsigned long bytes, int tid)
{
	unsigned long i;
	for (i = 0; i + 5 <= bytes / 4; i += 2)
		if (at[i + 2] == (seam_u32)tid && (at[i] == 1 || at[i] == 2) && at[i + 1] < 1000 && at[i + 3] == 1 && (at[i + 4] & ~0x383u) == 0)
			return 1;
	return 0;
}

/* Searches behind the pointers that lie on the stack, and in the data of the libraries there. Locks
   that are farther away are not found. */
SEAM_WEAK int seam_trace_holds(struct seam_trace_watch *w, const struct seam_trace_found *found, int tid)
{
	unsigned i, tried = 0, k;
	int mem = seam_trace_memory(), yes = 0;
	if (mem < 0)
		return 0;
	for (i = 0; i < w->word_count && tried < SEAM_POINTERS && !yes; i++) {
		unsigned long at = w->words[i];
		long got;
		for (k = i > 16 ? i - 16 : 0; k < i && w->words[k] != at; k++)
			;
		if (k < i || at < 65536 || at & 7 || at >> 47 || seam_trace_code_at(w, at))
			continue;
		tried++;
		got = seam_c_pread(mem, w->data, SEAM_NEAR, (long)at);
		yes = got > 0 && seam_trace_locked(w->data, (unsigned long)got, tid);
	}
	for (i = 0; i < found->depth && !yes; i++) {
		struct seam_trace_code *c = seam_trace_code_at(w, found->frames[i]);
		long got;
		if (!c || c->data_end <= c->data)
			continue;
		got = seam_c_pread(mem, w->data, c->data_end - c->data < SEAM_DATA ? c->data_end - c->data : SEAM_DATA, (long)((c->data + 7) & ~7ul));
		yes = got > 0 && seam_trace_locked(w->data, (unsigned long)got, tid);
	}
	seam_c_close(mem);
	return yes;
}

/* The place's chunk. It has no frames where there are too many places. */
SEAM_WEAK struct seam_trace_wait *seam_trace_place_of(struct seam_trace_watch *w, seam_u32 id, const struct seam_trace_sleep *s,
	struct seam_trace_found *found)
{
	struct seam_dl_info info;
	struct seam_trace_wait *wait;
	seam_u64 key = 14695981039346656037ull;
	char text[2048], *to = text, kind[64];
	const char *name = 0;
	unsigned i, at;
	int mem;
	seam_trace_kind(kind, s);
	if (w->place_count >= SEAM_PLACES / 2)
		found->depth = 0;
	if (found->function && seam_c_dladdr && seam_c_dladdr((void *)found->function, &info) && info.sname) {
		name = info.sname;
		found->function = (unsigned long)info.saddr;
	}
	key = seam_trace_mix(seam_trace_mix(seam_trace_mix(key, id), (seam_u64)s->call), s->sleeps ? found->function : 1);
	key = seam_trace_mix(key, (seam_u64)(unsigned char)kind[0]);
	for (i = 0; i < found->depth; i++)
		key = seam_trace_mix(key, found->frames[i]);
	key |= 1;
	for (at = (unsigned)(key >> 40) % (2 * SEAM_PLACES); w->places[at].key; at = (at + 1) % (2 * SEAM_PLACES))
		if (w->places[at].key == key)
			return w->places[at].wait;
	if (w->place_count >= SEAM_PLACES)
		return 0;
	mem = seam_trace_memory();
	if (mem < 0)
		return 0;
	to = s->sleeps ? seam_trace_name(to, mem, name, 200) : seam_put(to, "running");
	if (s->call < 0)
		*to++ = '-';
	to = seam_number(to, (seam_u64)(s->call < 0 ? 1 : s->call));
	*to++ = 0;
	to = seam_put(to, kind);
	for (i = 0; i < found->depth; i++) {
		__builtin_memset(&info, 0, sizeof info);
		if (seam_c_dladdr && !seam_c_dladdr((void *)found->frames[i], &info))
			__builtin_memset(&info, 0, sizeof info);
		to = seam_trace_name(to, mem, info.sname, 100);
		to = seam_trace_name(to, mem, info.fname, 80);
		to = seam_number(to, found->frames[i] - (unsigned long)info.fbase);
		*to++ = 0;
	}
	seam_c_close(mem);
	seam_trace_lock();
	wait = (struct seam_trace_wait *)seam_trace_chunk(sizeof *wait + (unsigned long)(to - text));
	if (wait) {
		for (i = 0; i < found->depth; i++) {
			struct seam_trace_code *c = seam_trace_code_at(w, found->frames[i]);
			if (c && c->local)
				wait->local |= 1u << i;
		}
		wait->id = id;
		wait->text = (seam_u32)(to - text);
		__builtin_memcpy(wait + 1, text, (unsigned long)(to - text));
		seam_chunk_done(&wait->chunk, SEAM_WAIT);
		w->places[at].key = key;
		w->places[at].wait = wait;
		w->place_count++;
	}
	seam_trace_unlock();
	return wait;
}

SEAM_WEAK void seam_trace_look_at(struct seam_trace_watch *w, const struct seam_trace_look *l, seam_u64 ns)
{
	struct seam_trace_record *r = (struct seam_trace_record *)l->function->record;
	struct seam_trace_sleep s, again;
	struct seam_trace_found found;
	struct seam_trace_wait *wait;
	unsigned long stack = 0;
	__builtin_memset(&found, 0, sizeof found);
	if (!r || !seam_trace_ask(l->tid, &s))
		return;
	if (s.sleeps) {
		char *sp = (char *)s.sp;
		/* On a stack of its own, or not what the kernel of an emulator means. */
		if (sp >= l->high || l->high - sp > SEAM_MOST_STACK)
			return;
		seam_trace_walk(w, &s, l->high, &found);
		stack = seam_trace_touched(l->high, sp);
		if (!seam_trace_ask(l->tid, &again) || again.call != s.call || again.sp != s.sp || again.pc != s.pc)
			return;
	}
	if (!seam_trace_same(l))
		return;
	wait = seam_trace_place_of(w, r->id, &s, &found);
	if (!wait)
		return;
	if (s.sleeps && (wait->samples < SEAM_FIRST || wait->samples % SEAM_SEARCH == 0)) {
		int held = seam_trace_holds(w, &found, l->tid);
		if (seam_trace_same(l) && seam_trace_ask(l->tid, &again) && again.sp == s.sp && again.pc == s.pc) {
			wait->searched++;
			wait->held += (seam_u32)held;
		}
	}
	wait->samples++;
	wait->ns += ns;
	if (stack > wait->stack)
		wait->stack = stack;
}

SEAM_WEAK void *seam_trace_watch(void *unused)
{
	struct seam_trace_watch *w = (struct seam_trace_watch *)seam_memory(sizeof *w);
	struct seam_timespec pause = {0, SEAM_LOOK_NS};
	struct seam_trace_sleep s;
	(void)unused;
	if (!w || !seam_trace_ask((int)seam_c_syscall(SEAM_SYS_GETTID), &s)) {
		__atomic_fetch_or(&seam_trace_file()->flags, SEAM_NO_WAITS, __ATOMIC_RELAXED);
		return 0;
	}
	w->last = seam_now();
	for (;;) {
		unsigned i, count, n;
		seam_u64 begin, since, worked;
		seam_c_nanosleep(&pause, 0);
		begin = seam_now();
		seam_trace_cpu(begin);
		since = begin - w->last;
		w->last = begin;
		count = seam_trace_lasting(w, &n);
		if (n && seam_c_dl_iterate_phdr) {
			w->codes = 0;
			seam_c_dl_iterate_phdr(seam_trace_object, w);
		}
		for (i = 0; i < n; i++) {
			seam_u64 lasted = begin - w->looks[i].resumed;
			seam_trace_look_at(w, &w->looks[i], (lasted < since ? lasted : since) * count / n);
		}
		worked = (seam_now() - begin) * SEAM_SHARE;
		pause.nsec = n ? SEAM_LOOK_NS : pause.nsec * 2 < SEAM_IDLE_NS ? pause.nsec * 2 : SEAM_IDLE_NS;
		if (worked > (seam_u64)pause.nsec)
			pause.nsec = worked < 500000000 ? (long)worked : 500000000;
	}
}

/* The lock is held. */
SEAM_WEAK void seam_trace_watch_start(void)
{
	unsigned long id, all[16], old[16];
	int i;
	for (i = 0; i < 16; i++)
		all[i] = ~0ul;
	if (!seam_c_pthread_create || !seam_c_pthread_detach || !seam_c_pthread_sigmask)
		return;
	seam_c_pthread_sigmask(0 /* SIG_BLOCK */, all, old); /* signals are for the program's threads */
	if (seam_c_pthread_create(&id, 0, seam_trace_watch, 0) == 0)
		seam_c_pthread_detach(id);
	else
		seam_trace_file()->flags |= SEAM_NO_WAITS;
	seam_c_pthread_sigmask(2 /* SIG_SETMASK */, old, 0);
}
