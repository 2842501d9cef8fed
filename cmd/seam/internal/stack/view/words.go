// Package view shows what package trace found: as a report in text, in a few lines for a
// terminal, and as a page.
package view

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
)

// size is a number of bytes. A KB has 1024 of them, as in all that is said about stacks.
func size(n int64) string {
	return strings.Replace(quantity.Tick(float64(n), "B"), "iB", "B", 1)
}

// count is a number of things, whole.
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	digits, sign := s, ""
	if n < 0 {
		digits, sign = s[1:], "-"
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// plural is "1 growth", and "1,200 growths".
func plural(n int64, what string) string {
	if n != 1 {
		if strings.HasSuffix(what, "s") {
			what += "e"
		}
		what += "s"
	}
	return count(n) + " " + what
}

// duration is a time, nothing where it is not known.
func duration(ns int64) string {
	if ns <= 0 {
		return ""
	}
	return quantity.Time(float64(ns))
}

// moment is a time since the run began.
func moment(ns int64) string { return quantity.Tick(float64(ns), "ns") }

func percent(part, whole int64) string {
	if whole <= 0 || part < 0 {
		return ""
	}
	switch p := 100 * float64(part) / float64(whole); {
	case part > 0 && p < 0.05:
		return "<0.1%"
	case p < 9.95:
		return strconv.FormatFloat(p, 'f', 1, 64) + "%"
	default:
		return strconv.FormatFloat(p, 'f', 0, 64) + "%"
	}
}

// per is a quotient of two numbers, nothing where there is none.
func per(a, b int64) string {
	if a <= 0 || b <= 0 {
		return ""
	}
	return quantity.Number(float64(a) / float64(b))
}

// mean is the time of one.
func mean(t report.Totals) string {
	if t.Count <= 0 || t.Time <= 0 {
		return ""
	}
	return quantity.Time(float64(t.Time) / float64(t.Count))
}

// step is "2 → 4 KB".
func step(from, to int64) string { return sizes([]int64{from, to}) }

// sizes is "2 → 4 → 8 KB": a unit is said where it is another one than the next has.
func sizes(list []int64) string {
	var b strings.Builder
	for i, n := range list {
		number, unit, _ := strings.Cut(size(n), " ")
		if i > 0 {
			b.WriteString(" → ")
		}
		b.WriteString(number)
		if i+1 < len(list) {
			if _, next, _ := strings.Cut(size(list[i+1]), " "); next == unit {
				continue
			}
		}
		b.WriteString(" " + unit)
	}
	return b.String()
}

// chain is sizes with the middle left out where they take more than so many characters.
func chain(list []int64, width int) string {
	if s := sizes(list); len(list) <= 6 || utf8.RuneCountInString(s) <= width {
		return s
	}
	return fmt.Sprintf("%s → … (%d more) → %s", sizes(list[:3]), len(list)-5, sizes(list[len(list)-2:]))
}

// longestName is how much of a name is shown anywhere. Names come from the traced
// program: nothing bounds them.
const longestName = 300

// clean is a name with what would upset a terminal or a page spelled out.
func clean(s string) string {
	if utf8.RuneCountInString(s) > longestName {
		s = string([]rune(s)[:longestName-1]) + "…"
	}
	for _, r := range s {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			q := strconv.Quote(s)
			return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
		}
	}
	return s
}

// command is a command line that a shell would read as these arguments, near enough.
func command(args []string) string {
	var b strings.Builder
	for i, a := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		if a == "" || strings.ContainsAny(a, " '\"\\$`*?;&|<>()") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		b.WriteString(clean(a))
	}
	return b.String()
}

// subject is what a report is about: the command, or without one the program or the log.
func subject(f *report.File) string {
	switch {
	case len(f.Command) > 0:
		return command(f.Command)
	case len(f.Processes) > 0 && f.Processes[0].Program != "":
		return clean(f.Processes[0].Program)
	case f.Log.Name != "":
		return clean(f.Log.Name)
	}
	return ""
}

// titleWords follow on the tool's name in a report's first line.
func titleWords(f *report.File) string {
	switch s := subject(f); {
	case s == "":
		return ""
	case len(f.Command) > 0:
		return " -- " + s
	default:
		return " of " + s
	}
}

// names says places shortly.
type names struct {
	dir string // files below it are shown relative to it; "" for none
}

// function is a function's name with the last element of its package's path only.
func (names) function(p report.Place) string {
	if p.Func == "" || p.Func == report.Unknown {
		return "(not known)"
	}
	prefix, rest := p.Func, ""
	if i := strings.IndexByte(prefix, '['); i >= 0 { // type arguments have paths too
		prefix, rest = prefix[:i], prefix[i:]
	}
	return clean(prefix[strings.LastIndexByte(prefix, '/')+1:] + rest)
}

// where is the line of a place, "" if it is not known.
func (n names) where(p report.Place) string {
	if p.File == "" || p.File == "<autogenerated>" {
		return ""
	}
	file := n.file(p)
	if p.Line > 0 {
		file += ":" + strconv.Itoa(p.Line)
	}
	return file
}

func (n names) file(p report.Place) string {
	if n.dir != "" {
		if rel, ok := strings.CutPrefix(p.File, strings.TrimSuffix(n.dir, "/")+"/"); ok {
			return clean(rel)
		}
	}
	// A package of the standard library, by its path; Go may lie anywhere.
	if pkg := packageOf(p.Func); pkg != "" {
		if i := strings.LastIndex(p.File, "/src/"+pkg+"/"); i >= 0 {
			return clean(p.File[i+len("/src/"):])
		}
	}
	if i := strings.LastIndex(p.File, "/pkg/mod/"); i >= 0 {
		return clean(p.File[i+len("/pkg/mod/"):])
	}
	return clean(p.File)
}

// packageOf is the import path in a function's name.
func packageOf(function string) string {
	if i := strings.IndexByte(function, '['); i >= 0 {
		function = function[:i]
	}
	dir, base := path.Split(function)
	pkg, _, found := strings.Cut(base, ".")
	if !found {
		return ""
	}
	return dir + pkg
}

// call is "main.f (main.go:12)".
func (n names) call(p report.Place) string {
	if w := n.where(p); w != "" {
		return n.function(p) + " (" + w + ")"
	}
	return n.function(p)
}

// calledAt is "main.f, called at main.go:12".
func (n names) calledAt(callee, caller report.Place) string {
	if w := n.where(caller); w != "" {
		return n.function(callee) + ", called at " + w
	}
	return n.function(callee)
}

// mainGoroutine is what the goroutine begins with that runs main.
const mainGoroutine = "runtime.main"

// entry is "main.f, started at main.go:12".
func (n names) entry(e report.Entry) string {
	if e.Func.Func == mainGoroutine {
		return "the main goroutine"
	}
	if w := n.where(e.Go); w != "" {
		return n.function(e.Func) + ", started at " + w
	}
	return n.function(e.Func)
}
