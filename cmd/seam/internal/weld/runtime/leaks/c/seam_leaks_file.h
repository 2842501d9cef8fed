/* The run-time of a program that is searched for leaks: what its file holds, the same as in recordlayout.go of package leaks, and its stacks. */
#pragma GCC system_header

enum {
	SEAM_LEAKS_VERSION = 3,

	/* Types of chunks; SEAM_TEXT is 4. */
	SEAM_BLOCKS = 1, SEAM_STACK = 2, SEAM_WRONG = 3,

	SEAM_BINS = 64,            /* of the history of a stack */
	SEAM_FIRST_SHIFT = 10,     /* its bins begin with 1 us */
	SEAM_STACKS = 1 << 14,
	SEAM_SLAB = 4096,          /* blocks in a chunk */
	SEAM_SLABS = 1024,
	SEAM_MOST_WRONG = 256,
	SEAM_KEPT = 1024,

	SEAM_LIVE = 1, SEAM_FREED = 2
};

struct seam_leaks_header {
	struct seam_record_header head;
	seam_u64 end;              /* when something was made or freed last */
	seam_u64 lost_blocks, lost_stacks, lost_wrong;
	seam_u64 unsearched;       /* 1: frees can't be seen, so nothing is recorded */
	seam_u64 seen;             /* when the process was there last: see seam_leaks_beat; 0: not told */
	seam_u64 rss_first, rss_last; /* its resident memory, bytes; 0: not told */
};

/* A block that Go has got. State is written last. A freed one is still in the
   hands of this file: see seam_leaks_free.h. */
struct seam_block {
	seam_u64 address, size;
	seam_u32 stack, next;      /* the next with the same hash, or the next unused; numbers begin at 1 */
	seam_u32 freed_by, again;  /* stacks of the first free and of one more, if Go made them */
	seam_u64 freed_at;         /* where in C */
	seam_u32 state, moved;     /* moved: by realloc, and Go has said nothing of it since */
};

struct seam_blocks {
	struct seam_chunk chunk;
	seam_u64 pad[7];
	struct seam_block list[SEAM_SLAB];
};

/* Stack chunk: this, then triples of function, file, line, each with a 0. */
struct seam_stack {
	struct seam_chunk chunk;
	seam_u32 id, length;
	seam_u64 made, made_bytes, freed, freed_bytes;
	int lock;
	seam_u32 shift;            /* a bin is 1 << shift ns */
	seam_u64 pad;
	seam_u32 bins[SEAM_BINS];  /* live blocks at the end of the time, plus 1; 0: as before */
};

/* Wrong chunk: this, then two texts, where in C it was freed first, and now. */
struct seam_wrong {
	struct seam_chunk chunk;
	seam_u32 kind, length;
	seam_u32 stack, first, second, pad;
	seam_u64 count, size, offset;
	seam_u64 pad2;
};

/* What lies in memory of its own. */
struct seam_leaks_tables {
	seam_u32 heads[1 << 20];   /* blocks by where they begin: the first of each hash */
	seam_u32 cover[1 << 16];   /* how many blocks reach into what has the hash, and begin before */
	int stripes[256];          /* locks */
	struct seam_block *slabs[SEAM_SLABS];
	struct seam_stack *stacks[SEAM_STACKS];
	struct seam_wrong *wrong[SEAM_MOST_WRONG];
	struct { void *p; seam_u64 size; } kept[SEAM_KEPT];
};

enum { SEAM_NEW, SEAM_ON, SEAM_OFF };

struct seam_leaks {
	/* What every free looks at; the rest is on other lines. */
	seam_u32 mask;             /* which levels have blocks, and which have long ones */
	struct seam_leaks_tables *tables;
	void (*free)(void *);
	void *(*realloc)(void *, unsigned long);
	int resolving;
	char pad[64];

	int state, start_lock;
	struct seam_record record;
	int slot_lock, kept_lock, wrong_lock;
	seam_u32 slots, unused;    /* blocks that ever were; the first that is unused again */
	seam_u32 stacks, wrong, kept_first, kept_next;
	seam_u64 kept_bytes;
};

SEAM_WEAK struct seam_leaks seam_leaks;

static __inline__ struct seam_leaks_header *seam_leaks_file(void)
{
	return (struct seam_leaks_header *)seam_leaks.record.file;
}

/* A new stack; 0, which stands for all that are not known, if there is no room. */
SEAM_WEAK seam_u32 seam_leaks_new_stack(const char *text, unsigned long length)
{
	struct seam_stack *s = 0;
	seam_u32 id = 0;
	seam_lock(&seam_leaks.record.lock);
	if (seam_leaks.stacks < SEAM_STACKS)
		s = (struct seam_stack *)seam_record_chunk(&seam_leaks.record, sizeof *s + length);
	if (s) {
		id = seam_leaks.stacks++;
		s->id = id;
		s->length = (seam_u32)length;
		s->shift = SEAM_FIRST_SHIFT;
		if (length)
			__builtin_memcpy(s + 1, text, length);
		seam_chunk_done(&s->chunk, SEAM_STACK);
		__atomic_store_n(&seam_leaks.tables->stacks[id], s, __ATOMIC_RELEASE);
	} else
		seam_leaks_file()->lost_stacks++;
	seam_unlock(&seam_leaks.record.lock);
	return id;
}

/* Counts what became of a block of a stack. Where the time has outgrown the
   bins, each takes in the next. */
SEAM_WEAK void seam_leaks_count(seam_u32 id, int made, seam_u64 made_bytes, int freed, seam_u64 freed_bytes)
{
	struct seam_stack *s = __atomic_load_n(&seam_leaks.tables->stacks[id], __ATOMIC_ACQUIRE);
	seam_u64 now = seam_now(), since = now - seam_leaks.record.file->start, live;
	int i;
	if (!s)
		return;
	seam_lock(&s->lock);
	s->made += (seam_u64)made;
	s->made_bytes += made_bytes;
	s->freed += (seam_u64)freed;
	s->freed_bytes += freed_bytes;
	while (since >> s->shift >= SEAM_BINS) {
		for (i = 0; i < SEAM_BINS / 2; i++)
			s->bins[i] = s->bins[2 * i + 1] ? s->bins[2 * i + 1] : s->bins[2 * i];
		for (; i < SEAM_BINS; i++)
			s->bins[i] = 0;
		s->shift++;
	}
	live = s->made - s->freed;
	s->bins[since >> s->shift] = (seam_u32)(live < 0xfffffffe ? live : 0xfffffffe) + 1;
	seam_unlock(&s->lock);
	__atomic_store_n(&seam_leaks_file()->end, now, __ATOMIC_RELAXED);
}
