// The watch: a leaf that waits, or computes for long, keeps a processor from Go, and no collection can end meanwhile.
// Calls tell nobody that they begin or end, so a thread looks at the runtime's data from outside, by the kernel, to
// which a wrong address is an error. What it takes for proof is the runtime's own count: a processor whose counts of
// goroutines run and of system calls are the same at two looks has run the same goroutine all the time. That goroutine's
// saved context says that the last thing for which it was saved is a leaf; and its thread waits in the kernel at the
// same place of its system stack, or has computed although it was asked to let others run, which Go code does at once.
#define _GNU_SOURCE
#include "enter.h"

uint64_t seam_leaf_kept;

#if defined(__linux__) && !defined(__ANDROID__) && defined(__LP64__)
#include "watch.h"

#include <time.h>

enum {
	LOOK_MS = 200,
	WORDS = 64,      // of an m that are read
	HEADS = 16,      // variables that lead to all of them
	SEEN = 256,      // threads that are compared with the last look
	VISITED = 8192,  // a power of two; of so many threads no more are looked at
	PLACES = 64,     // that are told; each once
	MOST = 64 << 20, // of the program's data that is searched
	COMPUTES_NS = 20000000, // from one look to the next; a short leaf may only have waited for a processor
};
#define PREEMPT ((uintptr_t)-1314) // g.stackguard0 of who is asked to let others run

static seam_leaf_runtime rt;

static int word(uintptr_t at, uintptr_t *v) { return csys_copy(v, at, sizeof *v) == sizeof *v; }

// A thread of Go's is known by its g0, which knows it.
static int read_m(uintptr_t at, uintptr_t *m) {
	uintptr_t back;
	return at && at % 8 == 0 && csys_copy(m, at, WORDS * sizeof *m) == WORDS * sizeof *m &&
		m[rt.m_g0 / 8] && word(m[rt.m_g0 / 8] + rt.g_m, &back) && back == at;
}

// ---- the list of all threads of Go's: what begins it is a variable in the program's data, which no symbol of the
// runtime's need name. Whatever leads to threads alone, to the end of their list, will do.

static uintptr_t heads[HEADS];
static int head_count;
static uintptr_t data_low, data_high;

static int find_data(void *near, const csys_mapping *m) {
	if (data_high && m->start != data_high)
		return 1;
	if (data_high || (m->start <= (uintptr_t)near && (uintptr_t)near < m->end)) {
		if (!data_high)
			data_low = m->start;
		data_high = m->end;
	}
	return 0;
}

static int leads_to_threads(uintptr_t at) {
	uintptr_t m[WORDS];
	int n = 0;
	for (; at; at = m[rt.m_alllink / 8])
		if (!read_m(at, m) || ++n > 100000)
			return 0;
	return n;
}

static void find_heads(void) {
	static uintptr_t part[512];
	csys_each_mapping(find_data, (void *)rt.near);
	if (data_high - data_low > MOST)
		data_high = data_low + MOST;
	for (uintptr_t at = data_low; at < data_high; at += sizeof part) {
		int n = csys_copy(part, at, sizeof part) / (int)sizeof *part;
		for (int i = 0; i < n && head_count < HEADS; i++)
			if (part[i] > 4096 && part[i] % 8 == 0 && part[i] >> 47 == 0 && leads_to_threads(part[i]))
				heads[head_count++] = at + (uintptr_t)i * sizeof *part;
	}
}

// ---- looks

typedef struct {
	uintptr_t m, g, p, counts;
	uint64_t turn;
	int64_t since, cpu;
	int waits, asked;
	csys_sight at;
} sight;

static uint64_t turn;
static int preempts;

static int64_t now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int64_t cpu_of(int tid) {
	char text[128];
	return csys_read_of(tid, "schedstat", text, sizeof text) ? atoll(text) : 0;
}

// ---- the names given to Of

typedef struct named {
	struct named *next;
	uintptr_t fn;
	const char *name;
} named;

static named *names;

