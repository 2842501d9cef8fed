/* The run-time of a traced program: threads and their calls. See seam_trace_impl.h. */
#pragma GCC system_header

/* ---- threads ---- */

SEAM_WEAK struct seam_trace_thread *seam_trace_new_thread(struct seam_trace_slot *slot, int shared)
{
	unsigned long bytes = 4096;
	struct seam_trace_thread *t = (struct seam_trace_thread *)seam_memory(bytes);
	if (!t)
		return 0;
	t->slot = slot;
	t->shared = shared;
	t->bytes = bytes;
	t->frames = (struct seam_trace_frame *)(t + 1);
	t->room = (unsigned)((bytes - sizeof *t) / sizeof *t->frames);
	return t;
}

/* The list of threads is for the watch, which takes the lock to read it. The lock is held. */
static __inline__ void seam_trace_enlist(struct seam_trace_thread *t)
{
	t->at = &seam_trace_process.threads;
	t->next = *t->at;
	if (t->next)
		t->next->at = &t->next;
	*t->at = t;
}

static __inline__ void seam_trace_delist(struct seam_trace_thread *t)
{
	*t->at = t->next;
	if (t->next)
		t->next->at = t->at;
}

/* The first call of a thread. */
SEAM_WEAK struct seam_trace_thread *seam_trace_thread_start(void)
{
	struct seam_trace_process *p = &seam_trace_process;
	struct seam_trace_thread *t = 0;
	int i, was = *seam_c_errno();
	if (__atomic_load_n(&p->state, __ATOMIC_ACQUIRE) == SEAM_OFF)
		return 0;
	seam_trace_lock();
	if (p->state == SEAM_NEW)
		__atomic_store_n(&p->state, seam_trace_open() ? SEAM_ON : SEAM_OFF, __ATOMIC_RELEASE);
	if (p->state == SEAM_ON) {
		for (i = 0; i < SEAM_SLOTS && p->slots[i].taken; i++)
			;
		if (!p->slots[i].shards)
			p->slots[i].shards = (struct seam_trace_shard **)seam_memory(SEAM_MAX_FUNCTIONS * sizeof(void *));
		if (p->slots[i].shards)
			t = seam_trace_new_thread(&p->slots[i], i == SEAM_SLOTS);
		if (t) {
			p->slots[i].taken = 1;
			t->tid = (int)seam_c_syscall(SEAM_SYS_GETTID);
			seam_trace_enlist(t);
			seam_trace_self = t;
			if (p->key_made)
				seam_c_setspecific(p->key, t);
		} else
			seam_trace_file()->lost_calls++;
	}
	seam_trace_unlock();
	*seam_c_errno() = was;
	return t;
}

/* More frames: calls nest through callbacks. */
SEAM_WEAK struct seam_trace_thread *seam_trace_more_frames(struct seam_trace_thread *t)
{
	int was = *seam_c_errno();
	unsigned long bytes = t->bytes * 2;
	struct seam_trace_thread *more = bytes > (64ul << 20) ? 0 : (struct seam_trace_thread *)seam_memory(bytes);
	if (more) {
		seam_trace_lock();
		seam_trace_delist(t);
		__builtin_memcpy(more, t, t->bytes);
		more->bytes = bytes;
		more->frames = (struct seam_trace_frame *)(more + 1);
		more->room = (unsigned)((bytes - sizeof *more) / sizeof *more->frames);
		seam_trace_enlist(more);
		seam_trace_unlock();
		seam_trace_self = more;
		if (seam_trace_process.key_made)
			seam_c_setspecific(seam_trace_process.key, more);
		seam_c_munmap(t, t->bytes);
	}
	*seam_c_errno() = was;
	return more;
}

SEAM_WEAK struct seam_trace_shard *seam_trace_new_shard(struct seam_trace_thread *t, struct seam_trace_record *r)
{
	struct seam_trace_shard *s;
	int was = *seam_c_errno();
	seam_trace_lock();
	s = t->slot->shards[r->id]; /* of a shared slot another thread may have made it */
	if (!s) {
		s = (struct seam_trace_shard *)seam_trace_chunk(sizeof *s);
		if (s) {
			s->id = r->id;
			s->slot = (seam_u32)(t->slot - seam_trace_process.slots);
			seam_chunk_done(&s->chunk, SEAM_SHARD);
			__atomic_store_n(&t->slot->shards[r->id], s, __ATOMIC_RELEASE);
		}
	}
	seam_trace_unlock();
	*seam_c_errno() = was;
	return s;
}

