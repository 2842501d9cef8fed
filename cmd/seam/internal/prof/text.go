package prof

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

// TextOptions say how much of a profile is shown.
type TextOptions struct {
	text.Options
	All bool // all functions
}

// shown is how many functions the table has.
const shown = 20

// WriteText writes the table: where the time goes, by side and by function.
func (p *Profile) WriteText(to io.Writer, o TextOptions) error {
	w := text.New(to, o.Options)
	w.Line(text.Bold, p.Sentence())
	for _, gap := range p.Gaps {
		w.Line(text.Caution, "Incomplete: "+gap+".")
	}
	for _, note := range p.Notes {
		w.Line(text.Caution, "Note: "+note+".")
	}
	total := p.Total(0)
	if total == 0 {
		p.writeWaits(w, o)
		return w.Flush()
	}
	w.Line(text.Plain, p.sides())
	if p.Own > 0 {
		w.Line(text.Plain, fmt.Sprintf("Recording itself took %s of CPU time, %s %% of one processor, which is left out.", quantity.Time(float64(p.Own)), share(p.Own, int64(p.Duration))))
	}
	if ends := p.Ends().sentence(); ends != "" {
		w.Line(text.Plain, ends)
	}
	w.WriteString("\n")
	columns := []*text.Column{
		{Head: "own"}, {Head: "%", Rank: 3}, {Head: "all", Rank: 1}, {Head: "%", Rank: 2}, {Head: "side", Left: true, Rank: 4},
		{Head: "function", Left: true, Rank: 9, Least: 20}, {Head: "file", Left: true, Start: true, Least: 8},
	}
	list := p.Top(0)
	for i, t := range list {
		if i >= shown && !o.All {
			break
		}
		file := ""
		if t.File != "" {
			file = filepath.Base(t.File)
		}
		text.Add(columns, quantity.Time(float64(t.Own)), share(t.Own, total), quantity.Time(float64(t.All)), share(t.All, total), t.Kind.String(), t.Func, file)
	}
	w.Table(text.Table{Columns: columns, Rule: true})
	if len(list) > shown && !o.All {
		w.Line(text.Faint, fmt.Sprintf("%s more: --all shows them.", quantity.Plural(len(list)-shown, "function")))
	}
	p.writeCalls(w, o)
	p.writeWaits(w, o)
	return w.Flush()
}

// unknown stands for an end of a crossing that no stack shows.
const unknown = "(not known)"

// worth is the share of the time from which on crossings are shown.
const worth = 0.01

// writeCalls shows which calls the crossings' time goes to.
func (p *Profile) writeCalls(w *text.Writer, o TextOptions) {
	if p.Shares(0)[Crossing] < worth && !o.All {
		return
	}
	const most = 5
	columns := []*text.Column{{Head: "crossing"}, {Head: "%"}, {Head: "from", Left: true, Least: 12}, {Head: "to", Left: true, Least: 12}}
	for i, c := range p.Calls() {
		if i >= most && !o.All {
			break
		}
		text.Add(columns, quantity.Time(float64(c.Own)), share(c.Own, p.Total(0)), cmp.Or(c.Caller, unknown), cmp.Or(c.Callee, unknown))
	}
	w.WriteString("\n")
	w.Table(text.Table{Columns: columns, Rule: true})
}

// writeWaits shows where goroutines wait.
func (p *Profile) writeWaits(w *text.Writer, o TextOptions) {
	of := p.Of(Wall)
	if of < 0 || p.Total(of) == 0 {
		return
	}
	const most = 5
	columns := []*text.Column{{Head: "waiting"}, {Head: "%"}, {Head: "side", Left: true, Rank: 1}, {Head: "in", Left: true, Least: 12}, {Head: "called by", Left: true, Least: 12}}
	list := p.Waits()
	for i, c := range list {
		if i >= most && !o.All {
			break
		}
		text.Add(columns, quantity.Time(float64(c.Time)), share(c.Time, p.Total(of)), c.Kind.String(), c.In, c.Caller)
	}
	w.WriteString("\n")
	w.Table(text.Table{Columns: columns, Rule: true})
	if len(list) > most && !o.All {
		w.Line(text.Faint, fmt.Sprintf("%s more: --all shows them.", quantity.Plural(len(list)-most, "place")))
	}
}

