package frames

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// TextOptions say what WriteText writes for.
type TextOptions struct {
	text.Options
	Top int    // entries of each list
	Dir string // files below it are shown relative to it; "" for none
}

// A writer is a report being written.
type writer struct {
	*text.Writer
	top    int
	dir    string
	traced bool
}

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer, o TextOptions) error {
	t := &writer{text.New(w, o.Options), o.Top, o.Dir, r.Traced}
	t.Hard = true // names of functions may be very long
	for i := range r.Binaries {
		if i > 0 {
			fmt.Fprintln(t)
		}
		t.binary(&r.Binaries[i])
	}
	fmt.Fprintln(t)
	t.notes(r)
	return t.Flush()
}

// more tells how many of a list are not shown.
func (t *writer) more(all, shown int) {
	if all > shown {
		t.Paragraph(text.Faint, "  ", fmt.Sprintf("and %d more; --top %d shows them", all-shown, all))
	}
}

func (t *writer) binary(b *Binary) {
	name := cmp.Or(b.Package, b.Path)
	if b.Test {
		name += " (test)"
	}
	t.Line(text.Bold, name)
	t.Line(text.Faint, fmt.Sprintf("%s, %s, %d functions. A goroutine begins with a stack of %s, of which %d bytes are used and %d are kept free; so %d bytes of frames fit, and %d more of the last one.",
		b.Go, b.Arch, b.Functions, size(b.Start), b.Taken, b.Guard, b.Start-b.Taken-b.Guard-1, small))
	t.goroutines(b)
	t.unbounded(b)
	t.chains(b)
	t.frames(b)
}

// goroutines writes the go statements whose goroutines outgrow their first stack.
func (t *writer) goroutines(b *Binary) {
	where, runs := placeColumn("go statement"), nameColumn("runs")
	loop, stack, worst := &text.Column{Left: true, Style: text.Caution}, &text.Column{Head: "stack"}, &text.Column{Head: "at worst", Style: text.Faint}
	bytes, most := &text.Column{Head: "frames"}, nameColumn("largest")
	most.Style = text.Faint
	seen := &text.Column{Head: "seen", Left: true, Style: text.Bold}
	total, outgrow, inLoops, may, values, endless, grew, listed, shown := 0, 0, 0, 0, 0, 0, 0, 0, 0
	for i := range b.Goroutines {
		g := &b.Goroutines[i]
		if g.Runtime {
			continue
		}
		total++
		switch {
		case !g.Outgrows && g.unbounded():
			endless++
		case g.Chain == nil, !g.Outgrows && g.unknown():
			values++
		case g.Outgrows:
			outgrow++
			if g.Loop {
				inLoops++
			}
		case g.may():
			may++
		}
		if g.Seen != nil {
			grew++
		} else if !g.listed() {
			continue
		}
		if listed++; listed > t.top {
			continue
		}
		shown++
		mark := ""
		if g.Loop {
			mark = "in a loop"
		}
		addPlace(where, t.place(g.Place))
		addName(runs, "", short(g.Entry))
		loop.Cells = append(loop.Cells, mark)
		if g.Seen != nil {
			seen.Cells = append(seen.Cells, fmt.Sprintf("%d grew, to %s", g.Seen.Goroutines, size(g.Seen.Largest)))
		} else {
			seen.Cells = append(seen.Cells, "")
		}
		if g.Chain == nil {
			for _, c := range []*text.Column{stack, worst, bytes, most} {
				c.Cells = append(c.Cells, "?")
			}
			continue
		}
		stack.Cells = append(stack.Cells, size(b.Start)+" → "+atLeast(g.Chain)+size(g.Chain.Stack))
		worst.Cells = append(worst.Cells, atLeast(g.Chain)+size(g.Chain.Worst))
		bytes.Cells = append(bytes.Cells, atLeast(g.Chain)+fmt.Sprint(g.Chain.Bytes))
		s := slices.MaxFunc(g.Chain.Steps, func(a, b Step) int { return cmp.Compare(a.Bytes, b.Bytes) })
		addName(most, fmt.Sprintf("%d ", s.Bytes), short(s.Function))
	}
	fmt.Fprintln(t)
	if total == 0 {
		t.Line(text.Bold, "No go statement outside of the runtime.")
		return
	}
	head := fmt.Sprintf("Goroutines that outgrow %s: %d of %s, %d of them started in loops", size(b.Start), outgrow, quantity.Plural(total, "go statement"), inLoops)
	if may > 0 {
		head += fmt.Sprintf("; that may, by calls that can't be followed (≥): %d more", may)
	}
	if endless > 0 {
		head += fmt.Sprintf("; without a bound: %d more", endless)
	}
	if t.traced {
		head += fmt.Sprintf("; seen to grow: %d", grew)
	}
	t.Line(text.Bold, head)
	columns := []*text.Column{where, loop, stack, worst, bytes, runs, most}
	if t.traced {
		columns = slices.Insert(columns, 2, seen)
	}
	t.Table(text.Table{Columns: columns, Indent: 2})
	t.more(listed, shown)
	if values > 0 {
		t.Paragraph(text.Faint, "  ", fmt.Sprintf("%s started from function values and interfaces, about which nothing is known before the program runs%s.", quantity.Plural(values, "goroutine is", "goroutines are"), t.hint()))
	}
}

// hint says how more can be known.
func (t *writer) hint() string {
	if t.traced {
		return ""
	}
	return "; seam stack trace --json FILE, and then --trace FILE here, shows those that grew"
}

// listed reports whether the goroutine can outgrow its first stack, as far as the code
// tells. Those without a bound have a list of their own.
func (g *Goroutine) listed() bool {
	return g.Outgrows || g.may() && !g.unbounded() && !g.unknown()
}

