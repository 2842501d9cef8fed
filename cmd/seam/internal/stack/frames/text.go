package frames

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// TextOptions say what WriteText writes for.
type TextOptions struct {
	Width  int    // columns; 0 means 80
	Colour bool   // colours and typographic characters; without it the text is ASCII
	Top    int    // entries of each list
	Dir    string // files below it are shown relative to it; "" for none
}

var (
	bold    = lipgloss.NewStyle().Bold(true)
	faint   = lipgloss.NewStyle().Faint(true)
	caution = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
)

// A text is a report being written. Errors stay in the writer until it is
// flushed.
type text struct {
	TextOptions
	w *bufio.Writer
}

const minWidth = 60 // the narrowest that text is squeezed into

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer, o TextOptions) error {
	if o.Width <= 0 {
		o.Width = 80
	}
	o.Width = max(o.Width, minWidth)
	t := &text{o, bufio.NewWriter(w)}
	for i := range r.Binaries {
		if i > 0 {
			fmt.Fprintln(t.w)
		}
		t.binary(&r.Binaries[i])
	}
	fmt.Fprintln(t.w)
	t.notes(r)
	return t.w.Flush()
}

// say is s as this text may show it.
func (t *text) say(s string) string {
	s = quantity.Printable(s)
	if !t.Colour {
		s = quantity.ASCII(s)
	}
	return s
}

func (t *text) paint(s lipgloss.Style, words string) string {
	if !t.Colour {
		return words
	}
	return s.Render(words)
}

// paragraph writes wrapped words.
func (t *text) paragraph(s lipgloss.Style, indent, words string) {
	for _, l := range strings.Split(lipgloss.Wrap(t.say(words), t.Width-len(indent), " "), "\n") {
		fmt.Fprintln(t.w, indent+t.paint(s, strings.TrimRight(l, " ")))
	}
}

func (t *text) binary(b *Binary) {
	name := b.Package
	if name == "" {
		name = b.Path
	}
	if b.Test {
		name += " (test)"
	}
	t.paragraph(bold, "", name)
	t.paragraph(faint, "", fmt.Sprintf("%s, %s, %d functions. A goroutine begins with a stack of %s, of which %d bytes are used and %d are kept free; so %d bytes of frames fit, and %d more of the last one.",
		b.Go, b.Arch, b.Functions, size(b.Start), b.Taken, b.Guard, b.Start-b.Taken-b.Guard-1, small))
	t.goroutines(b)
	t.unbounded(b)
	t.chains(b)
	t.frames(b)
}

// goroutines writes the go statements whose goroutines outgrow their first stack.
func (t *text) goroutines(b *Binary) {
	where, runs := column{head: "go statement"}, column{head: "runs"}
	loop, stack, worst := column{head: "", style: caution}, column{head: "stack", right: true}, column{head: "at worst", right: true, style: faint}
	bytes, most := column{head: "frames", right: true}, column{head: "largest", style: faint}
	total, outgrow, inLoops, values, endless, shown := 0, 0, 0, 0, 0, 0
	for i := range b.Goroutines {
		g := &b.Goroutines[i]
		if g.Runtime {
			continue
		}
		total++
		switch {
		case !g.Outgrows && g.unbounded():
			endless++
			continue
		case g.Chain == nil, !g.Outgrows && g.unknown():
			values++
			continue
		case !g.Outgrows:
			continue
		}
		outgrow++
		mark := ""
		if g.Loop {
			inLoops++
			mark = "in a loop"
		}
		if outgrow > t.Top {
			continue
		}
		shown++
		where.place(t.place(g.Place))
		runs.name(t.say(short(g.Entry)))
		loop.add(mark)
		stack.add(t.say(size(b.Start) + " → " + atLeast(g.Chain) + size(g.Chain.Stack)))
		worst.add(t.say(atLeast(g.Chain) + size(g.Chain.Worst)))
		bytes.add(t.say(atLeast(g.Chain) + fmt.Sprint(g.Chain.Bytes)))
		s := largestStep(g.Chain)
		most.measured(s.Bytes, t.say(short(s.Function)))
	}
	fmt.Fprintln(t.w)
	if total == 0 {
		t.paragraph(bold, "", "No go statement outside of the runtime.")
		return
	}
	head := fmt.Sprintf("Goroutines that outgrow %s: %d of %s, %d of them started in loops", size(b.Start), outgrow, count(total, "go statement"), inLoops)
	if endless > 0 {
		head += fmt.Sprintf("; without a bound: %d more", endless)
	}
	t.paragraph(bold, "", head)
	if shown > 0 {
		t.table(where, loop, stack, worst, bytes, runs, most)
	}
	if outgrow > shown {
		t.paragraph(faint, "  ", fmt.Sprintf("and %d more; --top %d shows them", outgrow-shown, outgrow))
	}
	if values > 0 {
		t.paragraph(faint, "  ", fmt.Sprintf("%s started from values of functions and interfaces, of which nothing is known before the program runs.", countIs(values, "goroutine")))
	}
}

