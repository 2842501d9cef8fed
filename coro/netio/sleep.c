//go:build cgo && linux && !android && (amd64 || arm64) && !msan

// Sleeping. If the end of the context cuts a sleep short, that looks like a signal: EINTR and
// the time left. Callers then sleep again, and would do so for ever, as the call is lost. So
// a sleep in a call that was already lost fails with ECANCELED, and sleep, which can't fail,
// says that no time is left.
#include "netio.h"

// Returns 0, EINTR or ECANCELED and sets *left to what is left of ns.
static int sleep_for(seam_coro *co, int64_t ns, int64_t *left) {
	int lost = seam_cancelled(co), keep = get_errno();
	int64_t end = after(ns);
	int err = pause_for(co, ns);
	set_errno(keep);
	*left = end - now();
	if (err == 0 || *left < 0)
		*left = 0;
	if (err == ECANCELED && !lost && seam_cancelled(co))
		return EINTR;
	return err;
}

static int sleep_relative(seam_coro *co, const struct timespec *time, struct timespec *left) {
	int64_t ns;
	int err = sleep_for(co, nanoseconds(time), &ns);
	if (err && left)
		*left = time_of(ns);
	return err;
}

// A clock that can be set may be set while we sleep: look at it every second.
static int sleep_until(seam_coro *co, clockid_t clock, const struct timespec *time) {
	for (;;) {
		struct timespec t;
		int64_t ns, left;
		if (clock_gettime(clock, &t) != 0)
			return get_errno();
		ns = nanoseconds(time) - nanoseconds(&t);
		if (ns <= 0)
			return 0;
		if (clock != CLOCK_MONOTONIC && ns > 1000000000)
			ns = 1000000000;
		int err = sleep_for(co, ns, &left);
		if (err)
			return err;
	}
}

int netio_nanosleep(const struct timespec *time, struct timespec *left) {
	seam_coro *co = self();
	if (!co || !time || !valid_time(time))
		return libc.nanosleep(time, left);
	int err = sleep_relative(co, time, left);
	return err ? fail(err) : 0;
}

int netio_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
	seam_coro *co = self();
	int known = clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME || clock == CLOCK_TAI;
	if (!co || !known || !time || !valid_time(time))
		return libc.clock_nanosleep(clock, flags, time, left);
	return flags & TIMER_ABSTIME ? sleep_until(co, clock, time) : sleep_relative(co, time, left);
}

int netio_usleep(useconds_t us) {
	seam_coro *co = self();
	if (!co)
		return libc.usleep(us);
	int64_t left;
	int err = sleep_for(co, us * INT64_C(1000), &left);
	return err ? fail(err) : 0;
}

unsigned netio_sleep(unsigned seconds) {
	seam_coro *co = self();
	if (!co)
		return libc.sleep(seconds);
	int64_t left;
	int err = sleep_for(co, seconds * INT64_C(1000000000), &left);
	return err == ECANCELED ? 0 : (unsigned)(left / 1000000000);
}
