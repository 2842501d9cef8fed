// Package plan reads, writes, makes and checks seam.plan: the text file that
// says which C functions of a program are called as leaves.
//
//	# seam.plan 1
//	threads: 64
//	offload:8 github.com/alexbrainman/odbc/api.SQLExecute group=db
//	park github.com/alexbrainman/odbc/api.SQLFetch stack=256KiB
//	leaf github.com/mattn/go-sqlite3.sqlite3_column_int64 sig=1f9c03aa budget=20us # observed: 1.2M calls, p99.9 84 ns, max 9.1 us
//	cgo  github.com/mattn/go-sqlite3.sqlite3_step sig=77aa02b1 # proven: calls through pointers; may call back
//
// One line a function; what follows a # is for people. The order of lines
// carries no meaning. A line with the word keep is the user's own: a new plan
// takes it over unchanged.
package plan

import "time"

// Mode says how a function is called.
type Mode string

// The modes.
const (
	Leaf Mode = "leaf" // on the system stack, without the scheduler's handshake
	Coro Mode = "coro" // the same, and its calls of Go are no crossings either
	Park Mode = "park" // on a stack of its own: its waits take no thread
	Cgo  Mode = "cgo"  // as Go calls C
	View Mode = "view" // of cgo's GoString alone: strings that can't change are not copied

	// Of cgo's CString alone: the blocks of strings that are freed where they are made are
	// used again.
	Reuse Mode = "reuse"

	// As Go calls C, by so many goroutines at once: the others queue in Go, where they
	// take no thread. It is written with the number, offload:8.
	Offload Mode = "offload"
)

// Defaults of an entry's options.
const (
	DefaultBudget = 20 * time.Microsecond
	DefaultAllow  = 0.01
)

// Plan is the content of one file.
type Plan struct {
	Name    string // the file, for messages
	Entries []Entry

	// Threads is how many goroutines may be in C at once that is called as Go calls C, in
	// the whole program; 0 for any number.
	Threads        int
	ThreadsLine    int
	ThreadsComment string

	// Trim is how long the program is idle before it gives free memory of C's back; 0 for never.
	Trim        time.Duration
	TrimLine    int
	TrimComment string
}

// Entry is one line.
type Entry struct {
	Mode    Mode
	Package string        // import path
	Func    string        // name in C
	Sig     string        // cgofile.Function.Sig when the line was made; "" if not given
	Budget  time.Duration // a call that takes longer is over budget; DefaultBudget if not given
	Allow   float64       // the share of calls that may be over budget; DefaultAllow if not given
	Closed  bool          // it can't come to Go, by its call graph
	Threads int           // of Offload
	Group   string        // the functions with which it shares the threads of Offload; "" for none
	Stack   int           // bytes of the stack of Park; 0 if not given
	Keep    bool          // the line is not to be changed when the plan is made anew
	Comment string        // after the #, trimmed

	// Unbounded excepts a function of mode Cgo from the plan's Threads.
	Unbounded bool

	Line int // counted from 1
}

// Direct reports whether the function is called without the scheduler's handshake: it has a
// budget then.
func (e Entry) Direct() bool { return e.Mode == Leaf || e.Mode == Coro }

// Wrapped reports whether the function's C wrapper is rewritten, which has to have a known form.
func (e Entry) Wrapped() bool { return e.Direct() || e.Mode == Park }

// Path is how people name the function: import path, dot, name in C.
func (e Entry) Path() string { return e.Package + "." + e.Func }