// unknown reports whether a goroutine does nothing at first but to call what a value
// holds: go f(x), go i.Method(), go func() { f() }().
func (g *Goroutine) unknown() bool {
	return g.Chain != nil && g.Chain.Pointers && len(g.Chain.Steps) == 1
}

// stepsShown are the calls at either end of a long chain that are shown.
const stepsShown = 12

// chains writes the deepest chains, each with its steps.
func (t *writer) chains(b *Binary) {
	if len(b.Chains) == 0 {
		return
	}
	fmt.Fprintln(t)
	t.Line(text.Bold, "Deepest chains of calls")
	for i := range b.Chains {
		c := &b.Chains[i]
		var words []string
		for _, s := range c.Steps {
			w := short(s.Function) + " " + fmt.Sprint(s.Bytes)
			if s.Recursive {
				w += "*"
			}
			words = append(words, w)
		}
		if n := len(words) - 2*stepsShown; n > 1 {
			words = slices.Concat(words[:stepsShown], []string{fmt.Sprintf("… %d more …", n)}, words[len(words)-stepsShown:])
		}
		bound := ""
		if len(c.Rings) > 0 {
			bound = ", no bound"
		}
		t.Paragraph(text.Plain, "  ", fmt.Sprintf("%s%d bytes in %s, stack %s%s%s: %s", atLeast(c), c.Bytes, quantity.Plural(len(c.Steps), "call"), atLeast(c), size(c.Stack), bound, short(c.Function)))
		t.Paragraph(text.Faint, "    ", strings.Join(words, ", "))
	}
}

// frames writes the largest frames.
func (t *writer) frames(b *Binary) {
	if len(b.Largest) == 0 {
		return
	}
	bytes, name := &text.Column{Head: "bytes"}, nameColumn("function")
	where, vars := placeColumn("declared"), nameColumn("variables")
	vars.Style = text.Faint
	for _, f := range b.Largest {
		bytes.Cells = append(bytes.Cells, fmt.Sprint(f.Bytes))
		addName(name, "", short(f.Function))
		addPlace(where, t.place(f.Place))
		var list []string
		for _, l := range f.Locals {
			list = append(list, fmt.Sprintf("%s %s (%d)", l.Name, short(l.Type), l.Bytes))
		}
		vars.Cells = append(vars.Cells, strings.Join(list, ", "))
	}
	fmt.Fprintln(t)
	t.Line(text.Bold, "Largest frames")
	t.Table(text.Table{Columns: []*text.Column{bytes, name, where, vars}, Indent: 2})
}

// notes explain what the marks mean, those that are there.
func (t *writer) notes(r *Report) {
	more, ring, endless := false, false, false
	for i := range r.Binaries {
		b := &r.Binaries[i]
		for k := range b.Chains {
			more = more || b.Chains[k].AtLeast
			ring = ring || b.Chains[k].Recursive
			endless = endless || len(b.Chains[k].Rings) > 0
		}
		for k := range b.Goroutines {
			more = more || b.Goroutines[k].Chain != nil && b.Goroutines[k].Chain.AtLeast
			endless = endless || b.Goroutines[k].unbounded()
		}
		endless = endless || len(b.MainRings) > 0
	}
	words := "A chain is the longest that the code allows, not one that has to be run."
	if !r.Panics {
		words += " What can only end in a panic is left out (--panics counts it)."
	}
	words += " At worst: when the goroutine does what the runtime seldom does on a goroutine's stack, such as sweeping memory or starting a collection."
	if more {
		words += " ≥: it can be longer, by calls through pointers and interfaces or by recursion."
	}
	if ring {
		words += " *: can come to call itself; counted once."
	}
	if endless {
		words += " No bound: nothing in the calls ends the rounds; what is worked on may. A stack that passes 1 GB ends the program. Rings of the standard library alone aren't told."
	}
	t.Line(text.Faint, words)
}

// place is a line of the source as people find it.
func (t *writer) place(p Place) string {
	file := p.File
	if file == "" {
		return ""
	}
	if t.dir != "" {
		if rel, err := filepath.Rel(t.dir, file); err == nil && !strings.HasPrefix(rel, "..") {
			file = rel
		}
	}
	// A file of a module or of Go: its folder is told by the function.
	if filepath.IsAbs(file) {
		file = filepath.Join(filepath.Base(filepath.Dir(file)), filepath.Base(file))
	}
	return fmt.Sprintf("%s:%d", file, p.Line)
}

// short is a function's name with the last part of its package's path alone, and
// of those in its type parameters.
func short(name string) string {
	var b strings.Builder
	start := 0
	for i, r := range name {
		switch {
		case r == '/':
			start = i + 1
		case strings.ContainsRune("[],(*) {", r):
			b.WriteString(name[start : i+1])
			start = i + 1
		}
	}
	b.WriteString(name[start:])
	return b.String()
}

// bare is a short name without its package.
func bare(name string) string {
	head, _, _ := strings.Cut(name, "[")
	if i := strings.IndexByte(head, '.'); i > 0 {
		return name[i+1:]
	}
	return name
}

func atLeast(c *Chain) string {
	if c.AtLeast {
		return "≥ "
	}
	return ""
}

// size is the size of a stack, which is a power of two.
func size(n int64) string {
	units := []string{"bytes", "KB", "MB", "GB"}
	i := 0
	for ; n >= 1024 && n%1024 == 0 && i < len(units)-1; i++ {
		n /= 1024
	}
	return fmt.Sprintf("%d %s", n, units[i])
}
