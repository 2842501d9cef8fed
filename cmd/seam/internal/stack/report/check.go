package report

import (
	"fmt"
	"slices"
)

const (
	largestStack = 1 << 40 // far more than any runtime allows
	maxDepth     = 64
)

// A checker finds the first value that can't be, so that those who show a report need no
// checks of their own.
type checker struct{ err error }

func (c *checker) fail(at, format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%s: %s", at, fmt.Sprintf(format, args...))
	}
}

// largest is more than any number can be: nanoseconds of 36 years.
const largest = 1 << 60

// counts checks numbers that must not be negative.
func (c *checker) counts(at string, values ...int64) {
	for _, v := range values {
		if v < 0 || v > largest {
			c.fail(at, "the value %d is negative or too large", v)
		}
	}
}

// stack checks the size of a stack.
func (c *checker) stack(at string, sizes ...int64) {
	for _, s := range sizes {
		if s <= 0 || s > largestStack || s&(s-1) != 0 {
			c.fail(at, "%d is not the size of a stack, which is a power of two", s)
		}
	}
}

func (c *checker) totals(at string, t Totals) { c.counts(at, t.Count, t.Copied, t.Time, t.Longest) }

func (c *checker) place(at string, p Place) {
	if p.Func == "" {
		c.fail(at, "a function has no name")
	}
	c.counts(at, int64(p.Line))
}

func (c *checker) entry(at string, e Entry) {
	c.place(at, e.Func)
	c.place(at, e.Go)
	c.counts(at, e.Count)
}

// Check finds values that don't fit together.
func (f *File) Check() error {
	c := &checker{}
	c.stack("settings", f.Settings.Starts...)
	c.counts("settings", f.Settings.Guard)
	for _, n := range f.Settings.Procs {
		c.counts("settings", int64(n))
	}
	for i := range f.Processes {
		p := &f.Processes[i]
		c.counts(fmt.Sprintf("process %d", i), int64(p.PID), p.Start, p.End, p.Events, p.Lost, p.CPU, p.Tracing)
	}
	c.counts("log", f.Log.Bytes, f.Log.Events, f.Log.Unknown, f.Preempts)
	c.totals("growth", f.Growth)
	c.totals("shrink", f.Shrink)
	for i, s := range f.Sizes {
		c.stack("sizes", s.Bytes)
		c.counts("sizes", s.Allocs, s.Frees, s.New, s.Grown, s.Shrunk, s.Peak)
		if i > 0 && s.Bytes <= f.Sizes[i-1].Bytes {
			c.fail("sizes", "they are not in order")
		}
	}
	for _, r := range f.Refills {
		c.stack("refills", r.Bytes)
		c.counts("refills", r.Refills, r.Releases)
	}
	for _, s := range f.Shrinks {
		c.stack("shrinks", s.From, s.To)
		c.totals("shrinks", s.Totals)
	}
	for i := range f.Sites {
		c.site(fmt.Sprintf("site %d", i), &f.Sites[i])
	}
	for i, x := range f.Chains {
		at := fmt.Sprintf("chain %d", i)
		c.entry(at, x.Entry)
		c.stack(at, x.Sizes...)
		c.counts(at, x.Goroutines)
		c.totals(at, x.Totals)
	}
	for i, n := range f.Tree {
		if n == nil || n.Entry == nil {
			c.fail(fmt.Sprintf("root %d of the tree", i), "it has no entry")
			break
		}
		c.node(fmt.Sprintf("root %d of the tree", i), n, 0)
	}
	for i := range f.Overflows {
		o, at := &f.Overflows[i], fmt.Sprintf("overflow %d", i)
		for _, p := range []Place{o.Callee, o.Caller, o.Func, o.Go} {
			c.place(at, p)
		}
		c.stack(at, o.Size)
		c.counts(at, int64(o.PID), o.Frame, o.Used)
	}
	c.timeline(&f.Timeline)
	return c.err
}

func (c *checker) site(at string, s *Site) {
	c.place(at, s.Callee)
	c.place(at, s.Caller)
	for _, p := range slices.Concat(s.Ring, s.Below, s.Calls) {
		c.place(at, p)
	}
	c.counts(at, s.Frame, s.Used)
	c.stack(at, s.Largest)
	c.totals(at, s.Totals)
	for _, step := range s.Steps {
		c.stack(at, step.From, step.To)
		c.totals(at, step.Totals)
	}
	for _, e := range s.Entries {
		c.entry(at, e)
	}
}

// node checks a node and all below. Which root it is in is enough to find it.
func (c *checker) node(at string, n *Node, depth int) {
	switch {
	case c.err != nil:
		return
	case depth > maxDepth:
		c.fail(at, "it is deeper than %d", maxDepth)
		return
	case n.Entry != nil && depth > 0:
		c.fail(at, "a node below has an entry, which only roots have")
	case n.Entry != nil:
		c.entry(at, *n.Entry)
	case n.Callee == nil || n.Caller == nil:
		c.fail(at, "a node has no callee or no caller")
	default:
		c.place(at, *n.Callee)
		c.place(at, *n.Caller)
		c.stack(at, n.From, n.To)
	}
	c.counts(at, n.Frame, n.Others)
	c.totals(at, n.Totals)
	for _, child := range n.Children {
		if child == nil {
			c.fail(at, "a node is null")
			return
		}
		c.node(at, child, depth+1)
	}
}

func (c *checker) timeline(t *Timeline) {
	c.counts("timeline", t.Step)
	if len(t.Spans) > spans {
		c.fail("timeline", "it has %d spans, and the most is %d", len(t.Spans), spans)
	}
	if len(t.Spans) > 0 && t.Step == 0 {
		c.fail("timeline", "it has spans of no length")
	}
	for _, s := range t.Spans {
		c.counts("timeline", s.New, s.Grown, s.Shrunk, s.Copied, s.Time, s.Live, s.Largest)
	}
}
