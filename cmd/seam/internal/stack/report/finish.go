package report

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
)

// What a report has at most; the rest is added up under [Others].
const (
	mostSites   = 2000
	mostCalls   = 200 // sites of which calls are told
	mostChains  = 2000
	mostEntries = 10 // of a site
)

func address(pc uint64) string { return "0x" + strconv.FormatUint(pc, 16) }

// File names the functions and returns the report. The caller fills in what the log
// doesn't tell. The Builder is of no use afterwards.
func (b *Builder) File() *File {
	for _, pid := range slices.Sorted(maps.Keys(b.processes)) {
		b.end(pid, b.processes[pid])
	}
	b.preempts += int64(len(b.needs))
	f := &File{
		Header: Header{Command: []string{}}, Growth: b.growth, Shrink: b.shrink, Preempts: b.preempts,
		Settings: Settings{Starts: append([]int64{}, b.started...), Procs: append([]int{}, b.procs...), Guard: b.guard},
		Log:      Log{Events: b.events, Unknown: b.unknown, Stamped: b.events > 0 && !b.plain},
		Sizes:    []Size{}, Refills: []Refill{}, Shrinks: []Shrink{}, Overflows: []Overflow{}, Processes: []Process{},
		Timeline: b.timeline.report(),
	}
	for c, s := range b.sizes {
		if s != (Size{}) { // a stack may have moved to a size whose allocation the log has lost
			s.Bytes = 1 << c
			s.New = max(s.Allocs-s.Grown-s.Shrunk, 0)
			f.Sizes = append(f.Sizes, s)
		}
	}
	for order, r := range b.refills {
		if r.Refills > 0 || r.Releases > 0 {
			r.Bytes = leastStack << order
			f.Refills = append(f.Refills, r)
		}
	}
	for key, sum := range b.shrinks {
		f.Shrinks = append(f.Shrinks, Shrink{From: 1 << key[0], To: 1 << key[1], Totals: sum})
	}
	slices.SortFunc(f.Shrinks, func(x, y Shrink) int { return cmp.Or(cmp.Compare(x.From, y.From), cmp.Compare(x.To, y.To)) })

	n := b.name()
	f.Sites = n.reportSites(&b.tables)
	f.Tree = n.tree(&b.tables)
	f.Chains = n.reportChains(&b.tables)
	b.overflows(f, n)
	for _, r := range b.reports {
		p := *r.Process
		if names := b.programs[r.program].names; names != nil {
			p.Program = names.Name()
			if err := names.Err(); err != nil {
				p.Symbols = err.Error()
			}
		}
		f.Processes = append(f.Processes, p)
	}
	return f
}

// leastStack is the size of the smallest stacks on Linux, which the order of a cache
// counts from.
const leastStack = 2048

// overflows decides what the last newstacks of threads were.
func (b *Builder) overflows(f *File, n *names) {
	for i := range b.doubtful {
		d := &b.doubtful[i]
		site, entry := n.sites[n.siteOf[d.site]], n.entries[n.entryOf[d.entry]]
		if !d.died(site.Frame) {
			f.Preempts++
			continue
		}
		if len(f.Overflows) < maxOverflows {
			f.Overflows = append(f.Overflows, Overflow{
				PID: d.pid, Callee: site.Callee, Frame: site.Frame, Caller: site.Caller, Func: entry.Func, Go: entry.Go,
				Size: int64(d.hi - d.lo), Used: int64(d.hi - d.sp),
			})
		}
	}
}

// compare puts first what took most time, then what copied most, then what came most often.
func (t *Totals) compare(o *Totals) int {
	return cmp.Or(cmp.Compare(o.Time, t.Time), cmp.Compare(o.Copied, t.Copied), cmp.Compare(o.Count, t.Count))
}

func (p *Place) compare(o *Place) int {
	return cmp.Or(cmp.Compare(p.Func, o.Func), cmp.Compare(p.File, o.File), cmp.Compare(p.Line, o.Line))
}
