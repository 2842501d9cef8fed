package cli

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/weld/job"
	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
	"github.com/seamgo/seam/cmd/seam/internal/weld/trial"
)

// A bisection finds the lines of a plan by which a command fails.
type bisection struct {
	s       *session
	command *gotool.Command
	env     *gotool.Env
	plan    *plan.Plan
	lines   []int // of the plan's entries those that weld; threadsLine and trimLine are no entries
	flags   []string
	runs    int
	output  []byte // of the last run
}

// Lines of the whole program.
const (
	threadsLine = -1 - iota
	trimLine
)

// bisect says which lines of the plan make a command fail that doesn't fail without them.
func (v *weldVerb) bisect(s *session, c *gotool.Command, env *gotool.Env, p *plan.Plan) error {
	if !c.RunsProgram() {
		return fmt.Errorf("go %s runs nothing that could fail: --bisect takes go test or go run", c.Verb)
	}
	b := &bisection{s: s, command: c, env: env, plan: p}
	for i, e := range p.Entries {
		if e.Mode != plan.Cgo {
			b.lines = append(b.lines, i)
		}
	}
	if p.Threads != 0 {
		b.lines = append(b.lines, threadsLine)
	}
	if p.Trim != 0 {
		b.lines = append(b.lines, trimLine)
	}
	if len(b.lines) == 0 {
		return fmt.Errorf("%s welds nothing, so no line of it can be the reason", p.Name)
	}
	if _, given := c.Flag("count"); c.Verb == "test" && !given {
		b.flags = []string{"-count=1"} // no result from the cache
	}
	return s.orInterrupted(b.search())
}

func (b *bisection) search() error {
	failed, err := b.fails(nil)
	switch {
	case err != nil:
		return err
	case failed:
		_, _ = b.s.stderr.Write(b.output)
		return withCode(exitFailed, errors.New("it fails without any line of the plan too (its output stands above): welding is not the reason"))
	}
	failed, err = b.fails(b.lines)
	if err != nil {
		return err
	}
	if !failed {
		_, err := fmt.Fprintf(b.s.stdout, "It passes with all %s of %s that weld: nothing to find. What fails now and then takes more runs: go test -count=20.\n", quantity.Plural(len(b.lines), "line"), b.plan.Name)
		return withCode(exitFailed, err)
	}
	said := slices.Clone(b.output)
	left := slices.Clone(b.lines)
	var found [][]int
	for failed { // it may fail by one line, and by another too
		culprits, err := trial.Minimal(left, b.fails)
		if err != nil {
			return err
		}
		found = append(found, culprits)
		left = slices.DeleteFunc(left, func(i int) bool { return slices.Contains(culprits, i) })
		if failed, err = b.fails(left); err != nil {
			return err
		}
	}
	return b.conclude(found, len(left), said)
}

// fails builds with some of the lines and runs the command.
func (b *bisection) fails(lines []int) (bool, error) {
	p := *b.plan
	p.Entries = nil
	for i, e := range b.plan.Entries {
		if e.Mode == plan.Cgo || slices.Contains(lines, i) {
			p.Entries = append(p.Entries, e)
		}
	}
	if !slices.Contains(lines, threadsLine) {
		p.Threads = 0
	}
	if !slices.Contains(lines, trimLine) {
		p.Trim = 0
	}
	w, err := job.NewWeld(b.s.ctx, b.command, b.env, &p)
	if err != nil {
		return false, err
	}
	if w.Off != "" {
		return false, fmt.Errorf("nothing would be welded: %s", w.Off)
	}
	if err := w.Begin(); err != nil {
		return false, withCode(exitFailed, err)
	}
	defer w.Remove()
	args, err := w.Args(b.s.ctx)
	if err != nil {
		return false, err
	}
	var output bytes.Buffer
	quiet := *b.s
	quiet.stdout, quiet.stderr = &output, &output
	began := time.Now()
	b.runs++
	err = quiet.runGo(b.withFlags(args), nil)
	b.output = output.Bytes()
	var exit *exitStatus
	failed := errors.As(err, &exit)
	switch {
	case w.Mistake() || bytes.Contains(b.output, []byte("[build failed]")) || bytes.Contains(b.output, []byte("[setup failed]")):
		_, _ = b.s.stderr.Write(b.output)
		return false, withCode(exitFailed, errors.New("it doesn't build, so it can't be said whether it fails"))
	case err != nil && !failed && b.s.ctx.Err() != nil:
		return false, err
	}
	failed = err != nil // a program that a signal has ended has no code
	fmt.Fprintf(b.s.stderr, "seam: with %d of %s it %s (%s)\n", len(lines), quantity.Plural(len(b.lines), "line"),
		map[bool]string{true: "fails", false: "passes"}[failed], quantity.Time(float64(time.Since(began))))
	return failed, nil
}

// withFlags puts flags behind the go command's verb.
func (b *bisection) withFlags(args []string) []string {
	i := slices.Index(args, b.command.Verb)
	return slices.Insert(slices.Clone(args), i+1, b.flags...)
}

// conclude says what was found.
func (b *bisection) conclude(found [][]int, left int, said []byte) error {
	out := b.s.stdout
	fmt.Fprintf(out, "It passes without these lines of %s, and fails with them (%s):\n", b.plan.Name, quantity.Plural(b.runs, "run"))
	var packages []string
	for k, lines := range found {
		if len(found) > 1 {
			fmt.Fprintf(out, "%d. %s\n", k+1, map[bool]string{true: "this one alone", false: "these together"}[len(lines) == 1])
		}
		for _, i := range lines {
			switch i {
			case threadsLine:
				fmt.Fprintf(out, "  line %d: threads: %d\n", b.plan.ThreadsLine, b.plan.Threads)
				continue
			case trimLine:
				fmt.Fprintf(out, "  line %d: trim: %v\n", b.plan.TrimLine, b.plan.Trim)
				continue
			}
			e := b.plan.Entries[i]
			fmt.Fprintf(out, "  line %d: %s %s\n", e.Line, e.Mode, e.Path())
			if !slices.Contains(packages, e.Package) {
				packages = append(packages, e.Package)
			}
		}
	}
	fmt.Fprintf(out, "With the other %s of the plan it passes.\n", quantity.Plural(left, "line"))
	if len(packages) > 0 {
		fmt.Fprintf(out, "Write cgo in their place, with keep behind; and look at what these packages tell C about Go's memory: seam vet %s\n", strings.Join(packages, " "))
	}
	fmt.Fprintln(b.s.stderr, "seam: what it said with all lines:")
	_, _ = b.s.stderr.Write(tail(said, 30))
	return withCode(exitFinding, errors.New("it fails only welded; docs/weld.md, \"My test fails only welded\", has the usual reasons"))
}

// tail is the last lines of a text.
func tail(text []byte, lines int) []byte {
	for i := len(text) - 1; i > 0; i-- {
		if text[i-1] == '\n' {
			if lines--; lines == 0 {
				return text[i:]
			}
		}
	}
	return text
}
