/* The definitions behind seam_weld_bound.h. */
#ifdef __GNUC__
#pragma GCC system_header
#endif

struct _seam_bound *_seam_bounds_v1 __attribute__((__weak__, __visibility__("hidden")));
int _seam_bounds_refused_v1 __attribute__((__weak__, __visibility__("hidden")));
int _seam_bounds_watched_v1 __attribute__((__weak__, __visibility__("hidden")));

extern void _seam_crosscall2(void (*f)(void *), void *a, int n, unsigned long _context) __asm__("crosscall2");

/* _seam_bound_begin_v1 is called through cgo before a bound's first call, by one
 * goroutine. */
__attribute__((__weak__)) void _seam_bound_begin_v1(struct _seam_bound *b)
{
	char _line[256], *p = _line, *_end = _line + sizeof _line - 1;
	const char *e = _seam_getenv("SEAM_OFFLOAD");
	if (b->_usable != 1 && !__atomic_exchange_n(&_seam_bounds_refused_v1, 1, __ATOMIC_RELAXED)) {
		p = _seam_text(p, _end, "seam: the Go runtime of this program is not laid out as expected; calls of C take as many threads as they do without seam");
		_seam_print(_line, p);
	}
	if (e && *e && !_seam_same(e, "off") && !_seam_same(e, "0") && !_seam_same(e, "on") && !_seam_same(e, "1") &&
	    !__atomic_exchange_n(&_seam_bounds_refused_v1, 1, __ATOMIC_RELAXED)) {
		p = _seam_text(p, _end - 40, "seam: SEAM_OFFLOAD=");
		p = _seam_text(p, _end - 40, e);
		p = _seam_text(p, _end, " is unknown: want on or off; taking on");
		_seam_print(_line, p);
	}
	if (e && (_seam_same(e, "off") || _seam_same(e, "0")))
		b->_usable = 2;
	b->_next = __atomic_load_n(&_seam_bounds_v1, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&_seam_bounds_v1, &b->_next, b, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

/* The watch
 *
 * Calls that wait for each other in C are all in at once without a bound. With one,
 * those that are in may wait for one that can't come in. Nobody can tell that from calls
 * that take long. So while goroutines wait and none has been given a place for some time, a thread
 * of C's lets one in without a place, says so once, and another each time it takes as
 * long again: no bound stops a program for ever, and one of long calls is exceeded by few. The
 * thread ends when nobody waits. It is C's because package runtime/cgo has no timers. */

static void _seam_bound_tell(struct _seam_bound *b, _seam_u32 _waiting, _seam_u64 _limit)
{
	char _line[768], *p = _line, *_end = _line + sizeof _line - 1;
	const char *_who[3];
	_seam_u32 i, n = 0, k;
	if (b->_told)
		return;
	b->_told = 1;
	for (i = 0; i < b->_places && n < 3; i++) {
		const char *w = __atomic_load_n(&b->_place[i]._who, __ATOMIC_RELAXED);
		if (!w || !__atomic_load_n(&b->_place[i]._taken, __ATOMIC_RELAXED))
			continue;
		for (k = 0; k < n && _who[k] != w; k++)
			;
		if (k == n)
			_who[n++] = w;
	}
	p = _seam_text(p, _end, "seam: ");
	p = _seam_text(p, _end, b->_name);
	p = _seam_text(p, _end, ": for ");
	p = _seam_number(p, _end, _limit);
	p = _seam_text(p, _end, " s no call has returned of the ");
	p = _seam_number(p, _end, b->_places);
	p = _seam_text(p, _end, " that may be under way (");
	for (k = 0; k < n; k++) {
		p = _seam_text(p, _end, k ? ", " : "");
		p = _seam_text(p, _end, _who[k]);
	}
	p = _seam_text(p, _end, "), and ");
	p = _seam_number(p, _end, _waiting);
	p = _seam_text(p, _end, " wait. One of them goes on now, and one more whenever that is so again. If calls wait for each other, take those that others wait for out of the bound in seam.plan");
	_seam_print(_line, p);
}

/* _seam_bound_look looks at one bound and reports whether goroutines wait for it. */
static int _seam_bound_look(struct _seam_bound *b, _seam_u64 _limit)
{
	_seam_u32 _waiting = __atomic_load_n(&b->_waiting, __ATOMIC_SEQ_CST);
	_seam_u64 _served = __atomic_load_n(&b->_served, __ATOMIC_RELAXED);
	if (!_waiting || _served != b->_seen) {
		b->_seen = _served;
		b->_looks = 0;
		return _waiting != 0;
	}
	if (++b->_looks < _limit)
		return 1;
	b->_looks = 0;
	_seam_bound_tell(b, _waiting, _limit);
	_seam_crosscall2((void (*)(void *))b->_let_one, b, 0, 0);
	return 1;
}

static void *_seam_bound_watcher(void *_unused)
{
	struct _seam_timespec _second = {1, 0};
	_seam_u64 _limit = _seam_limit();
	struct _seam_bound *b;
	int _anybody;
	(void)_unused;
	do {
		do {
			_seam_nanosleep(&_second, (struct _seam_timespec *)0);
			_anybody = 0;
			for (b = __atomic_load_n(&_seam_bounds_v1, __ATOMIC_ACQUIRE); b; b = b->_next)
				_anybody |= _seam_bound_look(b, _limit);
		} while (_anybody);
		/* Who begins to wait says so first and then asks for the watch. */
		__atomic_exchange_n(&_seam_bounds_watched_v1, 0, __ATOMIC_SEQ_CST);
		for (b = __atomic_load_n(&_seam_bounds_v1, __ATOMIC_ACQUIRE); b; b = b->_next)
			_anybody |= __atomic_load_n(&b->_waiting, __ATOMIC_SEQ_CST) != 0;
	} while (_anybody && !__atomic_exchange_n(&_seam_bounds_watched_v1, 1, __ATOMIC_SEQ_CST));
	return (void *)0;
}

/* _seam_bound_watch_v1 is called through cgo by a goroutine that begins to wait. */
__attribute__((__weak__)) void _seam_bound_watch_v1(struct _seam_bound *b)
{
	(void)b;
	if (_seam_mode() == _seam_guard_off || __atomic_exchange_n(&_seam_bounds_watched_v1, 1, __ATOMIC_SEQ_CST))
		return;
	if (!_seam_start(_seam_bound_watcher))
		__atomic_store_n(&_seam_bounds_watched_v1, 0, __ATOMIC_RELAXED); /* the next one tries again */
}
