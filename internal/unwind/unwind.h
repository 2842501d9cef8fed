// The unwinder: what its files share. table.c makes tables of rows from .eh_frame; objects.c
// keeps those of the loaded objects; walk.c walks a stack by them, in signal handlers too;
// traceback.c is what Go's runtime calls; symbol.c names functions.
//
// "In a handler" means: no lock, no malloc, no libc function, no thread-local data that the
// dynamic linker may have to make first, and no memory that might not be there.
#ifndef SEAM_UNWIND_H
#define SEAM_UNWIND_H

#include "cfi.h"
#include "coroutine.h"

#include <stddef.h>
#include <stdint.h>

#if defined(__linux__) && !defined(__ANDROID__) && (defined(__x86_64__) || defined(__aarch64__)) && defined(__LP64__)
#define SEAM_UNWIND 1
#endif

// seam_table makes the rows of the functions in [low, high) from an .eh_frame section; data is
// the address that DW_EH_PE_datarel counts from. It returns how many there are, and stores
// them at rows, in pages of *room bytes that seam_free_pages frees; -1 if there is no memory.
long seam_table(seam_bytes frame, uintptr_t low, uintptr_t high, uintptr_t data, seam_row **rows, size_t *room);

// Memory from the kernel: malloc's lock may be held where we are called.
void *seam_pages(size_t size);
void seam_free_pages(void *p, size_t size);

// A loaded object.
typedef struct {
	uintptr_t low, high; // its text
	const seam_row *rows;
	const uint32_t *index; // for each 4 KB of text the first row in it or after it
	uint32_t count;
	uintptr_t base;  // what addresses in its file are relative to
	uint64_t digest; // tells it from another at the same place
	size_t row_room, index_room;
	int has_go; // a plugin of Go's, or a library with another Go: what has no row in it is Go's
	char build_id[96]; // GNU's in hexadecimal, or Go's; "" where the file has none
	char path[256]; // "" is the program
} seam_object;

// What a walk has found for a program counter, for the next one; walk.c has what check is.
typedef struct {
	_Atomic uint64_t row, check;
} seam_slot;

enum { SEAM_SLOT_BITS = 10 };

// What is loaded, in order. It is never changed after it is published, but for the slots.
typedef struct {
	size_t count, room;  // there is room for more
	uint64_t adds, subs; // the loader's counts
	seam_slot slots[1 << SEAM_SLOT_BITS];
	const seam_object *objects[];
} seam_snapshot;

// seam_enter returns the snapshot and keeps it until seam_leave. In a handler.
seam_snapshot *seam_enter(int *epoch);
void seam_leave(int epoch);

// seam_find returns the object whose text has pc. In a handler.
const seam_object *seam_find(const seam_snapshot *, uintptr_t pc);

// seam_find_row returns the row for pc, which is in the object.
seam_row seam_find_row(const seam_object *, uintptr_t pc);

// seam_refresh takes a new snapshot if anything was loaded or unloaded since the last one.
// It returns 0 or an errno.
int seam_refresh(void);

// seam_stale says that a snapshot may be out of date. In a handler.
void seam_stale(void);

// seam_await_object waits until the object that pc belongs to is in the tables, half a second
// at most. It is for who needs a name, outside of handlers of SIGPROF.
void seam_await_object(uintptr_t pc);

// seam_await_refresh waits until all that is loaded now is in the tables, half a second at most:
// the thread that has the loader's lock may be waiting too.
void seam_await_refresh(void);

// seam_start takes the first snapshot and starts the thread that takes the others. Go's own
// functions are in [low, high).
int seam_start(uintptr_t low, uintptr_t high);

extern uintptr_t seam_go_low, seam_go_high;

// seam_forked is 1 in a child that C has made by fork: the only thread of a copy.
extern int seam_forked;

// seam_walk stores the program counters from regs on: of the instruction first, then of
// calls, one byte before their return addresses. It stops at Go code, at the thread's first
// function, or, with seam_truncated as the last, where it knows no further. Of a stack that has
// more than max, recursion is folded, with seam_recursion behind a round of it; and where it has
// still more, frames are left out between the innermost and the outermost, and seam_omitted is
// there. In a handler.
// What lies between regs.sp and readable is known to be there; 0 where nothing is known.
size_t seam_walk(seam_regs regs, int exact, uintptr_t readable, uintptr_t *pcs, size_t max);

// seam_walk_to stores the registers where the walk ended, too: of Go's code, where it has come to that.
size_t seam_walk_to(seam_regs regs, int exact, uintptr_t readable, uintptr_t *pcs, size_t max, seam_regs *end);

// seam_walk_fault is for a thread that has met a fault, which may be the end of its stack: the
// stack pointer is in no memory then, and its callers' frames begin above. times is for
// seam_omitted how many frames were left out, for seam_recursion how many rounds there were, with
// the functions of a round from bit SEAM_ROUNDS on.
enum { SEAM_ROUNDS = 28 };
size_t seam_walk_fault(seam_regs regs, uintptr_t *pcs, uint32_t *times, size_t max);

// seam_walks says how many walks there were, about.
uint64_t seam_walks(void);

// seam_walk_copy walks by a copy of the stack from regs.sp on, of another thread: it may have
// gone on meanwhile, and nothing but the copy is read. It stores the registers where it ended.
size_t seam_walk_copy(seam_regs regs, const char *copy, size_t size, uintptr_t *pcs, size_t max, seam_regs *end);

// seam_coroutines lists those of all packages, see coroutine.h.
int seam_coroutines(seam_coroutine *list, int max);

// Their addresses stand for frames: that are not known, that were folded, that had no room.
void seam_truncated(void);
void seam_recursion(void);
void seam_omitted(void);

static inline SEAM_PLAIN int seam_is_mark(uintptr_t pc) {
	return pc == (uintptr_t)seam_truncated || pc == (uintptr_t)seam_recursion || pc == (uintptr_t)seam_omitted;
}

#endif
