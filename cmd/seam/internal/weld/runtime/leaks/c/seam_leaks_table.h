/*
 * The run-time of a program that is searched for leaks: the table of blocks.
 *
 * A block stands in the chain of the granule in which it begins. Granules are
 * as large as their level says, and a block is on the first level on which it
 * touches no more than SEAM_REACH of them. So the block that a pointer leads
 * into, if there is one, begins in the pointer's granule or a few before it,
 * and where no block begins and none reaches, one look says so.
 */
#pragma GCC system_header

enum { SEAM_LEVELS = 5, SEAM_REACH = 17, SEAM_SPANS = 8 /* bit of the mask */ };

/* 256 bytes, 64 KB, 16 MB, 4 GB, 1 TB */
static __inline__ seam_u64 seam_granule(unsigned level, seam_u64 address) { return address >> (8 + 8 * level); }

static __inline__ unsigned seam_hash(unsigned level, seam_u64 granule)
{
	return (unsigned)((granule << 3 | level) * 0x9E3779B97F4A7C15ull >> 44);
}

/* How many granules a block touches. */
static __inline__ seam_u64 seam_touches(unsigned level, seam_u64 address, seam_u64 size)
{
	seam_u64 last = size ? address + size - 1 : address;
	return seam_granule(level, last) - seam_granule(level, address) + 1;
}

static __inline__ unsigned seam_level(seam_u64 address, seam_u64 size)
{
	unsigned level = 0;
	while (level < SEAM_LEVELS - 1 && seam_touches(level, address, size) > SEAM_REACH)
		level++;
	return level;
}

static __inline__ struct seam_block *seam_block_at(seam_u32 number)
{
	number--;
	return &seam_leaks.tables->slabs[number / SEAM_SLAB][number % SEAM_SLAB];
}

/* May the pointer be one of ours, or lead into one? No lock is needed: who frees
   a block has got its address from the thread that made it, after it was noted here. */
static __inline__ int seam_leaks_maybe(void *p)
{
	seam_u32 mask = __atomic_load_n(&seam_leaks.mask, __ATOMIC_ACQUIRE);
	struct seam_leaks_tables *t = seam_leaks.tables;
	for (; mask; mask &= mask - 1) {
		unsigned bit = (unsigned)__builtin_ctz(mask), level = bit & 7;
		unsigned hash = seam_hash(level, seam_granule(level, (seam_u64)p));
		if (__atomic_load_n(bit < SEAM_SPANS ? &t->heads[hash] : &t->cover[hash & 0xffff], __ATOMIC_RELAXED))
			return 1;
	}
	return 0;
}

/* Notes for each granule but the first that a block reaches into it. */
static __inline__ void seam_leaks_reach(seam_u64 address, seam_u64 size, seam_u32 plus)
{
	unsigned level = seam_level(address, size);
	seam_u64 n = seam_touches(level, address, size), i;
	for (i = 1; i < n && i < SEAM_REACH; i++)
		__atomic_fetch_add(&seam_leaks.tables->cover[seam_hash(level, seam_granule(level, address) + i) & 0xffff], plus, __ATOMIC_RELAXED);
}

/* A place for a block; 0 if there is none. */
SEAM_WEAK seam_u32 seam_leaks_slot(void)
{
	struct seam_leaks *l = &seam_leaks;
	seam_u32 number = 0;
	seam_lock(&l->slot_lock);
	if (l->unused) {
		number = l->unused;
		l->unused = seam_block_at(number)->next;
	} else if (l->slots < SEAM_SLAB * SEAM_SLABS) {
		struct seam_block **slab = &l->tables->slabs[l->slots / SEAM_SLAB];
		if (!*slab) {
			struct seam_blocks *c;
			seam_lock(&l->record.lock);
			c = (struct seam_blocks *)seam_record_chunk(&l->record, sizeof *c);
			seam_unlock(&l->record.lock);
			if (c) {
				*slab = c->list;
				seam_chunk_done(&c->chunk, SEAM_BLOCKS);
			}
		}
		if (*slab)
			number = ++l->slots;
	}
	seam_unlock(&l->slot_lock);
	return number;
}

SEAM_WEAK void seam_leaks_drop_slot(seam_u32 number)
{
	seam_lock(&seam_leaks.slot_lock);
	seam_block_at(number)->next = seam_leaks.unused;
	seam_leaks.unused = number;
	seam_unlock(&seam_leaks.slot_lock);
}

/* Takes the block that begins at an address out of the table, if it is in that
   state. */
