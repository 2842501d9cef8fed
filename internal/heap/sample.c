//go:build cgo && linux && (amd64 || arm64) && !asan && !msan

// Which blocks are sampled, and what they stand for.
//
// Bytes that a thread allocates run past points that lie at random, a rate apart on average. The
// block under a point is sampled: one of s bytes, its head included, with probability p =
// 1-exp(-s/rate), so it stands for 1/p blocks of its kind. What a block stands for is computed from its size, in whole
// bytes, again when it is freed: sums never drift.
#include "heap.h"
#include "kernel.h"

#ifdef SEAM_UNWIND
#include <time.h>

seam_heap_head *seam_heap_record;
__thread seam_heap_thread seam_heap_self __attribute__((tls_model("initial-exec"), visibility("hidden"))); // the first block comes here, of whatever size
_Atomic uint8_t seam_heap_filter[SEAM_HEAP_FILTER] __attribute__((visibility("hidden")));

void seam_heap_acquire(seam_heap_lock *l) {
	for (int spins = 0; atomic_exchange_explicit(l, 1, memory_order_acquire); spins++) {
		if (spins < 100)
			continue;
		struct timespec pause = {0, 50000}; // the thread that has it may have a lower priority
		csys_kernel(spins < 200 ? SYS_sched_yield : SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
	}
}

int seam_heap_try(seam_heap_lock *l) { return !atomic_exchange_explicit(l, 1, memory_order_acquire); }

// exp(x)-1 for x from -64 to 0, to some 1e-15.
static double expm1_(double x) {
	x /= 1024;
	double e = x * (1 + x / 2 * (1 + x / 3 * (1 + x / 4)));
	for (int i = 0; i < 10; i++)
		e *= 2 + e;
	return e;
}

// The natural logarithm of u * 2^-64, u not 0.
static double log_(uint64_t u) {
	int shift = __builtin_clzll(u);
	double m = (double)(u << shift >> 11) * 0x1p-53; // from a half to 1
	double y = (m - 1) / (m + 1), y2 = y * y, sum = 0;
	for (int k = 21; k >= 1; k -= 2)
		sum = sum * y2 + 1. / k;
	return 2 * y * sum - shift * 0.69314718055994530942;
}

typedef struct {
	int64_t bytes, objects;
} weight;

// What a block of this size stands for. Objects are counted in thousandths.
static weight weigh(uint64_t size) {
	uint64_t rate = seam_heap_record->rate;
	if (rate <= 1 || size / rate >= 40)
		return (weight){(int64_t)size, 1000};
	double p = -expm1_(-(double)(size + SEAM_HEAP_HEAD) / (double)rate);
	return (weight){(int64_t)((double)size / p + 0.5), (int64_t)(1000 / p + 0.5)};
}

static uint64_t now(void) {
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

// Draws the distance to the next point.
static void draw(seam_heap_thread *t) {
	uint64_t rate = seam_heap_record->rate;
	if (rate <= 1) { // every block is one
		t->drawn -= t->left;
		t->left = 0;
		return;
	}
	if (t->random == 0)
		t->random = (uintptr_t)t * 0x9e3779b97f4a7c15 ^ now() ^ 1;
	t->random ^= t->random << 13; // xorshift64*
	t->random ^= t->random >> 7;
	t->random ^= t->random << 17;
	uint64_t u = t->random * 0x2545f4914f6cdd1d;
	double d = -log_(u | 1) * (double)rate;
	uint64_t next = d > 1e15 ? (uint64_t)1e15 : (uint64_t)d;
	t->drawn += next - t->left;
	t->left = next;
}

// The bytes that a thread has allocated, in units: so many bits of them are kept for each block.
enum { UNIT = 7, WHEN_BITS = 19, SHORT = 4096 >> UNIT };
static uint64_t clock_of(const seam_heap_thread *t) { return (t->drawn - t->left) >> UNIT & ((1 << WHEN_BITS) - 1); }

// Live blocks: a table in parts, each with a lock, in the order of their hashes (robin hood), so
// that it can be nearly full. An entry is two words: the address in units of 8 and when; the size
// and the site.
enum { PARTS = 64, SLOTS = 1 << 14, SIZE_BITS = 47 };
typedef struct {
	uint64_t key, value;
} entry;
typedef struct {
	seam_heap_lock lock;
	uint32_t count;
	char pad[56];
} part;
static part parts[PARTS];
static entry *entries; // SLOTS for each part, and as many beyond as a run may reach
enum { BEYOND = 1 << 9, ROOM = SLOTS + BEYOND };

static uint64_t mixed(uintptr_t p) {
	uint64_t h = (p >> 3) * 0x9e3779b97f4a7c15;
	return (h ^ h >> 32) * 0xd6e8feb86659fd93;
}
static uint64_t key_of(uintptr_t p, uint64_t when) { return (uint64_t)p >> 3 << WHEN_BITS | when; }
static uintptr_t address_of(uint64_t key) { return (uintptr_t)(key >> WHEN_BITS << 3); }
static uint32_t home(uintptr_t p) { return (uint32_t)(mixed(p) >> 40) % SLOTS; }

static int lock_part(part *t) {
	if (seam_heap_self.inside > 1) // a handler has interrupted us, maybe here
		return seam_heap_try(&t->lock);
	seam_heap_acquire(&t->lock);
	return 1;
}

static void filter_add(uintptr_t p, int n) {
	_Atomic uint8_t *f = &seam_heap_filter[seam_heap_hash(p)];
	uint8_t was = atomic_load_explicit(f, memory_order_relaxed);
	while (was != 255 && !atomic_compare_exchange_weak_explicit(f, &was, (uint8_t)(was + n), memory_order_relaxed, memory_order_relaxed))
		;
}

static int insert(uintptr_t p, uint64_t size, uint32_t site, uint64_t when) {
	unsigned which = (unsigned)(mixed(p) >> 58);
	part *t = &parts[which];
	entry *e = entries + (size_t)which * ROOM, new = {key_of(p, when), size << 17 | site};
	if (size >> SIZE_BITS || p >> 48 || !lock_part(t))
		return 0;
	uint32_t i = home(p);
	while (i < ROOM && e[i].key && home(address_of(e[i].key)) <= home(p))
		i++;
	uint32_t end = i;
	while (end < ROOM && e[end].key)
		end++;
	int ok = end < ROOM && t->count < SLOTS;
	if (ok) {
		for (; end > i; end--)
			e[end] = e[end - 1];
		e[i] = new;
		t->count++;
	}
	seam_heap_release(&t->lock);
	if (ok)
		filter_add(p, 1);
	return ok;
}

int seam_heap_forget(void *block, seam_heap_block *out) {
	uintptr_t p = (uintptr_t)block;
	unsigned which = (unsigned)(mixed(p) >> 58);
	part *t = &parts[which];
	entry *e = entries + (size_t)which * ROOM;
	if (!seam_heap_record || p >> 48)
		return 0;
	seam_heap_self.inside++;
	int found = 0;
	if (lock_part(t)) {
		uint32_t h = home(p), i = h;
		while (i < ROOM && e[i].key && home(address_of(e[i].key)) <= h && address_of(e[i].key) != p)
			i++;
		found = i < ROOM && e[i].key && address_of(e[i].key) == p;
		if (found) {
			*out = (seam_heap_block){p, e[i].value >> 17, e[i].value & ((1 << 17) - 1), e[i].key & ((1 << WHEN_BITS) - 1)};
			for (; i + 1 < ROOM && e[i + 1].key && home(address_of(e[i + 1].key)) <= i; i++)
				e[i] = e[i + 1];
			e[i].key = 0;
			t->count--;
		}
		seam_heap_release(&t->lock);
		if (found)
			filter_add(p, -1);
	}
	seam_heap_self.inside--;
	return found;
}

// At the peak all sites' live bytes are copied, whenever it is a 64th higher than at the last copy.
static seam_heap_lock peaking;

static void see_peak(int64_t live) {
	seam_heap_head *r = seam_heap_record;
	int64_t peak = atomic_load_explicit(&r->peak, memory_order_relaxed);
	if (live <= peak + peak / 64 + 4096 || !seam_heap_try(&peaking))
		return;
	atomic_store_explicit(&r->peak, live, memory_order_relaxed);
	atomic_store_explicit(&r->peak_at, (int64_t)now() - r->start, memory_order_relaxed);
	seam_heap_site *s = seam_heap_sites();
	for (uint32_t i = 0, n = atomic_load_explicit(&r->sites, memory_order_acquire); i < n; i++) {
		atomic_store_explicit(&s[i].peak_bytes, atomic_load_explicit(&s[i].live_bytes, memory_order_relaxed), memory_order_relaxed);
		atomic_store_explicit(&s[i].peak_objects, atomic_load_explicit(&s[i].live_objects, memory_order_relaxed), memory_order_relaxed);
	}
	seam_heap_release(&peaking);
}

static void add(_Atomic int64_t *to, int64_t n) { atomic_fetch_add_explicit(to, n, memory_order_relaxed); }

void seam_heap_count(uint32_t site, int64_t bytes, int64_t objects) {
	seam_heap_site *s = &seam_heap_sites()[site];
	add(&s->live_bytes, bytes);
	add(&s->live_objects, objects);
	if (objects > 0) {
		add(&s->bytes, bytes);
		add(&s->objects, objects);
		atomic_fetch_add_explicit(&s->samples, 1, memory_order_relaxed);
	}
	int64_t live = atomic_fetch_add_explicit(&seam_heap_record->live, bytes, memory_order_relaxed) + bytes;
	if (bytes > 0)
		see_peak(live);
}

void seam_heap_freed(const seam_heap_block *b) {
	weight w = weigh(b->size);
	seam_heap_site *s = &seam_heap_sites()[b->site];
	seam_heap_count((uint32_t)b->site, -w.bytes, -w.objects);
	if (((clock_of(&seam_heap_self) - b->when) & ((1 << WHEN_BITS) - 1)) <= SHORT) {
		add(&s->short_bytes, w.bytes);
		add(&s->short_objects, w.objects);
	}
}

static void lose(weight w) {
	atomic_fetch_add_explicit(&seam_heap_record->lost_blocks, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&seam_heap_record->lost_bytes, (uint64_t)w.bytes, memory_order_relaxed);
}

void seam_heap_keep(const seam_heap_block *b) {
	weight w = weigh(b->size);
	seam_heap_self.inside++;
	if (!insert(b->at, b->size, (uint32_t)b->site, b->when)) {
		seam_heap_count((uint32_t)b->site, -w.bytes, -w.objects);
		lose(w);
	}
	seam_heap_self.inside--;
}

// Stacks that are known: numbers of sites, 0 being none.
enum { INDEX = 1 << 17 };
static _Atomic uint32_t *site_index;
static seam_heap_lock adding;

static int same(const seam_heap_site *s, uint64_t hash, const uintptr_t *pcs, unsigned depth, unsigned c, uint32_t kind) {
	if (s->hash != hash || s->depth != depth || s->c != c || s->kind != kind)
		return 0;
	const uint64_t *had = seam_heap_pcs() + s->first;
	for (unsigned i = 0; i < depth; i++)
		if (had[i] != pcs[i])
			return 0;
	return 1;
}

uint64_t seam_heap_reserved[3];
enum { OF_SITES, OF_PCS, OF_MODULES };

int seam_heap_reserve(seam_heap_head *r, uint64_t from, uint64_t size) {
	enum { POPULATE_WRITE = 23 }; // of madvise
	uint64_t end = seam_heap_size(), low = from & ~(uint64_t)4095, high = from + size < end ? from + size : end;
	long err = high > low ? csys_kernel(SYS_madvise, (long)((char *)r + low), (long)(high - low), POPULATE_WRITE, 0, 0, 0) : 0;
	return err == 0 || err == -EINVAL; // Linux before 5.14 doesn't know it
}

// Has so many bytes of a part of the record, and some more for the next.
static int reserve(int part, uint64_t at, uint64_t size) {
	uint64_t *had = &seam_heap_reserved[part];
	if (size <= *had)
		return 1;
	enum { AHEAD = 32 << 10 };
	if (!seam_heap_reserve(seam_heap_record, at + *had, size - *had + AHEAD))
		return 0;
	*had = size + AHEAD;
	return 1;
}

// Adds the object that has an address to the record's, once.
static void note_module(const seam_snapshot *snap, uintptr_t pc) {
	seam_heap_head *r = seam_heap_record;
	const seam_object *o = seam_find(snap, pc);
	uint32_t n = atomic_load_explicit(&r->modules, memory_order_relaxed);
	if (!o)
		return;
	seam_heap_module *m = seam_heap_modules();
	for (uint32_t i = n; i-- > 0;)
		if (m[i].low == o->low && m[i].high == o->high && m[i].base == o->base && __builtin_memcmp(m[i].build_id, o->build_id, sizeof m[i].build_id) == 0 &&
		    __builtin_memcmp(m[i].path, o->path, sizeof m[i].path) == 0)
			return;
	if (n == SEAM_HEAP_MODULES || !reserve(OF_MODULES, r->modules_at, (n + 1) * sizeof *m))
		return;
	m[n].low = o->low;
	m[n].high = o->high;
	m[n].base = o->base;
	__builtin_memcpy(m[n].build_id, o->build_id, sizeof m[n].build_id);
	__builtin_memcpy(m[n].path, o->path, sizeof m[n].path);
	atomic_store_explicit(&r->modules, n + 1, memory_order_release);
}

uint32_t seam_heap_site_of(const uintptr_t *pcs, unsigned depth, unsigned c, uint32_t kind) {
	seam_heap_head *r = seam_heap_record;
	uint64_t hash = 0xcbf29ce484222325 ^ kind;
	for (unsigned i = 0; i < depth; i++)
		hash = (hash ^ pcs[i]) * 0x9e3779b97f4a7c15, hash ^= hash >> 29;
	for (uint32_t i = (uint32_t)hash;; i++) {
		uint32_t site = atomic_load_explicit(&site_index[i % INDEX], memory_order_acquire);
		if (!site)
			break;
		if (same(&seam_heap_sites()[site], hash, pcs, depth, c, kind))
			return site;
	}
	if (seam_heap_self.inside > 1) {
		if (!seam_heap_try(&adding))
			return 0;
	} else
		seam_heap_acquire(&adding);
	uint32_t i = (uint32_t)hash, site, made = 0;
	for (; (site = atomic_load_explicit(&site_index[i % INDEX], memory_order_relaxed)); i++)
		if (same(&seam_heap_sites()[site], hash, pcs, depth, c, kind)) {
			made = site;
			break;
		}
	uint32_t sites = atomic_load_explicit(&r->sites, memory_order_relaxed), used = atomic_load_explicit(&r->pcs, memory_order_relaxed);
	int room = sites < SEAM_HEAP_SITES && used + depth <= SEAM_HEAP_PCS;
	if (!made && room && reserve(OF_SITES, r->sites_at, (sites + 1) * sizeof(seam_heap_site)) && reserve(OF_PCS, r->pcs_at, (used + depth) * sizeof(uint64_t))) {
		for (unsigned k = 0; k < depth; k++)
			seam_heap_pcs()[used + k] = pcs[k];
		atomic_store_explicit(&r->pcs, used + depth, memory_order_release);
		int epoch;
		const seam_snapshot *snap = seam_enter(&epoch);
		for (unsigned k = 0; k < depth; k++)
			note_module(snap, pcs[k]);
		seam_leave(epoch);
		seam_heap_site *s = &seam_heap_sites()[sites];
		s->hash = hash;
		s->first = used;
		s->depth = (uint16_t)depth;
		s->c = (uint16_t)c;
		s->kind = kind;
		s->module = atomic_load_explicit(&r->modules, memory_order_relaxed);
		made = sites;
		atomic_store_explicit(&r->sites, sites + 1, memory_order_release);
		atomic_store_explicit(&site_index[i % INDEX], made, memory_order_release);
	} else if (!made)
		atomic_fetch_add_explicit(&r->lost_stacks, 1, memory_order_relaxed);
	seam_heap_release(&adding);
	return made;
}

// The registers here, for a walk that begins in this function's caller's frame.
static inline __attribute__((always_inline)) seam_regs here(void) {
	seam_regs r = {0};
#ifdef __x86_64__
	__asm__ volatile("lea 0(%%rip), %0; mov %%rsp, %1; mov %%rbp, %2" : "=r"(r.pc), "=r"(r.sp), "=r"(r.fp));
#else
	__asm__ volatile("adr %0, .; mov %1, sp; mov %2, x29; mov %3, x30" : "=r"(r.pc), "=r"(r.sp), "=r"(r.fp), "=r"(r.lr));
#endif
	return r;
}

// A program counter that belongs to no object; 0 where there is none.
static uintptr_t unknown(const uintptr_t *pcs, unsigned n, const seam_regs *end) {
	int epoch;
	uintptr_t pc = 0;
	const seam_snapshot *s = seam_enter(&epoch);
	if (n && pcs[n - 1] == (uintptr_t)seam_truncated && end->pc && !seam_find(s, end->pc - 1))
		pc = end->pc - 1;
	for (unsigned i = 0; i < n && !pc; i++)
		if (!seam_is_mark(pcs[i]) && !seam_find(s, pcs[i]))
			pc = pcs[i];
	seam_leave(epoch);
	return pc;
}

__attribute__((noinline)) unsigned seam_heap_stack(void *ret, uintptr_t *pcs, unsigned *c, int *by_runtime) {
	enum { OURS = 8 }; // frames of ours
	uintptr_t list[SEAM_HEAP_DEPTH + OURS];
	seam_regs end;
	seam_regs r = here();
	// The caller has its list on the stack that this runs on, so that is there up to its end: most
	// walks need to ask the kernel for no page.
	uintptr_t readable = (uintptr_t)(pcs + 2 * SEAM_HEAP_DEPTH);
	unsigned n = (unsigned)seam_walk_to(r, 1, readable, list, SEAM_HEAP_DEPTH + OURS, &end), from = 0;
	uintptr_t late = seam_heap_record->rate <= 1 ? unknown(list, n, &end) : 0;
	if (late) { // of every block: a library has been loaded since, and its tables are being made
		seam_await_object(late);
		n = (unsigned)seam_walk_to(r, 1, readable, list, SEAM_HEAP_DEPTH + OURS, &end);
	}
	uintptr_t hook = seam_plain((uintptr_t)ret) - 1;
	while (from < n && from < OURS && list[from] != hook)
		from++;
	if (from == n || from == OURS) { // it belongs to nothing
		list[0] = hook;
		list[1] = (uintptr_t)seam_truncated;
		n = 2;
		from = 0;
	}
	n -= from;
	if (n > SEAM_HEAP_DEPTH)
		n = SEAM_HEAP_DEPTH;
	__builtin_memcpy(pcs, list + from, n * sizeof *pcs);
	*c = n;
	int announced = 0;
	unsigned go = seam_heap_go(&end, pcs + n, SEAM_HEAP_DEPTH, &announced);
	*by_runtime = n <= 1 && end.pc >= seam_go_low && end.pc < seam_go_high && !announced;
	return n + go;
}

__attribute__((noinline)) void seam_heap_sample_as(void *p, size_t n, void *ret, uint32_t kind) {
	seam_heap_thread *t = &seam_heap_self;
	seam_heap_head *r = seam_heap_record;
	if (!p) {
		t->left += n + SEAM_HEAP_HEAD;
		return;
	}
	if (!r) {
		int never = seam_heap_early();
		r = seam_heap_record;
		if (!r) { // it is not counted
			t->left = never ? INT64_MAX : 0;
			t->drawn = 0;
			return;
		}
	}
	// The first point of a thread has not been drawn: that is no sample, unless it lies in this block.
	int first = t->random == 0 && r->rate > 1;
	if (t->inside || (uintptr_t)__builtin_frame_address(0) < t->named) {
		draw(t);
		return;
	}
	t->inside = 1;
	if (first) {
		t->left += n + SEAM_HEAP_HEAD;
		draw(t);
		if (seam_heap_passes(n))
			p = NULL;
	}
	if (p) {
		uintptr_t pcs[2 * SEAM_HEAP_DEPTH];
		unsigned c;
		int by_runtime;
		unsigned depth = seam_heap_stack(ret, pcs, &c, &by_runtime);
		uint32_t site = seam_heap_site_of(pcs, depth, c, kind);
		uint64_t when = clock_of(t);
		weight w = weigh(n);
		if (insert((uintptr_t)p, n, site, when))
			seam_heap_count(site, w.bytes, w.objects);
		else
			lose(w);
	}
	if ((int64_t)t->left < 0)
		draw(t);
	t->inside = 0;
}

void seam_heap_sample(void *p, size_t n, void *ret) { seam_heap_sample_as(p, n, ret, SEAM_HEAP_MALLOC); }

static uint64_t align(uint64_t n) { return (n + 4095) & ~(uint64_t)4095; }

uint64_t seam_heap_size(void) {
	return align(sizeof(seam_heap_head)) + align(sizeof(seam_heap_site) * SEAM_HEAP_SITES) + align(8 * (uint64_t)SEAM_HEAP_PCS) + align(sizeof(seam_heap_module) * SEAM_HEAP_MODULES);
}

void seam_heap_layout(seam_heap_head *r, uint64_t rate) {
	r->version = SEAM_HEAP_VERSION;
	r->head = sizeof *r;
	r->sites_at = align(sizeof *r);
	r->pcs_at = r->sites_at + align(sizeof(seam_heap_site) * SEAM_HEAP_SITES);
	r->modules_at = r->pcs_at + align(8 * (uint64_t)SEAM_HEAP_PCS);
	r->size = seam_heap_size();
	r->rate = rate ? rate : 1;
	r->pid = (uint64_t)csys_kernel(SYS_getpid, 0, 0, 0, 0, 0, 0);
	r->parent = (uint64_t)csys_kernel(SYS_getppid, 0, 0, 0, 0, 0, 0);
	r->start = (int64_t)now();
	atomic_store(&r->sites, 1); // the first is for stacks without room
	__builtin_memcpy(r->magic, "SEAMHEAP", 8); // last
}

void seam_heap_begin(seam_heap_head *r) {
	entries = seam_pages(sizeof(entry) * ROOM * PARTS);
	site_index = seam_pages(sizeof *site_index * INDEX);
	if (!entries || !site_index) {
		__builtin_memset(r->magic, 0, sizeof r->magic); // it is none
		return;
	}
	r->own[0] = (uintptr_t)entries;
	r->own[1] = (uintptr_t)(entries + ROOM * PARTS);
	r->own[2] = (uintptr_t)site_index;
	r->own[3] = (uintptr_t)(site_index + INDEX);
	seam_heap_record = r;
}

void seam_heap_lock_all(void) {
	seam_heap_self.inside++;
	for (int i = 0; i < PARTS; i++)
		seam_heap_acquire(&parts[i].lock);
	seam_heap_acquire(&adding);
	seam_heap_acquire(&peaking);
	seam_heap_lock_maps();
}

void seam_heap_unlock_all(void) {
	seam_heap_unlock_maps();
	seam_heap_release(&peaking);
	seam_heap_release(&adding);
	for (int i = 0; i < PARTS; i++)
		seam_heap_release(&parts[i].lock);
	seam_heap_self.inside--;
}
#endif
