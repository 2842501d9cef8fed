/* The run-time of a traced program: what tracing itself costs. See seam_trace_impl.h. */
#pragma GCC system_header

SEAM_WEAK void seam_trace_sort(seam_u64 *v, int n)
{
	int i, j;
	for (i = 1; i < n; i++)
		for (j = i; j > 0 && v[j - 1] > v[j]; j--) {
			seam_u64 x = v[j];
			v[j] = v[j - 1];
			v[j - 1] = x;
		}
}

SEAM_WEAK void seam_trace_calibrate(void)
{
	enum { rounds = 51, calls = 40 };
	struct seam_trace_process *p = &seam_trace_process;
	struct seam_trace_thread *was = seam_trace_self, *t;
	struct seam_trace_slot slot;
	struct seam_trace_shard *table[1], *shard;
	struct seam_trace_record record;
	struct seam_trace_function function;
	struct seam_timespec nap;
	seam_u64 took[rounds], a, switches;
	int i, k;
	for (i = 0; i < rounds; i++) {
		a = seam_now();
		for (k = 0; k < calls; k++)
			seam_now();
		took[i] = (seam_now() - a) * 1000 / (calls + 1);
	}
	seam_trace_sort(took, rounds);
	seam_trace_file()->clock_ps = took[rounds / 2];
	p->clock_ns = (unsigned long)(took[rounds / 2] / 1000);

	/* Does the kernel count waits? On a busy machine a short nap may be over before
	   the thread has gone to sleep, so longer ones are tried too. */
	switches = seam_trace_switches();
	nap.sec = 0;
	for (nap.nsec = 1000; nap.nsec <= 10 * 1000 * 1000 && seam_trace_switches() == switches; nap.nsec *= 10)
		seam_c_nanosleep(&nap, 0);
	if (seam_trace_switches() == switches)
		seam_trace_file()->flags |= SEAM_NO_SWITCHES;

	/* Calls of nothing, counted in memory that is then given back. */
	shard = (struct seam_trace_shard *)seam_memory(sizeof *shard);
	table[0] = shard;
	slot.shards = table;
	slot.taken = 1;
	t = shard ? seam_trace_new_thread(&slot, 0) : 0;
	if (t) {
		__builtin_memset(&record, 0, sizeof record);
		function.name = function.signature = "";
		function.record = &record;
		seam_trace_self = t;
		for (i = 0; i < rounds; i++) {
			a = seam_now();
			for (k = 0; k < calls; k++)
				seam_trace_leave(seam_trace_enter(&function, &a), &a);
			took[i] = (seam_now() - a) * 1000 / calls;
		}
		seam_trace_self = was;
		seam_trace_sort(took, rounds);
		seam_trace_file()->empty_ps = took[rounds / 2];
		seam_c_munmap(t, t->bytes);
	}
	if (shard)
		seam_c_munmap(shard, sizeof *shard);
}
