/* The definitions behind seam_weld.h. */
#ifdef __GNUC__
#pragma GCC system_header
#endif

/* After a function's probation one call in about so many is timed. Two readings of the clock take some 50 ns, so
 * timing costs a fifth of a nanosecond a call. */
#define _SEAM_INTERVAL 256

struct _seam_timespec {
	long _sec, _nsec;
};
extern int _seam_clock_gettime(int _clock, struct _seam_timespec *t) __asm__("clock_gettime");
extern char *_seam_getenv(const char *_name) __asm__("getenv");
extern long _seam_write(int fd, const void *p, unsigned long n) __asm__("write");

__thread struct _seam_thread _seam_thread_v1
	__attribute__((__weak__, __visibility__("hidden"), __tls_model__("initial-exec")));
struct _seam_slot *_seam_slots_v1 __attribute__((__weak__, __visibility__("hidden")));
struct _seam_standin _seamweld_standins_v1[5] __attribute__((__weak__, __visibility__("hidden")));

/* Before a coro function is called, and in threads of C's, it is as in cgo's code. */
extern __SIZE_TYPE__ _seam_wait(void) __asm__("_cgo_wait_runtime_init_done");
extern void _seam_cross(void (*f)(void *), void *a, int n, __SIZE_TYPE__ _ctxt) __asm__("crosscall2");
extern void _seam_release(__SIZE_TYPE__ _ctxt) __asm__("_cgo_release_context");

__attribute__((__weak__, __visibility__("hidden")))
void _seam_slowly_v1(void (*f)(void *), void *a, int n, __SIZE_TYPE__ _ctxt)
{
	_ctxt = _seam_wait();
	_seam_cross(f, a, n, _ctxt);
	_seam_release(_ctxt);
}
struct _seam_gate _seam_gate_v1 __attribute__((__weak__, __visibility__("hidden"))) = {_seam_slowly_v1, _seam_slowly_v1, 0, 0};

enum { _seam_guard_unknown, _seam_guard_off, _seam_guard_sample, _seam_guard_all };
static int _seam_guard; /* one a package: every one reads the environment itself */

static _seam_u64 _seam_now(void)
{
	struct _seam_timespec t;
	_seam_clock_gettime(1 /* CLOCK_MONOTONIC */, &t);
	return (_seam_u64)t._sec * 1000000000u + (_seam_u64)t._nsec;
}

static int _seam_same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

static char *_seam_text(char *p, char *_end, const char *s)
{
	while (*s && p < _end)
		*p++ = *s++;
	return p;
}

static char *_seam_number(char *p, char *_end, _seam_u64 n)
{
	char _digits[21], *d = _digits + 20;
	*d = 0;
	do
		*--d = (char)('0' + n % 10);
	while (n /= 10);
	return _seam_text(p, _end, d);
}

static char *_seam_duration(char *p, char *_end, _seam_u64 ns)
{
	if (ns >= 10000000u)
		return _seam_text(_seam_number(p, _end, ns / 1000000u), _end, " ms");
	if (ns >= 10000u)
		return _seam_text(_seam_number(p, _end, ns / 1000u), _end, " us");
	return _seam_text(_seam_number(p, _end, ns), _end, " ns");
}

/* _seam_print writes one line in one call, so that lines of threads don't mix. */
static void _seam_print(char *_line, char *p)
{
	*p++ = '\n';
	if (_seam_write(2, _line, (unsigned long)(p - _line)) < 0)
		return; /* no standard error: nobody to tell */
}

/* What the environment asked for and we don't know is told once. */
int _seam_complained_v1 __attribute__((__weak__, __visibility__("hidden")));
int _seam_refused_v1 __attribute__((__weak__, __visibility__("hidden")));

