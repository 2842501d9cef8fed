// Package csource tells what C functions do with the pointers that they are given: free
// them, keep them, give them back, write through them. It reads what gcc makes of the
// source before it optimises, and the declarations of headers.
//
// The package is opinionated: what can't be seen is unknown, never assumed. A function of
// which only the declaration is known may do anything, except that it does not free what a
// pointer to const points to.
package csource

import (
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/weld/callgraph"
)

// Facts are what is known about the C that a package can call. A nil *Facts knows nothing.
type Facts struct {
	Funcs   map[string]*Func
	Threads []string // variables of which each thread has its own
	Missing string   // why nothing is known, for people; "" otherwise

	noexcept []string // functions of C++ that let no exception out
}

// Func is one C function.
type Func struct {
	Name    string
	Result  string // its type, if declared
	Params  []Param
	Defined bool     // its body was seen
	Calls   []string // without repetition
	InLoops []string // those of Calls that stand in a loop
	Twice   []string // those of Calls that are called in two places or more
	New     bool     // what it returns comes from malloc or the like
	Static  bool     // what it returns may be the address of a constant or of a static variable

	Loops    bool     // it has a loop
	Indirect bool     // it calls through a pointer
	Assembly bool     // it has inline assembly, which may do anything
	Changes  bool     // it changes memory other than its own local variables
	Takes    []string // functions whose address it takes
	Uses     []string // variables of the file or the program that it reads
	Sets     []string // and those that it changes
	Throws   string   // of C++: by what an exception may leave it; "" if none is seen
	OffStack string   // by what it installs a signal handler without SA_ONSTACK itself: sigaction, signal; "" if it doesn't
	Asks     string   // of one whose text alone is known: the function that it gives a variable to and returns the result of

	letsOut []bool // of C++, whether what is read through a parameter may go anywhere
}

// Repeats reports whether a function calls another in two places or more.
func (f *Func) Repeats(name string) bool { return slices.Contains(f.Twice, name) }

// Clears reports whether a function frees what its argument i leads to the address of: by its body.
func (f *Func) Clears(i int) bool { return i < len(f.Params) && f.Params[i].Fate.Clears }

// Param is one parameter of a function.
type Param struct {
	Type  string // if declared
	Const bool   // it points to const
	Fate  Fate   // of a function that isn't Defined, what its text shows
}

// Fate is what becomes of a pointer that a function is given.
type Fate struct {
	Frees   bool // on some path
	Keeps   bool // stores it somewhere, also for the time of the call alone
	Static  bool // stores it in a static variable
	Member  bool // its own body stores it in a member of what another parameter points to
	Returns bool
	Writes  bool // changes what it points to
	Looped  bool // calls it in a loop, if it is a function
	Clears  bool // frees what the memory that it leads to has the address of: f(&p)
	Fills   bool // puts there what must be freed
	Stows   bool // stores elsewhere what the memory that it leads to has the address of: the elements of a list
	Text    bool // gives it to what reads as far as a 0, or may do so
	Unknown bool // hands it on to what nothing is known about
}

// Func returns what is known about a function, or nil.
func (f *Facts) Func(name string) *Func {
	if f == nil {
		return nil
	}
	return f.Funcs[name]
}

// Fate returns what becomes of argument i of a function.
func (f *Facts) Fate(name string, i int) Fate {
	fate, ok := external(name, i)
	if ok {
		return fate
	}
	fn := f.Func(name)
	if fn == nil || i >= len(fn.Params) {
		return Fate{Unknown: true}
	}
	fate = fn.Params[i].Fate
	fate.Unknown = fate.Unknown || !fn.Defined
	return fate
}

// Const reports whether argument i of a function is declared as a pointer to const.
func (f *Facts) Const(name string, i int) bool {
	fn := f.Func(name)
	return fn != nil && i < len(fn.Params) && fn.Params[i].Const
}

// Allocators return memory that the caller frees.
var Allocators = []string{"malloc", "calloc", "realloc", "reallocarray", "strdup", "strndup", "aligned_alloc", "memalign", "valloc", "realpath", "open_memstream"}

// keepers are functions of the C library that keep an argument.
var keepers = map[string]int{"putenv": 0, "setvbuf": 1, "setbuf": 1, "strtok": 0, "setlinebuf": 0, "sigaltstack": 0}

// returners give their first argument back.
var returners = []string{"strcpy", "strncpy", "stpcpy", "strcat", "strncat", "memcpy", "memmove", "memset", "strchr", "strrchr", "strstr", "memchr", "strpbrk", "fgets"}

// counted are functions that read as much as they are told, and change nothing.
var counted = []string{"memcmp", "write", "send", "bcmp"}

// external is what functions of the C library do.
func external(name string, i int) (Fate, bool) {
	switch name {
	case "qsort", "qsort_r":
		return Fate{Writes: i == 0, Looped: i == 3}, true
	case "free", "cfree", "realloc", "reallocarray":
		return Fate{Frees: i == 0}, true
	}
	if k, ok := keepers[name]; ok {
		return Fate{Keeps: k == i}, true
	}
	if slices.Contains(returners, name) {
		return Fate{Returns: i == 0, Writes: i == 0, Text: strings.HasPrefix(name, "st")}, true
	}
	switch {
	case strings.HasPrefix(name, "_Zdl"), strings.HasPrefix(name, "_Zda"): // operator delete
		return Fate{Frees: i == 0}, true
	case strings.HasPrefix(name, "_ZNSt7__cxx1112basic_string"): // std::string copies what it is given
		return Fate{Writes: i == 0, Returns: i == 0}, true
	case strings.HasPrefix(name, "_ZNKSt7__cxx1112basic_string"):
		return Fate{Returns: i == 0}, true
	}
	if slices.Contains(counted, name) {
		return Fate{}, true
	}
	switch callgraph.ClassOf(name) {
	case callgraph.Harmless, callgraph.Allocates, callgraph.Locks, callgraph.Blocks:
		return Fate{Writes: true, Text: true}, true
	}
	return Fate{}, false
}
