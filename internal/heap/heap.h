// The sampler of C's live heap: what its files share, and the record that it keeps. hooks.c stands
// in front of the allocator; sample.c chooses blocks and counts them by the stack that asked for
// them; maps.c does so for mappings; gostack.c finds the Go functions below C's; agent.c makes of
// all that a library to be preloaded.
//
// What runs in malloc takes no lock that anybody else's code can hold, and calls no libc function.
#ifndef SEAM_HEAP_H
#define SEAM_HEAP_H

#include "unwind.h"

#include <stdatomic.h>

// The record: pages that the tool maps too. Every number is in the machine's byte order. A tool that
// reads it trusts none. Sites and program counters are only added, and counted after they are there.
enum {
	SEAM_HEAP_VERSION = 2,
	SEAM_HEAP_SITES = 1 << 16,
	SEAM_HEAP_PCS = 1 << 21,
	SEAM_HEAP_MODULES = 1 << 10,
	SEAM_HEAP_DEPTH = 64, // frames of C; as many of Go
};

// How a site gets its memory.
enum { SEAM_HEAP_MALLOC, SEAM_HEAP_MMAP, SEAM_HEAP_NAMED }; // and what follows: functions of seam heap --alloc, in their order

// What a stack has allocated. Of sampled blocks each counts for all that it stands for.
typedef struct {
	uint64_t hash;
	uint32_t first; // of its program counters
	uint16_t depth, c; // how many there are, and how many of them are C's
	uint32_t kind, module; // how many modules were known
	_Atomic int64_t live_bytes, live_objects, bytes, objects, short_bytes, short_objects;
	_Atomic int64_t peak_bytes, peak_objects; // at the process's peak
	_Atomic uint64_t samples;
} seam_heap_site;

typedef struct {
	uint64_t low, high, base;
	char build_id[96], path[256]; // "" is the program
} seam_heap_module;

typedef struct {
	char magic[8]; // "SEAMHEAP"
	uint32_t version, head;
	uint64_t sites_at, pcs_at, modules_at, size; // offsets, and the whole
	uint64_t rate, pid, parent;                  // bytes a sample; 1: everything
	int64_t start;                               // nanoseconds since 1970
	_Atomic uint32_t sites, pcs, modules;
	_Atomic uint32_t named; // a bit for each function of seam heap --alloc that was called
	_Atomic int64_t live, peak, peak_at; // bytes; nanoseconds since start
	_Atomic uint64_t lost_blocks, lost_bytes; // samples for which there was no room
	_Atomic uint64_t lost_stacks, lost_maps;
	uint64_t go_low, go_high;
	char exe[512], allocator[256], note[512]; // allocator: the file whose malloc is used
	char go[32];                              // the version that has built the program
	uint64_t own[4];                          // the tables beside the record, each from and to: no memory of the program's
} seam_heap_head;

// The record in use; NULL where there is none yet.
extern seam_heap_head *seam_heap_record;
static inline seam_heap_site *seam_heap_sites(void) { return (void *)((char *)seam_heap_record + seam_heap_record->sites_at); }
static inline uint64_t *seam_heap_pcs(void) { return (void *)((char *)seam_heap_record + seam_heap_record->pcs_at); }
static inline seam_heap_module *seam_heap_modules(void) { return (void *)((char *)seam_heap_record + seam_heap_record->modules_at); }

// seam_heap_layout fills in an empty record for samples at a rate.
uint64_t seam_heap_size(void);
void seam_heap_layout(seam_heap_head *, uint64_t rate);

// seam_heap_early is called while there is no record. It may begin one; 1 says that there will be none.
int seam_heap_early(void);

// seam_heap_begin has everything counted from now on, into a record; if there is room for it, in memory and
// on the disk.
void seam_heap_begin(seam_heap_head *);

// seam_heap_reserve has the pages made that a record's first so many bytes behind an offset lie in. Of a file
// on a full disk a page can't be had, and to write there would end the program (SIGBUS): 0 says so.
int seam_heap_reserve(seam_heap_head *, uint64_t from, uint64_t size);

// What has been reserved of the record in use: bytes of sites, of program counters and of modules.
extern uint64_t seam_heap_reserved[3];

