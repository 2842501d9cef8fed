// The watch of C that keeps a processor from Go on its thread's system stack: leaves of package leaf, and of welded
// programs. No collection can end meanwhile. Calls tell nobody that they begin or end, so a thread looks at the
// runtime's data from outside, by the kernel, to which a wrong address is an error. What it takes for proof is the
// runtime's own count: a processor whose counts of goroutines run and of system calls are the same at two looks has run
// the same goroutine all the time. That goroutine's saved context says that the last thing for which it was saved is
// such C. It was asked to let others run, which Go code does at once; and its thread waits in the kernel at the same
// place of its system stack, or has computed.
#ifndef SEAM_CSYS_KEPT_H
#define SEAM_CSYS_KEPT_H

#include "watch.h"

#if defined(__linux__) && !defined(__ANDROID__) && defined(__LP64__)

// Where the Go runtime keeps what is read: offsets in a g, an m and a p; see internal/abi.
typedef struct {
	uintptr_t g_guard, g_sched_sp, g_m, m_g0, m_curg, m_p, m_alllink, m_procid, p_counts;
} csys_layout;

// A way into such C: what the saved context of its goroutine says meanwhile, and where the C function is from the saved
// stack pointer.
typedef struct {
	uintptr_t in_c, argument;
} csys_entry;

enum { CSYS_ENTRIES = 3 };

typedef struct {
	csys_layout at;
	uintptr_t near; // an address in the data of this copy of Go, with a value: zeros come behind
	csys_entry entries[CSYS_ENTRIES];
	const char *who, *remedy;
	const char *(*name)(uintptr_t fn); // or NULL
	void (*count)(uintptr_t fn);
} csys_keepers;

enum {
	CSYS_KEPT_MS = 200,
	CSYS_M_WORDS = 64,      // of an m that are read
	CSYS_HEADS = 16,        // variables that lead to all of them
	CSYS_KEPT_SEEN = 256,   // threads that are compared with the last look
	CSYS_VISITED = 8192,    // a power of two; of so many threads no more are looked at
	CSYS_KEPT_PLACES = 64,  // that are told; each once
	CSYS_MOST = 64 << 20,   // of the program's data that is searched, and of a stack
	CSYS_COMPUTES_NS = 20000000, // from one look to the next; a short call may only have waited for a processor
};
#define CSYS_PREEMPT ((uintptr_t)-1314) // g.stackguard0 of who is asked to let others run

static csys_keepers csys_kept; // who is looked for

CSYS int csys_word(uintptr_t at, uintptr_t *v) { return csys_copy(v, at, sizeof *v) == sizeof *v; }

// A thread of Go's is known by its g0, which knows it.
CSYS int csys_read_m(uintptr_t at, uintptr_t *m) {
	const csys_layout *l = &csys_kept.at;
	uintptr_t back;
	return at && at % 8 == 0 && csys_copy(m, at, CSYS_M_WORDS * sizeof *m) == CSYS_M_WORDS * sizeof *m &&
		m[l->m_g0 / 8] && csys_word(m[l->m_g0 / 8] + l->g_m, &back) && back == at;
}

// ---- the list of all threads of Go's: what begins it is a variable in the program's data, which no symbol of the
// runtime's need name. Whatever leads to threads alone, to the end of their list, will do.

static uintptr_t csys_heads[CSYS_HEADS];
static int csys_head_count;
static uintptr_t csys_data_low, csys_data_high;

CSYS int csys_find_data(void *near, const csys_mapping *m) {
	if (csys_data_high && m->start != csys_data_high)
		return 1;
	if (csys_data_high || (m->start <= (uintptr_t)near && (uintptr_t)near < m->end)) {
		if (!csys_data_high)
			csys_data_low = m->start;
		csys_data_high = m->end;
	}
	return 0;
}

CSYS int csys_leads_to_threads(uintptr_t at) {
	uintptr_t m[CSYS_M_WORDS];
	int n = 0;
	for (; at; at = m[csys_kept.at.m_alllink / 8])
		if (!csys_read_m(at, m) || ++n > 100000)
			return 0;
	return n;
}

CSYS void csys_find_heads(void) {
	static uintptr_t part[512];
	uintptr_t at;
	csys_each_mapping(csys_find_data, (void *)csys_kept.near);
	if (csys_data_high - csys_data_low > CSYS_MOST)
		csys_data_high = csys_data_low + CSYS_MOST;
	for (at = csys_data_low; at < csys_data_high; at += sizeof part) {
		int i, n = csys_copy(part, at, sizeof part) / (int)sizeof *part;
		for (i = 0; i < n && csys_head_count < CSYS_HEADS; i++)
			if (part[i] > 4096 && part[i] % 8 == 0 && part[i] >> 47 == 0 && csys_leads_to_threads(part[i]))
				csys_heads[csys_head_count++] = at + (uintptr_t)i * sizeof *part;
	}
}

// ---- looks

typedef struct {
	uintptr_t m, g, p, counts, argument;
	uint64_t turn;
	int64_t since, cpu;
	int waits, asked;
	csys_sight at;
} csys_kept_sight;

static uint64_t csys_turn;
static int csys_preempts;

CSYS int64_t csys_cpu_of(int tid) {
	char text[128];
	return csys_read_of(tid, "schedstat", text, sizeof text) ? atoll(text) : 0;
}