void seam_leaf_name(uintptr_t fn, const char *name) {
	named *n = malloc(sizeof *n);
	if (!n)
		return;
	*n = (named){__atomic_load_n(&names, __ATOMIC_RELAXED), fn, name};
	while (!__atomic_compare_exchange_n(&names, &n->next, n, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

static void say_name(uintptr_t fn) {
	uintptr_t into;
	char name[128];
	const named *n;
	for (n = __atomic_load_n(&names, __ATOMIC_ACQUIRE); n && n->fn != fn; n = n->next)
		;
	if (n)
		csys_say(n->name);
	else if (csys_symbol(fn, name, sizeof name, &into, NULL, 0))
		csys_say(name);
	else {
		csys_say("at 0x");
		csys_say_number(fn, 16);
	}
}

static void tell(int tid, const sight *s, int64_t ns, uintptr_t fn, uintptr_t high) {
	static struct {
		uintptr_t fn, pc;
	} told[PLACES];
	static int count;
	uintptr_t into, pc = s->waits ? s->at.pc : 0;
	char name[128];
	for (int i = 0; i < count; i++)
		if (told[i].fn == fn && told[i].pc == pc)
			return;
	if (count == PLACES || !csys_speak())
		return;
	told[count].fn = fn;
	told[count++].pc = pc;
	csys_say("seam: leaf: C function ");
	say_name(fn);
	csys_say(" has kept its processor for ");
	csys_say_number((uintptr_t)(ns / 1000000), 10);
	if (s->waits) {
		csys_say(" ms, and waits in ");
		csys_say(csys_symbol(pc, name, sizeof name, &into, NULL, 0) ? name : "a system call");
		csys_say(" (system call ");
		csys_say_number(s->at.call, 10);
		csys_say(")");
	} else
		csys_say(" ms, in one call or in several without a pause, and computes");
	csys_say(". No collection can end meanwhile, and no Go code has that processor: call it through cgo");
	csys_say(s->waits ? ". C was here:\n" : "\n");
	if (s->waits)
		csys_say_stack(tid, &s->at, high);
	csys_hush();
}

static int in_leaf(const uintptr_t *m, sight *s, uintptr_t *sp) {
	uintptr_t saved[2], guard; // g.sched.sp, g.sched.pc
	s->g = m[rt.m_curg / 8];
	s->p = m[rt.m_p / 8];
	if (!s->g || !s->p || csys_copy(saved, s->g + rt.g_sched_sp, sizeof saved) != sizeof saved || saved[1] != rt.in_c)
		return 0;
	*sp = saved[0];
	s->asked = word(s->g + rt.g_guard, &guard) && guard == PREEMPT;
	return word(s->p + rt.p_counts, &s->counts);
}

static void look_at(uintptr_t at, const uintptr_t *m) {
	static sight seen[SEEN];
	sight s = {.m = at, .turn = turn}, again;
	uintptr_t sp, high, fn, later[WORDS];
	int tid = (int)m[rt.m_procid / 8];
	if (!in_leaf(m, &s, &sp) || !word(m[rt.m_g0 / 8] + rt.g_sched_sp, &high))
		return;
	high &= ~(uintptr_t)15; // the entry aligns it; what is above is an older call's
	s.cpu = cpu_of(tid);
	s.waits = csys_look(tid, &s.at) && s.at.sp < high && high - s.at.sp < MOST;
	s.since = now();
	sight *before = &seen[at / 64 % SEEN];
	if (before->m == at && before->turn == turn - 1 && before->g == s.g && before->p == s.p && before->counts == s.counts) {
		s.since = before->since;
		if ((s.waits ? before->waits && memcmp(&before->at, &s.at, sizeof s.at) == 0
		             : preempts && before->asked && s.asked && s.cpu - before->cpu > COMPUTES_NS) &&
		    word(sp + rt.argument, &fn) &&
		    // What was read one after the other is of one moment if it is so still.
		    read_m(at, later) && in_leaf(later, &again, &sp) && again.g == s.g && again.p == s.p && again.counts == s.counts)
			tell(tid, &s, now() - s.since, fn, high), __atomic_fetch_add(&seam_leaf_kept, 1, __ATOMIC_RELAXED);
	}
	*before = s;
}

static uintptr_t visited[VISITED];

static int visit(uintptr_t m) {
	uintptr_t i = m / 64 % VISITED;
	for (int n = 0; n < 64; n++, i = (i + 1) % VISITED) {
		if (visited[i] == m)
			return 0;
		if (!visited[i]) {
			visited[i] = m;
			return 1;
		}
	}
	return 0;
}

static void watch(void) {
	find_heads();
	for (;;) {
		uintptr_t m[WORDS], at;
		long threads = 0, ms;
		memset(visited, 0, sizeof visited);
		turn++;
		for (int i = 0; i < head_count; i++)
			for (word(heads[i], &at); at && visit(at) && read_m(at, m); at = m[rt.m_alllink / 8], threads++)
				look_at(at, m);
		ms = threads > LOOK_MS ? threads : LOOK_MS; // a thread takes half a microsecond: less than a thousandth of a processor
		struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
		csys_call(SYS_nanosleep, (long)&t, 0, 0, 0);
	}
}

static void *start(void *unused) {
	csys_watch(watch);
	return unused;
}

int seam_leaf_watch(seam_leaf_runtime r) {
	const char *env = getenv("SEAM_WATCH");
	if (env && strcmp(env, "0") == 0)
		return 0;
	const char *debug = getenv("GODEBUG");
	preempts = !debug || !strstr(debug, "asyncpreemptoff=1");
	rt = r;
	return csys_start(start, NULL);
}
#else
int seam_leaf_watch(seam_leaf_runtime r) {
	(void)r;
	return 0;
}
void seam_leaf_name(uintptr_t fn, const char *name) { (void)fn, (void)name; }
#endif
