package plan

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// explanation stands at the top of every plan.
const explanation = `#
# How Go calls C in this program when it is built with seam weld. To be read,
# edited and committed. One line a function:
#
#   leaf  on the system stack, without the scheduler's handshake: some nanoseconds.
#         For C that returns soon, never waits and never calls Go.
#   coro  the same for C that calls Go: it runs on the system stack like a leaf, and Go
#         is called from it as a function is. What must be short is C between two
#         callbacks; Go may take its time.
#   park  on a stack of its own, on a few threads that all such calls share. Where it
#         waits in libc (a socket, a pipe, the time, a lock), the goroutine is parked and
#         takes no thread. stack=256KiB is the size of the stack; without it 1 MiB.
#   cgo   as Go always calls C.
#   offload:8  as Go always calls C, by 8 goroutines at once. The others queue in Go,
#         where they take no thread. Lines with the same group=NAME share the 8.
#
# A line threads: 64 lets 64 goroutines at once into all C of the program that is called
# as Go calls C; lines with the word unbounded are excepted.
#
# budget is the time from which a call counts as too long, allow the share of
# such calls that is accepted; a leaf that does worse is called by cgo for the rest
# of the run. sig is the function's type when the line was made. closed says that
# no Go function can be reached from it, by its call graph: in a package that exports
# Go functions, only such a function's arguments may stay on the goroutine's stack.
# A line with the word keep is not changed when the plan is made anew.
`

// Format writes a plan: packages in order, in each what is bounded first, then leaves. made says what it
// was made from, one line each.
func (p *Plan) Format(w io.Writer, made ...string) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# seam.plan %d\n", Version)
	for _, line := range made {
		fmt.Fprintf(out, "# %s\n", oneLine(line))
	}
	out.WriteString(explanation)
	if p.Threads != 0 {
		line := fmt.Sprintf("\n%s %d", threadsWord, p.Threads)
		if p.ThreadsComment != "" {
			line += " # " + oneLine(p.ThreadsComment)
		}
		fmt.Fprintln(out, line)
	}
	entries := slices.Clone(p.Entries)
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(strings.Compare(a.Package, b.Package), -strings.Compare(string(a.Mode), string(b.Mode)), strings.Compare(a.Func, b.Func))
	})
	for len(entries) > 0 {
		n := slices.IndexFunc(entries, func(e Entry) bool { return e.Package != entries[0].Package })
		if n < 0 {
			n = len(entries)
		}
		fmt.Fprintln(out)
		formatPackage(out, entries[:n])
		entries = entries[n:]
	}
	return out.Flush()
}

// formatPackage writes lines with their columns aligned.
func formatPackage(w io.Writer, entries []Entry) {
	modes, paths, options := 0, 0, 0
	for _, e := range entries {
		modes = max(modes, len(e.Word()))
		paths = max(paths, utf8.RuneCountInString(e.Path()))
		options = max(options, len(e.options()))
	}
	for _, e := range entries {
		line := fmt.Sprintf("%-*s %-*s %-*s", max(modes, len(Leaf)), e.Word(), paths, e.Path(), options, e.options())
		if e.Comment != "" {
			line += " # " + oneLine(e.Comment)
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// options are the options of a line. A budget means nothing for a cgo call, so
// it is written only where somebody chose one.
func (e Entry) options() string {
	var list []string
	if e.Sig != "" {
		list = append(list, "sig="+e.Sig)
	}
	budget, allow := cmp.Or(e.Budget, DefaultBudget), e.Allow
	if e.Direct() || budget != DefaultBudget {
		list = append(list, "budget="+formatBudget(budget))
	}
	if allow != DefaultAllow {
		list = append(list, "allow="+formatAllow(allow))
	}
	if e.Group != "" {
		list = append(list, "group="+e.Group)
	}
	if e.Stack != 0 {
		list = append(list, "stack="+formatStack(e.Stack))
	}
	if e.Closed {
		list = append(list, "closed")
	}
	if e.Unbounded {
		list = append(list, "unbounded")
	}
	if e.Keep {
		list = append(list, "keep")
	}
	return strings.Join(list, " ")
}

// formatBudget is a time in ASCII: "20us".
func formatBudget(d time.Duration) string { return strings.Replace(d.String(), "µ", "u", 1) }

// formatAllow is a share in per cent, "2%", where that reads back as the same
// number; most people write it so.
func formatAllow(share float64) string {
	percent := strconv.FormatFloat(100*share, 'g', 6, 64)
	if v, err := strconv.ParseFloat(percent, 64); err == nil && v/100 == share {
		return percent + "%"
	}
	return strconv.FormatFloat(share, 'g', -1, 64)
}

// oneLine is text that fits into a comment.
func oneLine(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return ' '
		}
		return r
	}, s))
}

// Hash covers what the lines of one package mean for its build, or those of all
// packages for "": the leaves with their options, and what is bounded. Comments and
// order change nothing in it. Of a function called by cgo only the name counts, because
// a line for a function that doesn't exist has to be found.
func (p *Plan) Hash(importPath string) string {
	var lines []string
	if p.Threads != 0 {
		lines = append(lines, fmt.Sprintf("%s %d", threadsWord, p.Threads))
	}
	for _, e := range p.Entries {
		if importPath != "" && e.Package != importPath {
			continue
		}
		line := fmt.Sprintf("%s %q %q", e.Word(), e.Package, e.Func)
		switch {
		case e.Mode == Offload:
			line += fmt.Sprintf(" %s %q", e.Sig, e.Group)
		case e.Mode == Park:
			line += fmt.Sprintf(" %s %d", e.Sig, e.Stack)
		case e.Unbounded && p.Threads != 0:
			line += " unbounded"
		case e.Direct():
			line += fmt.Sprintf(" %s %d %g", e.Sig, e.Budget, e.Allow)
			if e.Closed {
				line += " closed"
			}
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:12])
}
