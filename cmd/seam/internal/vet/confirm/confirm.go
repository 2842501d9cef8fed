// Package confirm turns what programs did when they were run under seam's watch into
// evidence for the findings of seam vet: memory that was never freed, finalizers that met
// calls in progress, and checks of the runtime that stopped the program.
package confirm

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/vet"
	"github.com/seamgo/seam/cmd/seam/internal/weld/gcstress"
	"github.com/seamgo/seam/cmd/seam/internal/weld/leaks"
	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
)

// The rules whose findings each way to run a program can show.
var (
	LeaksShow      = []string{"memory-leak", "double-free", "finalizer-free"}
	FinalizersShow = []string{"keepalive"}
	ChecksShow     = []string{"pointer-kept"}
)

// Leaks is what a search for leaks showed.
func Leaks(f *leaks.File) vet.Evidence {
	e := vet.Evidence{
		Rules: LeaksShow,
		Else:  fmt.Sprintf("of the %s that Go got from C in %s, none from here was left or freed twice", quantity.Plural(int(f.Made), "block"), quantity.Plural(len(f.Processes), "process")),
	}
	// Several stacks may have made one place's blocks.
	var order []recording.Frame
	blocks := map[recording.Frame]uint64{}
	for _, l := range f.Leaks {
		if len(l.Stack) == 0 {
			continue
		}
		if blocks[l.Stack[0]] == 0 {
			order = append(order, l.Stack[0])
		}
		blocks[l.Stack[0]] += l.Blocks
	}
	for _, w := range f.Wrong {
		e.Seen = append(e.Seen, vet.Sight{What: fmt.Sprintf("a block from here was freed wrongly %s (%s)", quantity.Plural(int(w.Count), "time"), w.Kind), Places: places(w.Made)})
		for _, p := range []*leaks.Place{w.First, w.Again} {
			if p != nil {
				e.Seen = append(e.Seen, vet.Sight{What: fmt.Sprintf("a block was freed wrongly here (%s)", w.Kind), Places: places(p.Stack)})
			}
		}
	}
	for _, at := range order {
		e.Seen = append(e.Seen, vet.Sight{What: quantity.Plural(int(blocks[at]), "block") + " from here " + were(blocks[at]) + " never freed", Places: places([]recording.Frame{at})})
	}
	// A wrapper of C.CString is found at its callers.
	for _, l := range f.Leaks {
		if len(l.Stack) > 1 {
			e.Seen = append(e.Seen, vet.Sight{What: quantity.Plural(int(l.Blocks), "block") + " made below here " + were(l.Blocks) + " never freed", Places: places(l.Stack[1:min(len(l.Stack), 4)]), Outer: true})
		}
	}
	return e
}

func were(n uint64) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// Finalizers is what programs showed in which the collector ran at calls of C.
func Finalizers(records []*gcstress.Record) vet.Evidence {
	e := vet.Evidence{Rules: FinalizersShow}
	var collected uint64
	for _, r := range records {
		collected += r.Collected
		for _, f := range r.Freed {
			what := fmt.Sprintf("a finalizer or cleanup gave C.%s what C.%s was still given", f.Freeing, f.Using)
			if len(f.FreeingStack) > 0 {
				what += " (" + f.FreeingStack[0].Func + ")"
			}
			e.Seen = append(e.Seen, vet.Sight{What: what, Places: places(f.UsingStack[:min(len(f.UsingStack), 1)])})
		}
	}
	e.Else = fmt.Sprintf("garbage was collected at %s of C, and no finalizer met a call from here", quantity.Plural(int(collected), "call"))
	return e
}

func places(stack []recording.Frame) (list []vet.Place) {
	for _, f := range stack {
		list = append(list, vet.Place{File: f.File, Line: f.Line})
	}
	return list
}

// Checks is what the runtime's checks of pointers, cgocheck and cgocheck2, said in a
// program's output.
func Checks(output string) vet.Evidence {
	e := vet.Evidence{Rules: ChecksShow, Else: "the runtime's checks of pointers (cgocheck2) stopped nothing here"}
	for {
		m := stopped.FindStringIndex(output)
		if m == nil {
			return e
		}
		what := strings.TrimSpace(output[m[0]:m[1]])
		output = output[m[1]:]
		e.Seen = append(e.Seen, vet.Sight{What: "the runtime stopped the program: " + what, Places: traceback(output)})
	}
}

// stopped is how the runtime says that a pointer is where it must not be.
var stopped = regexp.MustCompile(`(?m)^(?:fatal error: (?:unpinned )?Go pointer.*|panic: runtime error: cgo .*)$`)

// frame is the second line of a frame in a traceback.
var frame = regexp.MustCompile(`^\t(.+\.go):([0-9]+)(?: \+0x[0-9a-f]+)?$`)

// traceback reads the first goroutine's stack in a program's output: its innermost places
// outside of the runtime and of cgo's own code.
func traceback(output string) (list []vet.Place) {
	function, inStack := "", false
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\n")
		switch m := frame.FindStringSubmatch(line); {
		case m != nil:
			inStack = true
			name := function[strings.LastIndexByte(function, '/')+1:]
			if strings.HasPrefix(name, "runtime.") || strings.Contains(name, "._Cfunc_") || strings.HasPrefix(name, "_cgo_") {
				continue
			}
			n, err := strconv.Atoi(m[2])
			if err != nil {
				continue // no compiler numbers a line so
			}
			if list = append(list, vet.Place{File: m[1], Line: n}); len(list) == 3 {
				return list
			}
		case line == "" && inStack:
			return list
		default:
			function = line
		}
	}
	return list
}
