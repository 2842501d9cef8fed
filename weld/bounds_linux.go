//go:build cgo && (amd64 || arm64) && gc

package weld

/*
#include <stdint.h>

// As in seam_weld_bound.h of cmd/seam. The number in the name changes whenever that does.
struct _seam_place {
	uint32_t taken;
	uint64_t calls;
	const char *who;
} __attribute__((aligned(64)));

struct _seam_bound {
	uint32_t on, places;
	struct _seam_place *place;
	uint32_t waiting, usable;
	const char *name;
	void *begin, *watch, *queue, *let_one;
	uint64_t waited __attribute__((aligned(64)));
	uint64_t served, let;
	struct _seam_bound *next;
} __attribute__((aligned(64)));

struct _seam_bound *_seam_bounds_v1 __attribute__((weak, visibility("hidden")));

struct seen_bound {
	const char *name;
	uint32_t places, inside, waiting;
	uint64_t calls, waited, let;
};

// look_at_bound copies a bound and returns the next one, or the first if b is NULL.
static struct _seam_bound *look_at_bound(struct _seam_bound *b, struct seen_bound *seen)
{
	if (!b)
		return __atomic_load_n(&_seam_bounds_v1, __ATOMIC_ACQUIRE);
	*seen = (struct seen_bound){
		.name = b->name,
		.places = b->places,
		.waiting = __atomic_load_n(&b->waiting, __ATOMIC_RELAXED),
		.waited = __atomic_load_n(&b->waited, __ATOMIC_RELAXED),
		.let = __atomic_load_n(&b->let, __ATOMIC_RELAXED),
	};
	for (uint32_t i = 0; i < b->places; i++) {
		seen->inside += __atomic_load_n(&b->place[i].taken, __ATOMIC_RELAXED);
		seen->calls += __atomic_load_n(&b->place[i].calls, __ATOMIC_RELAXED);
	}
	return b->next;
}
*/
import "C"

func bounds() []Bound {
	var list []Bound
	var seen C.struct_seen_bound
	for b := C.look_at_bound(nil, nil); b != nil; {
		b = C.look_at_bound(b, &seen)
		list = append(list, Bound{
			Name:    C.GoString(seen.name),
			Threads: int(seen.places),
			Inside:  int(seen.inside),
			Waiting: int(seen.waiting),
			Calls:   uint64(seen.calls),
			Waited:  uint64(seen.waited),
			Let:     uint64(seen.let),
		})
	}
	return list
}
