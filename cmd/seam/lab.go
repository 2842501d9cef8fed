package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/report"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/machine"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/leaf"
)

// labVerbs is the verb lab, which measures, and the one below it.
type labVerbs struct {
	Measure labMeasure `cmd:"" default:"withargs" hidden:"" help:"Measure what crossings cost on this machine."`
	Compare labCompare `cmd:"" help:"Compare two runs; code 1 on a proven slowdown."`
}

func (labVerbs) examples() string { return labMeasure{}.examples() }

// labMeasure is the verb that measures.
type labMeasure struct {
	Experiments []string `arg:"" optional:"" name:"experiment" help:"Experiments to run; all where none is named."`

	List  bool    `help:"List the experiments and measure nothing."`
	Quick bool    `xor:"mode" help:"All experiments within a minute."`
	Full  bool    `xor:"mode" help:"As long as the articles' own runs: hours."`
	Seed  *uint64 `placeholder:"N" help:"Seed of everything random; drawn anew and reported otherwise."`

	Benchfmt string `placeholder:"FILE" help:"Write Go benchmark format, for benchstat."`
	JSON     string `name:"json" placeholder:"FILE" help:"Write everything, for seam lab compare and other programs."`
	HTML     string `name:"html" placeholder:"FILE" help:"Write one self-contained page with charts."`
}

func (labMeasure) examples() string {
	return `Prints a table. FILE may be - for standard output; the table then goes to
standard error. Ctrl-C prints what is finished.

Examples:
  seam lab --list
  seam lab --quick
  seam lab --quick --html report.html call grid
  seam lab --quick --benchfmt - call
  seam lab --json old.json
`
}

func (v *labMeasure) Run(s *session) error {
	if v.List {
		return withCode(exitFailed, v.list(s))
	}
	chosen, err := choose(v.Experiments, s.experiments)
	if err != nil {
		return err
	}
	files, err := v.outputs()
	if err != nil {
		return err
	}

	run, failures := s.measure(v.mode(), v.seed(), chosen)
	if !measured(run) && run.Interrupted {
		return withCode(exitInterrupted, errors.New("interrupted before anything was measured"))
	}
	return errors.Join(verdict(run, failures), s.write(run, files))
}

// list prints what can be measured.
func (v *labMeasure) list(s *session) error {
	for _, e := range s.experiments {
		if _, err := fmt.Fprintf(s.stdout, "%-10s %s\n", e.Name, e.Title); err != nil {
			return err
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

func (v *labMeasure) seed() uint64 {
	if v.Seed != nil {
		return *v.Seed
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
		if slices.Contains(known, name) {
			continue
		}
		hint := "seam lab --list shows all"
		if near := nearest(name, known); len(near) > 0 {
			hint = "did you mean " + strings.Join(near, " or ") + "? " + hint
		}
		return nil, fmt.Errorf("unknown experiment %q (%s)", name, hint)
	}
	var chosen []lab.Experiment
	for _, e := range list {
		if slices.Contains(names, e.Name) {
			chosen = append(chosen, e)
		}
	}
	return chosen, nil
}

// A reportFile is a report that was asked for.
type reportFile struct {
	path  string
	write func(io.Writer, *result.Run) error
}

// outputs finds out before the measurement whether all files can be written.
func (v *labMeasure) outputs() ([]reportFile, error) {
	var files []reportFile
	taken := map[string]string{} // path → flag
	for _, f := range []struct {
		flag, path string
		write      func(io.Writer, *result.Run) error
	}{
		{"--benchfmt", v.Benchfmt, report.WriteBenchfmt},
		{"--json", v.JSON, func(w io.Writer, r *result.Run) error { return r.Encode(w) }},
		{"--html", v.HTML, report.WriteHTML},
	} {
		if f.path == "" {
			continue
		}
		key := filepath.Clean(f.path)
		if output.IsStdout(f.path) {
			key = "-"
		}
		if other := taken[key]; other != "" {
			return nil, fmt.Errorf("%s and %s both write to %s: give one of them another file", other, f.flag, f.path)
		}
		taken[key] = f.flag
		if err := output.Check(f.path); err != nil {
			return nil, fmt.Errorf("%s: %w", f.flag, err)
		}
		files = append(files, reportFile{f.path, f.write})
	}
	return files, nil
}

// measure runs the experiments and fills in the head of the result.
func (s *session) measure(mode lab.Mode, seed uint64, chosen []lab.Experiment) (*result.Run, []lab.Failure) {
	facts := machine.Read() // before the measurement: the load must not be its own
	at := commit(s.ctx)
	runner := lab.Runner{
		Experiments: chosen, Mode: mode, Seed: seed,
		Rounds: s.rounds, Share: s.share, Worker: s.worker,
	}
	if b := newBar(s.stderr); b != nil {
		runner.Progress = b.update
		defer b.close()
	}
	run, failures := runner.Run(s.ctx)
	state := leaf.Status()
	run.Seam, run.Commit, run.Leaf, run.Machine = toolVersion(), at, state.Path, facts
	if state.Guard != "" {
		for i := range run.Experiments {
			e := &run.Experiments[i]
			e.Notes = append(e.Notes, "SEAM_GUARD is set: figures of leaf include what its guard costs.")
		}
	}
	return run, failures
}

// measured tells whether there is at least one figure.
func measured(run *result.Run) bool {
	for _, e := range run.Experiments {
		if slices.ContainsFunc(e.Series, func(s result.Series) bool { return s.NotMeasured == "" }) {
			return true
		}
	}
	return false
}

// write prints the table and writes the files.
func (s *session) write(run *result.Run, files []reportFile) error {
	table := s.stdout
	if slices.ContainsFunc(files, func(f reportFile) bool { return output.IsStdout(f.path) }) {
		table = s.stderr
	}
	screen := screenOf(table)
	err := report.WriteText(table, run, report.TextOptions{Width: screen.width, Colour: screen.colour})
	for _, f := range files {
		err = errors.Join(err, output.Write(f.path, s.stdout, func(w io.Writer) error { return f.write(w, run) }))
	}
	return withCode(exitFailed, err)
}

// verdict is the error that a run ends with.
func verdict(run *result.Run, failures []lab.Failure) error {
	switch {
	case run.Interrupted:
		return withCode(exitInterrupted, errors.New("interrupted: the figures are those of what was finished"))
	case len(failures) > 0:
		var lines []string
		for _, f := range failures {
			lines = append(lines, f.Error())
		}
		return withCode(exitFailed, errors.New(strings.Join(slices.Compact(lines), "\n")))
	case !measured(run):
		return withCode(exitFailed, errors.New("nothing could be measured: the table says why (seam doctor tells more)"))
	}
	return nil
}