// unknown tells whether a goroutine does nothing at first but to call what a value
// holds: go f(x), go i.Method(), go func() { f() }().
func (g *Goroutine) unknown() bool {
	return g.Chain != nil && g.Chain.Pointers && len(g.Chain.Steps) == 1
}

// stepsShown are the calls at either end of a long chain that are shown.
const stepsShown = 12

// chains writes the deepest chains, each with its steps.
func (t *text) chains(b *Binary) {
	if len(b.Chains) == 0 {
		return
	}
	fmt.Fprintln(t.w)
	t.paragraph(bold, "", "Deepest chains of calls")
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
		t.paragraph(lipgloss.NewStyle(), "  ", fmt.Sprintf("%s%d bytes in %s, stack %s%s%s: %s", atLeast(c), c.Bytes, count(len(c.Steps), "call"), atLeast(c), size(c.Stack), bound, short(c.Function)))
		t.paragraph(faint, "    ", strings.Join(words, ", "))
	}
}

// frames writes the largest frames.
func (t *text) frames(b *Binary) {
	if len(b.Largest) == 0 {
		return
	}
	bytes, name := column{head: "bytes", right: true}, column{head: "function"}
	where, vars := column{head: "declared"}, column{head: "variables", style: faint}
	for _, f := range b.Largest {
		bytes.add(fmt.Sprint(f.Bytes))
		name.name(t.say(short(f.Function)))
		where.place(t.place(f.Place))
		var list []string
		for _, l := range f.Locals {
			list = append(list, fmt.Sprintf("%s %s (%d)", l.Name, short(l.Type), l.Bytes))
		}
		vars.add(t.say(strings.Join(list, ", ")))
	}
	fmt.Fprintln(t.w)
	t.paragraph(bold, "", "Largest frames")
	t.table(bytes, name, where, vars)
}

// notes explain what the marks mean, those that are there.
func (t *text) notes(r *Report) {
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
	words += " At worst: when the goroutine does what the runtime seldom does on a goroutine's stack, as to sweep memory or to start a collection."
	if more {
		words += " ≥: it can be longer, by calls through pointers and interfaces or by recursion."
	}
	if ring {
		words += " *: can come to call itself; counted once."
	}
	if endless {
		words += " No bound: nothing in the calls ends the rounds; what is worked on may. A stack that passes 1 GB ends the program. Rings of the standard library alone aren't told."
	}
	t.paragraph(faint, "", words)
}

// place is a line of the source as people find it.
func (t *text) place(p Place) string {
	file := p.File
	if file == "" {
		return ""
	}
	if t.Dir != "" {
		if rel, err := filepath.Rel(t.Dir, file); err == nil && !strings.HasPrefix(rel, "..") {
			file = rel
		}
	}
	// A file of a module or of Go: its folder is told by the function.
	if filepath.IsAbs(file) {
		file = filepath.Join(filepath.Base(filepath.Dir(file)), filepath.Base(file))
	}
	return t.say(fmt.Sprintf("%s:%d", file, p.Line))
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

// largestStep is the call of a chain that takes most.
func largestStep(c *Chain) *Step {
	most := &c.Steps[0]
	for i := range c.Steps {
		if c.Steps[i].Bytes > most.Bytes {
			most = &c.Steps[i]
		}
	}
	return most
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

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func countIs(n int, thing string) string {
	if n == 1 {
		return "1 " + thing + " is"
	}
	return fmt.Sprintf("%d %ss are", n, thing)
}
