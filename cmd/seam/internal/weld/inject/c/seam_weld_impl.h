/* The definitions behind seam_weld.h. */
#ifdef __GNUC__
#pragma GCC system_header
#endif

/* A new function's first calls are all timed. */
#define SEAM_PROBATION 100
/* Then one in about so many. Two readings of the clock take some 50 ns, so
 * timing costs a fifth of a nanosecond a call. */
#define SEAM_INTERVAL 256
/* So many calls over budget, or more, are no accident. */
#define SEAM_CONFIRM 3

struct seam_timespec {
	long sec, nsec;
};
extern int seam_clock_gettime(int clock, struct seam_timespec *t) __asm__("clock_gettime");
extern char *seam_getenv(const char *name) __asm__("getenv");
extern long seam_write(int fd, const void *p, unsigned long n) __asm__("write");

__thread struct seam_thread seam_thread_v1
	__attribute__((weak, visibility("hidden"), tls_model("initial-exec")));
struct seam_slot *seam_slots_v1 __attribute__((weak, visibility("hidden")));

enum { seam_guard_unknown, seam_guard_off, seam_guard_sample, seam_guard_all };
static int seam_guard; /* one a package: every one reads the environment itself */

static seam_u64 seam_now(void)
{
	struct seam_timespec t;
	seam_clock_gettime(1 /* CLOCK_MONOTONIC */, &t);
	return (seam_u64)t.sec * 1000000000u + (seam_u64)t.nsec;
}

static int seam_same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

static char *seam_text(char *p, char *end, const char *s)
{
	while (*s && p < end)
		*p++ = *s++;
	return p;
}

static char *seam_number(char *p, char *end, seam_u64 n)
{
	char digits[21], *d = digits + 20;
	*d = 0;
	do
		*--d = (char)('0' + n % 10);
	while (n /= 10);
	return seam_text(p, end, d);
}

static char *seam_duration(char *p, char *end, seam_u64 ns)
{
	if (ns >= 10000000u)
		return seam_text(seam_number(p, end, ns / 1000000u), end, " ms");
	if (ns >= 10000u)
		return seam_text(seam_number(p, end, ns / 1000u), end, " us");
	return seam_text(seam_number(p, end, ns), end, " ns");
}

/* seam_print writes one line in one call, so that lines of threads don't mix. */
static void seam_print(char *line, char *p)
{
	*p++ = '\n';
	if (seam_write(2, line, (unsigned long)(p - line)) < 0)
		return; /* no standard error: nobody to tell */
}

static int seam_mode(void)
{
	int mode = __atomic_load_n(&seam_guard, __ATOMIC_RELAXED);
	const char *e;
	if (mode != seam_guard_unknown)
		return mode;
	e = seam_getenv("SEAM_GUARD");
	mode = seam_guard_sample;
	if (e && seam_same(e, "off"))
		mode = seam_guard_off;
	else if (e && (seam_same(e, "all") || seam_same(e, "1")))
		mode = seam_guard_all;
	__atomic_store_n(&seam_guard, mode, __ATOMIC_RELAXED);
	return mode;
}

/* seam_interval draws how many calls the thread makes until one is timed. A
 * fixed number would meet the same call of a loop again and again. */
static int seam_interval(void)
{
	seam_u32 x = seam_thread_v1.random;
	if (!x)
		x = (seam_u32)((__UINTPTR_TYPE__)&seam_thread_v1 >> 4) | 1;
	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	seam_thread_v1.random = x;
	return SEAM_INTERVAL / 2 + (int)(x % SEAM_INTERVAL);
}

static void seam_account(struct seam_slot *s, seam_u64 ns)
{
	int mode = seam_mode();
	seam_u64 timed, over, longest;
	void *probe = s->probe;

	timed = __atomic_add_fetch(&s->timed, 1, __ATOMIC_RELAXED);
	seam_thread_v1.tick = mode == seam_guard_all ? 1 : seam_interval();
	longest = __atomic_load_n(&s->longest, __ATOMIC_RELAXED);
	while (ns > longest &&
	       !__atomic_compare_exchange_n(&s->longest, &longest, ns, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	if (ns > s->budget) {
		seam_thread_v1.tick = 1; /* look at the next one too */
		over = __atomic_add_fetch(&s->over, 1, __ATOMIC_RELAXED);
		if (over >= SEAM_CONFIRM && over * 1000000u > timed * s->allow) {
			__atomic_store_n(&s->state, seam_demoted, __ATOMIC_RELAXED);
			__atomic_store_n(&s->entry, (void *)0, __ATOMIC_RELEASE);
			return;
		}
	}
	/* A probation that another thread has ended by demoting stays ended: the
	 * exchange expects the probe. */
	if (mode != seam_guard_all && timed >= SEAM_PROBATION)
		__atomic_compare_exchange_n(&s->entry, &probe, s->leaf, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

__attribute__((weak)) int seam_timed_v1(struct seam_slot *s, int (*body)(void *), void *v)
{
	seam_u64 start;
	int result;
	if (seam_mode() == seam_guard_off) {
		seam_thread_v1.tick = 1 << 30;
		return body(v);
	}
	start = seam_now();
	result = body(v);
	seam_account(s, seam_now() - start);
	return result;
}

__attribute__((weak)) void seam_timed_void_v1(struct seam_slot *s, void (*body)(void *), void *v)
{
	seam_u64 start;
	if (seam_mode() == seam_guard_off) {
		seam_thread_v1.tick = 1 << 30;
		body(v);
		return;
	}
	start = seam_now();
	body(v);
	seam_account(s, seam_now() - start);
}

__attribute__((weak)) void seam_nothing_v1(void *unused) { (void)unused; }

/* seam_prepare_v1 is called through cgo, by Go's slow path: for a function's
 * first call, and after its demotion until the line is written. */
__attribute__((weak)) void seam_prepare_v1(struct seam_slot *s)
{
	char line[512], *p = line, *end = line + sizeof line - 1;
	const char *env;
	seam_u32 is_new = seam_new, not_logged = 0;

	if (__atomic_load_n(&s->state, __ATOMIC_RELAXED) == seam_demoted) {
		if (!__atomic_compare_exchange_n(&s->logged, &not_logged, 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return;
		p = seam_text(p, end, "seam: ");
		p = seam_text(p, end, s->name);
		p = seam_text(p, end, " took more than ");
		p = seam_duration(p, end, s->budget);
		p = seam_text(p, end, " in ");
		p = seam_number(p, end, __atomic_load_n(&s->over, __ATOMIC_RELAXED));
		p = seam_text(p, end, " of ");
		p = seam_number(p, end, __atomic_load_n(&s->timed, __ATOMIC_RELAXED));
		p = seam_text(p, end, " timed calls, at most ");
		p = seam_duration(p, end, __atomic_load_n(&s->longest, __ATOMIC_RELAXED));
		p = seam_text(p, end, "; it is called through cgo from now on. Mark it cgo in seam.plan");
		seam_print(line, p);
		return;
	}
	env = seam_getenv("SEAM_LEAF");
	if (!__atomic_compare_exchange_n(&s->state, &is_new,
					 s->usable == 1 && !(env && seam_same(env, "cgo")) ? seam_leaf : seam_cgo,
					 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return; /* another thread was first */
	s->next = __atomic_load_n(&seam_slots_v1, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&seam_slots_v1, &s->next, s, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	if (s->state == seam_leaf)
		__atomic_store_n(&s->entry, seam_mode() == seam_guard_off ? s->leaf : s->probe, __ATOMIC_RELEASE);
}
