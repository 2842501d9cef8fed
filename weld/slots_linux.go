//go:build cgo && (amd64 || arm64) && gc

package weld

/*
#include <stdint.h>
#include "seam_weld_slots.h"

// A welded package has a definition too, and the linker keeps one of them.
struct _seam_slot *_seam_slots_v1 __attribute__((weak, visibility("hidden")));

struct seen {
	const char *name;
	uint64_t budget, timed, over, longest, kept;
	uint32_t state, coro;
	int probation;
};

// look copies a slot and returns the next one, or the first if s is NULL.
static struct _seam_slot *look(struct _seam_slot *s, struct seen *seen)
{
	if (!s)
		return __atomic_load_n(&_seam_slots_v1, __ATOMIC_ACQUIRE);
	seen->name = s->_name;
	seen->budget = s->_budget;
	seen->timed = __atomic_load_n(&s->_timed, __ATOMIC_RELAXED);
	seen->over = __atomic_load_n(&s->_over, __ATOMIC_RELAXED);
	seen->longest = __atomic_load_n(&s->_longest, __ATOMIC_RELAXED);
	seen->kept = __atomic_load_n(&s->_kept, __ATOMIC_RELAXED);
	seen->state = __atomic_load_n(&s->_state, __ATOMIC_RELAXED);
	seen->coro = s->_coro;
	seen->probation = __atomic_load_n(&s->_entry, __ATOMIC_RELAXED) == s->_probe;
	return s->_next;
}
*/
import "C"

import "time"

func functions() []Function {
	list := []Function{}
	var seen C.struct_seen
	for s := C.look(nil, nil); s != nil; {
		s = C.look(s, &seen)
		f := Function{
			Name:    C.GoString(seen.name),
			State:   Leaf,
			Budget:  time.Duration(seen.budget),
			Timed:   uint64(seen.timed),
			Over:    uint64(seen.over),
			Longest: time.Duration(seen.longest),
			Kept:    uint64(seen.kept),
		}
		switch {
		case seen.state == 2, seen.state == 4:
			f.State = Demoted
		case seen.state == 3:
			f.State = Cgo
		case seen.probation != 0:
			f.State = Probation
		case seen.coro != 0:
			f.State = Coro
		}
		list = append(list, f)
	}
	return list
}
