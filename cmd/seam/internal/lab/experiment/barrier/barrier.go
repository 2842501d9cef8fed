// Package barrier measures what references between Go and C cost Go's garbage collector:
// the write barrier of a store, making and dropping a reference, and what the references
// that exist cost a collection.
package barrier

import (
	"fmt"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// Experiment is `seam lab barrier`.
var Experiment = lab.Experiment{
	Name:  "barrier",
	Title: "What do references to and from C cost the garbage collector?",
	About: "n references of each kind, next to the same n Go objects of 64 bytes. " +
		"Store: the time of storing one into a table, with the collector idle and while it marks, when the compiler's write barrier is on: only runs of stores in the second half of a collection count, and the figure is their median. " +
		"Renew: the time to drop one reference and make another, the oldest of n first; C does its part for 10 at a time, so that the crossing hardly counts. " +
		"Collection: collections of the whole program with all n references present, alternating with collections of the objects alone, in the same process: wall time of runtime.GC, CPU time of the process meanwhile, " +
		"mark time as the runtime counts it, and how long the world was stopped. Each figure is the lesser of two collections, that of the longest single pause the greater. " +
		"In a quick run, stores and renewals are timed with 1000 references only. " +
		"The flame graph is a CPU profile of stores during back-to-back collections, for the kind of reference with a write barrier whose collections take longest.",
	Cases:   cases,
	Explain: explain,
}

// Kinds of references.
const (
	kindNone      = "none"
	kindGo        = "go"
	kindC         = "c"
	kindOpaque    = "c-opaque"
	kindUintptr   = "c-uintptr"
	kindCgoHandle = "cgo-handle"
	kindMemHandle = "mem-handle"
	kindPin       = "pin"
	kindPinAll    = "pin-all"
	kindPool      = "pool"
)

// A kind is one way to refer to something.
type kind struct {
	name  string
	label string
	// stores and renewed say that the kind's store or renewal is its own, and
	// not another kind's under another name.
	stores, renewed bool
	// barrier says that its stores have a write barrier.
	barrier bool
	// open makes what it takes to store references: tables, and values to put there.
	open func(live *population, n int) (table, error)
	// hold makes n references, all alive until the table is closed.
	hold func(live *population, n int) (holder, error)
}

// A table is where references are stored.
type table interface {
	store(n int) // n stores, one after the other, over and over
	close()
}

// A holder keeps references.
type holder interface {
	renew(n int) // drops and makes n references, the oldest first
	close()
}

var kinds = []kind{
	{kindNone, "no reference, a number", true, true, false, openNone, holdNone},
	{kindGo, "Go pointers", true, true, true, openGo, holdGo},
	{kindC, "C pointers", true, true, true, openC, holdC},
	{kindOpaque, "C pointers, type incomplete", true, false, false, openOpaque, holdOpaque},
	{kindUintptr, "C addresses as uintptr", true, false, false, openUintptr, holdUintptr},
	{kindCgoHandle, "cgo.Handle in C", true, true, false, openNumbers, holdCgoHandles},
	{kindMemHandle, "mem.Handles in C", false, true, false, openNumbers, holdMemHandles},
	{kindPin, "pinned, a Pinner each", true, true, true, openPinned, holdPins},
	{kindPinAll, "pinned, one Pinner", false, true, true, openPinned, holdPinAll},
	{kindPool, "registered buffers in C", false, true, false, openNumbers, holdBuffers},
}

var sizes = []int{10, 1000, 100_000}

func name(kind string, n int) string { return fmt.Sprintf("Barrier/refs=%s/n=%d", kind, n) }

// costName is the name of what a collection costs with references of a kind, besideName of
// what the ones next to it cost without. Each unit has a name of its own, since in the Go
// benchmark format all times look alike.
func costName(kind string, n int, unit string) string {
	if what := whats[unit]; what != "" {
		return name(kind, n) + "/what=" + what
	}
	return name(kind, n)
}

func besideName(kind string, n int, unit string) string {
	return name(kind, n) + "/what=" + strings.TrimPrefix(whats[unit]+"-beside", "-")
}

var whats = map[string]string{unitCPU: "cpu", unitMark: "mark", unitPause: "pause", unitLong: "max-pause"}

// More names of a kind.
func restName(kind string, n int) string   { return name(kind, n) + "/what=store" }
func markedName(kind string, n int) string { return name(kind, n) + "/what=store-marking" }
func renewName(kind string, n int) string  { return name(kind, n) + "/what=renew" }

const profileName = "Barrier/what=profile"

// Units of the metrics.
const (
	unitWall   = "gc-ns"
	unitCPU    = "cpu-ns"
	unitMark   = "mark-ns"
	unitPause  = "pause-ns"     // all that one collection stops the world for
	unitLong   = "max-pause-ns" // the longest single stop
	unitMemory = "B/ref"
	unitShare  = "%"
)

// timedSizes are the sizes at which stores and renewals are timed. The price of a store
// hardly depends on n.
func timedSizes(mode lab.Mode) []int {
	return lab.InQuick(mode, []int{1000}, sizes)
}

func cases(mode lab.Mode) []lab.Case {
	var list []lab.Case
	add := func(n int, what, label string, setup func(kind, int) func() (*lab.Op, error), has func(kind) bool, named func(string, int) string) {
		for _, k := range kinds {
			if has(k) {
				list = append(list, lab.Case{Name: named(k.name, n), Label: fmt.Sprintf("%s: %s%s", what, k.label, label),
					Group: fmt.Sprintf("%s%s, n=%d", what, label, n), Base: k.name == kindNone, Setup: setup(k, n)})
			}
		}
	}
	for _, n := range timedSizes(mode) {
		of := fmt.Sprintf(", %s", refs(n))
		add(n, "store at rest", of, setupStore, func(k kind) bool { return k.stores }, restName)
		add(n, "store while marking", of, setupMarked, func(k kind) bool { return k.stores }, markedName)
		add(n, "renew", of, setupRenew, func(k kind) bool { return k.renewed }, renewName)
	}
	for _, n := range sizes {
		for _, k := range kinds {
			list = append(list, lab.Case{Name: name(k.name, n), Label: label(k, n), Probe: probeCollection(k, n)})
		}
	}
	return append(list, lab.Case{Name: profileName, Label: "profile", Probe: probeProfile})
}

func label(k kind, n int) string { return k.label + ", " + refs(n) }

func refs(n int) string {
	switch n {
	case 1000:
		return "1k"
	case 100_000:
		return "100k"
	}
	return fmt.Sprint(n)
}
