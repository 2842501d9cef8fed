package report

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/stack/event"
)

// classes is how many sizes stacks can have: powers of two.
const classes = 33

// class is the power of two that a size is.
func class(size int64) uint8 { return uint8(min(bits.TrailingZeros64(uint64(size)), classes-1)) }

// An origin is what is known of a process from its beginning.
type origin struct {
	report  *Process // its entry in the report, or one that is not reported if there are too many
	program int32
	text    uint64
	guard   int64
}

// A process is what is known of one while it runs.
type process struct {
	origin
	threads    map[int]*thread
	goroutines map[uint64]int32 // that have grown, by the address of their descriptor
	dropped    bool             // threads were forgotten: what their log has cost so far is not new
	live       [classes]int64   // stacks
	bytes      int64            // of them
	procs      int
	start      int64
	heard      int64 // number of its last event, of all
	last       int64 // its time
}

// A thread is what is going on in one of the runtime's Ms.
type thread struct {
	cost  int64
	alloc int64 // time of the last stackalloc

	need need
	copy move
	// shrink is a shrink that has begun: its numbers, cpu and cost.
	shrink event.Event
}

// A need is a goroutine in newstack.
type need struct {
	on         bool
	last       bool // no event of the thread has followed
	lo, sp, hi uint64
	more       uint64
	sched      uint64
	goid       uint64
	entry, gos uint64
	cpu, cost  int64
	calls      []uint64 // in the program
}

// A move is a stack that has been copied, in a growth or shrink that is not finished.
type move struct {
	on        bool
	shrink    bool
	timed     bool // cpu and cost are those of its beginning
	site      int32
	lo        uint64
	from, to  int64
	used      int64
	gp, goid  uint64
	entry     int32
	cpu, cost int64
	at        int64 // when it was copied
	calls     []uint64
}

// process returns the process of an event.
func (b *Builder) process(e *event.Event) *process {
	if b.recent != nil && b.recentPID == e.PID && e.Kind != event.Start {
		return b.recent
	}
	p := b.processes[e.PID]
	if p == nil || e.Kind == event.Start {
		if p != nil {
			b.end(e.PID, p) // another program with its number
		}
		p = b.begin(e)
	}
	b.recent, b.recentPID = p, e.PID
	return p
}

func (b *Builder) begin(e *event.Event) *process {
	if len(b.processes) >= maxRunning {
		b.endOldest()
	}
	p := &process{threads: map[int]*thread{}, goroutines: map[uint64]int32{}}
	b.processes[e.PID] = p
	if was, ok := b.silent[e.PID]; ok {
		delete(b.silent, e.PID)
		if e.Kind != event.Start {
			p.origin, p.dropped = was, true
			return p
		}
	}
	p.text, p.guard = e.Text, e.Guard
	p.program = b.programOf(&event.Event{
		Kind: event.Start, PID: e.PID, M: e.M, Time: e.Time, Version: e.Version, Text: e.Text, Etext: e.Etext, Guard: e.Guard, Build: e.Build,
	})
	p.report = &Process{PID: e.PID, Go: e.Version, Start: max(e.Time-b.first, 0)}
	if len(b.reports) < maxProcesses {
		b.reports = append(b.reports, reported{p.report, p.program})
	}
	if b.guard == 0 {
		b.guard = e.Guard
	}
	return p
}

// end takes leave of a process.
func (b *Builder) end(pid int, p *process) {
	b.dropThreads(pid, p)
	b.forget(p)
	b.timeline.end(p.last, p.bytes)
	delete(b.processes, pid)
	b.recent = nil
}

// endOldest takes leave of the half that has been silent longest. Which processes have
// ended isn't in the log: one that goes on is known by its origin.
func (b *Builder) endOldest() {
	pids := slices.SortedFunc(maps.Keys(b.processes), func(x, y int) int { return cmp.Compare(b.processes[x].heard, b.processes[y].heard) })
	for _, pid := range pids[:len(pids)/2] {
		p := b.processes[pid]
		b.end(pid, p)
		if len(b.silent) >= maxProcesses {
			clear(b.silent)
		}
		b.silent[pid] = p.origin
	}
}

// thread returns the thread of an event.
func (b *Builder) thread(p *process, e *event.Event) *thread {
	t := p.threads[e.M]
	if t == nil {
		if b.threads >= maxThreads {
			for pid, p := range b.processes {
				b.dropThreads(pid, p)
				p.dropped = true
			}
		}
		t = &thread{}
		if p.dropped {
			t.cost = e.Cost
		}
		p.threads[e.M] = t
		b.threads++
	}
	return t
}

// dropThreads finishes what threads were at. A newstack that nothing followed was the
// program's end, if the goroutine did need more stack.
func (b *Builder) dropThreads(pid int, p *process) {
	for _, m := range slices.Sorted(maps.Keys(p.threads)) {
		t := p.threads[m]
		b.settle(p, t, -1)
		if t.need.on {
			b.undecided(pid, p, t)
		}
	}
	b.threads -= len(p.threads)
	clear(p.threads)
}
