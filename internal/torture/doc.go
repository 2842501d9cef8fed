// Package torture runs random programs over all packages of the library at once.
//
// A program is drawn from a seed. It is a few workers, each of which goes through trees
// of operations: coroutines in every way to run, in whose upcalls there are further
// coroutines, generators, leaf calls, calls on offload's threads, pieces of package mem,
// panics, runtime.Goexit, contexts that end, bubbles of testing/synctest, descriptors
// closed under a wait. Around them there are storms: signals, garbage collections, the
// profiler, the execution tracer, changes of GOMAXPROCS, descriptors and memory that are
// refused.
//
// What is right is known beforehand. Each operation returns a hash that follows from the
// tree alone; C computes its part of it step by step. An operation that fails must have a
// reason: its context has ended, it is told to fail, or something was refused. A panic
// must come out where the tree says, and C must have come to its end before. There are
// canaries in the stack of each coroutine, around what C is given, and in every buffer.
// At the end no stack, handle, buffer or descriptor is in use.
//
// Each program is a process of its own, so that a crash or a hang has a seed. See
// TestTorture for how to run one again.
package torture