static void _seam_complain(const char *_value)
{
	char _line[256], *p = _line, *_end = _line + sizeof _line - 1;
	if (__atomic_exchange_n(&_seam_complained_v1, 1, __ATOMIC_RELAXED))
		return;
	p = _seam_text(p, _end - 60, "seam: SEAM_GUARD=");
	p = _seam_text(p, _end - 60, _value);
	p = _seam_text(p, _end, " is unknown: want off, sample or all; taking sample");
	_seam_print(_line, p);
}

static int _seam_mode(void)
{
	int _mode = __atomic_load_n(&_seam_guard, __ATOMIC_RELAXED);
	const char *e;
	if (_mode != _seam_guard_unknown)
		return _mode;
	e = _seam_getenv("SEAM_GUARD");
	_mode = _seam_guard_sample;
	if (e && (_seam_same(e, "off") || _seam_same(e, "0")))
		_mode = _seam_guard_off;
	else if (e && (_seam_same(e, "all") || _seam_same(e, "1")))
		_mode = _seam_guard_all;
	else if (e && *e && !_seam_same(e, "sample"))
		_seam_complain(e);
	__atomic_store_n(&_seam_guard, _mode, __ATOMIC_RELAXED);
	return _mode;
}

/* _seam_interval draws how many calls the thread makes until one is timed. A
 * fixed number would meet the same call of a loop again and again. */
static int _seam_interval(void)
{
	_seam_u32 x = _seam_thread_v1._random;
	if (!x)
		x = (_seam_u32)((__UINTPTR_TYPE__)&_seam_thread_v1 >> 4) | 1;
	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	_seam_thread_v1._random = x;
	return _SEAM_INTERVAL / 2 + (int)(x % _SEAM_INTERVAL);
}

#include "seam_weld_guard.h"

