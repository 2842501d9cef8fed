package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/published"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/machine"
	"github.com/seamgo/seam/cmd/seam/internal/nearest"
	"github.com/seamgo/seam/cmd/seam/internal/terminal"
	"github.com/seamgo/seam/leaf"
)

// labVerbs is the verb lab, which measures, and the one below it.
type labVerbs struct {
	Measure labMeasure `cmd:"" default:"withargs" hidden:"" help:"Measure what crossings cost on this machine."`
	Run     labRun     `cmd:"" help:"Measure your own benchmarks with the lab's statistics, and compare with the last run."`
	Compare labCompare `cmd:"" help:"Compare two runs; code 1 on a proven slowdown."`
}

func (labVerbs) examples() string { return labMeasure{}.examples() }

// labMeasure is the verb that measures.
type labMeasure struct {
	Experiments []string `arg:"" optional:"" name:"experiment" help:"Experiments to run; all if none is named, or by the name all."`

	List  bool          `help:"List the experiments and measure nothing."`
	Quick bool          `xor:"mode" help:"All experiments in a minute or two."`
	Full  bool          `xor:"mode" help:"Long runs, as long as published ones: half an hour or more."`
	For   time.Duration `placeholder:"2m" help:"Take no longer than this, in the mode's manner; what there is no time for is left out, and named at once."`
	Seed  *seed         `placeholder:"N" help:"Seed for everything random; by default a new one, which is reported."`

	// Pointers tell an empty name, as from an unset variable, from none.
	Benchfmt  *string `placeholder:"FILE" help:"Write Go benchmark format, for benchstat."`
	JSON      *string `name:"json" placeholder:"FILE" help:"Write everything, for seam lab compare and other programs."`
	HTML      *string `name:"html" placeholder:"FILE" help:"Write one self-contained page with charts."`
	Published bool    `xor:"length" help:"Print every published figure beside what is measured here: then, here, and whether it still holds."`
	All       bool    `xor:"length" help:"Print all tables, of several experiments too."`
	Terse     bool    `xor:"length" help:"Print one table of ten lines."`
	Bars      bool    `xor:"length" help:"Print a bar chart of each experiment, on a linear scale."`
	Verbose   bool    `xor:"length" help:"Also say what each experiment does and how the published figures were measured."`
}

func (labMeasure) examples() string {
	return `Of one experiment prints what to do and its tables, of several a line each (--all for
the tables). FILE may be - for standard output; the table then goes to
standard error. Ctrl-C prints what is finished, and a line for what is not; a second
Ctrl-C ends seam at once and loses all.

All: about 10 minutes (--quick: 1 to 2). One: about 35 s (--quick: 4 s). Building the
programs of payload and errorpath comes on top the first time. A busy machine takes twice
as long or more: it measures in fewer processes then, three at least, and says so. --for 2m
keeps to a time of your own, and names at once what it has to leave out.

"undecided below 1.3x": this run would have found a difference of 1.3 times or more, and
can't tell a smaller one from noise.

Examples:
  seam lab --list
  seam lab --quick
  seam lab --quick --terse all
  seam lab --quick --for 2m
  seam lab --quick --published
  seam lab --quick --bars call
  seam lab --quick --html report.html call grid
  seam lab --quick --benchfmt - call
  seam lab --json old.json
`
}

func (v *labMeasure) Run(s *session) error {
	names := v.Experiments
	if v.Published && len(names) == 0 {
		names = slices.DeleteFunc(published.Experiments(), func(name string) bool {
			return !slices.ContainsFunc(s.experiments, func(e lab.Experiment) bool { return e.Name == name })
		})
	}
	chosen, err := choose(names, s.experiments)
	if err != nil {
		return err
	}
	if v.List {
		return v.list(s, chosen)
	}
	if chosen, err = inMode(v.mode(), chosen, v.Experiments); err != nil {
		return err
	}
	files, err := v.outputs()
	if err != nil {
		return err
	}

	if v.For < 0 {
		return fmt.Errorf("--for %v: want a time like 2m", v.For)
	}
	run, failures := s.measure(v.mode(), v.seedOrNew(), v.For, chosen)
	if !measured(run) && run.Interrupted {
		return withCode(exitInterrupted, errors.New("interrupted before anything was measured"))
	}
	return errors.Join(verdict(run, failures), s.write(run, files, v))
}

func (v *labMeasure) list(s *session, chosen []lab.Experiment) error {
	for _, f := range v.files() {
		if f.name != nil {
			return fmt.Errorf("--list measures nothing that %s could write: leave out one of them", f.flag)
		}
	}
	for _, e := range chosen {
		if _, err := fmt.Fprintf(s.stdout, "%-10s %s\n", e.Name, e.Title); err != nil {
			return withCode(exitFailed, fmt.Errorf("cannot write the list: %w", err))
		}
	}
	return nil
}

