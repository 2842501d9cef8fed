package report

import (
	"io"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/stack/event"
)

// What a Builder remembers is bounded by these. Programs of people are far below them;
// beyond, numbers are added up under [Others], or only counted.
const (
	maxPrograms   = 4096
	maxProcesses  = 8192 // in the report
	maxRunning    = 1024 // at once
	maxThreads    = 1 << 16
	maxGoroutines = 1 << 20 // that have grown, at once
	maxEntries    = 1 << 14
	maxSites      = 1 << 14
	maxSteps      = 1 << 17 // sizes from and to, over all sites
	maxWhere      = 1 << 17 // pairs of a site and an entry
	maxNodes      = 100_000
	maxNeeds      = 4096 // of a plain log: newstacks that nothing followed
	maxDoubtful   = 1000
	maxOverflows  = 100
	maxStarts     = 64
)

// Options are for [New].
type Options struct {
	Symbols Symbols // nil: functions are called by their addresses
}

// A Builder makes the report of a log whose events are added one by one. Its memory
// depends on how many places in the code and how many goroutines at once there are, not
// on the number of events.
type Builder struct {
	options Options

	events  int64
	unknown int64 // of a plain log that turned out to be a stamped one
	first   int64 // time of the first event
	plain   bool
	guard   int64
	threads int
	started []int64 // Settings.Starts
	procs   []int

	processes map[int]*process
	silent    map[int]origin // processes that have been taken for ended
	recent    *process       // the last event's
	recentPID int
	reports   []reported
	needs     map[uint64]need // of a plain log, by the stack
	latest    need            // of a plain log

	programs  []program
	programAt map[any]int32

	sizes    [classes]Size
	refills  [8]Refill
	growth   Totals
	shrink   Totals
	shrinks  map[[2]uint8]Totals
	preempts int64
	doubtful []doubt
	timeline timeline

	goroutines slab
	tables
}

// A reported process is one that has an entry in the report.
type reported struct {
	*Process
	program int32
}

// New returns a Builder without events.
func New(o Options) *Builder {
	b := &Builder{
		options: o, processes: map[int]*process{}, silent: map[int]origin{}, needs: map[uint64]need{}, programs: make([]program, 1),
		programAt: map[any]int32{}, shrinks: map[[2]uint8]Totals{},
	}
	b.tables.init()
	return b
}

// Build reads a log to its end. If that fails, the file tells what was read until then.
func Build(r *event.Reader, o Options) (*File, error) {
	b := New(o)
	var err error
	for {
		var e *event.Event
		if e, err = r.Next(); err != nil {
			break
		}
		b.Add(e)
	}
	f := b.File()
	f.Log.Bytes = r.Bytes()
	f.Log.Unknown += r.UnknownLines()
	if err == io.EOF {
		err = nil
	}
	return f, err
}

// Add counts an event. It keeps nothing of it.
func (b *Builder) Add(e *event.Event) {
	if b.plain && e.PID != 0 {
		// A start line: what came before it were no events but looked like some.
		unknown := b.events
		*b = *New(b.options)
		b.unknown = unknown
	}
	if b.events == 0 {
		b.first, b.plain = e.Time, e.PID == 0
	}
	b.events++
	p := b.process(e)
	p.heard = b.events
	p.last = max(p.last, e.Time)
	p.report.Events++
	p.report.End = max(p.report.End, e.Time-b.first)
	t := b.thread(p, e)
	if e.Cost > t.cost {
		p.report.Tracing += e.Cost - t.cost
	}
	t.cost = e.Cost
	followed := t.need.on
	switch e.Kind {
	case event.Settings:
		b.settings(p, e)
	case event.Refill:
		b.refills[e.Order&7].Refills++
	case event.Release:
		b.refills[e.Order&7].Releases++
	case event.Alloc:
		b.alloc(p, t, e)
	case event.Free:
		b.free(p, t, e)
	case event.NewStack:
		b.newstack(p, t, e)
		followed = false
	case event.Copy:
		b.copied(p, t, e)
	case event.GrowDone:
		if t.copy.on && !t.copy.shrink {
			b.settle(p, t, took(&t.copy, e))
		}
	case event.Shrink:
		b.settle(p, t, -1)
		b.preempted(t)
		t.shrink = *e
	case event.Exceeded:
		b.exceeded(p, t, e)
	}
	if followed {
		t.need.last = false
	}
}

// took is the CPU time since a copy's beginning, without what the log took; -1 if not known.
func took(m *move, e *event.Event) int64 {
	if !m.timed {
		return -1
	}
	return max((e.CPU-m.cpu)-(e.Cost-m.cost), 0)
}

func (b *Builder) settings(p *process, e *event.Event) {
	p.report.Lost = max(p.report.Lost, e.Lost)
	b.started = choose(b.started, p.start, e.Size)
	p.start = e.Size
	if e.Procs > 0 {
		b.procs = choose(b.procs, p.procs, e.Procs)
		p.procs = e.Procs
	}
}

// choose adds a setting to those that were seen. Where a process begins with what others
// have had, or changes as another did, it is told once.
func choose[T int | int64](seen []T, before, now T) []T {
	n := len(seen)
	if now == before || n >= maxStarts || n > 0 && seen[n-1] == now || before == 0 && slices.Contains(seen, now) {
		return seen
	}
	return append(seen, now)
}

