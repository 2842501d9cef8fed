package plan

import (
	"fmt"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/weld/callgraph"
)

// A Reason says why a function is called as it is. What other code has to know of it is the
// Kind; its words are made here and nowhere else.
type Reason struct {
	Kind Kind
	Args []any    // for the kind's words
	More []string // what else there is to say
}

// Kind is a kind of reason.
type Kind int

// The kinds.
const (
	NoReason Kind = iota

	Unweldable
	NotTraced
	TypeChanged

	// The trace has too little of it.
	NeverCalled
	FewCalls
	FewForThreads
	FewForHooks

	// What was seen.
	CalledBack
	CalledBackPanic
	Waited
	NotReturned
	SlowQuantile
	LongOften
	LongOnce

	// What may be.
	TakesPointer
	CalledGo
	MayCallGo
	CallsGo
	MayWait
)

// kinds have the words of each kind, what of it is its name, and what a user can do about it.
var kinds = [...]struct{ words, name, way string }{
	Unweldable:  {"can't be welded: %s", "can't be welded", "please report what cgo makes of it"},
	NotTraced:   {"not in the trace", "not in the trace", "trace again, with the same build tags"},
	TypeChanged: {"its type has changed since the trace, where it was %s", "its type has changed", "trace again"},

	NeverCalled:   {"never called in the trace", "never called", "trace something that calls it"},
	FewCalls:      {"too few calls (%s of %s)", fewName, fewWay},
	FewForThreads: {"too few calls (%s of %s) for code that can use threads: %s", fewName, fewWay},
	FewForHooks:   {"too few calls (%s of %s) for code that %s", fewName, fewWay},

	CalledBack: {"called back into Go %s", "called back",
		"a leaf can't call Go, and these traces don't tell how long C runs between two callbacks: trace again, or write coro in place of cgo if that is short"},
	CalledBackPanic: {"called back into Go, which panicked", "called back", "trace again, or write coro in place of cgo if C is short between two callbacks"},
	Waited: {"blocked in %s of %s examined calls (%s, limit %s)", "blocked",
		"seam plan writes park where many threads at once wait in libc (for a socket, a pipe, the time, a lock; --park says how many); to take fewer threads for other waits write offload:8; where it waits in a few calls only, write coro and keep into its line: there C gives up its processor in libc's waits"},
	NotReturned:  {"a call had not returned after %s when the program ended", "a call had not returned", "it waits, and the program ended meanwhile: it stays with cgo"},
	SlowQuantile: {"p99.9 %s, limit %s", "p99.9", "if that is quick enough for you, choose another --p999; calls near the limit are judged best on a quiet machine"},
	LongOften:    {"ran for %s or longer %s, of which the machine explains %.1f (limit of the others 1 in %s)", "ran for", longWay},
	LongOnce:     {"ran for %s, limit %s", "ran for", longWay},

	TakesPointer: {"takes a C function pointer, which may call Go", "takes a C function pointer", noCoroWay},
	CalledGo:     {"called Go %s", "called Go", noCoroWay},
	MayCallGo:    {"%s", "may call Go through a pointer", noCoroWay},
	CallsGo:      {"proven: %s", "proven: calls Go", noCoroWay},
	MayWait:      {"proven: %s", "proven: reaches", noCoroWay},
}

const (
	fewName   = "too few calls"
	fewWay    = "trace something that calls it more often (go test -benchtime), or choose another --min-calls"
	longWay   = "the garbage collector would have to wait for it; if it may, choose another --max"
	noCoroWay = "#cgo noescape and nocallback rule coro out; without them it would be coro"
)

// because is a reason.
func because(k Kind, args ...any) Reason { return Reason{Kind: k, Args: args} }

// String is the reason in words; "" for none.
func (r Reason) String() string {
	if r.Kind == NoReason {
		return strings.Join(r.More, "; ")
	}
	return strings.Join(append([]string{fmt.Sprintf(kinds[r.Kind].words, r.Args...)}, r.More...), "; ")
}

// WayOut is the name of a reason and what can be done about it.
func (r Reason) WayOut() (name, way string) { return kinds[r.Kind].name, kinds[r.Kind].way }

// Want reports whether the trace has too little of the function: there is nothing against it
// but that.
func (k Kind) Want() bool {
	switch k {
	case NotTraced, NeverCalled, FewCalls, FewForThreads, FewForHooks:
		return true
	}
	return false
}

// Grave reports whether somebody who keeps a leaf should hear the reason against it again:
// the program will die, or the function can't be one. They know that it is slow.
func (k Kind) Grave() bool {
	switch k {
	case Unweldable, CalledBack, CalledBackPanic, TakesPointer, CalledGo, MayCallGo, CallsGo, MayWait:
		return true
	}
	return false
}

// toGo is why C may call Go, by its call graph.
func toGo(x callgraph.Finding) Reason {
	if x.Kind == callgraph.Hook {
		return because(MayCallGo, describe(x))
	}
	return because(CallsGo, describe(x))
}
