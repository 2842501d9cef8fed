// Package lifetime shows what the usual ways to pass memory between Go and C cost, and
// what the compiler says about them: whose memory it is, and how long it lives.
package lifetime

import (
	"context"
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// Experiment is `seam lab lifetime`.
var Experiment = lab.Experiment{
	Name:  "lifetime",
	Title: "Whose memory crosses, and what does its lifetime cost?",
	About: "Common ways to pass bytes to C, to get bytes from C, and to let C keep a Go value: each is a function, which one operation calls once. " +
		"To C: C looks at the first and the last byte. From C: C writes all bytes, and Go looks at the first and the last. A Go value: C is given it and hands it back. " +
		"All calls of C go through cgo, except view, fill, registered and arena, which go through leaf with package mem. " +
		"Go's allocations and bytes are those of the runtime's statistics; C's bytes are what the functions ask of malloc, which is counted on the way (about a nanosecond for each). " +
		"What is allocated in Go is collected, and the times include that: here in a process with a small heap, which collects often. " +
		"The verdicts are those of the installed go command, by -gcflags=-m=2, on the very file that is measured. " +
		"A missing free: what the process keeps in RAM of a string that C.CString made and nobody frees.",
	Cases:   cases,
	Explain: explain,
}

// The groups of idioms.
const (
	toC   = "bytes to C"
	fromC = "bytes from C"
	keep  = "a Go value that C keeps"
)

// sizes are how many bytes cross.
var sizes = []int{128, 4096}

// An idiom is a way to do it.
type idiom struct {
	key, label, group string
	function          string // in idioms.go, which the compiler judges
}

// idioms are all of them. The first of a group is what the others are compared with.
var idioms = []idiom{
	{"cstring-free", "C.CString + free", toC, "cstringFree"},
	{"cbytes-free", "C.CBytes + free", toC, "cbytesFree"},
	{"pinner", "runtime.Pinner + struct", toC, "pinner"},
	{"pointer", "pointer and length", toC, "pointer"},
	{"noescape", "pointer and length, #cgo noescape", toC, "pointerNoescape"},
	{"view", "mem.Str by leaf", toC, "view"},
	{"registered", "mem.Pool buffer by leaf", toC, "registered"},

	{"gobytes-free", "C.GoBytes + free", fromC, "gobytesFree"},
	{"gostring-free", "C.GoString + free", fromC, "gostringFree"},
	{"malloc-free", "C.malloc + free, in place", fromC, "mallocFree"},
	{"cleanup", "C.malloc + AddCleanup", fromC, "cleanup"},
	{"owner-view", "malloc in C, mem.View", fromC, "ownerView"},
	{"stack-cgo", "Go array by cgo", fromC, "stackCgo128"},
	{"stack-noescape", "Go array, #cgo noescape", fromC, "stackNoescape128"},
	{"stack-fill", "Go array, mem.Fill by leaf", fromC, "stackFill128"},
	{"fill", "kept []byte, mem.Fill", fromC, "fill"},
	{"registered-fill", "mem.Pool buffer filled", fromC, "registeredFill"},
	{"arena", "mem.Arena by leaf", fromC, "arena"},

	{"cgo-handle", "cgo.Handle", keep, "cgoHandle"},
	{"handle", "mem.Handles", keep, "memHandle"},
	{"pinned-value", "runtime.Pinner", keep, "pinnedValue"},
}

// base is the idiom that those of a group are compared with.
func base(group string) idiom {
	for _, d := range idioms {
		if d.group == group {
			return d
		}
	}
	panic("lifetime: no idiom in the group " + group)
}

// A way is an idiom with a size: what is timed. bytes is 0 where no bytes cross.
type way struct {
	idiom
	bytes int
}

func (w way) name() string {
	if w.bytes == 0 {
		return "Lifetime/idiom=" + w.key
	}
	return fmt.Sprintf("Lifetime/idiom=%s/bytes=%d", w.key, w.bytes)
}

func (w way) label() string {
	if w.bytes == 0 {
		return w.idiom.label
	}
	return fmt.Sprintf("%s, %d B", w.idiom.label, w.bytes)
}

// ways are all that are timed, group by group.
func ways() (list []way) {
	for _, group := range []string{toC, fromC, keep} {
		for _, n := range sizes {
			if group == keep {
				n = 0
			}
			for _, d := range idioms {
				if d.group == group {
					list = append(list, way{d, n})
				}
			}
			if group == keep {
				break
			}
		}
	}
	return list
}

// Units.
const (
	unitTime    = "ns/op"
	unitAllocs  = "allocs/op"
	unitGo      = "B/op"
	unitC       = "C-B/op"
	unitEscapes = "escapes"  // values that the compiler puts on the heap, or lets leak there
	unitIdioms  = "idioms"   // how many were judged
	unitLeak    = "RSS-B/op" // what is left in RAM of a call
)

// Names of what is not an idiom with a size.
const (
	memoryName   = "Lifetime/what=memory"
	verdictsName = "Lifetime/what=verdict"
)

// verdictName is where the verdict on an idiom is: its label says it in words.
func (d idiom) verdictName() string { return "Lifetime/idiom=" + d.key + "/what=verdict" }

func leakName(bytes int) string { return fmt.Sprintf("Lifetime/what=leak/bytes=%d", bytes) }

func cases(lab.Mode) []lab.Case {
	var list []lab.Case
	for _, w := range ways() {
		group := w.group
		if w.bytes > 0 {
			group = fmt.Sprintf("%s, %d", w.group, w.bytes)
		}
		list = append(list, lab.Case{
			Name: w.name(), Label: w.label(), Group: group, Base: w.key == base(w.group).key,
			Setup: func() (*lab.Op, error) { return setup(w) },
		})
	}
	list = append(list, lab.Case{
		Name: memoryName, Label: "allocations and bytes of all idioms",
		Probe: func(context.Context, *lab.Bench) ([]lab.Metric, error) { return probeMemory() },
	})
	for _, n := range sizes {
		list = append(list, lab.Case{
			Name: leakName(n), Label: fmt.Sprintf("C.CString without free, %d B", n),
			Probe: func(context.Context, *lab.Bench) ([]lab.Metric, error) { return probeLeak(n) },
		})
	}
	return append(list, lab.Case{
		Name: verdictsName, Label: "the compiler's verdicts",
		Probe: func(ctx context.Context, b *lab.Bench) ([]lab.Metric, error) { return probeVerdicts(ctx, b.Mode) },
	})
}