SEAM_WEAK int seam_leaks_remove(seam_u64 address, seam_u32 state, struct seam_block *was)
{
	struct seam_leaks_tables *t = seam_leaks.tables;
	unsigned level;
	for (level = 0; level < SEAM_LEVELS; level++) {
		unsigned hash = seam_hash(level, seam_granule(level, address));
		int *lock = &t->stripes[hash & 255];
		seam_u32 *link;
		if (!__atomic_load_n(&t->heads[hash], __ATOMIC_RELAXED))
			continue;
		seam_lock(lock);
		for (link = &t->heads[hash]; *link; link = &seam_block_at(*link)->next) {
			seam_u32 number = *link;
			struct seam_block *b = seam_block_at(number);
			if (b->address != address || b->state != state)
				continue;
			*was = *b;
			__atomic_store_n(&b->state, 0, __ATOMIC_RELEASE);
			b->address = 0;
			__atomic_store_n(link, b->next, __ATOMIC_RELAXED);
			seam_unlock(lock);
			seam_leaks_reach(address, was->size, (seam_u32)-1);
			seam_leaks_drop_slot(number);
			return 1;
		}
		seam_unlock(lock);
	}
	return 0;
}

/* Puts a block into the table. 0 if there is no room: then it counts nowhere, since
   nobody will see it freed. */
SEAM_WEAK int seam_leaks_insert(seam_u64 address, seam_u64 size, seam_u32 stack, seam_u32 moved)
{
	struct seam_leaks_tables *t = seam_leaks.tables;
	struct seam_block *b, was;
	unsigned level = seam_level(address, size), hash = seam_hash(level, seam_granule(level, address));
	seam_u32 number, bits = 1u << level;
	/* Realloc has made it known already, for Go to say more: then its bytes are
	   counted by now, and are taken back. Or it was freed where we could not see it. */
	if (seam_leaks_remove(address, SEAM_LIVE, &was)) {
		int known = was.moved && was.size == size && !moved;
		seam_leaks_count(was.stack, 0, known ? 0 - was.size : 0, 1, known ? 0 : was.size);
	}
	number = seam_leaks_slot();
	if (!number) {
		__atomic_fetch_add(&seam_leaks_file()->lost_blocks, 1, __ATOMIC_RELAXED);
		return 0;
	}
	b = seam_block_at(number);
	b->address = address;
	b->size = size;
	b->stack = stack;
	b->moved = moved;
	b->freed_by = b->again = 0;
	b->freed_at = 0;
	if (seam_touches(level, address, size) > 1) {
		seam_leaks_reach(address, size, 1);
		bits |= bits << SEAM_SPANS;
	}
	seam_lock(&t->stripes[hash & 255]);
	b->next = t->heads[hash];
	__atomic_store_n(&b->state, SEAM_LIVE, __ATOMIC_RELEASE);
	__atomic_store_n(&t->heads[hash], number, __ATOMIC_RELEASE);
	seam_unlock(&t->stripes[hash & 255]);
	if ((__atomic_load_n(&seam_leaks.mask, __ATOMIC_RELAXED) & bits) != bits)
		__atomic_fetch_or(&seam_leaks.mask, bits, __ATOMIC_RELEASE);
	return 1;
}

/*
 * Finds the block that a pointer leads to or into, and leaves it locked: the
 * caller unlocks *lock. 0 if there is none. Blocks don't overlap, so the search
 * goes back no farther than to the first granule with a block before the pointer.
 */
SEAM_WEAK struct seam_block *seam_leaks_find(seam_u64 p, int **lock)
{
	struct seam_leaks_tables *t = seam_leaks.tables;
	seam_u32 mask = __atomic_load_n(&seam_leaks.mask, __ATOMIC_ACQUIRE);
	unsigned level;
	for (level = 0; level < SEAM_LEVELS; level++) {
		seam_u64 granule = seam_granule(level, p), back, most = 0;
		if (!(mask >> level & 1))
			continue;
		if (mask >> (level + SEAM_SPANS) & 1 &&
			__atomic_load_n(&t->cover[seam_hash(level, granule) & 0xffff], __ATOMIC_RELAXED))
			most = SEAM_REACH - 1;
		for (back = 0; back <= most && back <= granule; back++) {
			unsigned hash = seam_hash(level, granule - back);
			seam_u32 number;
			if (!__atomic_load_n(&t->heads[hash], __ATOMIC_RELAXED))
				continue;
			*lock = &t->stripes[hash & 255];
			seam_lock(*lock);
			for (number = t->heads[hash]; number; number = seam_block_at(number)->next) {
				struct seam_block *b = seam_block_at(number);
				/* An address alone is not enough: an empty block has one too. */
				if (b->address == p || (p > b->address && p - b->address < b->size))
					return b;
				if (b->address < p && seam_granule(level, b->address) == granule - back)
					most = back;
			}
			seam_unlock(*lock);
		}
	}
	return 0;
}
