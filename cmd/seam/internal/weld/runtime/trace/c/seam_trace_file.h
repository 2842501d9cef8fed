/* The run-time of a traced program: opening the record. See seam_trace_impl.h. */
#pragma GCC system_header

SEAM_WEAK void seam_trace_calibrate(void);
/* It looks where calls wait: watch/watch.c, a part of package runtime/cgo. */
extern void seam_trace_watch_start(void) __attribute__((__weak__));

SEAM_WEAK void seam_trace_function_chunk(struct seam_trace_package *p, struct seam_trace_function *f, seam_u32 id)
{
	unsigned long text = __builtin_strlen(p->path) + __builtin_strlen(f->name) +
		__builtin_strlen(f->signature) + __builtin_strlen(p->build) + 4;
	struct seam_trace_record *r = (struct seam_trace_record *)seam_trace_chunk(sizeof *r + text);
	char *to;
	if (!r)
		return;
	r->id = id;
	r->text = (seam_u32)text;
	to = seam_put((char *)(r + 1), p->path);
	to = seam_put(to, f->name);
	to = seam_put(to, f->signature);
	seam_put(to, p->build);
	seam_chunk_done(&r->chunk, SEAM_FUNCTION);
	f->record = r;
}

/* Makes the file. The lock is held. */
SEAM_WEAK int seam_trace_open(void)
{
	struct seam_trace_process *p = &seam_trace_process;
	struct seam_trace_package *pkg;
	seam_u32 id = 0;
	int *alive;
	if (!seam_record_open(&p->record, "seam: nothing is traced in this process: ", "SEAM_TRACE", "/seam/trace", SEAM_RAW_VERSION, &alive))
		return 0;
	for (pkg = p->packages; pkg; pkg = pkg->next) {
		unsigned long i;
		for (i = 0; i < pkg->count && id < SEAM_MAX_FUNCTIONS; i++)
			seam_trace_function_chunk(pkg, &pkg->functions[i], id++);
	}
	if (seam_c_key_create && seam_c_setspecific) {
		extern void seam_trace_exit(void *) SEAM_TRACE_HIDDEN;
		p->key_made = seam_c_key_create(&p->key, seam_trace_exit) == 0;
	}
	__atomic_store_n(&p->record.alive, alive, __ATOMIC_RELEASE);
	seam_trace_calibrate();
	if (seam_trace_watch_start)
		seam_trace_watch_start();
	else
		seam_trace_file()->flags |= SEAM_NO_WAITS;
	/* Last. */
	__builtin_memcpy(p->record.file->magic, "SEAMRAW", 8);
	return 1;
}