static void _seam_account(struct _seam_slot *s, const struct _seam_clock *c)
{
	int _mode = _seam_mode();
	_seam_u64 _timed, _longest, ns = c->_longest;
	void *_probe = s->_probe;

	_timed = __atomic_add_fetch(&s->_timed, 1, __ATOMIC_RELAXED);
	_seam_thread_v1._tick = _mode == _seam_guard_all ? 1 : _seam_interval();
	_longest = __atomic_load_n(&s->_longest, __ATOMIC_RELAXED);
	while (ns > _longest &&
	       !__atomic_compare_exchange_n(&s->_longest, &_longest, ns, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	if (ns > s->_budget)
		__atomic_fetch_add(&s->_over, 1, __ATOMIC_RELAXED);
	if (_seam_judge(s, c)) {
		__atomic_store_n(&s->_state, _seam_demoted, __ATOMIC_RELAXED);
		__atomic_store_n(&s->_entry, (void *)0, __ATOMIC_RELEASE);
		return;
	}
	/* A probation that another thread has ended by demoting stays ended: the
	 * exchange expects the probe. */
	if (_mode != _seam_guard_all && !_seam_times_all(s))
		__atomic_compare_exchange_n(&s->_entry, &_probe, s->_leaf, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/* The clock of a call that is timed stops while Go runs: what counts is how long C keeps
 * its processor from Go, and that is from one callback to the next. One that is watched has a clock
 * already. */
static struct _seam_clock *_seam_clock_on(struct _seam_slot *s, struct _seam_clock *_mine)
{
	struct _seam_clock *c = _seam_thread_v1._clock;
	if (!c) {
		c = _mine;
		c->_watched = (struct _seam_slot *)0;
		_seam_thread_v1._clock = c;
	}
	c->_longest = c->_ran = c->_stretches = c->_late = 0;
	c->_timed = 1;
	c->_budget = s->_budget;
	c->_start = _seam_now();
	return c;
}

/* So many stretches of a call are all timed, and from then on one in so many: two readings
 * of the clock take longer than a callback. That the first ones weigh more does no harm: C that
 * is long before its first callback has one late stretch, and here that is one of 256. */
#define _SEAM_EACH 256
#define _SEAM_STRETCHES 64

static void _seam_clock_stop(struct _seam_clock *c)
{
	_seam_u64 ns = _seam_now() - c->_start;
	c->_start = 0;
	c->_ran += ns;
	c->_stretches++;
	if (ns > c->_longest)
		c->_longest = ns;
	if (ns > c->_budget)
		c->_late++;
	c->_next = c->_stretches < _SEAM_EACH ? 1 : _SEAM_STRETCHES / 2 + (_seam_u32)_seam_interval() % _SEAM_STRETCHES;
}

static void _seam_clock_off(struct _seam_slot *s, struct _seam_clock *c, struct _seam_clock *_mine)
{
	if (c->_start)
		_seam_clock_stop(c);
	c->_timed = 0;
	if (c == _mine)
		_seam_thread_v1._clock = (struct _seam_clock *)0;
	_seam_account(s, c);
}

static void _seam_go_on(struct _seam_clock *c)
{
	struct _seam_watch *w = _seam_thread_v1._watch;
	_seam_thread_v1._clock = c;
	if (w && c->_watched) {
		__atomic_store_n(&w->_calls, w->_calls + 1, __ATOMIC_RELAXED);
		__atomic_store_n(&w->_slot, c->_watched, __ATOMIC_RELAXED);
	}
	if (c->_timed && --c->_next == 0)
		c->_start = _seam_now();
}

/* Before C calls Go. */
__attribute__((__weak__)) struct _seam_clock *_seam_pause_v1(void)
{
	struct _seam_clock *c = _seam_thread_v1._clock;
	struct _seam_watch *w;
	if (__builtin_expect(!c, 1))
		return c;
	if (c->_start)
		_seam_clock_stop(c);
	w = _seam_thread_v1._watch;
	if (w && c->_watched)
		__atomic_store_n(&w->_slot, (struct _seam_slot *)0, __ATOMIC_RELAXED);
	_seam_thread_v1._clock = (struct _seam_clock *)0;
	c->_go_on = _seam_go_on;
	return c;
}

__attribute__((__weak__)) int _seam_timed_v1(struct _seam_slot *s, int (*_body)(void *), void *v)
{
	struct _seam_clock _mine, *c;
	int _result;
	if (_seam_mode() == _seam_guard_off) {
		_seam_thread_v1._tick = 1 << 30;
		return _body(v);
	}
	c = _seam_clock_on(s, &_mine);
	_result = _body(v);
	_seam_clock_off(s, c, &_mine);
	return _result;
}

__attribute__((__weak__)) void _seam_timed_void_v1(struct _seam_slot *s, void (*_body)(void *), void *v)
{
	struct _seam_clock _mine, *c;
	if (_seam_mode() == _seam_guard_off) {
		_seam_thread_v1._tick = 1 << 30;
		_body(v);
		return;
	}
	c = _seam_clock_on(s, &_mine);
	_body(v);
	_seam_clock_off(s, c, &_mine);
}

__attribute__((__weak__)) void _seam_nothing_v1(void *_unused) { (void)_unused; }

/* The watch
 *
 * With GOMAXPROCS=1 a leaf that waits for another thread which needs Go waits for
 * ever: it has the only processor. So a thread of C's looks once a second whether a
 * leaf has not returned for some time, and then ends the program with an explanation. Each
 * thread tells what it runs by two stores a call, which only programs with
 * GOMAXPROCS=1 pay. */
#define _SEAM_LIMIT 10 /* seconds */

extern void *_seam_calloc(unsigned long n, unsigned long _size) __asm__("calloc");
extern int _seam_nanosleep(const struct _seam_timespec *t, struct _seam_timespec *_rest) __asm__("nanosleep");
extern int _seam_pthread_create(unsigned long *_id, const void *_how, void *(*f)(void *), void *a) __asm__("pthread_create");
extern int _seam_pthread_detach(unsigned long _id) __asm__("pthread_detach");
extern unsigned long _seam_pthread_self(void) __asm__("pthread_self");
extern int _seam_pthread_kill(unsigned long _id, int _signal) __asm__("pthread_kill");
extern int _seam_pthread_sigmask(int _how, const void *_set, void *_old) __asm__("pthread_sigmask");

struct _seam_watch *_seam_watches_v1 __attribute__((__weak__, __visibility__("hidden")));
int _seam_watching_v1 __attribute__((__weak__, __visibility__("hidden")));

__attribute__((__weak__)) void _seam_begin_v1(struct _seam_slot *s, struct _seam_clock *c)
{
	struct _seam_watch *w = _seam_thread_v1._watch;
	c->_start = 0;
	c->_timed = 0;
	c->_watched = s;
	_seam_thread_v1._clock = c;
	if (!w) {
		w = (struct _seam_watch *)_seam_calloc(1, sizeof *w);
		if (!w)
			return;
		w->_id = _seam_pthread_self();
		_seam_thread_v1._watch = w;
		w->_next = __atomic_load_n(&_seam_watches_v1, __ATOMIC_RELAXED);
		while (!__atomic_compare_exchange_n(&_seam_watches_v1, &w->_next, w, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			;
	}
	__atomic_store_n(&w->_calls, w->_calls + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&w->_slot, s, __ATOMIC_RELAXED);
}

__attribute__((__weak__)) void _seam_end_v1(void)
{
	_seam_thread_v1._clock = (struct _seam_clock *)0;
	if (_seam_thread_v1._watch)
		__atomic_store_n(&_seam_thread_v1._watch->_slot, (struct _seam_slot *)0, __ATOMIC_RELAXED);
}

static _seam_u64 _seam_limit(void)
{
	const char *e = _seam_getenv("SEAM_GUARD_LIMIT");
	_seam_u64 n = 0;
	while (e && *e >= '0' && *e <= '9' && n < 1000000)
		n = n * 10 + (_seam_u64)(*e++ - '0');
	return n && _seam_same(e, "s") ? n : _SEAM_LIMIT;
}

static void *_seam_look(void *_unused)
{
	struct _seam_timespec _second = {1, 0};
	_seam_u64 _limit = _seam_limit();
	(void)_unused;
	for (;;) {
		struct _seam_watch *w;
		_seam_nanosleep(&_second, (struct _seam_timespec *)0);
		for (w = __atomic_load_n(&_seam_watches_v1, __ATOMIC_ACQUIRE); w; w = w->_next) {
			struct _seam_slot *s = __atomic_load_n(&w->_slot, __ATOMIC_RELAXED);
			_seam_u64 _calls = __atomic_load_n(&w->_calls, __ATOMIC_RELAXED);
			char _line[768], *p = _line, *_end = _line + sizeof _line - 1;
			if (!s || _calls != w->_seen) {
				w->_seen = _calls;
				w->_looks = 0;
				continue;
			}
			if ((_seam_u64)++w->_looks != _limit)
				continue;
			p = _seam_text(p, _end, "seam: ");
			p = _seam_text(p, _end, s->_name);
			p = _seam_text(p, _end, " has not returned for ");
			p = _seam_number(p, _end, _limit);
			p = _seam_text(p, _end, " s, and with GOMAXPROCS=1 no Go code runs before it does, which it may be waiting for. Mark it cgo in seam.plan: cgo ");
			p = _seam_text(p, _end, s->_name);
			_seam_print(_line, p);
			_seam_pthread_kill(w->_id, 6 /* SIGABRT: Go prints the goroutine's stack */);
		}
	}
	return (void *)0;
}

/* _seam_start starts a thread; 0 if that failed. */
static int _seam_start(void *(*f)(void *))
{
	unsigned long _id, _all[16], _old[16];
	int i, _started;
	for (i = 0; i < 16; i++)
		_all[i] = ~0ul;
	_seam_pthread_sigmask(0 /* SIG_BLOCK */, _all, _old); /* signals are for Go's threads */
	_started = _seam_pthread_create(&_id, (const void *)0, f, (void *)0) == 0;
	if (_started)
		_seam_pthread_detach(_id);
	_seam_pthread_sigmask(2 /* SIG_SETMASK */, _old, (void *)0);
	return _started;
}

static void _seam_watch(void)
{
	if (__atomic_exchange_n(&_seam_watching_v1, 1, __ATOMIC_RELAXED))
		return;
	if (!_seam_start(_seam_look))
		__atomic_store_n(&_seam_watching_v1, 0, __ATOMIC_RELAXED); /* the next function tries again */
}

/* The watch of leaves with any number of processors, which looks from outside (watch/kept.c): a part of package
 * runtime/cgo, where that has C. */
extern void _seam_watch_leaves_v1(_seam_u32 _go_minor) __attribute__((__weak__));

/* _seam_prepare_v1 is called through cgo, by Go's slow path: for a function's
 * first call, and after its demotion until the line is written. */
__attribute__((__weak__)) void _seam_prepare_v1(struct _seam_slot *s)
{
	char _line[512], *p = _line, *_end = _line + sizeof _line - 1;
	const char *_env;
	_seam_u32 _is_new = _seam_new, _not_logged = 0;
	_seam_u32 _state = __atomic_load_n(&s->_state, __ATOMIC_RELAXED);

	if (_state == _seam_demoted || _state == _seam_called) {
		__atomic_store_n(&s->_usable, 3, __ATOMIC_RELAXED);
		if (!__atomic_compare_exchange_n(&s->_logged, &_not_logged, 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return;
		p = _seam_text(p, _end, "seam: ");
		p = _seam_text(p, _end, s->_name);
		if (_state == _seam_called) {
			p = _seam_text(p, _end, " called back into Go; it is called through cgo from now on. Mark it cgo in seam.plan");
			_seam_print(_line, p);
			return;
		}
		p = _seam_text(p, _end, s->_coro ? " ran without calling Go for more than " : " took more than ");
		p = _seam_duration(p, _end, s->_budget);
		p = _seam_text(p, _end, " in ");
		p = _seam_number(p, _end, __atomic_load_n(&s->_late, __ATOMIC_RELAXED));
		p = _seam_text(p, _end, " of ");
		p = _seam_number(p, _end, __atomic_load_n(&s->_tried, __ATOMIC_RELAXED));
		p = _seam_text(p, _end, s->_coro ? " stretches of C in turn, at most " : " calls in turn, at most ");
		p = _seam_duration(p, _end, __atomic_load_n(&s->_longest, __ATOMIC_RELAXED));
		p = _seam_text(p, _end, "; it is called through cgo from now on. Mark it cgo in seam.plan");
		_seam_print(_line, p);
		return;
	}
	_seam_mode(); /* here it may complain: this is no leaf */
	_env = _seam_getenv("SEAM_LEAF");
	if (!__atomic_compare_exchange_n(&s->_state, &_is_new,
					 (s->_usable == 1 || s->_usable == 4) && !(_env && _seam_same(_env, "cgo")) ? _seam_leaf : _seam_cgo,
					 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return; /* another thread was first */
	if (s->_usable == 2 && !__atomic_exchange_n(&_seam_refused_v1, 1, __ATOMIC_RELAXED)) {
		p = _seam_text(p, _end, "seam: the Go runtime of this program is not laid out as expected; welded functions are called through cgo");
		_seam_print(_line, p);
	}
	s->_next = __atomic_load_n(&_seam_slots_v1, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&_seam_slots_v1, &s->_next, s, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	if (s->_state == _seam_leaf && s->_usable == 4 && _seam_mode() != _seam_guard_off) {
		s->_leaf = s->_probe = s->_watched;
		_seam_watch();
	}
	if (s->_state == _seam_leaf && _seam_watch_leaves_v1)
		_seam_watch_leaves_v1(s->_go_minor);
	if (s->_state == _seam_leaf)
		__atomic_store_n(&s->_entry, _seam_mode() == _seam_guard_off ? s->_leaf : s->_probe, __ATOMIC_RELEASE);
}

#include "seam_weld_bound_impl.h"