func (b *Builder) alloc(p *process, t *thread, e *event.Event) {
	c := class(e.Size)
	b.sizes[c].Allocs++
	p.live[c]++
	p.bytes += e.Size
	b.sizes[c].Peak = max(b.sizes[c].Peak, p.live[c])
	t.alloc = e.Time
	if !b.plain {
		s := b.timeline.at(e.Time)
		s.New++ // unless a copy follows
		s.Live += e.Size
	}
}

func (b *Builder) free(p *process, t *thread, e *event.Event) {
	c := class(e.Size)
	b.sizes[c].Frees++
	if p.live[c] > 0 { // else it was allocated before the log began, or by a thread that isn't logged
		p.live[c]--
		p.bytes -= e.Size
		if !b.plain {
			b.timeline.at(e.Time).Live -= e.Size
		}
	}
	if t.copy.on && t.copy.shrink && t.copy.lo == e.Lo {
		b.settle(p, t, took(&t.copy, e))
	}
}

func (b *Builder) newstack(p *process, t *thread, e *event.Event) {
	b.settle(p, t, -1)
	b.preempted(t)
	n := need{
		on: true, last: true, lo: e.Lo, sp: e.SP, hi: e.Hi, more: e.MorePC, sched: e.SchedPC,
		goid: e.GoID, entry: e.Entry, gos: e.Go, cpu: e.CPU, cost: e.Cost,
	}
	if !b.plain {
		n.calls = t.need.calls[:0]
		for _, pc := range e.Calls {
			n.calls = append(n.calls, p.place(pc).pc)
		}
		t.need = n
		return
	}
	// Events of several threads are mixed, but a stack belongs to one goroutine.
	if _, waiting := b.needs[e.Lo]; waiting {
		b.preempts++
	}
	if len(b.needs) >= maxNeeds {
		b.preempts += int64(len(b.needs))
		clear(b.needs)
	}
	b.needs[e.Lo], b.latest = n, n
}

// preempted gives up on a newstack that no copy has followed.
func (b *Builder) preempted(t *thread) {
	if t.need.on {
		b.preempts++
		t.need = need{}
	}
}

// copied begins the copying of a stack. Whether it grows or shrinks is seen from the
// sizes.
func (b *Builder) copied(p *process, t *thread, e *event.Event) {
	b.settle(p, t, -1)
	from, c := int64(e.Hi-e.Lo), class(e.Size)
	if t.alloc > 0 {
		b.timeline.at(t.alloc).New--
		t.alloc = 0
	}
	m := move{
		on: true, shrink: e.Size < from, lo: e.Lo, from: from, to: e.Size, used: e.Used(), gp: e.GP, goid: e.GoID,
		at: e.Time,
	}
	if m.shrink {
		b.sizes[c].Shrunk++
		b.preempted(t) // preempted to shrink
		if s := &t.shrink; s.Kind == event.Shrink && s.From == from && s.Size == e.Size && !b.plain {
			m.timed, m.cpu, m.cost = true, s.CPU, s.Cost
		}
	} else {
		b.sizes[c].Grown++
		n := t.need
		if b.plain {
			n = b.needs[e.Lo]
			delete(b.needs, e.Lo)
		}
		t.need = need{calls: t.need.calls}
		switch {
		case n.on && n.lo == e.Lo && n.hi == e.Hi:
			m.site = b.site(p.place(n.sched), p.place(n.more))
			m.timed, m.cpu, m.cost = !b.plain, n.cpu, n.cost
			m.calls = append(t.copy.calls[:0], n.calls...)
		case n.on:
			b.preempts++
		}
		if !b.plain {
			m.entry = b.entry(p.place(e.Entry), p.place(e.Go))
		}
	}
	t.shrink.Kind = 0
	t.copy = m
	if b.plain {
		b.settle(p, t, -1)
	}
}

// place is an address of a process as it is in its program.
func (p *process) place(pc uint64) place { return place{p.program, pc - p.text} }

// settle counts a growth or shrink that is finished. It took so long; -1 if not known.
func (b *Builder) settle(p *process, t *thread, time int64) {
	m := &t.copy
	if !m.on {
		return
	}
	m.on = false
	time = max(time, 0)
	if !b.plain {
		s := b.timeline.at(m.at)
		s.Copied += m.used
		s.Time += time
		if m.shrink {
			s.Shrunk++
		} else {
			s.Grown++
			s.Largest = max(s.Largest, m.to)
		}
	}
	if m.shrink {
		b.shrink.add(m.used, time)
		key := [2]uint8{class(m.from), class(m.to)}
		sum := b.shrinks[key]
		sum.add(m.used, time)
		b.shrinks[key] = sum
		b.shrunk(p, m)
		return
	}
	b.growth.add(m.used, time)
	b.countSite(m, time)
	b.grown(p, m, time)
}

// add counts one copy.
func (t *Totals) add(copied, time int64) {
	t.Sum(Totals{Count: 1, Copied: copied, Time: time, Longest: time})
}

// Sum adds what others have counted.
func (t *Totals) Sum(o Totals) {
	t.Count += o.Count
	t.Copied += o.Copied
	t.Time += o.Time
	t.Longest = max(t.Longest, o.Longest)
}
