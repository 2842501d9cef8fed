package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
)

// footer applies to all figures.
const footer = "A KB is 1024 bytes. Times exclude writing the log. seam stack frames shows the frames of functions without running the program."

// A fact is a line of a report's head.
type fact struct{ name, value string }

func facts(f *report.File) []fact {
	var list []fact
	add := func(name string, parts ...string) {
		if value := strings.Join(some(parts...), ", "); value != "" {
			list = append(list, fact{name, value})
		}
	}
	system := ""
	if f.OS != "" {
		system = clean(f.OS) + "/" + clean(f.Arch)
	}
	tool := ""
	if f.Seam != "" {
		tool = "seam " + clean(f.Seam)
	}
	add("Go", clean(f.Go), system, tool)
	add("CPU", clean(f.CPU))
	if !f.Time.IsZero() {
		add("Time", f.Time.UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	add("Module", clean(f.Module))
	add("Stacks", startWords(f.Settings))
	add("GOMAXPROCS", procs(f.Settings))
	log := fmt.Sprintf("%s of %s", plural(f.Log.Events, "event"), size(f.Log.Bytes))
	if f.Log.Unknown > 0 {
		log += fmt.Sprintf(", and %s not recognised as events", plural(f.Log.Unknown, "line"))
	}
	add("Log", log)
	return list
}

// starts are the sizes that stacks began with.
func starts(s report.Settings) string {
	var list []string
	for _, n := range s.Starts {
		if n > 0 {
			list = append(list, size(n))
		}
	}
	if len(list) == 0 {
		return "a size that is not in the log"
	}
	return shortList(list, ", then ")
}

// procs are the values of GOMAXPROCS.
func procs(s report.Settings) string {
	var list []string
	for _, n := range s.Procs {
		if n > 0 { // 0 is said before the scheduler has started
			list = append(list, strconv.Itoa(n))
		}
	}
	return shortList(list, ", then ")
}

// startBrief says on one line where stacks start, and what decides it.
func startBrief(s report.Settings) string {
	words := "start at " + starts(s)
	if s.Adaptive != "" {
		words += " (GODEBUG=adaptivestackstart=" + clean(s.Adaptive) + ")"
	}
	if p := procs(s); p != "" {
		words += ", GOMAXPROCS " + p
	}
	return words
}

// startWords say where stacks start, and why.
func startWords(s report.Settings) string {
	words := "start at " + starts(s)
	switch s.Adaptive {
	case "0":
		words += " (GODEBUG=adaptivestackstart=0 for this run; by default, 1, the collector raises it to the average in use)"
	case "1":
		words += " (GODEBUG=adaptivestackstart=1: the collector sets it to the average in use)"
	default:
		words += " (GODEBUG=adaptivestackstart is unknown)"
	}
	if s.Guard > 0 {
		words += fmt.Sprintf("; %s at the end are reserved", size(s.Guard))
	}
	return words
}

// shortList joins at most eight.
func shortList(list []string, by string) string {
	const most = 8
	if len(list) > most {
		list = append(list[:most-1:most-1], fmt.Sprintf("… %s", list[len(list)-1]))
	}
	return strings.Join(list, by)
}

func processWords(p *report.Process) string {
	var parts []string
	var program []string
	if p.PID > 0 {
		program = append(program, strconv.Itoa(p.PID))
	}
	if p.Program != "" {
		program = append(program, clean(p.Program))
	}
	if p.Go != "" {
		program = append(program, "("+clean(p.Go)+")")
	}
	if len(program) > 0 {
		parts = append(parts, strings.Join(program, " "))
	}
	if p.Ended != "" {
		parts = append(parts, clean(p.Ended))
	} else {
		parts = append(parts, "exit status unknown")
	}
	parts = append(parts, plural(p.Events, "event"))
	if p.End > p.Start {
		parts = append(parts, "from "+moment(p.Start)+" to "+moment(p.End))
	}
	if p.CPU > 0 {
		cpu := duration(p.CPU) + " of CPU time"
		if p.Tracing > 0 {
			// Wall-clock time, so it may exceed the CPU time if threads had to wait.
			cpu += fmt.Sprintf("; writing the log took %s of thread time", duration(p.Tracing))
		}
		parts = append(parts, cpu)
	}
	return strings.Join(parts, ", ")
}

// warnings say what the report lacks.
func warnings(f *report.File) []string {
	var list []string
	if !f.Log.Stamped && f.Log.Events > 0 {
		list = append(list, "This log has no timestamps, and events of different threads may be mixed up.")
	}
	if sum(f).waited {
		list = append(list, "The share of CPU time is unknown: "+waitedWords(f))
	}
	lost, nameless := int64(0), map[string]int64{}
	var why []string
	for _, p := range f.Processes {
		lost += p.Lost
		if p.Symbols != "" {
			if nameless[p.Symbols] == 0 {
				why = append(why, p.Symbols)
			}
			nameless[p.Symbols]++
		}
	}
	if lost > 0 {
		list = append(list, fmt.Sprintf("%s of threads beyond the 16,384th are missing.", plural(lost, "event")))
	}
	for i, w := range why {
		if i == 3 {
			list = append(list, fmt.Sprintf("Functions have no names for %d more reasons.", len(why)-i))
			break
		}
		list = append(list, fmt.Sprintf("Functions of %s have no names: %s", plural(nameless[w], "process"), clean(w)))
	}
	if len(why) == 0 && len(f.Command) == 0 && slices.ContainsFunc(f.Sites, byAddress) {
		list = append(list, "Functions have no names: pass the program's file after the log (--read LOG PROGRAM).")
	}
	return list
}

// byAddress reports whether a site's functions are known only by their addresses.
func byAddress(s report.Site) bool {
	return strings.HasPrefix(s.Callee.Func, "0x") || strings.HasPrefix(s.Caller.Func, "0x")
}

// waitedWords say why wall-clock times can't be compared with CPU time.
func waitedWords(f *report.File) string {
	cpu, tracing := int64(0), int64(0)
	for _, p := range f.Processes {
		cpu += p.CPU
		tracing += p.Tracing
	}
	if tracing >= cpu {
		return fmt.Sprintf("writing the log took %s of wall-clock time and the programs %s of CPU time, because threads waited for the log or for a core.", duration(tracing), duration(cpu))
	}
	return fmt.Sprintf("the growths took more wall-clock time than the CPU time that is left without the log (%s of %s), because threads waited for a core or for the log.", duration(cpu-tracing), duration(cpu))
}

// overflowWords describe the stack overflow that ended a process.
func overflowWords(o *report.Overflow, n names) string {
	words := fmt.Sprintf("Stack overflow in process %d: ", o.PID)
	if o.Size > 0 {
		words += fmt.Sprintf("a stack of %s ", size(o.Size))
		if o.Used > 0 {
			words += fmt.Sprintf("(%s in use) ", size(o.Used))
		}
	} else {
		words += "a stack "
	}
	words += "was not enough for " + n.function(o.Callee)
	if o.Frame > 0 {
		words += " with its frame of " + size(o.Frame)
	}
	words += ", called by " + n.call(o.Caller) + ", in " + n.entry(report.Entry{Func: o.Func, Go: o.Go}) + "."
	if o.Callee.Func != "" && o.Callee.Func == o.Caller.Func && o.Callee.Func != report.Unknown {
		words += " It calls itself, apparently without end."
	}
	return words
}

// totals say in a few sentences what happened, the most important first.
func totals(f *report.File, s figures) []string {
	var list []string
	g := f.Growth
	if g.Count == 0 {
		list = append(list, "No stack grew.")
	} else {
		first := fmt.Sprintf("Stacks grew %s, copying %s", times(g.Count), size(g.Copied))
		if g.Time > 0 {
			first += " in " + duration(g.Time)
			if s.cpu > 0 {
				first += fmt.Sprintf(", %s of the %s of CPU time", percent(g.Time, s.cpu), duration(s.cpu))
			}
		}
		if s.largest > 0 {
			first += fmt.Sprintf(". The largest stack is %s", size(s.largest))
		}
		if g.Longest > 0 {
			first += fmt.Sprintf("; the longest growth took %s", duration(g.Longest))
		}
		list = append(list, first+".")
	}
	second := fmt.Sprintf("%s allocated for new goroutines and threads, %s in all", are(s.stacks, "stack"), count(s.allocs))
	if f.Shrink.Count > 0 {
		second += fmt.Sprintf("; the garbage collector halved stacks %s", times(f.Shrink.Count))
		if f.Shrink.Time > 0 {
			second += ", which took " + duration(f.Shrink.Time)
		}
	} else {
		second += "; the garbage collector halved none"
	}
	list = append(list, second+".")
	if f.Preempts > 0 {
		list = append(list, fmt.Sprintf("%s the stack check only preempted a goroutine; nothing grew then.", sentence(times(f.Preempts))))
	}
	if little(f, s) {
		list = append(list, "Less than 1% of the CPU time went into growing stacks: there is little to gain from what follows.")
	}
	return list
}

// little reports whether the growths took so little CPU time that there is little to gain.
func little(f *report.File, s figures) bool {
	return f.Growth.Time > 0 && s.cpu > 0 && float64(f.Growth.Time) < 0.01*float64(s.cpu)
}

// sentence is words that begin one.
func sentence(words string) string { return strings.ToUpper(words[:1]) + words[1:] }

func are(n int64, what string) string {
	if n == 1 {
		return "1 " + what + " was"
	}
	return plural(n, what) + " were"
}

// siteWords sum up a site.
func siteWords(s *report.Site, f *report.File) string {
	words := fmt.Sprintf("%s, %s copied", plural(s.Count, "growth"), size(s.Copied))
	if s.Time > 0 {
		words += ", " + duration(s.Time)
		if p := percent(s.Time, f.Growth.Time); p != "" {
			words += " (" + p + " of all growth time)"
		}
		switch t := interrupted(s); {
		case t > 0:
			words += fmt.Sprintf(", one of them took %s, probably because the system preempted the thread", duration(t))
		case s.Count > 1:
			words += fmt.Sprintf(", %s each, the longest %s", mean(s.Totals), duration(s.Longest))
		}
	}
	if s.Used > 0 {
		words += fmt.Sprintf("; up to %s in use beforehand", size(s.Used))
	}
	return words
}

// stepWords list the sizes from and to; consecutive steps with the same count are joined.
func stepWords(s *report.Site) string {
	var list []string
	for i := 0; i < len(s.Steps); {
		run := []int64{s.Steps[i].From, s.Steps[i].To}
		n := s.Steps[i].Count
		for i++; i < len(s.Steps) && s.Steps[i].From == run[len(run)-1] && s.Steps[i].Count == n; i++ {
			run = append(run, s.Steps[i].To)
		}
		words := chain(run, 60)
		if len(run) < len(s.Steps)+1 || n > 1 {
			words += " " + times(n)
		}
		if len(run) > 2 && n > 1 {
			words += " each"
		}
		list = append(list, words)
	}
	return strings.Join(list, ", ")
}

// entryWords say in which goroutines it happened.
func entryWords(s *report.Site, n names, all bool) string {
	var list []string
	const most = 3
	for i, e := range s.Entries {
		if i == most && !all {
			list = append(list, fmt.Sprintf("%d others", len(s.Entries)-i))
			break
		}
		w := n.entry(e)
		if len(s.Entries) > 1 {
			w += " (" + times(e.Count) + ")"
		}
		list = append(list, w)
	}
	if len(list) == 0 {
		return ""
	}
	return "in " + strings.Join(list, "; ")
}

// branchWords name a node of the tree, below its parent.
func branchWords(b, parent *report.Node, n names) string {
	switch {
	case b.Entry == nil:
	case b.Entry.Func.Func == mainGoroutine && b.Entry.Count == 1:
		return n.entry(*b.Entry)
	case b.Entry.Func.Func == mainGoroutine:
		return plural(b.Entry.Count, "main goroutine")
	default:
		return fmt.Sprintf("%s: %s", plural(b.Entry.Count, "goroutine"), n.entry(*b.Entry))
	}
	words := step(b.From, b.To)
	if b.Callee == nil || b.Caller == nil {
		return words
	}
	if parent != nil && parent.Callee != nil && parent.Caller != nil && *parent.Callee == *b.Callee && *parent.Caller == *b.Caller {
		return words + "  the same call"
	}
	return words + "  " + n.calledAt(*b.Callee, *b.Caller)
}