/* ---- a call ---- */

/* A call ended: the counters that every call moves. */
static __inline__ void seam_trace_count(struct seam_trace_thread *t, struct seam_trace_frame *f, seam_u64 now, seam_u64 ns)
{
	struct seam_trace_shard *s = f->shard;
	struct seam_trace_record *r = (struct seam_trace_record *)f->function->record;
	seam_trace_bump(t->shared, &s->bins[seam_trace_bin(ns)], 1);
	seam_trace_bump(t->shared, &s->total, ns);
	seam_trace_bump(t->shared, &s->open, -f->start);
	seam_trace_raise(t->shared, &s->max, ns);
	__atomic_store_n(&s->last, now, __ATOMIC_RELAXED);
	if (!f->again)
		__atomic_fetch_sub(&r->inside, 1, __ATOMIC_RELAXED);
}

/* The innermost call was left by a panic that went through C: the runtime
   drops C's frames. It ran until its last callback at least. */
SEAM_WEAK void seam_trace_abandon(struct seam_trace_thread *t)
{
	struct seam_trace_frame *f = &t->frames[--t->depth];
	seam_u64 ns = f->callback > f->start ? f->callback - f->start : 0;
	seam_trace_count(t, f, f->start + ns, ns);
	seam_trace_raise(t->shared, &f->shard->max_busy, ns);
	seam_trace_bump(t->shared, &f->shard->abandoned, 1);
}

/* The thread ends: what it owned is for others. */
SEAM_WEAK void seam_trace_exit(void *thread)
{
	struct seam_trace_thread *t = (struct seam_trace_thread *)thread;
	if (!seam_trace_mine() || t != seam_trace_self)
		return;
	while (t->depth)
		seam_trace_abandon(t);
	seam_trace_lock();
	if (!t->shared)
		t->slot->taken = 0;
	seam_trace_delist(t);
	seam_trace_self = 0;
	seam_trace_unlock();
	seam_c_munmap(t, t->bytes);
}

/* How old a stamp may be, how long a call takes before it is judged, and what counts as long. */
enum { SEAM_STAMP_NS = 10000, SEAM_JUDGE_NS = 10000, SEAM_LONG_NS = 50000 };

/* Returns the time, and has the thread's stamp be young. */
static __inline__ seam_u64 seam_trace_stamp(struct seam_trace_thread *t)
{
	seam_u64 now = seam_now();
	if (__builtin_expect(now - t->stamp.at > SEAM_STAMP_NS, 0)) {
		t->stamp.cpu = seam_clock(SEAM_CLOCK_THREAD);
		t->stamp.switches = seam_trace_switches();
		t->stamp.at = seam_now();
		seam_trace_cpu(t->stamp.at);
		now = seam_now();
	}
	return now;
}