func share(part, total int64) string {
	return fmt.Sprintf("%.1f", 100*float64(part)/float64(max(1, total)))
}

// Sentence says what the profile is of.
func (p *Profile) Sentence() string {
	if p.Total(0) == 0 && len(p.Gaps) > 0 {
		return fmt.Sprintf("No samples in %s.", quantity.Time(float64(p.Duration)))
	}
	if p.Total(0) == 0 {
		return fmt.Sprintf("No samples in %s: the program used less CPU time than one takes, or waited.", quantity.Time(float64(p.Duration)))
	}
	s := fmt.Sprintf("%s of CPU time in %s", quantity.Time(float64(p.Total(0))), quantity.Time(float64(p.Duration)))
	if p.Deaf > 0 {
		s += fmt.Sprintf(", %s of it in threads with SIGPROF blocked, of which only the names are known", quantity.Time(float64(p.Deaf)))
	}
	if p.Count > 1 {
		s += fmt.Sprintf(", in %d processes", p.Count)
	}
	if p.Period > 0 {
		s += fmt.Sprintf(", a sample every %s", quantity.Time(float64(p.Period)))
	}
	return s + "."
}

// sides says how the time is divided.
func (p *Profile) sides() string {
	var parts []string
	shares := p.Shares(0)
	for _, k := range Kinds() {
		if shares[k] > 0 {
			parts = append(parts, fmt.Sprintf("%s %.1f %%", k, 100*shares[k]))
		}
	}
	return strings.Join(parts, ", ") + "."
}

// Next says what to do about it, as far as a profile tells. plain is the command without seam
// weld's part in it, which seam trace takes; page is whether there is a page.
func (p *Profile) Next(command, plain string, page bool) string {
	shares := p.Shares(0)
	const much = 0.03
	look := ""
	if !page {
		again := "-- " + command
		if strings.HasPrefix(command, "--") { // the option that names a process
			again = command
		}
		look = "; to see callers: seam prof --html prof.html " + again
	}
	switch inC := shares[C] + shares[CXX] + shares[Rust]; {
	case p.Total(0) == 0:
		return ""
	case p.Blind:
		return fmt.Sprintf("C and the crossing have %.0f %% of the time together; a build that sees C tells them apart", 100*(inC+shares[Crossing]))
	case shares[Crossing] >= much:
		how := "seam trace -- " + plain + " && seam plan"
		if !strings.HasPrefix(plain, "go") {
			how = "seam trace -- go run . && seam plan" // traces what it builds
		}
		if p.candidates() == "" && p.welded() {
			return fmt.Sprintf("%.0f %% of the time is the crossing between Go and C itself, in functions that seam weld has made cheaper already, or that call Go or wait%s", 100*shares[Crossing], look)
		}
		return fmt.Sprintf("%.0f %% of the time is the crossing between Go and C itself; %s: %s", 100*shares[Crossing], cmp.Or(p.candidates(), "which functions could be leaves is shown by"), how)
	case inC >= much:
		return fmt.Sprintf("the crossing itself is %.1f %% of the time, so welding can't bring more than that%s", 100*shares[Crossing], look)
	default:
		return fmt.Sprintf("C has %.1f %% of the time%s", 100*inC, look)
	}
}

// welded says whether calls have been seen that seam weld has changed.
func (p *Profile) welded() bool {
	return slices.ContainsFunc(p.Frames, func(f Frame) bool { return strings.HasPrefix(f.Func, "runtime/cgo.SeamCall") })
}

// candidates says which functions seam plan may find to be leaves; nothing if none is seen.
func (p *Profile) candidates() string {
	const most = 3
	var names []string
	for _, c := range p.Leaves() {
		if float64(c.Own) >= worth*float64(p.Total(0)) && len(names) < most {
			names = append(names, fmt.Sprintf("%s (%s %%)", c.Callee, share(c.Own, p.Total(0))))
		}
	}
	if len(names) == 0 {
		return ""
	}
	seen := "called no Go"
	if p.Of(Wall) >= 0 {
		seen = "neither called Go nor waited"
	}
	return strings.Join(names, ", ") + " " + seen + " here and may be leaves"
}
