/*
 * The run-time of a program that is profiled, in C: the unwinder of package prof, which
 * Go's profiler is given, and where samples are written down. It is compiled into package
 * runtime/cgo, in front of all else. Go does the rest: rt/prof.go.
 */
#pragma GCC system_header

#ifndef SEAM_PROF_IMPL_H
#define SEAM_PROF_IMPL_H

#include "seam_unwind.h"
#include "seam_record.h"

enum {
	SEAM_PROF_VERSION = 2,  /* the first: package recording knows 1 as a header without failed */
	SEAM_PROF_STACK = 1,    /* a struct seam_prof_stack */
	SEAM_PROF_FRAME = 2,    /* a struct seam_text: function, file and line of Go */
	SEAM_PROF_MAPS = 3,     /* a struct seam_text: the lines of /proc/self/maps with code */
	SEAM_PROF_TRUNCATED = 1 /* stands for an address where a stack of C could not be followed further */
};

struct seam_prof_header {
	struct seam_record_header head;
	seam_u64 rate;          /* samples a second of CPU time, of each thread */
	seam_u64 lost;          /* samples for which there was no room */
};

/* A stack, the innermost frame first: each is an address of C, or the number of a
   SEAM_PROF_FRAME with the highest bit set. */
struct seam_prof_stack {
	struct seam_chunk chunk;
	seam_u64 count;         /* of samples */
	seam_u64 frames;        /* of the frames that follow, how many there are */
};

/* The same as seamProfRequest in rt/prof.go. */
struct seam_prof_request {
	int op;
	int off;                /* out: this process can't record */
	void *data;
	unsigned long length;
	unsigned long low, high; /* of Go's functions */
	seam_u64 number;        /* of a frame; out: the rate */
	void *place;            /* out: where a stack's samples are counted; in: there */
};

enum { SEAM_PROF_START, SEAM_PROF_TEXT, SEAM_PROF_NEW_FRAME, SEAM_PROF_NEW_STACK, SEAM_PROF_LOST };

static struct seam_prof {
	int lock;
	struct seam_record record;
	seam_u64 looked;        /* when the maps were read */
	unsigned known;         /* how many ranges of code there are */
	struct { seam_u64 low, high; } code[1024];
} seam_prof;

#define SEAM_PROF_WHAT "seam: this process is not profiled: "

static void seam_prof_write(seam_u32 type, seam_u32 id, const char *text, unsigned long length)
{
	struct seam_text *c = (struct seam_text *)seam_record_chunk(&seam_prof.record, sizeof *c + length);
	if (!c)
		return;
	c->id = id;
	c->length = (seam_u32)length;
	__builtin_memcpy(c + 1, text, length);
	seam_chunk_done(&c->chunk, type);
}

static seam_u64 seam_prof_hex(const char **at)
{
	seam_u64 v = 0;
	for (;; ++*at) {
		char c = **at;
		if (c >= '0' && c <= '9')
			v = v << 4 | (seam_u64)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (seam_u64)(c - 'a' + 10);
		else
			return v;
	}
}

extern long seam_c_read(int, void *, unsigned long) __asm__("read");

/* Notes the range of a line of /proc/self/maps, if it has code. */
static int seam_prof_is_code(const char *line)
{
	struct seam_prof *p = &seam_prof;
	seam_u64 high, low = seam_prof_hex(&line);
	if (*line++ != '-')
		return 0;
	high = seam_prof_hex(&line);
	if (line[0] != ' ' || line[1] == '\n' || line[2] == '\n' || line[3] != 'x' || p->known == sizeof p->code / sizeof *p->code)
		return 0;
	p->code[p->known].low = low;
	p->code[p->known++].high = high;
	return 1;
}

