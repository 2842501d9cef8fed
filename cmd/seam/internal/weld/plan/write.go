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
const explanation = "# To be read, edited and committed; a line with the word keep stays. The words: https://github.com/seamgo/seam/blob/main/docs/plan.md\n"

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
		fmt.Fprintln(out, setting(threadsWord, p.Threads, p.ThreadsComment))
	}
	if p.Trim != 0 {
		fmt.Fprintln(out, setting(trimWord, p.Trim, p.TrimComment))
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
	if p.Trim != 0 && importPath == "" { // it is in no package of theirs
		lines = append(lines, fmt.Sprintf("%s %v", trimWord, p.Trim))
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
