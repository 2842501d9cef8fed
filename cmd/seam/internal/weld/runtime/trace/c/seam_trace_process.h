/* The run-time of a traced program: the record's layout, the process. See seam_trace_impl.h. */
#pragma GCC system_header

#ifndef SEAM_TRACE_PROCESS_H
#define SEAM_TRACE_PROCESS_H

/* ---- the record; the same as in recordlayout.go of package calltrace ---- */

enum {
	SEAM_RAW_VERSION = 2,
	SEAM_BINS = 272,
	SEAM_MAX_FUNCTIONS = 1 << 15,
	SEAM_SLOTS = 64,           /* slots with one owner; one more is shared */

	SEAM_FUNCTION = 1, SEAM_SHARD = 2, SEAM_CALLER = 3, /* SEAM_TEXT */ SEAM_CROSSING = 5, SEAM_STRETCHES = 6, SEAM_WAIT = 7,

	SEAM_NO_SWITCHES = 1,      /* flag: the kernel doesn't count voluntary switches */
	SEAM_NO_WAITS = 2          /* flag: it doesn't say where threads wait */
};

struct seam_trace_header {
	struct seam_record_header head;
	seam_u64 clock_ps, empty_ps;
	seam_u64 lost_calls, lost_stacks, go_samples, go_sample_ns, flags;
	seam_u64 callback_ps;      /* an exported Go function that does nothing, called by C; 0: unknown */
	seam_u64 cpu;              /* the process's processor time, when it was last looked at */
};

/* Function chunk: this, then package, name, signature, build, each with a 0. */
struct seam_trace_record {
	struct seam_chunk chunk;
	seam_u32 id, text;
	void *crossing;            /* a pointer of the process, nothing in the file */
	char pad[40];
	seam_u32 inside, most;     /* threads, on a line of their own */
	char pad2[56];
};

struct seam_trace_shard {
	struct seam_chunk chunk;
	seam_u32 id, slot;
	seam_u64 entered, open;    /* calls begun; sum of the starts of those not ended */
	seam_u64 last, total, max, max_busy, callbacks, judged, blocked, preempted, abandoned;
	seam_u64 callback_ns;      /* in callbacks that ended */
	seam_u64 blocked_ns;       /* of the calls that waited, what they did not run */
	void *stretches;           /* a pointer of the process, nothing in the file */
	seam_u64 bins[SEAM_BINS];
};

/* The counters of a shard whose function has called Go, by stretches of C instead of calls:
   from the call or a callback's end to the next callback or the return. Calls without a callback
   are one stretch. */
struct seam_trace_stretches {
	struct seam_chunk chunk;
	seam_u32 id, slot;
	seam_u64 callbacks;        /* calls of Go */
	seam_u64 max, max_busy, blocked, preempted, blocked_ns;
	seam_u64 bins[SEAM_BINS];
};

/* A place where calls were seen to wait: this, then the C function outside of which it waits
   ("" if unknown, "running" if it doesn't wait), the number of the system call, what its
   descriptor is, and triples of function, object, offset, each with a 0. */
struct seam_trace_wait {
	struct seam_chunk chunk;
	seam_u32 id, text;
	seam_u64 samples, ns;
	seam_u64 stack;            /* bytes of stack that were used */
	seam_u32 searched, held;   /* looks in which locks were searched for, and one was found that the thread had */
	seam_u32 local, pad;       /* a bit for each triple whose library has thread-local data */
};

/* Caller chunk: this, then triples of function, file, line, each with a 0. */
struct seam_trace_caller {
	struct seam_chunk chunk;
	seam_u32 id, text;
	seam_u64 calls, ns;
};

struct seam_trace_crossing {
	struct seam_chunk chunk;
	seam_u32 id, pad;
	seam_u32 bins[SEAM_BINS];
};

/* ---- the process ---- */

/* A thread's time and waits, at some time. */
struct seam_trace_stamp { seam_u64 at, cpu, switches; };

struct seam_trace_frame {
	void *address;
	struct seam_trace_function *function;
	struct seam_trace_shard *shard;
	seam_u64 begin, start, callback;
	struct seam_trace_stamp stamp;  /* of before the call */
	seam_u64 resumed;               /* the start, or the end of the last callback */
	struct seam_trace_stamp resume; /* of before that */
	int marked, again, sampled;
	int in_go;                      /* C has called Go */
};