SEAM_WEAK unsigned seam_trace_enter(struct seam_trace_function *function, void *frame)
{
	struct seam_trace_thread *t = seam_trace_self;
	struct seam_trace_record *r;
	struct seam_trace_shard *s;
	struct seam_trace_frame *f;
	seam_u64 begin = 0;
	unsigned i;
	if (__builtin_expect(!t, 0)) {
		if (seam_trace_process.record.alive && !seam_trace_mine())
			return 0;
		t = seam_trace_thread_start();
		if (!t)
			return 0;
	}
	if (__builtin_expect(!seam_trace_mine(), 0))
		return 0;
	if (t->sampled)
		begin = seam_now();
	/* The stack grows down: a call that is still running lies above this one. */
	while (t->depth && (char *)t->frames[t->depth - 1].address <= (char *)frame)
		seam_trace_abandon(t);
	if (__builtin_expect(t->depth == t->room, 0)) {
		t = seam_trace_more_frames(t);
		if (!t) {
			__atomic_fetch_add(&seam_trace_file()->lost_calls, 1, __ATOMIC_RELAXED);
			return 0;
		}
	}
	r = (struct seam_trace_record *)function->record;
	s = 0;
	if (__builtin_expect(r != 0, 1)) {
		s = __atomic_load_n(&t->slot->shards[r->id], __ATOMIC_ACQUIRE);
		if (__builtin_expect(!s, 0))
			s = seam_trace_new_shard(t, r);
	}
	if (__builtin_expect(!s, 0)) {
		__atomic_fetch_add(&seam_trace_file()->lost_calls, 1, __ATOMIC_RELAXED);
		return 0;
	}
	f = &t->frames[t->depth];
	f->address = frame;
	f->function = function;
	f->shard = s;
	f->begin = begin;
	f->callback = 0;
	f->marked = f->again = f->in_go = 0;
	f->sampled = t->sampled;
	t->sampled = 0;
	for (i = t->depth; i-- > 0;) {
		if (t->frames[i].function == function) {
			f->again = 1; /* this thread is inside already */
			break;
		}
	}
	t->depth++;
	if (!f->again) {
		seam_u32 inside = __atomic_add_fetch(&r->inside, 1, __ATOMIC_RELAXED);
		seam_u32 most = __atomic_load_n(&r->most, __ATOMIC_RELAXED);
		while (inside > most &&
			!__atomic_compare_exchange_n(&r->most, &most, inside, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			;
	}
	seam_trace_bump(t->shared, &s->entered, 1);
	f->start = f->resumed = seam_trace_stamp(t);
	f->stamp = f->resume = t->stamp;
	seam_trace_bump(t->shared, &s->open, f->start);
	return t->depth;
}

/*
 * Judge tells what a call that took long did: wait, run, or neither, when the
 * kernel gave the processor to others. CPU time and switches are known from the
 * stamp, a little before the call. So the thread ran for at most (CPU time since
 * the stamp), and if it ran all the time before the call, for that less the time
 * from stamp to call.
 */
struct seam_trace_verdict { seam_u64 busy, blocked, preempted, blocked_ns; };

SEAM_WEAK struct seam_trace_verdict seam_trace_judge(seam_u64 start, const struct seam_trace_stamp *stamp, seam_u64 wall)
{
	struct seam_trace_verdict v;
	seam_u64 cpu = seam_clock(SEAM_CLOCK_THREAD) - stamp->cpu;
	seam_u64 before = start - stamp->at;
	seam_u64 ran = cpu > before ? cpu - before : 0;
	int waited = seam_trace_switches() != stamp->switches;
	if (seam_trace_file()->flags & SEAM_NO_SWITCHES) {
		waited = 1;
		ran = cpu;
	}
	v.blocked = v.preempted = v.blocked_ns = 0;
	if (waited && wall > ran + SEAM_JUDGE_NS && wall / 2 > ran) {
		v.blocked = 1;
		v.blocked_ns = wall - ran;
		v.busy = wall;
		return v;
	}
	if (wall > SEAM_LONG_NS && wall > cpu + SEAM_JUDGE_NS)
		v.preempted = 1;
	v.busy = wall < cpu ? wall : cpu;
	return v;
}

/* The function has called Go for the first time, in this slot: all calls that have ended
   were one stretch. */
SEAM_WEAK struct seam_trace_stretches *seam_trace_new_stretches(struct seam_trace_shard *s)
{
	struct seam_trace_stretches *x;
	int was = *seam_c_errno();
	seam_trace_lock();
	x = (struct seam_trace_stretches *)s->stretches; /* of a shared slot another thread may have made it */
	if (!x) {
		x = (struct seam_trace_stretches *)seam_trace_chunk(sizeof *x);
		if (x) {
			x->id = s->id;
			x->slot = s->slot;
			x->max = s->max;
			x->max_busy = s->max_busy;
			x->blocked = s->blocked;
			x->preempted = s->preempted;
			x->blocked_ns = s->blocked_ns;
			__builtin_memcpy(x->bins, s->bins, sizeof x->bins);
			seam_chunk_done(&x->chunk, SEAM_STRETCHES);
			__atomic_store_n(&s->stretches, (void *)x, __ATOMIC_RELEASE);
		}
	}
	seam_trace_unlock();
	*seam_c_errno() = was;
	return x;
}

/* C has run from f->resumed to now. */
SEAM_WEAK void seam_trace_stretch(struct seam_trace_thread *t, struct seam_trace_frame *f, seam_u64 now, struct seam_trace_stretches *x)
{
	struct seam_trace_verdict v = {0, 0, 0, 0};
	seam_u64 ns = now - f->resumed;
	ns = ns > seam_trace_process.clock_ns ? ns - seam_trace_process.clock_ns : 0;
	v.busy = ns;
	if (__builtin_expect(ns > SEAM_JUDGE_NS, 0))
		v = seam_trace_judge(f->resumed, &f->resume, ns);
	seam_trace_bump(t->shared, &x->bins[seam_trace_bin(ns)], 1);
	seam_trace_raise(t->shared, &x->max, ns);
	seam_trace_raise(t->shared, &x->max_busy, v.busy);
	if (v.blocked) {
		seam_trace_bump(t->shared, &x->blocked, 1);
		seam_trace_bump(t->shared, &x->blocked_ns, v.blocked_ns);
	}
	if (v.preempted)
		seam_trace_bump(t->shared, &x->preempted, 1);
}

SEAM_WEAK void seam_trace_leave(unsigned ticket, void *frame)
{
	seam_u64 now = seam_now();
	struct seam_trace_thread *t = seam_trace_self;
	struct seam_trace_frame *f;
	struct seam_trace_stretches *x;
	struct seam_trace_verdict v;
	seam_u64 ns;
	if (!ticket || !t || !seam_trace_mine())
		return;
	if (ticket > t->depth || t->frames[ticket - 1].address != frame)
		return; /* it was taken for abandoned */
	while (t->depth > ticket)
		seam_trace_abandon(t);
	f = &t->frames[t->depth - 1];
	ns = now - f->start;
	ns = ns > seam_trace_process.clock_ns ? ns - seam_trace_process.clock_ns : 0;
	seam_trace_count(t, f, now, ns);
	seam_trace_bump(t->shared, &f->shard->judged, 1);
	x = (struct seam_trace_stretches *)__atomic_load_n(&f->shard->stretches, __ATOMIC_ACQUIRE);
	if (__builtin_expect(x != 0, 0))
		seam_trace_stretch(t, f, now, x);
	v.busy = ns;
	if (__builtin_expect(ns > SEAM_JUDGE_NS, 0)) {
		v = seam_trace_judge(f->start, &f->stamp, ns);
		seam_trace_bump(t->shared, &f->shard->blocked, v.blocked);
		seam_trace_bump(t->shared, &f->shard->preempted, v.preempted);
		seam_trace_bump(t->shared, &f->shard->blocked_ns, v.blocked_ns);
	}
	seam_trace_raise(t->shared, &f->shard->max_busy, v.busy);
	t->depth--;
	if (f->sampled) {
		t->span_of = f->function;
		t->span = seam_now() - f->begin;
	}
}

SEAM_WEAK void seam_trace_callback(void *frame)
{
	struct seam_trace_thread *t = seam_trace_self;
	struct seam_trace_frame *f;
	struct seam_trace_stretches *x;
	seam_u64 now;
	unsigned i;
	if (!t || !seam_trace_mine())
		return;
	now = seam_now();
	while (t->depth && (char *)t->frames[t->depth - 1].address <= (char *)frame)
		seam_trace_abandon(t);
	if (!t->depth)
		return;
	f = &t->frames[t->depth - 1];
	x = (struct seam_trace_stretches *)__atomic_load_n(&f->shard->stretches, __ATOMIC_ACQUIRE);
	if (__builtin_expect(!x, 0))
		x = seam_trace_new_stretches(f->shard);
	if (x) {
		if (!f->in_go) /* else Go has left the callback before by a jump of C's */
			seam_trace_stretch(t, f, now, x);
		seam_trace_bump(t->shared, &x->callbacks, 1);
	}
	f->in_go = 1;
	/* What is marked was so with all calls outside it. */
	for (i = t->depth; i-- > 0 && !t->frames[i].marked;) {
		t->frames[i].marked = 1;
		seam_trace_bump(t->shared, &t->frames[i].shard->callbacks, 1);
	}
	f->callback = seam_now();
}

/* The call of Go has returned. The one that is counted is of the innermost call that is
   still running: what has nested in it has ended or was abandoned. */
SEAM_WEAK void seam_trace_callback_end(void *frame)
{
	struct seam_trace_thread *t = seam_trace_self;
	struct seam_trace_frame *f;
	if (!t || !seam_trace_mine())
		return;
	while (t->depth && (char *)t->frames[t->depth - 1].address <= (char *)frame)
		seam_trace_abandon(t);
	if (!t->depth)
		return;
	f = &t->frames[t->depth - 1];
	if (!f->in_go)
		return;
	seam_trace_bump(t->shared, &f->shard->callback_ns, seam_now() - f->callback);
	f->in_go = 0;
	f->resumed = seam_trace_stamp(t);
	f->resume = t->stamp;
}
