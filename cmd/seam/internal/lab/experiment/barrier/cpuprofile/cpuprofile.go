// Package cpuprofile takes CPU profiles and folds them into trees of bounded size that a
// report can draw.
package cpuprofile

import (
	"bytes"
	"fmt"
	"runtime/pprof"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// Record runs f and returns the CPU profile of this process meanwhile. There can be one
// at a time. Where the system withholds the signals that make it, it has no samples.
func Record(f func() error) (*profile.Profile, error) {
	var b bytes.Buffer
	if err := pprof.StartCPUProfile(&b); err != nil {
		return nil, fmt.Errorf("CPU profile: %w", err)
	}
	err := f()
	pprof.StopCPUProfile()
	if err != nil {
		return nil, err
	}
	p, err := profile.ParseData(b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("CPU profile: %w", err)
	}
	return p, nil
}

// Fold makes a tree of a CPU profile: of those samples that pass, with the functions
// of their stacks, the outermost first; nil passes all. It returns how many did.
func Fold(p *profile.Profile, name, label string, pass func(stack []string) bool) (out result.Profile, samples int) {
	out = result.Profile{Name: name, Label: label, Unit: "ns", Kinds: kinds[:]}
	at := -1
	for i, t := range p.SampleType {
		if t.Unit == "nanoseconds" {
			at = i
		}
	}
	if at < 0 {
		return out, 0
	}
	tree := result.Build(&out)
	for _, s := range p.Sample {
		var stack []string
		for i := len(s.Location) - 1; i >= 0; i-- {
			lines := s.Location[i].Line // the innermost of those inlined first
			for k := len(lines) - 1; k >= 0; k-- {
				if fn := lines[k].Function; fn != nil {
					stack = append(stack, fn.Name)
				}
			}
			if len(lines) == 0 {
				stack = append(stack, unnamed)
			}
		}
		if s.Value[at] <= 0 || len(stack) == 0 || pass != nil && !pass(stack) {
			continue
		}
		samples += int(s.Value[0])
		calls := make([]result.Call, min(len(stack), result.MaxDepth))
		kind := Go
		for i := range calls {
			kind = KindOf(stack[i], kind)
			calls[i] = result.Call{Function: short(stack[i]), Kind: int(kind)}
		}
		tree.Add(float64(s.Value[at]), calls...)
	}
	out.Bound(result.MaxFrames)
	return out, samples
}

// unnamed is code without symbols: C of a stripped library, the kernel's page.
const unnamed = "(no name)"

// short is a function's name without the path of its package.
func short(name string) string {
	end := strings.IndexAny(name, "[(") // behind it there may be paths of other packages
	if end < 0 {
		end = len(name)
	}
	return name[strings.LastIndexByte(name[:end], '/')+1:]
}

// A Kind is what a function is there for.
type Kind int

// Kinds of functions. Those that the runtime calls for one of its tasks are of that
// task's kind.
const (
	Go Kind = iota // of the program
	Barrier
	Mark
	Sweep
	Runtime // its other tasks
	C
)

var kinds = [...]string{
	Go:      "Go code",
	Barrier: "write barrier",
	Mark:    "marking",
	Sweep:   "sweeping",
	Runtime: "rest of the runtime",
	C:       "C code and crossing",
}

func (k Kind) String() string { return kinds[k] }

// tasks are the runtime's functions that begin a task.
var tasks = []struct {
	prefix string
	kind   Kind
}{
	{"runtime.gcWriteBarrier", Barrier},
	{"gcWriteBarrier", Barrier}, // assembly
	{"runtime.wbBufFlush", Barrier},
	{"runtime.wbZero", Barrier},
	{"runtime.wbMove", Barrier},
	{"runtime.bulkBarrier", Barrier},
	{"runtime.gcBgMarkWorker", Mark},
	{"runtime.gcDrain", Mark},
	{"runtime.gcAssist", Mark},
	{"runtime.gcMark", Mark},
	{"runtime.markroot", Mark},
	{"runtime.scan", Mark},
	{"runtime.bgsweep", Sweep},
	{"runtime.sweepone", Sweep},
	{"runtime.(*sweepLocked)", Sweep},
	{"runtime.(*mspan).refreshPinnerBits", Sweep},
	{"runtime.cgocall", C},
	{"runtime.asmcgocall", C},
	{"runtime.cgoCheck", C},
}

// KindOf is the kind of a function that one of the given kind called.
func KindOf(function string, caller Kind) Kind {
	for _, t := range tasks {
		if strings.HasPrefix(function, t.prefix) {
			return t.kind
		}
	}
	switch {
	case !strings.Contains(function, "."): // so is what has no name
		return C
	case strings.HasPrefix(function, "runtime."), strings.HasPrefix(function, "internal/runtime/"):
		// A part of what called it, if that is of the runtime too.
		if caller == Go {
			return Runtime
		}
		return caller
	}
	return Go
}
