package callgraph

import (
	"slices"
	"strings"
)

// Class says what a function outside of the package can do to its caller.
type Class string

// The classes of externals.txt, and what is not in it.
const (
	Harmless  Class = "harmless"  // returns soon, whatever happens
	Allocates Class = "allocates" // quick as a rule; takes the allocator's locks and may ask the kernel for memory
	Locks     Class = "locks"     // waits if another thread holds a lock
	Threads   Class = "threads"   // starts a thread or waits for one
	Blocks    Class = "blocks"    // waits for a device, a process or the time; or has the kernel do a long piece of work
	CallsBack Class = "callsback" // calls functions that it was given
	NoReturn  Class = "noreturn"  // ends the program, or goes back to a setjmp
	Unknown   Class = "unknown"
)

// Kind is what kind of thing was found out about a function.
type Kind string

// The kinds of findings. External has a Class.
const (
	Callback  Kind = "callback"  // calls Go
	Hook      Kind = "hook"      // calls through a pointer that may lead to Go
	External  Kind = "external"  // calls something outside of the package
	Indirect  Kind = "indirect"  // calls through a pointer
	Assembly  Kind = "assembly"  // inline assembly that calls, jumps away, or enters the kernel
	Recursion Kind = "recursion" // may be active more than once
)

// Finding is one thing that a C function reaches.
type Finding struct {
	Kind  Kind
	Class Class    // of an External
	Name  string   // what is reached: a function; of Assembly the instruction; of a Hook the pointer; "" for Indirect
	Path  []string // one way there, from the function itself to the last of the package's own functions
}

// CallPath is the path with what is reached at its end: "f → g → read".
func (f Finding) CallPath() string {
	path := f.Path
	switch f.Kind {
	case Indirect:
		path = append(slices.Clip(path), "a pointer")
	case Assembly:
		path = append(slices.Clip(path), "asm("+f.Name+")")
	case Recursion:
	default:
		path = append(slices.Clip(path), f.Name)
	}
	if len(path) > 5 { // the ends tell most
		path = slices.Concat(path[:2], []string{"…"}, path[len(path)-2:])
	}
	return strings.Join(path, " → ")
}

// Function is what is known about one C function that Go calls.
type Function struct {
	Name     string
	Findings []Finding // most serious first; one for each thing reached

	// MayCallGo says why it isn't proven that the function can't come to Go, by whatever way;
	// "" if it is proven.
	MayCallGo string

	// Stack is the most stack that the function and what it calls inside of the
	// package take, in bytes. It is a lower bound if StackOpen: with recursion, with
	// objects whose size is known at run time only, and beyond the package.
	Stack     int64
	StackOpen bool
}

// Package is what is known about the C functions of a package.
type Package struct {
	Functions map[string]*Function // by name in C; nil without a proof

	// Missing says why there is no proof, for people; "" if there is one.
	Missing string

	// Blind says that the compiler doesn't tell where pointers come from, and that the package
	// exports Go functions to which they may lead.
	Blind bool

	Compiled int // files that had to be compiled
	Cached   int // files whose graph was known
}

// First returns the first finding for which f holds.
func (f *Function) First(holds func(Finding) bool) (Finding, bool) {
	if i := slices.IndexFunc(f.Findings, holds); i >= 0 {
		return f.Findings[i], true
	}
	return Finding{}, false
}

// CallsGo returns a path on which the function comes to Go: by a call, or through a
// pointer that is near.
func (f *Function) CallsGo() (Finding, bool) {
	return f.First(func(x Finding) bool { return x.Kind == Callback || x.Kind == Hook && len(x.Path) <= nearHooks })
}

// Waits returns what makes it wrong to keep a processor for the function, whatever was
// observed: it calls something that waits, on a path without pointers.
//
// Threads count only where they are near: in the function itself and the ones that it
// calls. A library that can use threads has calls that start and join them deep inside of
// everything (SQLite's sorter below sqlite3_step), and comes to them only when told to use
// some; see [Function.Threads].
func (f *Function) Waits() (Finding, bool) {
	return f.First(func(x Finding) bool {
		return x.Class == Blocks || x.Class == Threads && len(x.Path) <= nearThreads
	})
}

// nearThreads is the number of functions on a path to a thread that make the
// function's purpose doubtful: it may be a wait itself, or one with a helper.
const nearThreads = 2

// nearHooks is the number of functions on a path to a call through a pointer that may lead to Go,
// up to which the function is taken to call Go: sqlite3_step comes to a user's function in three.
// Farther ways are those of errors and of cleaning up: all of SQLite that sets a value can
// finish an aggregate. A leaf that takes one survives; see [Function.Hooks].
const nearHooks = 3

// Hooks returns a path to where Go may be called through a pointer.
func (f *Function) Hooks() (Finding, bool) {
	return f.First(func(x Finding) bool { return x.Kind == Hook })
}

// Threads returns a path to where a thread is started or waited for.
func (f *Function) Threads() (Finding, bool) {
	return f.First(func(x Finding) bool { return x.Class == Threads })
}

// Locks returns a path to a lock.
func (f *Function) Locks() (Finding, bool) {
	return f.First(func(x Finding) bool { return x.Class == Locks })
}

// Open returns the most serious thing that leaves the proof open. Without one the
// function is proven: it can't call back and can't wait.
func (f *Function) Open() (Finding, bool) {
	return f.First(func(x Finding) bool {
		switch x.Kind {
		case Recursion:
			return false
		case External:
			return x.Class != Harmless && x.Class != Allocates && x.Class != NoReturn
		}
		return true
	})
}

func (f Finding) seriousness() int {
	order := []struct {
		kind  Kind
		class Class
	}{
		{Callback, ""}, {Hook, ""}, {External, Blocks}, {External, Threads}, {External, CallsBack}, {Indirect, ""}, {Assembly, ""},
		{External, Unknown}, {External, Locks}, {Recursion, ""}, {External, Allocates},
		{External, NoReturn}, {External, Harmless},
	}
	for i, o := range order {
		if f.Kind == o.kind && (f.Kind != External || f.Class == o.class) {
			return i
		}
	}
	return len(order)
}
