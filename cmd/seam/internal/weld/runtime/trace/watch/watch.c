/* Code added by seam. See github.com/seamgo/seam.
 *
 * The run-time of a traced program: in what calls wait. This is a part of package runtime/cgo.
 *
 * A thread looks from time to time at the calls that have begun. The kernel says of each whether it sleeps, in which
 * system call, and where the stack is. Who has called what there is told by unwind tables (frames.h). The function
 * through which a library waits is the one of libc's that code outside of libc has called. Calls themselves do nothing
 * for it, and the thread has no descriptors of the program's (watch.h).
 *
 * What is read may change meanwhile: the stack is read through the kernel, and a look counts only if the call is still
 * the same and sleeps at the same place. */
#pragma GCC system_header
#undef _GNU_SOURCE
#define _GNU_SOURCE
#include <link.h>
#include "seam_record.h"
#include "seam_trace.h"
#include "seam_trace_process.h"
#include "watch.h"

void seam_trace_watch_start(void) SEAM_HIDDEN;

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

static struct {
	struct seam_trace_look looks[SEAM_LOOKS];
	unsigned first;            /* of the calls that are looked at next */
	seam_u64 last;             /* look */
	unsigned long long loaded; /* libraries, ever, and unloaded */
	unsigned codes;
	struct seam_trace_code code[SEAM_CODES];
	struct seam_trace_place places[2 * SEAM_PLACES];
	unsigned place_count;
	unsigned long words[SEAM_WORDS];
	unsigned word_count;
	seam_u32 data[SEAM_DATA / 4];
	csys_room room;
} seam_watch; /* all of it is the watch's own */

/* ---- code ---- */

static int seam_trace_begins(const char *s, const char *with) { return strncmp(s, with, strlen(with)) == 0; }

static int seam_trace_is_libc(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	return seam_trace_begins(name, "libc.so.") || seam_trace_begins(name, "libc-2.") || seam_trace_begins(name, "libpthread") ||
		seam_trace_begins(name, "ld-musl-") || seam_trace_begins(name, "libc.musl-");
}

static int seam_trace_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	unsigned first = seam_watch.codes;
	unsigned long data = 0, data_end = 0;
	int i, local = 0, library = info->dlpi_name && *info->dlpi_name; /* the executable has data of Go's, and its thread-local word */
	(void)size;
	*(unsigned long long *)arg = info->dlpi_adds + info->dlpi_subs;
	if (!first && seam_watch.loaded == info->dlpi_adds + info->dlpi_subs)
		return 1; /* what was loaded is */
	for (i = 0; i < info->dlpi_phnum && seam_watch.codes < SEAM_CODES; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type == PT_LOAD && p->p_flags & PF_X) {
			struct seam_trace_code *c = &seam_watch.code[seam_watch.codes++];
			c->begin = info->dlpi_addr + p->p_vaddr;
			c->end = c->begin + p->p_memsz;
			c->libc = library && seam_trace_is_libc(info->dlpi_name);
		} else if (p->p_type == PT_LOAD && p->p_flags & PF_W && library && p->p_memsz > data_end - data) {
			data = info->dlpi_addr + p->p_vaddr;
			data_end = data + p->p_memsz;
		} else if (p->p_type == PT_TLS && p->p_memsz > 0)
			local = library;
	}
	for (; first < seam_watch.codes; first++) {
		seam_watch.code[first].data = data;
		seam_watch.code[first].data_end = data_end;
		seam_watch.code[first].local = local;
	}
	return 0;
}

/* Finds what is loaded, if that is not what it was. */
static void seam_trace_objects(void)
{
	unsigned long long loaded = 0;
	unsigned codes = seam_watch.codes;
	seam_watch.codes = 0;
	dl_iterate_phdr(seam_trace_object, &loaded);
	if (!seam_watch.codes)
		seam_watch.codes = codes;
	else {
		seam_watch.loaded = loaded;
		csys_frames_begin(&seam_watch.room);
	}
}

