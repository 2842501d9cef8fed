package leaks

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
)

// parts is how many values a history has.
const parts = 16

// Until says when the process was looked at: later than its last allocation. What
// came to an end long before does not grow.
func (r *Record) Until(t time.Time) { r.WallNS = max(r.WallNS, int64(t.Sub(r.Start))) }

// cleanup is what the go command may take after the end of the program that it ran:
// it removes what it built.
const cleanup = time.Second

// UntilCommand says when the go command ended that ran the process. Seconds that may
// not have been the program's don't count: a leak would look as if it had come to rest.
func (r *Record) UntilCommand(t time.Time) { r.Until(t.Add(-cleanup)) }

// Merge makes one File of the records of all processes. The fields that tell of
// the run are for the caller to fill in: Seam, OS, Arch, Module, Command, Time.
func Merge(records []*Record) *File {
	f := &File{Processes: []Process{}, Leaks: []Leak{}, Wrong: []Wrong{}}
	var leaks recording.Ordered[string, Leak]
	var wrong recording.Ordered[string, Wrong]
	judged := map[cause]verdict{}
	for _, r := range records {
		f.Processes = append(f.Processes, Process{
			Exe: r.Exe, PID: r.PID, Start: r.Start, WallNS: r.WallNS,
			Unsearched: r.Unsearched, LostBlocks: r.LostBlocks, LostStacks: r.LostStacks, LostWrong: r.LostWrong,
			Incomplete: r.gaps(),
		})
		if r.Go != "" {
			f.Go = r.Go
		}
		list := groups(r)
		for key, v := range verdicts(list, time.Duration(r.WallNS)) {
			judged[key] = judged[key].or(v)
		}
		for _, g := range list {
			l := leaks.At(fmt.Sprintf("%s %q", g.what, g.stack), Leak{What: g.what, History: make([]uint64, parts), Stack: g.stack})
			l.add(g, r.WallNS)
			f.Made, f.MadeBytes = plus(f.Made, g.made), plus(f.MadeBytes, g.madeBytes)
			f.Blocks, f.Bytes = plus(f.Blocks, g.live), plus(f.Bytes, g.liveBytes)
		}
		for _, x := range r.Wrong {
			made, what := describe(x.Made)
			w := Wrong{
				Kind: x.Kind, What: what, Size: x.Size, Offset: x.Offset, Made: made,
				First: place(x.First, x.FirstC), Again: place(x.Second, x.SecondC),
			}
			if x.Kind != Twice {
				w.First = nil
			}
			key := fmt.Sprintf("%s %s %d %q %q %q", w.Kind, w.What, w.Offset, w.Made, w.First.text(), w.Again.text())
			known := wrong.At(key, w)
			known.Count = plus(known.Count, x.Count)
		}
	}
	f.Resident = recorded(records)
	for _, l := range leaks.List {
		v := judged[causeOf(l.What, l.Stack)]
		if l.Class, l.Why = v.class, v.why; l.Blocks > 0 {
			f.Leaks = append(f.Leaks, *l)
		} else {
			f.freed = append(f.freed, *l)
		}
	}
	for _, w := range wrong.List {
		f.Wrong = append(f.Wrong, *w)
	}
	slices.SortStableFunc(f.Leaks, func(a, b Leak) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Blocks, a.Blocks), compareStacks(a.Stack, b.Stack))
	})
	slices.SortStableFunc(f.Wrong, func(a, b Wrong) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(b.Count, a.Count), compareStacks(a.Made, b.Made))
	})
	return f
}

// Unsearched is in how many processes nothing could be searched.
func (f *File) Unsearched() int {
	n := 0
	for _, p := range f.Processes {
		if p.Unsearched {
			n++
		}
	}
	return n
}

// OnlyGrowing leaves out the leaks that are known not to grow, and tells how many
// places they are from. The sums stay those of all.
func (f *File) OnlyGrowing() {
	before := f.Sites()
	f.Leaks = slices.DeleteFunc(f.Leaks, func(l Leak) bool { return l.Class != Growing && l.Class != Unclear })
	f.Omitted = before - f.Sites()
}

func compareStacks(a, b []recording.Frame) int {
	return slices.CompareFunc(a, b, recording.CompareFrames)
}

// describe tidies a stack and tells what stands on top of it.
func describe(frames []recording.Frame) (stack []recording.Frame, what string) {
	stack, stub := recording.Tidy(frames)
	switch stub {
	case "":
		what = "C"
	case cgofile.Malloc:
		what = "C.malloc"
	default:
		what = "C." + stub
	}
	if stack == nil {
		stack = []recording.Frame{}
	}
	return stack, what
}

// A group is what a process allocated from one stack: calls in one line have
// stacks of their own in a Record.
type group struct {
	what                             string
	stack                            []recording.Frame
	made, madeBytes, live, liveBytes uint64
	parts                            []*StackRecord
}

// groups are those of a process. Stacks that only freed are left out.
func groups(r *Record) []*group {
	var all recording.Ordered[string, group]
	for i := range r.Stacks {
		s := &r.Stacks[i]
		if s.Made == 0 && s.Live == 0 {
			continue
		}
		stack, what := describe(s.Frames)
		g := all.At(fmt.Sprintf("%s %q", what, stack), group{what: what, stack: stack})
		g.made, g.madeBytes = plus(g.made, s.Made), plus(g.madeBytes, s.MadeBytes)
		g.live, g.liveBytes = plus(g.live, s.Live), plus(g.liveBytes, s.LiveBytes)
		g.parts = append(g.parts, s)
	}
	return all.List
}

// at is how many blocks were live some time after the start.
func (g *group) at(ns int64) (live uint64) {
	for _, s := range g.parts {
		live = plus(live, s.at(ns))
	}
	return live
}

// atStart reports whether the stack is that of a package that was initialised.
func (g *group) atStart() bool {
	return slices.ContainsFunc(g.stack, func(f recording.Frame) bool { return f.Func == "runtime.doInit1" })
}

func (l *Leak) add(g *group, wall int64) {
	l.Made, l.MadeBytes = plus(l.Made, g.made), plus(l.MadeBytes, g.madeBytes)
	for i := range l.History {
		l.History[i] = plus(l.History[i], g.at(wall/parts*int64(i+1)))
	}
	l.Blocks, l.Bytes = plus(l.Blocks, g.live), plus(l.Bytes, g.liveBytes)
}

// place is where something was freed; nil if that is not known.
func place(frames []recording.Frame, c string) *Place {
	if len(frames) > 0 {
		stack, _ := recording.Tidy(frames)
		return &Place{Stack: stack}
	}
	if c != "" {
		return &Place{C: c}
	}
	return nil
}

func (p *Place) text() string {
	if p == nil {
		return ""
	}
	return fmt.Sprint(p.Stack, p.C)
}
