/* The run-time of a traced program: opening the raw file. See seam_trace_impl.h. */
#pragma GCC system_header

static __inline__ void seam_trace_say(const char *what, const char *path)
{
	char line[4400];
	char *to = seam_trace_put(line, "seam: nothing is traced in this process: ") - 1;
	to = seam_trace_put(to, what) - 1;
	to = seam_trace_put(to, path) - 1;
	*to++ = '\n';
	if (seam_c_write(2, line, (unsigned long)(to - line)) < 0)
		return;
}

static __inline__ char *seam_trace_number(char *to, seam_u64 n)
{
	char digits[24];
	int i = 0;
	do
		digits[i++] = (char)('0' + n % 10);
	while (n /= 10);
	while (i)
		*to++ = digits[--i];
	return to;
}

/* Writes the folder for raw files into to; 0 if there is none. */
static __inline__ char *seam_trace_folder(char *to, unsigned long room)
{
	const char *dir = seam_c_getenv("SEAM_TRACE"), *below = "";
	char *start = to;
	if (!dir || !*dir) {
		below = "/seam/trace";
		dir = seam_c_getenv("XDG_CACHE_HOME");
	}
	if (!dir || !*dir) {
		below = "/.cache/seam/trace";
		dir = seam_c_getenv("HOME");
	}
	if (!dir || !*dir || __builtin_strlen(dir) + 64 > room)
		return 0;
	to = seam_trace_put(to, dir) - 1;
	to = seam_trace_put(to, below) - 1;
	for (dir = start + 1; dir <= to; dir++) {
		char *slash = (char *)dir;
		char was = *slash;
		if (was && was != '/')
			continue;
		*slash = 0;
		seam_c_mkdir(start, 0700); /* it is there, or open will tell */
		*slash = was;
	}
	return to;
}

SEAM_WEAK void seam_trace_calibrate(void);

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
	to = seam_trace_put((char *)(r + 1), p->path);
	to = seam_trace_put(to, f->name);
	to = seam_trace_put(to, f->signature);
	seam_trace_put(to, p->build);
	seam_trace_done(&r->chunk, SEAM_FUNCTION);
	f->record = r;
}

/* Makes the file. The lock is held. */
SEAM_WEAK int seam_trace_open(void)
{
	struct seam_trace_process *p = &seam_trace_process;
	struct seam_trace_header *h;
	struct seam_trace_package *pkg;
	seam_u64 real = seam_trace_clock(SEAM_CLOCK_REALTIME);
	seam_u32 id = 0;
	char exe[4096];
	long n;
	int fd = -1;
	unsigned try;
	char *end = seam_trace_folder(p->path, sizeof p->path);
	int *alive;
	if (!end) {
		seam_trace_say("no folder for its record: set SEAM_TRACE to one", "");
		return 0;
	}
	for (try = 0; try < 100 && fd < 0; try++) {
		char *to = seam_trace_put(end, "/") - 1;
		to = seam_trace_number(to, (seam_u64)seam_c_getpid());
		*to++ = '-';
		to = seam_trace_number(to, real + try);
		seam_trace_put(to, ".raw");
		fd = seam_c_open(p->path, SEAM_O_RDWR | SEAM_O_CREAT | SEAM_O_EXCL | SEAM_O_CLOEXEC, 0600);
		if (fd < 0 && *seam_c_errno() != SEAM_EEXIST)
			break;
	}
	if (fd < 0) {
		seam_trace_say("can't write ", p->path);
		return 0;
	}
	h = (struct seam_trace_header *)-1;
	if (seam_trace_grow(fd, 0, SEAM_GROW))
		h = (struct seam_trace_header *)seam_c_mmap(0, SEAM_MAX_FILE, SEAM_PROT_RW,
			SEAM_MAP_SHARED | SEAM_MAP_NORESERVE, fd, 0);
	seam_c_close(fd);
	if (h == (struct seam_trace_header *)-1) {
		seam_c_unlink(p->path);
		seam_trace_say("no room for ", p->path);
		return 0;
	}
	p->size = SEAM_GROW;
	p->file = h;
	h->version = SEAM_RAW_VERSION;
	h->order = 0x01020304;
	h->used = SEAM_HEADER;
	h->pid = (seam_u64)seam_c_getpid();
	h->start_real = real;
	h->start = seam_trace_now();
	alive = (int *)seam_trace_memory(4096);
	if (!alive)
		return 0;
	*alive = 1;
	if (seam_c_madvise(alive, 4096, SEAM_MADV_WIPEONFORK) != 0)
		p->alive_pid = seam_c_getpid();
	n = seam_c_readlink("/proc/self/exe", exe, sizeof exe - 1);
	if (n > 0) {
		struct seam_trace_caller *c;
		exe[n] = 0;
		c = (struct seam_trace_caller *)seam_trace_chunk(sizeof *c + 4 + (unsigned long)n + 1);
		if (c) {
			c->text = 4 + (seam_u32)n + 1;
			seam_trace_put(seam_trace_put((char *)(c + 1), "exe"), exe);
			seam_trace_done(&c->chunk, SEAM_TEXT);
		}
	}
	for (pkg = p->packages; pkg; pkg = pkg->next) {
		unsigned long i;
		for (i = 0; i < pkg->count && id < SEAM_MAX_FUNCTIONS; i++)
			seam_trace_function_chunk(pkg, &pkg->functions[i], id++);
	}
	if (seam_c_key_create && seam_c_setspecific) {
		extern void seam_trace_exit(void *) SEAM_TRACE_HIDDEN;
		p->key_made = seam_c_key_create(&p->key, seam_trace_exit) == 0;
	}
	__atomic_store_n(&p->alive, alive, __ATOMIC_RELEASE);
	seam_trace_calibrate();
	/* Last: without it the file is not one of ours. */
	__builtin_memcpy(h->magic, "SEAMRAW", 8);
	return 1;
}
