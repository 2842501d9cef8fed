/* The run-time of a program that is searched for leaks: Go's side, and the start. */
#pragma GCC system_header

extern void *seam_c_malloc(unsigned long) __asm__("malloc");
extern void *seam_c_dlopen(const char *, int) __asm__("dlopen") __attribute__((__weak__));
extern int seam_c_dlclose(void *) __asm__("dlclose") __attribute__((__weak__));

/* The same as seamLeaksRequest in rt/leaks.go. */
struct seam_leaks_request {
	int op;
	seam_u32 stack;            /* out of NEW_STACK */
	void *p;
	seam_u64 size;             /* SEAM_AS_TEXT: of the text at p */
	const char *text;
	unsigned long length;
	int off;                   /* out: nothing is tracked in this process */
};

enum { SEAM_MADE, SEAM_FREEING, SEAM_NEW_STACK, SEAM_NEW_TEXT };

#define SEAM_AS_TEXT (~0ull)

#define SEAM_LEAKS_WHAT "seam: no leak is searched in this process: "

/* Do frees come by here? Our own, and those of other libraries: they call what
   the program as a whole has, which is not ours where this is a library that it
   has loaded. */
SEAM_WEAK int seam_leaks_hooked(void)
{
	struct seam_stack *s = seam_leaks.tables->stacks[0];
	void (*shared)(void *) = 0;
	void *whole = seam_c_dlsym && seam_c_dlopen && seam_c_dlclose ? seam_c_dlopen(0, 1) : 0;
	void *f = whole ? seam_c_dlsym(whole, "free") : 0;
	int i;
	if (whole)
		seam_c_dlclose(whole);
	__builtin_memcpy(&shared, &f, sizeof f);
	for (i = 0; i < (shared ? 2 : 1); i++) { /* a static program has no others */
		void *p = seam_c_malloc(1);
		if (!p)
			return 0;
		seam_leaks_insert((seam_u64)p, 1, 0, 0);
		if (i == 0)
			seam_leaks_free(p);
		else
			shared(p);
	}
	i = s->freed == (seam_u64)i;
	s->freed = s->freed_bytes = 0;
	__builtin_memset(s->bins, 0, sizeof s->bins);
	return i;
}

extern int seam_c_thread(unsigned long *, const void *, void *(*)(void *), void *) __asm__("pthread_create") __attribute__((__weak__));
extern int seam_c_detach(unsigned long) __asm__("pthread_detach") __attribute__((__weak__));
extern int seam_c_sigmask(int, const void *, void *) __asm__("pthread_sigmask") __attribute__((__weak__));
extern long seam_c_sysconf(int) __asm__("sysconf");

enum { SEAM_SC_PAGESIZE = 30, SEAM_SIG_SETMASK = 2 };

