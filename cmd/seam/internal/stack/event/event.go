// Package event reads what the Go runtime's stack tracer prints (runtime/stack.go with
// stackDebug = 1): one event a line, as a stream.
//
// There are two kinds of log. In a stamped one, which programs write that package overlay
// has changed, each line begins with the process, the thread and the time. A plain one is
// what such a runtime prints to standard error on its own: between the program's own
// output, and often torn by it.
package event

// A Kind tells what happened, and which fields of an [Event] are set.
type Kind uint8

const (
	// Start is the first event of a process in a stamped log. It has Version, Text, Etext,
	// Guard and Build.
	Start Kind = iota + 1
	// Settings comes first and when one of them changes: Procs, Size (of new goroutines'
	// stacks) and Lost. Procs is 0 as long as the scheduler has not begun. In stamped
	// logs only.
	Settings
	// Refill is a P's cache of small stacks that took some from the pool: Order.
	Refill
	// Release is a P's cache that gave some back: Order.
	Release
	// CacheClear is a P's cache that gave back all.
	CacheClear
	// Alloc begins an allocation: Size.
	Alloc
	// Allocated ends it: Lo.
	Allocated
	// Free has Lo and Size.
	Free
	// NewStack is a goroutine that needs more stack, or that is to be preempted: the
	// runtime uses the same check for both. It has SP, Lo, Hi, MorePC, MoreSP, SchedPC,
	// SchedSP, and in stamped logs GoID, Entry, Go and Calls; the last in none of earlier
	// versions, nor of a preemption.
	NewStack
	// Copy is a stack that is moved, for a growth or a shrink: GP, Lo, SP, Hi, NewLo,
	// NewSP, NewHi, Size (the new one), and in stamped logs GoID, Entry, Go.
	Copy
	// GrowDone ends a growth.
	GrowDone
	// Shrink begins a shrink: From, Size (the new one). Alloc, Copy and Free follow.
	Shrink
	// Exceeded is a goroutine whose stack must not grow any more; the program dies: Size
	// is the limit.
	Exceeded
)

// An Event is one event. Fields that its kind has not are 0.
type Event struct {
	Kind Kind

	// In a stamped log; of a plain one, all are 0.
	PID  int
	M    int   // the thread, as the runtime numbers them
	Time int64 // nanoseconds, on a clock that all processes share
	Cost int64 // nanoseconds of CPU that this thread has spent writing its log, before this event
	CPU  int64 // all that it has had; in logs of earlier versions this is Time, and Cost is by that clock, too

	Size, From          int64
	Lo, SP, Hi          uint64 // of a stack: it is Lo..Hi and in use from SP
	NewLo, NewSP, NewHi uint64
	GP                  uint64 // address of the goroutine's descriptor, which others use after it
	GoID                uint64
	Entry, Go           uint64 // where the goroutine began; where its go statement returned to
	MorePC, MoreSP      uint64 // where the function that needed more would return to
	SchedPC, SchedSP    uint64 // in the beginning of that function
	// Where the calls on the stack return to, innermost first, but for MorePC. It is valid
	// as long as the event, and what the runtime read there: an address need not be code.
	Calls       []uint64
	Order       int // of a cache: stacks of the least size, times 2 to the power of this
	Procs       int
	Lost        int64 // events that were not written
	Version     string
	Text, Etext uint64 // where the program's code begins and ends
	Guard       int64  // bytes that are kept free at a stack's end
	Build       uint64 // tells builds apart: a hash of where their functions begin
}

// Used is how many bytes of the stack are in use.
func (e *Event) Used() int64 { return int64(e.Hi - e.SP) }

var names = [...]string{
	Start: "start", Settings: "settings", Refill: "refill", Release: "release", CacheClear: "cacheclear",
	Alloc: "alloc", Allocated: "allocated", Free: "free", NewStack: "newstack", Copy: "copy",
	GrowDone: "growdone", Shrink: "shrink", Exceeded: "exceeded",
}

func (k Kind) String() string {
	if int(k) < len(names) && names[k] != "" {
		return names[k]
	}
	return "unknown"
}