// What allocators keep beside each block, about: it counts for which blocks are sampled, so that
// small ones are not too seldom, and not for how large they are.
enum { SEAM_HEAP_HEAD = 16 };

// Of each thread, at most 64 bytes: initial-exec leaves no more to a library that is loaded late.
typedef struct {
	uint64_t left;  // bytes until the next sample; below zero while that is taken
	uint64_t drawn; // by this thread, in all
	uint64_t random;
	uintptr_t m; // Go's
	uintptr_t named; // the frame of a function of seam heap --alloc: what is asked of malloc below it is not counted again
	uint32_t id;
	uint8_t inside;
} seam_heap_thread;
extern __thread seam_heap_thread seam_heap_self __attribute__((tls_model("initial-exec"), visibility("hidden")));

// seam_heap_passes counts a block's bytes, and reports whether it is one that isn't sampled. Sizes have no
// sign: one of 1<<63 and more, which no allocator gives, borrows as well, and is given back by seam_heap_sample.
static inline __attribute__((always_inline)) int seam_heap_passes(size_t n) { return __builtin_expect(!__builtin_sub_overflow(seam_heap_self.left, n + SEAM_HEAP_HEAD, &seam_heap_self.left), 1); }

// seam_heap_sample is told of a block when the thread's bytes have run out; of NULL where the allocator had
// none. ret is where the hook returns to.
void seam_heap_sample(void *p, size_t n, void *ret);
void seam_heap_sample_as(void *p, size_t n, void *ret, uint32_t kind);

// A block that was sampled: seam_heap_forget takes it out, and seam_heap_freed counts it as free,
// or seam_heap_keep puts it back.
typedef struct {
	uintptr_t at;
	uint64_t size, site, when;
} seam_heap_block;
int seam_heap_forget(void *p, seam_heap_block *);
void seam_heap_freed(const seam_heap_block *);
void seam_heap_keep(const seam_heap_block *);

// Whether a block may have been sampled: a count for each hash of an address, which stays at its
// most.
enum { SEAM_HEAP_FILTER = 1 << 16 };
extern _Atomic uint8_t seam_heap_filter[SEAM_HEAP_FILTER] __attribute__((visibility("hidden")));
static inline unsigned seam_heap_hash(uintptr_t p) { return (unsigned)((p >> 4) * 0x9e3779b97f4a7c15 >> 48); }
static inline int seam_heap_maybe(void *p) { return atomic_load_explicit(&seam_heap_filter[seam_heap_hash((uintptr_t)p)], memory_order_relaxed) != 0; }

// seam_heap_stack stores the stack from where ret leads, and how many are C's; Go's follow.
// by_runtime says that Go's runtime has called, for itself. pcs has room for twice SEAM_HEAP_DEPTH, in
// the caller's frame.
unsigned seam_heap_stack(void *ret, uintptr_t *pcs, unsigned *c, int *by_runtime);

// seam_heap_site_of finds or makes a site; 0 where there is no room for it.
uint32_t seam_heap_site_of(const uintptr_t *pcs, unsigned depth, unsigned c, uint32_t kind);
void seam_heap_count(uint32_t site, int64_t bytes, int64_t objects);

// Mappings. ret as above.
void seam_heap_mapped(void *p, size_t n, void *ret);
void seam_heap_unmapped(void *p, size_t n);
void seam_heap_moved(void *p, size_t n, void *to, size_t m, void *ret);

// gostack.c
unsigned seam_heap_go(const seam_regs *end, uintptr_t *pcs, unsigned max, int *announced);

// A lock that is held for some nanoseconds. A signal handler on a thread that has one passes try.
typedef _Atomic uint32_t seam_heap_lock;
void seam_heap_acquire(seam_heap_lock *);
int seam_heap_try(seam_heap_lock *);
static inline void seam_heap_release(seam_heap_lock *l) { atomic_store_explicit(l, 0, memory_order_release); }

// All locks, around a fork.
void seam_heap_lock_all(void);
void seam_heap_unlock_all(void);
void seam_heap_lock_maps(void);
void seam_heap_unlock_maps(void);

#endif
