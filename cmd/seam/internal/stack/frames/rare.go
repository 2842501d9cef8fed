package frames

import (
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/stack/symbols"
)

// inRare reports whether the code at an address of the runtime was inlined from a rare
// function: what is inlined depends on the version, and on the program's profile (-pgo).
func (g *graph) inRare(pc uint64) bool {
	list := g.bin.Inlined(pc)
	list = list[:max(0, len(list)-1)] // the last is the function itself
	return slices.ContainsFunc(list, func(f symbols.Frame) bool { return isRare(f.Func) })
}

// isRare tells functions of the runtime that other functions of the runtime can
// call on a goroutine's stack and hardly ever do. Nearly everything that allocates
// or locks leads to them, so if they counted, every goroutine would be said to need 4 KB and more: as the
// one does that happens to start a collection, to sweep, or to be sampled.
//
// A call of them that isn't the runtime's counts (println): see [graph.connect].
func isRare(name string) bool {
	name, ok := strings.CutPrefix(name, "runtime.")
	if !ok {
		return false
	}
	switch name {
	case "gcStart", "gcMarkDone", // one goroutine in each collection
		"gcAssistAlloc", "deductSweepCredit", // while a collection runs, those that allocate much
		"(*mcache).refill", "allocm", "sysAlloc", // memory for a span or a thread, which many then use
		"(*mspan).ensureSwept", "(*mspan).refreshPinnerBits",
		"preMallocgcDebug", "postMallocgcDebug", // by GODEBUG
		"profilealloc", "mProf_Malloc", "blockevent", "saveblockevent", // samples for profiles
		"tracebackHexdump", // of a stack that is damaged
		"tracebackothers":
		return true
	case "tracebackPCs": // what runtime.Callers does
		return false
	}
	return slices.ContainsFunc([]string{
		"print", "hexdump", "(*hexdumper).", "dump", // in front of a throw, or by GODEBUG
		"(*mLockProfile).",                // samples of the runtime's own locks
		"trace", "(*trace", "unsafeTrace", // the execution tracer, while it is on
		"(*debugLog", "dlog", // in a runtime built for it
	}, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}
