// Package offload runs C functions that block on a few threads of its own, while the
// goroutines that called them are parked.
//
// A C function that waits in a driver or a device takes a thread for as long as it waits.
// If a thousand goroutines call it through cgo, it takes a thousand threads. A [Pool] has a
// fixed number of threads, a bounded queue in front of them, and a context for each call,
// which can end the wait for room and for a thread, and of which C can see that it has
// ended.
//
//	// #include <seam/offload.h>
//	// typedef struct { const char *query; int64_t rows; } fetch_args;
//	// int64_t fetch(const seam_token *t, void *args);
//	import "C"
//
//	var fetch = offload.Of[C.fetch_args]("fetch", unsafe.Pointer(C.fetch))
//
//	pool, err := offload.New(offload.Options{Threads: 16, Name: "database"})
//	…
//	args := C.fetch_args{query: query} // escapes to the heap
//	status, err := fetch.Call(ctx, pool, &args)
//
// The C function must not be static: cgo can't take the address of a static function. The
// file include/seam/offload.h has its contract: check the token, end by returning, keep
// nothing.
//
// # Memory
//
// The argument goes to another thread, outside of a cgo call:
//
//   - It is not on a goroutine's stack, which would move when it grows: arguments of Do
//     escape to the heap.
//   - It is alive until C returns: the pool refers to it from Go memory.
//   - It does not move: the pool pins it (runtime.Pinner), as Go's rules ask for memory that
//     C holds outside of a call. That costs far less than the two thread switches of a
//     call.
//   - What it leads to is up to the caller: C memory, or Go memory that the caller has
//     pinned and keeps alive. cgo's checks don't look at it.
//
// So Do can't return before C does, even if the context has ended: C uses the memory until
// then. C must not write Go pointers into it.
//
// # Threads
//
// The threads start with the pool and end with [Pool.Close]. Each belongs to a goroutine
// that is locked to it and stays in one cgo call all the time. Hence a crash in C ends the
// program with the same report as under cgo (it shows the pool's goroutine as the one in C,
// and the caller's as parked in Do), C may call exported Go functions, and CPU profiles show
// the C function under the pool's goroutine. If a function ends its thread, its call fails
// with [ErrThreadEnded] and another thread takes the place.
//
// Signals are as in any cgo call: none is blocked, because the children that C starts would
// inherit that, and SIGTERM would not end them. The kernel gives a signal that is meant for
// the program to the main thread if it can, which no pool has, so C's waits are seldom
// interrupted. But they may be (EINTR): C must be ready for it.
//
// A function that never returns keeps its thread, the caller and Close waiting: there is no
// way to stop it. Stats shows it as Longest, with its name.
//
// # Bubbles
//
// Pools work in the bubbles of testing/synctest and belong to none. The bubble's clock stands
// still while a call waits for room, for a thread or for C, as for any input and output: a
// timeout of the bubble's clock does not end such a wait, and cancelling the context does.
// For C, a deadline of the bubble's clock is the same time from now on the system's.
//
// # When a semaphore is enough
//
// The alternative takes five lines: a channel with n slots around an ordinary cgo call. It
// bounds the threads as well. A short call then has no thread switch, where a pool has two,
// but while C waits the goroutine's processor (P) waits too, until the runtime takes it
// away after 20 µs to 10 ms. Measured with 8 threads and 8 slots on 2 virtual CPUs (go test
// -run NONE -bench . ./offload; medians of three to five runs on a machine that others used
// too), with C sleeping in nanosleep. For many goroutines the figure is the time between two
// results:
//
//	                                               pool     semaphore
//	one goroutine, C returns at once               32 µs      0.11 µs
//	one goroutine, C sleeps 100 µs                261 µs    183 µs
//	one goroutine, C sleeps 1 ms                  1.28 ms   1.10 ms
//	256 goroutines, 100 µs                         27 µs     29 µs
//	4000 goroutines, 100 µs                        28 µs     33 µs
//	4000 goroutines, 1 ms                         149 µs    143 µs
//
//	and while two other goroutines compute without a pause:
//	one goroutine, C sleeps 100 µs                 18 ms    0.31 ms
//	256 goroutines, 100 µs                        237 µs    122 µs
//	4000 goroutines, 100 µs                        56 µs    137 µs
//	4000 goroutines, 1 ms                         181 µs    691 µs
//	… rounds of work of the two, in 1e9/s         1.6       0.8
//	… a 1 ms timer in Go is late by, median        19 ms    0.12 ms
//	… and in one of a hundred cases by             20 ms     14 ms
//
// The process has 13 to 15 threads in all of these cases.
//
// So a pool loses on a single call: always by its two thread switches, which cost more on an
// idle machine (waking a halted virtual CPU takes some 40 µs), and by far when all of Go's
// processors compute. A completed call is then found like a network packet, when the runtime
// polls, every 10 to 20 ms. The timer shows the same: in a program that computes on all
// processors and calls no C it is late by 19 ms too. The semaphore's callers do well because
// each keeps its processor idle while C waits, which halves the work of the others. A pool
// wins if there are many calls and Go has something else to do.
//
// Use the semaphore if calls are few or short, if the time of a single call counts most, or
// if nothing else runs. Use a pool if many goroutines call C that waits for a millisecond or
// more while Go code computes; if calls must be cancelled while they wait, or C must learn
// of it; if a full queue must be an error ([ErrFull]) and not a longer wait; if you must see
// what C does ([Pool.Stats]); or if the library wants few threads, and always the same.
//
// Tried to reduce the loss and rejected, medians of five short runs in µs: one goroutine with
// C that returns at once, with C that sleeps 100 µs, and the latter beside two that compute;
// and 256 goroutines, 100 µs, alone and beside those two:
//
//	                                              at once  100   busy     256   busy
//	the pool as it is                               32     261   18000    27    237
//	workers spin for 50 µs before they sleep        29     268   18000    25    276
//	the caller spins for 20 µs before it parks      44     276   19000    30    183
//	the goroutine that takes completions lingers    27     251   18000    28    218
//	completing by a callback into Go                89     322   12000    40    201
//	each call through cgo, in locked goroutines     19     225     380   110    198
//
// The first three are no better beyond the spread of the runs, which is wide (8 to 40 for
// the pool with C that returns at once). With the last two the goroutines that compute get
// half of their work done, as with the semaphore. Kept: a goroutine that queues a call also
// takes completed calls before it parks.
//
// # Where it works
//
// [Status] says how pools work in this program and why.
//
// On Linux the threads take calls from a queue in C memory, which Go fills by leaf calls,
// and announce completed ones through an eventfd in Go's poller. Elsewhere, and with
// SEAM_OFFLOAD=cgo in the environment, goroutines locked to their threads make each call
// through cgo: with the same results, at the price in the last line of the table.
//
// Without cgo (CGO_ENABLED=0) there is no C to call: code that uses New or Of does
// not compile, and the compiler's message says why.
package offload