/* The process's resident memory in bytes; 0 if it isn't told. */
SEAM_WEAK seam_u64 seam_leaks_rss(void)
{
	char text[128];
	const char *at = text;
	seam_u64 pages = 0;
	long n;
	int fd = seam_c_open("/proc/self/statm", SEAM_O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = seam_c_pread(fd, text, sizeof text - 1, 0);
	seam_c_close(fd);
	if (n <= 0)
		return 0;
	text[n] = 0;
	while (*at && *at != ' ')
		at++;
	while (*at == ' ')
		at++;
	for (; *at >= '0' && *at <= '9'; at++)
		pages = pages * 10 + (seam_u64)(*at - '0');
	return pages * (seam_u64)seam_c_sysconf(SEAM_SC_PAGESIZE);
}

/* Notes ten times a second that the process is there, and how large it is: who reads the record
   later knows nothing of when it ended, and the last allocation may be long before that. */
SEAM_WEAK void *seam_leaks_beat(void *unused)
{
	struct seam_timespec tenth;
	for (;;) {
		seam_u64 rss = seam_leaks_rss();
		if (!seam_record_mine(&seam_leaks.record))
			return unused;
		if (rss)
			__atomic_store_n(&seam_leaks_file()->rss_last, rss, __ATOMIC_RELAXED);
		__atomic_store_n(&seam_leaks_file()->seen, seam_now(), __ATOMIC_RELAXED);
		tenth.sec = 0;
		tenth.nsec = 100000000;
		seam_c_nanosleep(&tenth, 0);
	}
}

/* Without a thread the record says what it said without: when something was allocated last. */
static __inline__ void seam_leaks_begin_beat(void)
{
	unsigned long thread;
	seam_u64 all[16], was[16]; /* a sigset_t */
	seam_leaks_file()->rss_first = seam_leaks_file()->rss_last = seam_leaks_rss();
	if (!seam_c_thread || !seam_c_detach || !seam_c_sigmask)
		return; /* before glibc 2.34, in a program without threads */
	__builtin_memset(all, 0xff, sizeof all); /* signals are for the program's threads */
	if (seam_c_sigmask(SEAM_SIG_SETMASK, all, was))
		return;
	if (seam_c_thread(&thread, 0, seam_leaks_beat, 0) == 0)
		seam_c_detach(thread);
	seam_c_sigmask(SEAM_SIG_SETMASK, was, 0);
}

SEAM_WEAK int seam_leaks_start(void)
{
	struct seam_leaks *l = &seam_leaks;
	int *alive;
	seam_leaks_real_free(0);
	l->tables = (struct seam_leaks_tables *)seam_memory(sizeof *l->tables);
	if (!l->tables) {
		seam_say(SEAM_LEAKS_WHAT, "no memory for its tables", "");
		return 0;
	}
	if (!seam_record_open(&l->record, SEAM_LEAKS_WHAT, "SEAM_LEAKS", "/seam/leaks", SEAM_LEAKS_VERSION, &alive))
		return 0;
	seam_leaks_new_stack("", 0);
	__atomic_store_n(&l->record.alive, alive, __ATOMIC_RELEASE);
	if (!seam_leaks_hooked()) {
		*alive = 0;
		seam_leaks_file()->unsearched = 1;
		__builtin_memcpy(l->record.file->magic, "SEAMLEAK", 8);
		seam_say(SEAM_LEAKS_WHAT, "what C frees can't be seen: the program is linked statically, brings an allocator, or has loaded this library at run time", "");
		return 0;
	}
	seam_leaks_file()->end = l->record.file->start;
	seam_leaks_begin_beat();
	__builtin_memcpy(l->record.file->magic, "SEAMLEAK", 8);
	return 1;
}

SEAM_WEAK void seam_leaks_go(void *request)
{
	struct seam_leaks_request *q = (struct seam_leaks_request *)request;
	struct seam_leaks *l = &seam_leaks;
	struct seam_block *b;
	int *lock, was = *seam_c_errno();
	if (__builtin_expect(__atomic_load_n(&l->state, __ATOMIC_ACQUIRE) == SEAM_NEW, 0)) {
		seam_lock(&l->start_lock);
		if (l->state == SEAM_NEW)
			__atomic_store_n(&l->state, seam_leaks_start() ? SEAM_ON : SEAM_OFF, __ATOMIC_RELEASE);
		seam_unlock(&l->start_lock);
	}
	q->off = l->state == SEAM_OFF;
	if (!q->off && seam_record_mine(&l->record)) {
		switch (q->op) {
		case SEAM_MADE:
			if (q->size == SEAM_AS_TEXT)
				q->size = __builtin_strlen((const char *)q->p) + 1;
			if (seam_leaks_insert((seam_u64)q->p, q->size, q->stack, 0))
				seam_leaks_count(q->stack, 1, q->size, 0, 0);
			break;
		case SEAM_FREEING:
			b = seam_leaks_maybe(q->p) ? seam_leaks_find((seam_u64)q->p, &lock) : 0;
			if (b) {
				if (b->address == (seam_u64)q->p && b->state == SEAM_LIVE)
					b->freed_by = q->stack;
				else
					b->again = q->stack;
				seam_unlock(lock);
			}
			break;
		case SEAM_NEW_STACK:
			q->stack = seam_leaks_new_stack(q->text, q->length);
			break;
		case SEAM_NEW_TEXT:
			seam_record_text(&l->record, SEAM_TEXT, q->text, q->length);
			break;
		}
	}
	*seam_c_errno() = was;
}