CSYS void csys_tell_kept(int tid, const csys_kept_sight *s, int64_t ns, uintptr_t fn, uintptr_t high) {
	static struct {
		uintptr_t fn, pc;
	} told[CSYS_KEPT_PLACES];
	static int count;
	uintptr_t pc = s->waits ? s->at.pc : 0;
	int i;
	for (i = 0; i < count; i++)
		if (told[i].fn == fn && told[i].pc == pc)
			return;
	if (count == CSYS_KEPT_PLACES || !csys_speak())
		return;
	told[count].fn = fn;
	told[count++].pc = pc;
	csys_say("seam: ", csys_kept.who, ": C function ", csys_named(csys_kept.name(fn), fn), " has kept its processor for ", csys_decimal((uintptr_t)(ns / 1000000)),
		s->waits ? " ms, and waits in " : " ms, in one call or in several without a pause, and computes", s->waits ? csys_call_name(pc, (char[128]){0}) : "",
		s->waits ? " (system call " : "", s->waits ? csys_decimal(s->at.call) : "", s->waits ? ")" : "",
		". No collection can end meanwhile, and no Go code has that processor: ", csys_kept.remedy, s->waits ? ". C was here:\n" : "\n");
	if (s->waits)
		csys_say_stack(tid, &s->at, high);
	csys_hush();
}

CSYS int csys_in_kept(const uintptr_t *m, csys_kept_sight *s, uintptr_t *sp) {
	const csys_layout *l = &csys_kept.at;
	uintptr_t saved[2], guard; // g.sched.sp, g.sched.pc
	int i;
	s->g = m[l->m_curg / 8];
	s->p = m[l->m_p / 8];
	if (!s->g || !s->p || csys_copy(saved, s->g + l->g_sched_sp, sizeof saved) != sizeof saved)
		return 0;
	for (i = 0; i < CSYS_ENTRIES && (saved[1] != csys_kept.entries[i].in_c || !saved[1]); i++)
		;
	if (i == CSYS_ENTRIES)
		return 0;
	*sp = saved[0];
	s->argument = csys_kept.entries[i].argument;
	s->asked = csys_word(s->g + l->g_guard, &guard) && guard == CSYS_PREEMPT;
	return csys_word(s->p + l->p_counts, &s->counts);
}

CSYS void csys_look_at_m(uintptr_t at, const uintptr_t *m) {
	static csys_kept_sight seen[CSYS_KEPT_SEEN];
	csys_kept_sight s, again, *before = &seen[at / 64 % CSYS_KEPT_SEEN];
	uintptr_t sp, high, fn, later[CSYS_M_WORDS];
	int tid = (int)m[csys_kept.at.m_procid / 8];
	memset(&s, 0, sizeof s);
	s.m = at;
	s.turn = csys_turn;
	if (!csys_in_kept(m, &s, &sp) || !csys_word(m[csys_kept.at.m_g0 / 8] + csys_kept.at.g_sched_sp, &high))
		return;
	high &= ~(uintptr_t)15; // the entry aligns it; what is above is an older call's
	s.cpu = csys_cpu_of(tid);
	s.waits = csys_look(tid, &s.at) && s.at.sp < high && high - s.at.sp < CSYS_MOST;
	s.since = csys_now();
	if (before->m == at && before->turn == csys_turn - 1 && before->g == s.g && before->p == s.p && before->counts == s.counts) {
		s.since = before->since;
		if (before->asked && s.asked &&
		    (s.waits ? before->waits && memcmp(&before->at, &s.at, sizeof s.at) == 0 : csys_preempts && s.cpu - before->cpu > CSYS_COMPUTES_NS) &&
		    csys_word(sp + s.argument, &fn) &&
		    // What was read one after the other is of one moment if it is so still.
		    csys_read_m(at, later) && csys_in_kept(later, &again, &sp) && again.g == s.g && again.p == s.p && again.counts == s.counts) {
			csys_tell_kept(tid, &s, csys_now() - s.since, fn, high);
			csys_kept.count(fn);
		}
	}
	*before = s;
}

static uintptr_t csys_visited[CSYS_VISITED];

CSYS int csys_visit(uintptr_t m) {
	uintptr_t i = m / 64 % CSYS_VISITED;
	int n;
	for (n = 0; n < 64; n++, i = (i + 1) % CSYS_VISITED) {
		if (csys_visited[i] == m)
			return 0;
		if (!csys_visited[i]) {
			csys_visited[i] = m;
			return 1;
		}
	}
	return 0;
}

CSYS void csys_watch_kept(void) {
	csys_find_heads();
	for (;;) {
		uintptr_t m[CSYS_M_WORDS], at;
		long threads = 0, ms;
		int i;
		struct timespec t;
		memset(csys_visited, 0, sizeof csys_visited);
		csys_turn++;
		for (i = 0; i < csys_head_count; i++)
			for (csys_word(csys_heads[i], &at); at && csys_visit(at) && csys_read_m(at, m); at = m[csys_kept.at.m_alllink / 8], threads++)
				csys_look_at_m(at, m);
		ms = threads > CSYS_KEPT_MS ? threads : CSYS_KEPT_MS; // a thread takes half a microsecond: less than a thousandth of a processor
		t.tv_sec = ms / 1000;
		t.tv_nsec = ms % 1000 * 1000000;
		csys_call(SYS_nanosleep, (long)&t, 0, 0, 0);
	}
}

CSYS void *csys_start_kept(void *unused) {
	csys_watch(csys_watch_kept);
	return unused;
}

// csys_start_keepers starts the watch for who. It returns 0 or an errno value.
CSYS int csys_start_keepers(const csys_keepers *who) {
	const char *env = getenv("SEAM_WATCH"), *debug = getenv("GODEBUG");
	if (env && strcmp(env, "0") == 0)
		return 0;
	csys_preempts = !debug || !strstr(debug, "asyncpreemptoff=1");
	csys_kept = *who;
	return csys_start_watch(csys_start_kept);
}
#endif
#endif
