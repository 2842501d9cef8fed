//go:build cgo

// What belongs to a thread and goes with the coroutine: see seam_keep in coro.h.
#include "native.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { max_keepers = 16, align = 16 };

typedef struct {
	seam_keeper keeper;
	void *(*address)(void); // of a block, for which there are no functions
	size_t at;              // where its room begins
} entry;

// Entries are added and never change. Those below the count are whole.
static entry entries[max_keepers];
uint32_t seam_keepers;
static char adding;

int seam_coro_keep_(const seam_keeper *k, void *(*address)(void)) {
	while (__atomic_test_and_set(&adding, __ATOMIC_ACQUIRE))
		;
	uint32_t n = seam_keepers;
	int err = SEAM_ENOMEM;
	if (n < max_keepers) {
		entry *last = &entries[n - (n > 0)]; // the first one begins where an empty one ends
		size_t at = last->at + ((last->keeper.size + align - 1) & ~(size_t)(align - 1));
		entries[n] = (entry){*k, address, at};
		__atomic_store_n(&seam_keepers, n + 1, __ATOMIC_RELEASE);
		err = 0;
	}
	__atomic_clear(&adding, __ATOMIC_RELEASE);
	return err;
}

#ifdef SEAM_CORO_NATIVE_

// A coroutine's rooms. They stay with the stack, for its next coroutine.
typedef struct {
	uint32_t count; // of the keepers that serve this coroutine
	size_t size;
	_Alignas(align) char room[];
} rooms;

static rooms *rooms_of(const seam_coro *co) { return (rooms *)(uintptr_t)co->rooms; }

static void restore(seam_coro *co) {
	rooms *r = rooms_of(co);
	for (uint32_t i = 0; i < r->count; i++) {
		entry *e = &entries[i];
		if (e->address)
			memcpy(e->address(), r->room + e->at, e->keeper.size);
		else
			e->keeper.restore(r->room + e->at);
	}
}

static void save(seam_coro *co) {
	rooms *r = rooms_of(co);
	for (uint32_t i = 0; i < r->count; i++) {
		entry *e = &entries[i];
		if (e->address) {
			void *block = e->address();
			memcpy(r->room + e->at, block, e->keeper.size);
			memset(block, 0, e->keeper.size);
		} else
			e->keeper.save(r->room + e->at);
	}
}

void seam_coro_move(seam_coro *co, int back) {
	if (back)
		restore(co);
	else
		save(co);
}

uint64_t seam_error_at(void) { return (uintptr_t)&errno - (uintptr_t)seam_errno_(0); }

void seam_coro_enter(seam_coro *co) {
	uint32_t n = __atomic_load_n(&seam_keepers, __ATOMIC_ACQUIRE);
	size_t size = entries[n - 1].at + entries[n - 1].keeper.size;
	rooms *r = rooms_of(co);
	if (!r || r->size < size) {
		free(r);
		if (!(r = malloc(sizeof *r + size)))
			abort(); // as Go does without memory
		r->size = size;
		co->rooms = (uintptr_t)r;
	}
	r->count = n;
	memset(r->room, 0, size);
	restore(co);
}

void seam_coro_leave(seam_coro *co) {
	rooms *r = rooms_of(co);
	save(co);
	for (uint32_t i = 0; i < r->count; i++)
		if (entries[i].keeper.drop)
			entries[i].keeper.drop(r->room + entries[i].at);
}
#endif