static struct seam_trace_code *seam_trace_code_at(unsigned long at)
{
	unsigned i;
	for (i = 0; i < seam_watch.codes; i++)
		if (at >= seam_watch.code[i].begin + 16 && at < seam_watch.code[i].end)
			return &seam_watch.code[i];
	return 0;
}

/* ---- what the kernel says ---- */

enum { SEAM_SLEEPS = 1, SEAM_RUNS };
#define SEAM_ELSEWHERE UINT64_MAX /* blocked, and in no system call */

/* What a thread does; 0 if the kernel doesn't say it. */
static int seam_trace_ask(int tid, csys_sight *s)
{
	char line[256];
	unsigned long long sp, pc;
	memset(s, 0, sizeof *s);
	if (!csys_read_of(tid, "syscall", line, sizeof line))
		return 0;
	if (*line == 'r')
		return SEAM_RUNS;
	if (csys_parse_sight(line, s))
		return SEAM_SLEEPS;
	if (sscanf(line, "-1 %llx %llx", &sp, &pc) != 2)
		return 0;
	s->call = SEAM_ELSEWHERE;
	s->sp = sp;
	s->pc = pc;
	s->fp = CSYS_NO_FP;
	return SEAM_SLEEPS;
}

/* What a descriptor is, where the system call does not say it. */
static char *seam_trace_kind(char *to, const csys_sight *s)
{
	char path[64], link[256];
	long n, i;
	switch (s->call) {
	case SYS_read: case SYS_write: case SYS_readv: case SYS_writev:
		break;
	default:
		return seam_put(to, "");
	}
	snprintf(path, sizeof path, "/proc/self/fd/%llu", (unsigned long long)s->first);
	n = readlink(path, link, sizeof link - 1);
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
static unsigned long seam_trace_touched(char *high, char *sp)
{
	enum { pages = 4, gap = 64 };
	unsigned long page = 4096, at = (unsigned long)sp & ~(page - 1), lowest = at;
	unsigned char seen[pages];
	unsigned none = 0;
	int i;
	while (none < gap && at > pages * page && mincore((void *)(at - pages * page), pages * page, seen) == 0) {
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
static unsigned seam_trace_lasting(unsigned *taken)
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
		if (count++ >= seam_watch.first && n < SEAM_LOOKS) {
			struct seam_trace_look *l = &seam_watch.looks[n++];
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
	seam_watch.first = seam_watch.first + n < count ? seam_watch.first + n : 0;
	*taken = n;
	return count;
}

/* Is the call still in the same stretch of C? */
static int seam_trace_same(const struct seam_trace_look *l)
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

/* What is known of a wait. */
struct seam_trace_found {
	unsigned long function;    /* of libc's, outside of which it waits, or an address in it; 0: none */
	unsigned long frames[SEAM_DEEP];
	unsigned depth, sure;      /* the frames behind these are guesses */
};

/* Reads the words between sp and high, and who has called what. */
static void seam_trace_walk(const csys_sight *s, char *high, struct seam_trace_found *found)
{
	unsigned long n = ((unsigned long)high - s->sp) / sizeof(long), target;
	csys_stack stack;
	int i, got = csys_copy(seam_watch.words, s->sp, (n < SEAM_WORDS ? n : SEAM_WORDS) * sizeof(long));
	seam_watch.word_count = got > 0 ? (unsigned)got / sizeof(long) : 0;
	csys_walk(&seam_watch.room, s, (unsigned long)high, &stack);
	for (i = 0; i < stack.depth && found->depth < SEAM_DEEP; i++) {
		unsigned long at = stack.pc[i] + (i > 0); /* where it returns to */
		struct seam_trace_code *c = seam_trace_code_at(at);
		if (c && c->libc) {
			if (!found->depth)
				found->function = stack.pc[i];
			continue;
		}
		if (!found->depth && i > 0 && csys_call_before(&seam_watch.room, at, &target) == CSYS_CALL && (c = seam_trace_code_at(target)) && c->libc)
			found->function = target;
		if (i < stack.sure)
			found->sure = found->depth + 1;
		found->frames[found->depth++] = at;
	}
}

/* ---- locks ---- */

/* Is there a lock of glibc's that the thread has: locked, perhaps more than once, by it, with one
   user, of a kind that there is? */
static int seam_trace_locked(const seam_u32 *at, unsigned long bytes, int tid)
{
	unsigned long i;
	for (i = 0; i + 5 <= bytes / 4; i += 2)
		if (at[i + 2] == (seam_u32)tid && (at[i] == 1 || at[i] == 2) && at[i + 1] < 1000 && at[i + 3] == 1 && (at[i + 4] & ~0x383u) == 0)
			return 1;
	return 0;
}

/* Searches behind the pointers that lie on the stack, and in the data of the libraries there. Locks
   that are farther away are not found. */
static int seam_trace_holds(const struct seam_trace_found *found, int tid)
{
	unsigned i, tried = 0, k;
	int yes = 0, got;
	for (i = 0; i < seam_watch.word_count && tried < SEAM_POINTERS && !yes; i++) {
		unsigned long at = seam_watch.words[i];
		for (k = i > 16 ? i - 16 : 0; k < i && seam_watch.words[k] != at; k++)
			;
		if (k < i || at < 65536 || at & 7 || at >> 47 || seam_trace_code_at(at))
			continue;
		tried++;
		got = csys_copy(seam_watch.data, at, SEAM_NEAR);
		yes = got > 0 && seam_trace_locked(seam_watch.data, (unsigned long)got, tid);
	}
	for (i = 0; i < found->depth && !yes; i++) {
		struct seam_trace_code *c = seam_trace_code_at(found->frames[i]);
		if (!c || c->data_end <= c->data)
			continue;
		got = csys_copy(seam_watch.data, (c->data + 7) & ~7ul, c->data_end - c->data < SEAM_DATA ? c->data_end - c->data : SEAM_DATA);
		yes = got > 0 && seam_trace_locked(seam_watch.data, (unsigned long)got, tid);
	}
	return yes;
}

/* The place's chunk. It has no frames where there are too many places. */
static struct seam_trace_wait *seam_trace_place_of(seam_u32 id, const csys_sight *s, int does, struct seam_trace_found *found)
{
	struct seam_trace_wait *wait;
	seam_u64 key = 14695981039346656037ull;
	char text[4096], *to = text, kind[256], name[128], file[80];
	unsigned long into;
	unsigned i, at;
	seam_trace_kind(kind, s);
	if (seam_watch.place_count >= SEAM_PLACES / 2)
		found->depth = 0;
	key = seam_trace_mix(seam_trace_mix(seam_trace_mix(key, id), s->call), does == SEAM_SLEEPS ? found->function : 1);
	key = seam_trace_mix(key, (seam_u64)(unsigned char)kind[0]);
	for (i = 0; i < found->depth; i++)
		key = seam_trace_mix(key, found->frames[i]);
	key |= 1;
	for (at = (unsigned)(key >> 40) % (2 * SEAM_PLACES); seam_watch.places[at].key; at = (at + 1) % (2 * SEAM_PLACES))
		if (seam_watch.places[at].key == key)
			return seam_watch.places[at].wait;
	if (seam_watch.place_count >= SEAM_PLACES)
		return 0;
	if (does != SEAM_SLEEPS)
		to = seam_put(to, "running");
	else
		to = seam_put(to, found->function && csys_symbol(found->function, name, sizeof name, &into, NULL, 0) ? name : "");
	to += sprintf(to, "%lld", (long long)s->call) + 1;
	to = seam_put(to, kind);
	for (i = 0; i < found->depth; i++) {
		csys_code *c = csys_code_at(&seam_watch.room, found->frames[i]);
		if (!csys_symbol(found->frames[i] - 1, name, sizeof name, &into, file, sizeof file))
			*name = 0;
		to += sprintf(to, "%s%s", i < found->sure || !*name ? "" : "? ", name) + 1;
		to = seam_put(to, file);
		to += sprintf(to, "%lu", found->frames[i] - (c ? c->image : 0)) + 1;
	}
	seam_trace_lock();
	wait = (struct seam_trace_wait *)seam_trace_chunk(sizeof *wait + (unsigned long)(to - text));
	if (wait) {
		for (i = 0; i < found->depth; i++) {
			struct seam_trace_code *c = seam_trace_code_at(found->frames[i]);
			if (c && c->local)
				wait->local |= 1u << i;
		}
		wait->id = id;
		wait->text = (seam_u32)(to - text);
		memcpy(wait + 1, text, (unsigned long)(to - text));
		seam_chunk_done(&wait->chunk, SEAM_WAIT);
		seam_watch.places[at].key = key;
		seam_watch.places[at].wait = wait;
		seam_watch.place_count++;
	}
	seam_trace_unlock();
	return wait;
}

static void seam_trace_look_at(const struct seam_trace_look *l, seam_u64 ns)
{
	struct seam_trace_record *r = (struct seam_trace_record *)l->function->record;
	csys_sight s, again;
	struct seam_trace_found found;
	struct seam_trace_wait *wait;
	unsigned long stack = 0;
	int does;
	memset(&found, 0, sizeof found);
	if (!r || !(does = seam_trace_ask(l->tid, &s)))
		return;
	if (does == SEAM_SLEEPS) {
		char *sp = (char *)s.sp;
		/* On a stack of its own, or not what the kernel of an emulator means. */
		if (sp >= l->high || l->high - sp > SEAM_MOST_STACK)
			return;
		seam_trace_walk(&s, l->high, &found);
		stack = seam_trace_touched(l->high, sp);
		if (seam_trace_ask(l->tid, &again) != does || memcmp(&again, &s, sizeof s) != 0)
			return;
	}
	if (!seam_trace_same(l))
		return;
	wait = seam_trace_place_of(r->id, &s, does, &found);
	if (!wait)
		return;
	if (does == SEAM_SLEEPS && (wait->samples < SEAM_FIRST || wait->samples % SEAM_SEARCH == 0)) {
		int held = seam_trace_holds(&found, l->tid);
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

static void seam_trace_no_waits(void) { __atomic_fetch_or(&seam_trace_file()->flags, SEAM_NO_WAITS, __ATOMIC_RELAXED); }

static void seam_trace_looks(void)
{
	struct timespec pause = {0, SEAM_LOOK_NS};
	csys_sight s;
	if (!seam_trace_ask((int)csys_call(SYS_gettid, 0, 0, 0, 0), &s)) {
		seam_trace_no_waits();
		return;
	}
	seam_watch.last = seam_now();
	for (;;) {
		unsigned i, count, n;
		seam_u64 begin, since, worked;
		csys_call(SYS_nanosleep, (long)&pause, 0, 0, 0);
		begin = seam_now();
		seam_trace_cpu(begin);
		since = begin - seam_watch.last;
		seam_watch.last = begin;
		count = seam_trace_lasting(&n);
		if (n)
			seam_trace_objects();
		for (i = 0; i < n; i++) {
			seam_u64 lasted = begin - seam_watch.looks[i].resumed;
			seam_trace_look_at(&seam_watch.looks[i], (lasted < since ? lasted : since) * count / n);
		}
		worked = (seam_now() - begin) * SEAM_SHARE;
		pause.tv_nsec = n ? SEAM_LOOK_NS : pause.tv_nsec * 2 < SEAM_IDLE_NS ? pause.tv_nsec * 2 : SEAM_IDLE_NS;
		if (worked > (seam_u64)pause.tv_nsec)
			pause.tv_nsec = worked < 500000000 ? (long)worked : 500000000;
	}
}

static void *seam_trace_watch(void *unused)
{
	csys_watch(seam_trace_looks);
	seam_trace_no_waits(); /* it has come back */
	return unused;
}

/* The lock is held. */
void seam_trace_watch_start(void)
{
	if (csys_start_watch(seam_trace_watch) != 0)
		seam_trace_no_waits();
}
