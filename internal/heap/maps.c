//go:build cgo && linux && (amd64 || arm64) && !asan && !msan

// Anonymous mappings that the program has made, each with its site: all of them, for they are few.
// Neighbours of one site are one range, as they are for the kernel. What is mapped need not be touched.
#include "heap.h"

#ifdef SEAM_UNWIND

typedef struct {
	uintptr_t low, high;
	uint32_t site, objects;
} range;

enum { RANGES = 1 << 15 };
static range *ranges; // in order
static uint32_t count;
static seam_heap_lock lock;

extern uintptr_t seam_heap_allocator_low, seam_heap_allocator_high;

static int begin(void) {
	if (seam_heap_self.inside++ == 0)
		seam_heap_acquire(&lock);
	else if (!seam_heap_try(&lock)) {
		seam_heap_self.inside--;
		atomic_fetch_add_explicit(&seam_heap_record->lost_maps, 1, memory_order_relaxed);
		return 0;
	}
	return 1;
}

static void end(void) {
	seam_heap_release(&lock);
	seam_heap_self.inside--;
}

// The first range that ends after an address.
static uint32_t first_after(uintptr_t p) {
	uint32_t low = 0, high = count;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (ranges[middle].high <= p)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void put(uint32_t at, range r) {
	__builtin_memmove(ranges + at + 1, ranges + at, (count - at) * sizeof *ranges);
	ranges[at] = r;
	count++;
}

static void insert(uintptr_t low, uintptr_t high, uint32_t site) {
	if (!ranges && !(ranges = seam_pages(RANGES * sizeof *ranges)))
		return;
	uint32_t i = first_after(low);
	if (i < count && ranges[i].low == high && ranges[i].site == site) {
		ranges[i].low = low;
		ranges[i].objects++;
	} else if (i > 0 && ranges[i - 1].high == low && ranges[i - 1].site == site) {
		ranges[i - 1].high = high;
		ranges[i - 1].objects++;
	} else if (count == RANGES) {
		atomic_fetch_add_explicit(&seam_heap_record->lost_maps, 1, memory_order_relaxed);
		return;
	} else
		put(i, (range){low, high, site, 1});
	seam_heap_count(site, (int64_t)(high - low), 1000);
}

// Takes [low, high) out, and returns the site of the first mapping in it; 0 if there was none.
static uint32_t take(uintptr_t low, uintptr_t high) {
	uint32_t site = 0;
	for (uint32_t i = first_after(low); i < count && ranges[i].low < high;) {
		range r = ranges[i];
		if (!site)
			site = r.site;
		uintptr_t from = r.low > low ? r.low : low, to = r.high < high ? r.high : high;
		// Of several joined ones as many are gone as their part of the bytes; the last part takes the rest.
		uint32_t gone = from == r.low && to == r.high ? r.objects : (uint32_t)((double)r.objects * (double)(to - from) / (double)(r.high - r.low));
		seam_heap_count(r.site, -(int64_t)(to - from), -1000 * (int64_t)gone);
		ranges[i].objects = r.objects - gone;
		if (from > r.low && to < r.high) { // a hole
			ranges[i].high = from;
			if (count < RANGES) {
				ranges[i].objects = (r.objects - gone + 1) / 2;
				put(i + 1, (range){to, r.high, r.site, (r.objects - gone) / 2});
			} else {
				seam_heap_count(r.site, -(int64_t)(r.high - to), 0);
				atomic_fetch_add_explicit(&seam_heap_record->lost_maps, 1, memory_order_relaxed);
			}
			i += 2;
		} else if (from > r.low)
			ranges[i++].high = from;
		else if (to < r.high)
			ranges[i++].low = to;
		else {
			count--;
			__builtin_memmove(ranges + i, ranges + i + 1, (count - i) * sizeof *ranges);
		}
	}
	return site;
}

static uintptr_t pages(size_t n) { return (n + 4095) & ~(uintptr_t)4095; }

void seam_heap_mapped(void *p, size_t n, void *ret) {
	uintptr_t pcs[2 * SEAM_HEAP_DEPTH], low = (uintptr_t)p, from = (uintptr_t)ret;
	unsigned c;
	int by_runtime;
	if ((from >= seam_heap_allocator_low && from < seam_heap_allocator_high) || (uintptr_t)__builtin_frame_address(0) < seam_heap_self.named) // its blocks are counted
		return;
	if (!seam_heap_record || !begin())
		return;
	unsigned depth = seam_heap_stack(ret, pcs, &c, &by_runtime);
	if (!by_runtime)
		insert(low, low + pages(n), seam_heap_site_of(pcs, depth, c, SEAM_HEAP_MMAP));
	end();
}

void seam_heap_unmapped(void *p, size_t n) {
	if (!seam_heap_record || !count || !begin())
		return;
	take((uintptr_t)p, (uintptr_t)p + pages(n));
	end();
}

void seam_heap_moved(void *p, size_t n, void *to, size_t m, void *ret) {
	if (!seam_heap_record || !count || !begin())
		return;
	uint32_t site = take((uintptr_t)p, (uintptr_t)p + pages(n));
	take((uintptr_t)to, (uintptr_t)to + pages(m));
	if (site)
		insert((uintptr_t)to, (uintptr_t)to + pages(m), site);
	end();
	(void)ret;
}

void seam_heap_lock_maps(void) { seam_heap_acquire(&lock); }
void seam_heap_unlock_maps(void) { seam_heap_release(&lock); }
#endif