struct seam_trace_slot {
	struct seam_trace_shard **shards;
	int taken;
};

/* A thread. It lies in memory of its own, with the frames behind it. */
struct seam_trace_thread {
	struct seam_trace_slot *slot;
	int shared;
	int sampled;               /* Go times the next call */
	struct seam_trace_function *span_of;
	seam_u64 span;
	struct seam_trace_stamp stamp;
	int tid;
	struct seam_trace_thread *next, **at; /* in the process's list */
	unsigned long bytes;
	unsigned depth, room;
	struct seam_trace_frame *frames;
};

enum { SEAM_NEW, SEAM_ON, SEAM_OFF };

struct seam_trace_process {
	int state;
	struct seam_record record;
	int key_made;
	seam_u32 key;
	unsigned long clock_ns;
	struct seam_trace_package *packages;
	struct seam_trace_slot slots[SEAM_SLOTS + 1];
	struct seam_trace_thread *threads;
};

SEAM_WEAK struct seam_trace_process seam_trace_process;
SEAM_WEAK __thread struct seam_trace_thread *seam_trace_self;

/* Voluntary switches of this thread: how often it waited. */
static __inline__ seam_u64 seam_trace_switches(void)
{
	long usage[64];
	usage[SEAM_RU_NVCSW] = 0;
	seam_c_getrusage(SEAM_RUSAGE_THREAD, usage);
	return (seam_u64)usage[SEAM_RU_NVCSW];
}

static __inline__ unsigned seam_trace_bin(seam_u64 ns)
{
	unsigned e;
	if (ns < 16)
		return (unsigned)ns;
	e = 63 - (unsigned)__builtin_clzll(ns);
	if (e > 35)
		return SEAM_BINS - 1;
	return 16 + (e - 4) * 8 + (unsigned)(ns >> (e - 3) & 7);
}

static __inline__ void seam_trace_bump(int shared, seam_u64 *counter, seam_u64 n)
{
	if (shared)
		__atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
	else
		__atomic_store_n(counter, __atomic_load_n(counter, __ATOMIC_RELAXED) + n, __ATOMIC_RELAXED);
}

static __inline__ void seam_trace_raise(int shared, seam_u64 *most, seam_u64 n)
{
	seam_u64 old = __atomic_load_n(most, __ATOMIC_RELAXED);
	if (n <= old)
		return;
	if (!shared) {
		__atomic_store_n(most, n, __ATOMIC_RELAXED);
		return;
	}
	while (n > old && !__atomic_compare_exchange_n(most, &old, n, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static __inline__ int seam_trace_mine(void) { return seam_record_mine(&seam_trace_process.record); }
static __inline__ void seam_trace_lock(void) { seam_lock(&seam_trace_process.record.lock); }
static __inline__ void seam_trace_unlock(void) { seam_unlock(&seam_trace_process.record.lock); }

static __inline__ struct seam_trace_header *seam_trace_file(void)
{
	return (struct seam_trace_header *)seam_trace_process.record.file;
}

/* A part of the file. The lock is held. */
static __inline__ void *seam_trace_chunk(unsigned long bytes) { return seam_record_chunk(&seam_trace_process.record, bytes); }

/* Notes how long the process has run on processors, all that it does. */
enum { SEAM_CPU_NS = 2000000, SEAM_CLOCK_PROCESS = 2 };
SEAM_WEAK seam_u64 seam_trace_cpu_at;

static __inline__ void seam_trace_cpu(seam_u64 now)
{
	if (now - __atomic_load_n(&seam_trace_cpu_at, __ATOMIC_RELAXED) < SEAM_CPU_NS)
		return;
	__atomic_store_n(&seam_trace_cpu_at, now, __ATOMIC_RELAXED);
	seam_trace_raise(1, &seam_trace_file()->cpu, seam_clock(SEAM_CLOCK_PROCESS));
}

SEAM_WEAK void seam_trace_add(struct seam_trace_package *p)
{
	seam_trace_lock();
	p->next = seam_trace_process.packages;
	seam_trace_process.packages = p;
	seam_trace_unlock();
}

#endif