/* Writes down what code lies where. */
static void seam_prof_maps(void)
{
	enum { ROOM = 4 << 20 };
	struct seam_prof *p = &seam_prof;
	char *text = (char *)seam_memory(ROOM), *end = text, *kept = text, *line = text;
	long n;
	int fd;
	p->looked = seam_now();
	if (!text)
		return;
	fd = seam_c_open("/proc/self/maps", SEAM_O_CLOEXEC);
	while (fd >= 0 && end < text + ROOM && (n = seam_c_read(fd, end, (unsigned long)(text + ROOM - end))) > 0)
		end += n;
	if (fd >= 0)
		seam_c_close(fd);
	p->known = 0;
	while (line < end) {
		char *next = (char *)__builtin_memchr(line, '\n', (unsigned long)(end - line));
		if (!next)
			break;
		next++;
		if (seam_prof_is_code(line)) {
			__builtin_memmove(kept, line, (unsigned long)(next - line));
			kept += next - line;
		}
		line = next;
	}
	if (kept > text)
		seam_prof_write(SEAM_PROF_MAPS, 0, text, (unsigned long)(kept - text));
	seam_c_munmap(text, ROOM);
}

static int seam_prof_knows(seam_u64 pc)
{
	unsigned i;
	for (i = 0; i < seam_prof.known; i++)
		if (pc >= seam_prof.code[i].low && pc < seam_prof.code[i].high)
			return 1;
	return 0;
}

static void *seam_prof_new_stack(const seam_u64 *frames, unsigned long n)
{
	struct seam_prof_stack *c;
	seam_u64 *to;
	unsigned long i;
	int known = 1;
	for (i = 0; i < n; i++)
		known &= frames[i] >> 63 || frames[i] == (seam_u64)seam_u_truncated || seam_prof_knows(frames[i]);
	/* Code that no file has (a compiler at run time) is never known. */
	if (!known && seam_now() - seam_prof.looked > 100000000)
		seam_prof_maps();
	c = (struct seam_prof_stack *)seam_record_chunk(&seam_prof.record, sizeof *c + n * sizeof *frames);
	if (!c)
		return 0;
	c->frames = n;
	to = (seam_u64 *)(c + 1);
	for (i = 0; i < n; i++)
		to[i] = frames[i] == (seam_u64)seam_u_truncated ? SEAM_PROF_TRUNCATED : frames[i];
	seam_chunk_done(&c->chunk, SEAM_PROF_STACK);
	return &c->count;
}

static int seam_prof_start(unsigned long low, unsigned long high)
{
	struct seam_record *r = &seam_prof.record;
	struct seam_prof_header *h;
	const char *rate = seam_c_getenv("SEAM_PROF_RATE");
	seam_u64 hz = 0;
	int *alive;
	for (; rate && *rate >= '0' && *rate <= '9' && hz < 10000; rate++)
		hz = hz * 10 + (seam_u64)(*rate - '0');
	if (seam_u_start(low, high) != 0) {
		seam_say(SEAM_PROF_WHAT, "no memory or no thread for what follows stacks", "");
		return 0;
	}
	if (!seam_record_open(r, SEAM_PROF_WHAT, "SEAM_PROF", "/seam/prof", SEAM_PROF_VERSION, &alive))
		return 0;
	__atomic_store_n(&r->alive, alive, __ATOMIC_RELEASE);
	h = (struct seam_prof_header *)r->file;
	h->rate = hz > 0 && hz <= 10000 ? hz : 100;
	seam_prof_maps();
	__builtin_memcpy(r->file->magic, "SEAMPROF", 8);
	return 1;
}

void seam_prof_go(void *request);
void seam_prof_go(void *request)
{
	struct seam_prof_request *q = (struct seam_prof_request *)request;
	struct seam_record *r = &seam_prof.record;
	int was = *seam_c_errno();
	seam_lock(&seam_prof.lock);
	q->off = q->op == SEAM_PROF_START ? !seam_prof_start(q->low, q->high) : !seam_record_mine(r);
	if (!q->off) {
		struct seam_prof_header *h = (struct seam_prof_header *)r->file;
		switch (q->op) {
		case SEAM_PROF_START:
			q->number = h->rate;
			break;
		case SEAM_PROF_TEXT:
			seam_prof_write(SEAM_TEXT, 0, (const char *)q->data, q->length);
			break;
		case SEAM_PROF_NEW_FRAME:
			seam_prof_write(SEAM_PROF_FRAME, (seam_u32)q->number, (const char *)q->data, q->length);
			break;
		case SEAM_PROF_NEW_STACK:
			q->place = seam_prof_new_stack((const seam_u64 *)q->data, q->length);
			break;
		case SEAM_PROF_LOST:
			h->lost += q->number;
		}
	}
	seam_unlock(&seam_prof.lock);
	*seam_c_errno() = was;
}

#endif
