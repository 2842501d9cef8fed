#ifndef SEAM_VIACGO_ENTER_H
#define SEAM_VIACGO_ENTER_H

#include <stdint.h>

// A call of a leaf function that the assembly alone does not make: one through cgo, or
// one that the guard watches. Go's request has the same fields.
typedef struct {
	uintptr_t self;    // address of this request when arg was taken
	uintptr_t fn;      // int fn(void *arg)
	uintptr_t arg;
	const char *name;  // if not NULL, time the call and let the guard watch it
	int64_t ns;        // out: how long the call took
	int32_t ret;       // out
	int32_t done;      // out: 1 if fn was called
} seam_request;

// Calls r->fn unless the request has moved since r->self was set. It is a leaf function
// itself, so it can run on either path.
int seam_leaf_enter(void *r);

// Starts the thread that watches timed calls. A call that runs longer than limit_ns ends
// the program. Returns 0 or an errno value.
int seam_guard_start(int64_t limit_ns);

// Writes the name of the shared library function that starts at addr to buf and returns 1,
// or returns 0 if there is none.
int seam_symbol(uintptr_t addr, char *buf, int size);

// Where the runtime keeps what the watch reads: offsets in a g, an m and a p, what the saved context of a goroutine in a
// leaf says, where the leaf's address is from the saved stack pointer, and an address in the data of this copy of Go.
typedef struct {
	uintptr_t near, in_c, argument;
	uintptr_t g_guard, g_sched_sp, g_m, m_g0, m_curg, m_p, m_alllink, m_procid, p_counts;
} seam_leaf_runtime;

// Starts the watch, see watch.c. Returns 0 or an errno value. seam_leaf_kept counts what it has found.
int seam_leaf_watch(seam_leaf_runtime r);
extern uint64_t seam_leaf_kept;

// What it calls a function. The name is kept.
void seam_leaf_name(uintptr_t fn, const char *name);

// What profiles know of the assembly's entries. Package prof, which is linked with this one in
// some programs, has the same struct.
typedef struct {
	uintptr_t pc;         // what the goroutine's saved context says while C runs
	uintptr_t low, high;  // the entry
	uintptr_t frame;      // 0 if it has none, 1 if it has one
} seam_leaf_standin;

#ifndef _WIN32
__attribute__((visibility("hidden")))  // of two Go libraries in a process each has its own
#endif
extern seam_leaf_standin seamleaf_standins_v1[2];

#endif
