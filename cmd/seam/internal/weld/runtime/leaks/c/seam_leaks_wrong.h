/* The run-time of a program that is searched for leaks: frees that are wrong. */
#pragma GCC system_header

enum { SEAM_TWICE = 1, SEAM_MIDDLE = 2 };

struct seam_dl_info { const char *file; void *base; const char *name; void *address; };

/* Weak: before glibc 2.34 it is in a library that nobody may have asked for. */
extern int seam_c_dladdr(const void *, struct seam_dl_info *) __asm__("dladdr") __attribute__((__weak__));

/* Writes where in C an address lies: "free_it in libx.so.1", "libx.so.1+0x1234". */
static __inline__ char *seam_put_place(char *to, char *end, seam_u64 address)
{
	struct seam_dl_info at;
	const char *file, *name;
	if (address && seam_c_dladdr && seam_c_dladdr((void *)address, &at) && at.file) {
		for (file = name = at.file; *name; name++)
			if (*name == '/')
				file = name + 1;
		if (at.name && *at.name && to + __builtin_strlen(at.name) + __builtin_strlen(file) + 8 < end) {
			to = seam_put(to, at.name) - 1;
			return seam_put(seam_put(to, " in ") - 1, file);
		}
		if (to + __builtin_strlen(file) + 24 < end) {
			seam_u64 offset = address - (seam_u64)at.base;
			int shift;
			to = seam_put(seam_put(to, file) - 1, "+0x") - 1;
			for (shift = 60; shift > 0 && !(offset >> shift & 15); shift -= 4)
				;
			for (; shift >= 0; shift -= 4)
				*to++ = "0123456789abcdef"[offset >> shift & 15];
		}
	}
	*to++ = 0;
	return to;
}

/* Notes a free that is wrong, once for each way in which it is. */
SEAM_WEAK void seam_leaks_wrong(seam_u32 kind, const struct seam_block *b, seam_u64 p, seam_u64 site)
{
	struct seam_leaks *l = &seam_leaks;
	struct seam_wrong *w = 0;
	seam_u64 offset = p - b->address;
	seam_u32 i;
	int was = *seam_c_errno();
	/* Before the lock: dladdr has one of its own, under which others may free. */
	char text[2048], *end = seam_put_place(text, text + sizeof text, kind == SEAM_TWICE ? b->freed_at : 0);
	end = seam_put_place(end, text + sizeof text, site);
	seam_lock(&l->wrong_lock);
	for (i = 0; i < l->wrong && !w; i++) {
		struct seam_wrong *x = l->tables->wrong[i];
		if (x->kind == kind && x->stack == b->stack && x->first == b->freed_by && x->second == b->again && x->offset == offset && x->size == b->size)
			w = x;
	}
	if (w)
		w->count++;
	else {
		seam_lock(&l->record.lock);
		if (l->wrong < SEAM_MOST_WRONG)
			w = (struct seam_wrong *)seam_record_chunk(&l->record, sizeof *w + (unsigned long)(end - text));
		seam_unlock(&l->record.lock);
		if (w) {
			w->kind = kind;
			w->length = (seam_u32)(end - text);
			w->stack = b->stack;
			w->first = kind == SEAM_TWICE ? b->freed_by : 0;
			w->second = b->again;
			w->count = 1;
			w->size = b->size;
			w->offset = offset;
			__builtin_memcpy(w + 1, text, (unsigned long)(end - text));
			seam_chunk_done(&w->chunk, SEAM_WRONG);
			l->tables->wrong[l->wrong++] = w;
		} else
			seam_leaks_file()->lost_wrong++;
	}
	seam_unlock(&l->wrong_lock);
	*seam_c_errno() = was;
}
