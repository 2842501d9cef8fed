// Package heap profiles the memory that C allocates, as the runtime's heap profile does Go's.
//
//	import "github.com/seamgo/seam/prof/heap"
//
//	http.HandleFunc("/debug/pprof/cheap", heap.Handler)
//
// In a program that imports it every call of malloc and its like, from Go, C and C++, in libraries
// and on threads that C made, goes through the package, which chooses one byte in 512 KiB at random
// and remembers that byte's block until it is freed, with the stack of Go and C that asked for it.
// Anonymous mappings are all counted. The allocator stays the one that it was. What was allocated
// before the package is initialised is not in it.
//
//	go tool pprof http://localhost:6060/debug/pprof/cheap
//	go tool pprof http://localhost:6060/debug/pprof/cheap?seconds=30   # what has changed in between
//	seam heap --pid "$(pgrep -n server)" --for 10m                     # what grows, and why
//
// [Read] has figures for metrics:
//
//	expvar.Publish("cheap", expvar.Func(func() any { return heap.Read() }))
//
// and [WriteMetrics] writes them for Prometheus.
//
// It works on Linux on amd64 and arm64, in programs that are linked dynamically. Elsewhere, with
// CGO_ENABLED=0 and under the address and memory sanitizers, [Status] says that it does nothing, and
// profiles are empty. SEAM_HEAP_RATE in the environment is another number of bytes a sample, 1 for
// every block.
package heap
