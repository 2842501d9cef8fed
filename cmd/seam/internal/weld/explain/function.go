package explain

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/weld/calltrace"
	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
)

// function is one function with all that is known about it.
type function struct {
	*pkg
	cgofile.Function
	stubs    []*cgofile.Stub
	sites    []Site
	layout   *Layout // of the first stub; nil if it is not known
	wrong    error   // why
	findings escapes
	silent   error // why the compiler said nothing
	line     *plan.Entry
	trace    *calltrace.Function
}

// explain shows how calls of one function travel.
func (k *pkg) explain(ctx context.Context, name string) (*Doc, error) {
	i := slices.IndexFunc(k.functions, func(f cgofile.Function) bool { return f.Name == name })
	f := &function{
		pkg: k, Function: k.functions[i], stubs: k.stubs(name), sites: k.sites[name],
		line: k.entry(name), trace: k.traced(name),
	}
	f.layout, f.wrong = k.layout(f.stubs[0])
	c := compiler{k.Go, k.Options.Dir, k.Flags, k.GOTOOLDIR}
	out, err := c.decisions(ctx, k.Package, k.objdir)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	f.silent = err
	var names []string
	for _, s := range f.stubs {
		names = append(names, s.GoName)
	}
	f.findings = about(parseFindings(out), out, names)

	if k.Measure != nil && !k.prices.complete() {
		if run := k.Measure(); run != nil {
			k.prices, k.LabName = prices{run}, "a quick run just now"
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	d := &Doc{Kicker: k.ImportPath, Title: "How a call of " + quotedName(name) + " travels"}
	d.Lead = f.lead()
	d.Facts = f.facts()
	d.Sections = []Section{
		f.callSites(), f.goStub(), f.arguments(), f.escape(), f.cWrapper(), f.cgoWay(), f.welded(), f.program(),
	}
	return d, nil
}

func (f *function) lead() string {
	if f.Name == cgofile.Malloc {
		return "C.malloc, C.CString and C.CBytes get their memory from this call. In a trace or a plan its name is " + cgofile.Malloc + "."
	}
	return ""
}

func (f *function) facts() []Fact {
	list := []Fact{{"in C", f.signature(f.Function)}}
	if f.layout != nil {
		list = append(list, Fact{"arguments", fmt.Sprintf("%s, %d of them padding", quantity.Plural(f.layout.Size, "byte"), f.layout.Padding())})
	}
	escape := "nothing: no argument contains a pointer into Go's memory"
	switch {
	case f.layout == nil:
		escape = "not known"
	case len(f.layout.Pointers()) > 0 && f.NoEscape:
		escape = "nothing: #cgo noescape"
	case len(f.layout.Pointers()) > 0:
		escape = "what " + members(f.layout.Pointers()) + " to"
	}
	list = append(list, Fact{"escapes", escape})
	whole := f.prices.whole(f.wholeSeries())
	if how := f.wholeName(); whole != notMeasured && how != wholeNames[labCgo] {
		whole += ": " + how
	}
	list = append(list, Fact{"cgo call", whole})
	switch why := f.unweldable(); {
	case why != "":
		list = append(list, Fact{"welded", "can't be: " + why})
	default:
		list = append(list, Fact{"leaf call", f.prices.whole(labWrapper)})
	}
	return list
}

// members names arguments: "p0 points", "p0 and p2 point".
func members(list []Member) string {
	var names []string
	for _, m := range list {
		names = append(names, m.Name)
	}
	if len(names) == 1 {
		return names[0] + " points"
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1] + " point"
}

// most is how many places are shown.
const most = 12

func (f *function) callSites() Section {
	s := Section{Title: "The call in Go"}
	if len(f.sites) == 0 {
		s.add(prose("Nothing in the package's cgo files calls it by this name."))
		return s
	}
	c := &Code{}
	in := ""
	for _, site := range f.sites[:min(most, len(f.sites))] {
		if head := site.File + ": " + site.Func; head != in {
			in = head
			c.Lines = append(c.Lines, Line{Text: "// " + strings.TrimSuffix(head, ": ")})
		}
		c.Lines = append(c.Lines, Line{Text: fmt.Sprintf("%5d  %s", site.Line, strings.ReplaceAll(site.Source, "\t", "    "))})
	}
	s.add(Block{Code: c})
	if n := len(f.sites) - most; n > 0 {
		s.add(note(fmt.Sprintf("And %s more.", quantity.Plural(n, "place"))))
	}
	if slices.ContainsFunc(f.sites, func(s Site) bool { return s.Errno }) {
		s.add(note("A call with two results asks for errno and has a stub and a wrapper of its own."))
	}
	return s
}

func (f *function) goStub() Section {
	s := Section{Title: "The Go stub that cgo generates"}
	used := map[string]bool{}
	for _, stub := range f.stubs {
		caption := ""
		if len(f.stubs) > 1 {
			caption = "without errno"
			if stub.Errno {
				caption = "with errno"
			}
		}
		s.add(Block{Code: annotate(caption, f.gen.Gotypes.Text(stub), stubRemarks, used)})
	}
	return s
}

func (f *function) arguments() Section {
	s := Section{Title: "The arguments in memory"}
	switch {
	case f.layout == nil:
		s.add(prose("They can't be shown: " + f.wrong.Error() + "."))
		return s
	case f.layout.Size == 0:
		s.add(prose("There is neither an argument nor a result: C gets an address and doesn't use it."))
		return s
	}
	s.add(Block{Table: f.layout.table()}, Block{Bytes: f.layout.picture()})
	padding := "None is padding."
	if n := f.layout.Padding(); n > 0 {
		padding = fmt.Sprintf("%d of them are padding.", n)
	}
	s.add(prose(fmt.Sprintf("The %s lie on the goroutine's stack, %s. %s", quantity.Plural(f.layout.Size, "byte"), f.layout.lines(), padding)))
	return s
}

func (f *function) escape() Section {
	s := Section{Title: "What escapes to the heap, and why"}
	var held []Member
	if f.layout != nil {
		held = f.layout.Pointers()
	}
	switch {
	case f.layout == nil:
	case len(held) == 0:
		s.add(prose("No argument contains a pointer into Go's memory, so nothing of the caller's moves to the heap. (A type whose contents only C knows is never in Go's memory.)"))
	case f.NoEscape:
		s.add(prose("The package has promised with #cgo noescape that C keeps no pointer, so what " + members(held) + " to may stay on the stack."))
	default:
		s.add(prose("What " + members(held) + " to escapes: a variable of the caller whose address is passed is moved to the heap, an allocation each time. cgo can't do better unless it is told more. C may call back into Go, which may move the goroutine's stack, and an address in it that C holds would be stale. That is what _Cgo_use in the stub is for."))
	}
	if f.silent != nil {
		s.add(prose("The compiler could not be asked: " + strings.ReplaceAll(f.silent.Error(), "\n\t", " ") + "."))
		return s
	}
	pointer := map[string]bool{}
	for _, m := range held {
		pointer[m.Name] = true
	}
	stub := &Code{Caption: "What the compiler says of the stub (-m=2)"}
	copies := false
	for _, x := range f.findings.stub {
		name, _, _ := strings.Cut(strings.TrimPrefix(x.Head, "parameter "), " ")
		if x.Head != "" && !pointer[name] { // the reason is useless, the verdict may not be
			copies = copies || x.Verdict == name+" escapes to heap"
			x.Head, x.Flow = "", nil
		}
		for _, l := range x.Lines() {
			stub.Lines = append(stub.Lines, Line{Text: l})
		}
	}
	if len(stub.Lines) > 0 {
		s.add(Block{Code: stub})
	}
	if copies {
		s.add(note("“escapes to heap” about an argument itself is about its copy for the call of _Cgo_use, which never runs, and costs nothing."))
	}
	calls := &Code{Caption: "What the compiler says of the callers"}
	allocates := 0
	for i, x := range f.findings.calls {
		if x.Allocates() {
			allocates++
		}
		if i < most/2 {
			for _, l := range x.Lines() {
				calls.Lines = append(calls.Lines, Line{Text: l})
			}
		}
	}
	if len(held) > 0 && !f.NoEscape {
		switch {
		case allocates > 0:
			s.add(prose(fmt.Sprintf("In this package %s on the heap for this call: an allocation each time.", quantity.Plural(allocates, "variable is put", "variables are put"))))
		case len(f.findings.calls) > 0:
			s.add(prose("In this package no variable is put on the heap for this call. But what is passed comes from callers, who may have to put it there."))
		default:
			s.add(prose("In this package nothing is put on the heap for this call: what is passed is already there, or is C's."))
		}
	}
	if len(calls.Lines) > 0 {
		s.add(Block{Code: calls})
	}
	if n := len(f.findings.calls) - most/2; n > 0 {
		s.add(note(fmt.Sprintf("And %d more.", n)))
	}
	return s
}

func (f *function) cWrapper() Section {
	s := Section{Title: "The C wrapper that cgo generates"}
	used := map[string]bool{}
	for _, stub := range f.stubs {
		file, w := f.gen.Wrapper(stub)
		if w == nil {
			s.add(prose("It was not found where cgo writes it."))
			continue
		}
		remarks := slices.Clone(wrapperRemarks)
		if f.Name != cgofile.Malloc {
			remarks = append(remarks, remark{f.Name + "(_cgo_a->", "The call itself."}, remark{f.Name + "()", "The call itself."})
		} else {
			remarks = append(remarks, remark{"ret = malloc(", "The call itself."})
		}
		caption := file.Name
		if stub.Errno {
			caption += ", with errno"
		}
		s.add(Block{Code: annotate(caption, f.wrapperText(file, w), remarks, used)})
	}
	return s
}

// wrapperText is the wrapper without the macro in front of it.
func (f *function) wrapperText(file *cgofile.Wrappers, w *cgofile.Wrapper) string {
	return strings.TrimPrefix(file.Text(w), "CGO_NO_SANITIZE_THREAD\n")
}

// cTime is the time of the C itself in the trace: until it returns, or calls Go.
func (f *function) cTime() string {
	if f.trace == nil || f.trace.Calls == 0 {
		return "not traced"
	}
	if b := f.trace.Between; b != nil {
		return quantity.Time(float64(b.P50NS)) + " between two callbacks (median, traced)"
	}
	return quantity.Time(float64(f.trace.P50NS)) + " (median, traced)"
}

// program is the function in the user's program: plan and trace.
func (f *function) program() Section {
	s := Section{Title: "In your program"}
	switch {
	case f.Plan == nil:
		s.add(prose("There is no plan. These commands make one, and a trace that shows what the calls cost you:"))
		s.add(Block{Code: &Code{Lines: []Line{{Text: "seam trace -- go test -bench . ./..."}, {Text: "seam plan"}}}})
	case f.line == nil:
		s.add(prose(fmt.Sprintf("The plan %s has no line for it, so it is called by cgo.", quantity.Printable(f.Plan.Name))))
	default:
		s.add(Block{Code: &Code{Caption: fmt.Sprintf("%s:%d", f.Plan.Name, f.line.Line), Lines: []Line{{Text: planLine(*f.line)}}}})
		if f.line.Sig != "" && f.line.Sig != f.Sig() {
			s.add(prose("The function's type has changed since (sig=" + f.Sig() + " now), so the line is ignored. Make the plan again with: seam plan"))
		}
	}
	if f.Trace == nil {
		if f.Plan != nil {
			s.add(prose("There is no trace. This command makes one:"))
			s.add(Block{Code: &Code{Lines: []Line{{Text: "seam trace -- go test -bench . ./..."}}}})
		}
		return s
	}
	if f.trace == nil || f.trace.Calls == 0 {
		s.add(prose(fmt.Sprintf("The trace %s has no calls of it.", quantity.Printable(f.TraceName))))
		return s
	}
	s.add(traceTable(f.trace))
	if len(f.trace.Callers) > 0 {
		s.add(callers(f.trace))
	}
	times := "C alone"
	if f.trace.Callbacks > 0 {
		times = "C with its callbacks into Go"
	}
	s.add(note(fmt.Sprintf("%s: %s on %s/%s, %s. Times are for %s, without the crossing.", quantity.Printable(f.TraceName),
		quantity.Printable(f.Trace.Go), quantity.Printable(f.Trace.OS), quantity.Printable(f.Trace.Arch), quantity.Printable(f.Trace.CPU), times)))
	return s
}

func planLine(e plan.Entry) string {
	var b bytes.Buffer
	if err := (&plan.Plan{Entries: []plan.Entry{e}}).Format(&b); err != nil {
		return e.Path() // can't happen: nothing fails in memory
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	return lines[len(lines)-1]
}

func traceTable(t *calltrace.Function) Block {
	ns := func(v uint64) string { return quantity.Time(float64(v)) }
	blocked := fmt.Sprint(t.Blocked)
	if t.Examined > 0 {
		blocked += fmt.Sprintf(" of %s", quantity.Compact(float64(t.Examined)))
	}
	crossing := quantity.Missing
	if t.CrossingNS > 0 {
		crossing = quantity.Time(t.CrossingNS)
	}
	table := &Table{
		Head: []string{"traced", ""}, Right: []bool{false, true}, Code: []bool{false, false},
		Rows: [][]string{
			{"calls", quantity.Tick(float64(t.Calls), "")},
			{"all calls together", ns(t.TotalNS)},
			{"p50, p99, p99.9 (at most)", ns(t.P50NS) + ", " + ns(t.P99NS) + ", " + ns(t.P999NS)},
			{"longest", ns(t.MaxNS)},
			{"crossing, a call", crossing},
			{"calls that called back into Go", quantity.Tick(float64(t.Callbacks), "")},
			{"calls that waited", blocked},
			{"most threads inside at once", fmt.Sprint(t.MaxThreads)},
		},
	}
	if b := t.Between; b != nil {
		table.Rows = append(table.Rows,
			[]string{"callbacks", quantity.Tick(float64(b.Callbacks), "")},
			[]string{"in Go, with the way there and back", ns(t.CallbackNS)},
			[]string{"C between two, p50, p99, p99.9", ns(b.P50NS) + ", " + ns(b.P99NS) + ", " + ns(b.P999NS)})
	}
	return Block{Table: table}
}

// callers lists who makes the calls, a row for a Go function.
func callers(t *calltrace.Function) Block {
	table := &Table{
		Head: []string{"called by", "calls", "with crossing"}, Right: []bool{false, true, true}, Code: []bool{true, false, false},
	}
	type sum struct{ calls, ns uint64 }
	sums := map[string]sum{}
	for _, c := range t.Callers {
		if len(c.Stack) > 0 {
			name := c.Stack[0].Func
			sums[name] = sum{sums[name].calls + c.Calls, sums[name].ns + c.NS}
		}
	}
	names := slices.SortedFunc(maps.Keys(sums), func(a, b string) int {
		return cmp.Or(cmp.Compare(sums[b].ns, sums[a].ns), strings.Compare(a, b))
	})
	for _, name := range names[:min(5, len(names))] {
		table.Rows = append(table.Rows, []string{name, quantity.Compact(float64(sums[name].calls)), quantity.Time(float64(sums[name].ns))})
	}
	return Block{Table: table}
}
