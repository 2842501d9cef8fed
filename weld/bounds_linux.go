//go:build cgo && (amd64 || arm64) && gc

package weld

/*
#include <stdint.h>
#include "seam_weld_slots.h"

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
		.name = b->_name,
		.places = b->_places,
		.waiting = __atomic_load_n(&b->_waiting, __ATOMIC_RELAXED),
		.waited = __atomic_load_n(&b->_waited, __ATOMIC_RELAXED),
		.let = __atomic_load_n(&b->_let, __ATOMIC_RELAXED),
	};
	for (uint32_t i = 0; i < b->_places; i++) {
		seen->inside += __atomic_load_n(&b->_place[i]._taken, __ATOMIC_RELAXED);
		seen->calls += __atomic_load_n(&b->_place[i]._calls, __ATOMIC_RELAXED);
	}
	return b->_next;
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
