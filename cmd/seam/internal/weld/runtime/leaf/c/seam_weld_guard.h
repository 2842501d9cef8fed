/* The guard's verdict: is a function too slow, or was it the machine?
 *
 * A call over budget opens a trial: the function's next calls are all timed, and
 * after each a control runs, which does nothing but read the clock for as long
 * as the function usually takes. What the machine does (another process's turn, the
 * host's, an interrupt) hits both alike and at the same time, in clusters too. So
 * the calls over budget are held against those of the control, and not against a
 * rate that was measured elsewhere. */
#ifdef __GNUC__
#pragma GCC system_header
#endif

/* Calls of a trial. Its figures count by half in the next one, so that a function
 * that has been good for a day is not good for the next hour whatever it does. */
#define _SEAM_TRIAL 1024

/* So many calls over budget are an accident, */
#define _SEAM_ACCIDENT 3
/* and one in 4 of the first 32: they touch pages for the first time, which may take long.
 * A function that always waits is beyond that with its fifth call. */
#define _SEAM_FIRST 32
#define _SEAM_FIRST_SHARE 4

/* A control of few calls may have met nothing by luck: what any machine does is taken
 * for granted. 250 stalls in a second are a busy host's. */
#define _SEAM_STALLS 250u

/* Limits of a control, in ns. It delays a stop of the world as the function does. */
#define _SEAM_CONTROL_MIN 1000u
#define _SEAM_CONTROL_MAX 20000u

/* _seam_usual is how long a call takes that keeps the budget. */
static _seam_u64 _seam_usual(struct _seam_slot *s)
{
	_seam_u64 _usual = __atomic_load_n(&s->_usual, __ATOMIC_RELAXED);
	return _usual ? _usual : s->_budget / 2;
}

static _seam_u64 _seam_control_length(struct _seam_slot *s)
{
	_seam_u64 _usual = _seam_usual(s);
	if (_usual < _SEAM_CONTROL_MIN)
		return _SEAM_CONTROL_MIN;
	return _usual > _SEAM_CONTROL_MAX ? _SEAM_CONTROL_MAX : _usual;
}

/* _seam_control reports whether the machine would have made a call late that takes as
 * long as usual. */
static int _seam_control(struct _seam_slot *s)
{
	_seam_u64 _length = _seam_control_length(s), _usual = _seam_usual(s), _ran;
	_seam_u64 _start = _seam_now();
	do
		_ran = _seam_now() - _start;
	while (_ran < _length);
	return _ran - _length > (s->_budget > _usual ? s->_budget - _usual : 0);
}

/* _seam_guilty reports whether more calls were late than chance and the machine explain:
 * with the machine's part m, more than
 *
 *	3 + allow * calls + first / 4 + m + 3 * sqrt(m)
 *
 * The root is three standard deviations of what happens m times on average; m is what
 * the control met, for as long as the function ran, and what any machine does. All in thousandths. */
static int _seam_guilty(struct _seam_slot *s)
{
	_seam_u64 _late = __atomic_load_n(&s->_late, __ATOMIC_RELAXED) * 1000u;
	_seam_u64 _tried = __atomic_load_n(&s->_tried, __ATOMIC_RELAXED);
	_seam_u64 _noise = __atomic_load_n(&s->_noise, __ATOMIC_RELAXED);
	_seam_u64 _usual = _seam_usual(s), _controls = __atomic_load_n(&s->_controls, __ATOMIC_RELAXED);
	_seam_u64 _machine = _noise * 1000u * _usual / _seam_control_length(s) * _tried / (_controls ? _controls : 1) + _tried * _usual * _SEAM_STALLS / 1000000u;
	_seam_u64 _first = _tried < _SEAM_FIRST ? _tried : _SEAM_FIRST;
	_seam_u64 _most = _SEAM_ACCIDENT * 1000u + _tried * s->_allow / 1000u + _first * 1000u / _SEAM_FIRST_SHARE + _machine;
	return _late > _most && _late - _most > 9u * 1000u * _machine / (_late - _most);
}

/* _seam_open opens a trial, unless there is one. Threads that come at once lose a count. */
static void _seam_open(struct _seam_slot *s)
{
	void *_leaf = s->_leaf;
	int _left = __atomic_load_n(&s->_trial, __ATOMIC_RELAXED);
	if (_left > 0 || !__atomic_compare_exchange_n(&s->_trial, &_left, _SEAM_TRIAL, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&s->_tried, s->_tried / 2, __ATOMIC_RELAXED);
	__atomic_store_n(&s->_controls, s->_controls / 2, __ATOMIC_RELAXED);
	__atomic_store_n(&s->_late, s->_late / 2, __ATOMIC_RELAXED);
	__atomic_store_n(&s->_noise, s->_noise / 2, __ATOMIC_RELAXED);
	/* One that was demoted, or has called Go, has no entry and gets none. */
	__atomic_compare_exchange_n(&s->_entry, &_leaf, s->_probe, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/* _seam_judge accounts for a call that was timed, and reports whether the function must be
 * demoted. What counts are stretches of C: one a call, and one more for each callback. */
static int _seam_judge(struct _seam_slot *s, const struct _seam_clock *c)
{
	_seam_u64 _usual = __atomic_load_n(&s->_usual, __ATOMIC_RELAXED), _mean = c->_ran / c->_stretches;
	if (c->_late)
		_seam_open(s);
	else
		__atomic_store_n(&s->_usual, _usual ? _usual - _usual / 8 + _mean / 8 : _mean + 1, __ATOMIC_RELAXED);
	if (__atomic_load_n(&s->_trial, __ATOMIC_RELAXED) <= 0)
		return 0;
	__atomic_fetch_sub(&s->_trial, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&s->_tried, c->_stretches, __ATOMIC_RELAXED);
	__atomic_fetch_add(&s->_controls, 1, __ATOMIC_RELAXED);
	if (_seam_control(s))
		__atomic_fetch_add(&s->_noise, 1, __ATOMIC_RELAXED);
	if (!c->_late)
		return 0;
	__atomic_fetch_add(&s->_late, c->_late, __ATOMIC_RELAXED);
	return _seam_guilty(s);
}
