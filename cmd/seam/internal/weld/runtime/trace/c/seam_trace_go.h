/* The run-time of a traced program: Go's side. See seam_trace_impl.h. */
#pragma GCC system_header

/* The same as seamTraceRequest in rt/trace.go. */
struct seam_trace_request {
	int op;
	seam_u32 index;
	struct seam_trace_function *functions;
	seam_u64 now;              /* out */
	seam_u64 span;             /* out: the call between begin and end; 0: unknown */
	struct seam_trace_caller *caller; /* out of NEW, in of COUNT */
	seam_u64 weight, ns, cost;
	long long crossing;        /* -1: unknown */
	const char *text;
	unsigned long length;
};

enum { SEAM_BEGIN, SEAM_END, SEAM_NEW_CALLER, SEAM_COUNT, SEAM_NEW_TEXT, SEAM_CALLBACK };

extern void seam_c_crosscall2(void (*)(void *), void *, int, unsigned long) __asm__("crosscall2");

/* What C's call of a Go function takes that does nothing. */
SEAM_WEAK void seam_trace_price(void (*go)(void *))
{
	enum { rounds = 31 };
	seam_u64 took[rounds], a;
	int i;
	for (i = 0; i < rounds; i++) {
		a = seam_now();
		seam_c_crosscall2(go, 0, 0, 0);
		took[i] = seam_now() - a;
	}
	seam_trace_sort(took, rounds);
	a = took[rounds / 2] * 1000;
	seam_trace_file()->callback_ps = a > seam_trace_file()->clock_ps ? a - seam_trace_file()->clock_ps : 1;
}

SEAM_WEAK void seam_trace_text(struct seam_trace_request *q, seam_u32 id, seam_u32 type)
{
	struct seam_trace_caller *c;
	int was = *seam_c_errno();
	seam_trace_lock();
	c = (struct seam_trace_caller *)seam_trace_chunk(sizeof *c + q->length);
	if (c) {
		c->id = id;
		c->text = (seam_u32)q->length;
		__builtin_memcpy(c + 1, q->text, q->length);
		seam_chunk_done(&c->chunk, type);
	} else
		seam_trace_file()->lost_stacks++;
	seam_trace_unlock();
	q->caller = c;
	*seam_c_errno() = was;
}

SEAM_WEAK void seam_trace_cross(struct seam_trace_record *r, seam_u64 ns)
{
	struct seam_trace_crossing *c = (struct seam_trace_crossing *)__atomic_load_n(&r->crossing, __ATOMIC_ACQUIRE);
	if (!c) {
		int was = *seam_c_errno();
		seam_trace_lock();
		c = (struct seam_trace_crossing *)r->crossing;
		if (!c) {
			c = (struct seam_trace_crossing *)seam_trace_chunk(sizeof *c);
			if (c) {
				c->id = r->id;
				seam_chunk_done(&c->chunk, SEAM_CROSSING);
				__atomic_store_n(&r->crossing, (void *)c, __ATOMIC_RELEASE);
			}
		}
		seam_trace_unlock();
		*seam_c_errno() = was;
		if (!c)
			return;
	}
	__atomic_fetch_add(&c->bins[seam_trace_bin(ns)], 1, __ATOMIC_RELAXED);
}

SEAM_WEAK void seam_trace_go(void *request)
{
	struct seam_trace_request *q = (struct seam_trace_request *)request;
	struct seam_trace_thread *t = seam_trace_self;
	struct seam_trace_record *r;
	if (!t && (!seam_trace_process.record.alive || seam_trace_mine()))
		t = seam_trace_thread_start();
	q->now = seam_now();
	q->span = 0;
	if (!t || !seam_trace_mine())
		return;
	r = (struct seam_trace_record *)q->functions[q->index].record;
	switch (q->op) {
	case SEAM_BEGIN:
		t->span = 0;
		t->sampled = 1;
		q->now = seam_now();
		break;
	case SEAM_END:
		t->sampled = 0;
		if (t->span_of == &q->functions[q->index])
			q->span = t->span + seam_trace_process.clock_ns;
		t->span = 0;
		break;
	case SEAM_NEW_CALLER:
		if (r)
			seam_trace_text(q, r->id, SEAM_CALLER);
		break;
	case SEAM_CALLBACK: /* q isn't on the goroutine's stack, which may move */
		seam_trace_price((void (*)(void *))q->text);
		break;
	case SEAM_NEW_TEXT:
		seam_trace_text(q, 0, SEAM_TEXT);
		break;
	case SEAM_COUNT:
		if (q->caller) {
			__atomic_fetch_add(&q->caller->calls, q->weight, __ATOMIC_RELAXED);
			__atomic_fetch_add(&q->caller->ns, q->weight * q->ns, __ATOMIC_RELAXED);
		}
		if (r && q->crossing >= 0)
			seam_trace_cross(r, (seam_u64)q->crossing);
		__atomic_fetch_add(&seam_trace_file()->go_samples, 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&seam_trace_file()->go_sample_ns, q->cost, __ATOMIC_RELAXED);
		break;
	}
}