func (v *labMeasure) mode() lab.Mode {
	switch {
	case v.Quick:
		return lab.Quick
	case v.Full:
		return lab.Full
	}
	return lab.Normal
}

// A seed is a whole number of 64 bits.
type seed uint64

// Decode reads a seed from the command line. It takes what begins with a hyphen
// too, so that -1 is told the range and not taken for a flag.
func (s *seed) Decode(c *kong.DecodeContext) error {
	token := c.Scan.Pop()
	if token.IsEOL() {
		return errors.New("the seed is missing")
	}
	n, err := strconv.ParseUint(token.String(), 10, 64)
	if err != nil {
		return fmt.Errorf("%q is not a seed (want a whole number from 0 to %d)", token.String(), uint64(math.MaxUint64))
	}
	*s = seed(n)
	return nil
}

func (v *labMeasure) seedOrNew() uint64 {
	if v.Seed != nil {
		return uint64(*v.Seed)
	}
	return rand.Uint64()
}

// choose finds the experiments that were asked for, in the order of the list.
func choose(names []string, list []lab.Experiment) ([]lab.Experiment, error) {
	if len(names) == 0 {
		return list, nil
	}
	var known []string
	for _, e := range list {
		known = append(known, e.Name)
	}
	for _, name := range names {
		if name == "all" || slices.Contains(known, name) {
			continue
		}
		hint := "seam lab --list shows all"
		if near := nearest.Names(name, known); len(near) > 0 {
			hint = "did you mean " + strings.Join(near, " or ") + "? " + hint
		}
		return nil, fmt.Errorf("unknown experiment %q (%s)", name, hint)
	}
	var chosen []lab.Experiment
	for _, e := range list {
		if slices.Contains(names, e.Name) || slices.Contains(names, "all") {
			chosen = append(chosen, e)
		}
	}
	return chosen, nil
}

// measure runs the experiments and fills in the header of the result.
func (s *session) measure(mode lab.Mode, seed uint64, limit time.Duration, chosen []lab.Experiment) (*result.Run, []lab.Failure) {
	facts := machine.Read() // before the measurement: the load must not be its own
	at := lab.Commit(s.ctx)
	runner := lab.Runner{
		Experiments: chosen, Mode: mode, Seed: seed,
		Rounds: s.rounds, Share: s.share, Worker: s.worker, For: limit, Busy: facts.Load / float64(max(1, facts.Cores)),
	}
	bar := terminal.NewBar(s.stderr)
	runner.Say = func(words string) {
		if terminal.Of(s.stderr).Interactive {
			fmt.Fprintln(s.stderr) // below the bar
		}
		fmt.Fprintln(s.stderr, "seam: "+words)
	}
	runner.Progress = func(p lab.Progress) {
		bar.Update(terminal.Progress{Elapsed: p.Elapsed, Left: p.Left, Doing: doing(p)})
	}
	said := make(chan struct{})
	quiet := context.AfterFunc(s.ctx, func() {
		defer close(said)
		bar.Close()
		if terminal.Of(s.stderr).Interactive {
			fmt.Fprint(s.stderr, "\r") // over the ^C
		}
		fmt.Fprintln(s.stderr, "seam: stopping; Ctrl-C again loses the results")
	})
	run, failures := runner.Run(s.ctx)
	if !quiet() {
		<-said
	}
	bar.Close()
	state := leaf.Status()
	run.Seam, run.Commit, run.Leaf, run.Guard, run.Machine = toolVersion(), at, state.Path, state.Guard, facts
	return run, failures
}

func doing(p lab.Progress) string {
	s := fmt.Sprintf("round %d of %d, %s", p.Round+1, p.Rounds, p.Experiment)
	if p.Label != "" {
		s += ": " + p.Label
	}
	return s
}

// measured reports whether there is at least one figure.
func measured(run *result.Run) bool {
	for _, e := range run.Experiments {
		if slices.ContainsFunc(e.Series, func(s result.Series) bool { return s.NotMeasured == "" }) {
			return true
		}
	}
	return false
}

// verdict is the error that a run ends with.
func verdict(run *result.Run, failures []lab.Failure) error {
	switch {
	case run.Interrupted:
		return withCode(exitInterrupted, errors.New("interrupted: the figures are of what was finished"))
	case len(failures) > 0:
		var lines []string
		for _, f := range failures {
			lines = append(lines, f.Error())
		}
		return withCode(exitFailed, errors.New(strings.Join(slices.Compact(lines), "\n")))
	case !measured(run):
		return withCode(exitFailed, errors.New("nothing could be measured: the lines above say why (seam doctor tells more)"))
	}
	return nil
}
