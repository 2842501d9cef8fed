package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/lab/published"
	"github.com/seamgo/seam/cmd/seam/internal/lab/report"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/terminal"
)

// A reportFlag is a flag that names a file for a report.
type reportFlag struct {
	outputFlag
	write func(io.Writer, *result.Run) error
}

func (v *labMeasure) files() []reportFlag {
	return []reportFlag{
		{outputFlag{"--benchfmt", v.Benchfmt}, report.WriteBenchfmt},
		{outputFlag{"--json", v.JSON}, func(w io.Writer, r *result.Run) error { return r.Encode(w) }},
		{outputFlag{"--html", v.HTML}, report.WriteHTML},
	}
}

// outputs are the reports that were asked for. It finds out before the measurement
// whether all of them can be written.
func (v *labMeasure) outputs() ([]reportFlag, error) {
	files := slices.DeleteFunc(v.files(), func(f reportFlag) bool { return f.name == nil })
	var flags []outputFlag
	for _, f := range files {
		flags = append(flags, f.outputFlag)
	}
	return files, checkOutputs(flags...)
}

// write writes the files and prints the table. What can't be stopped by others
// comes first: a reader of standard output may have gone, and one of a named
// pipe may never come.
func (s *session) write(run *result.Run, files []reportFlag, v *labMeasure) error {
	var errs error
	to := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
	save := func(which func(path string) bool) {
		for _, f := range files {
			if which(*f.name) {
				errs = errors.Join(errs, to.Write(s.ctx, *f.name, func(w io.Writer) error { return f.write(w, run) }))
			}
		}
	}
	save(func(path string) bool { return !output.IsStdout(path) && !output.InPlace(path) })
	save(output.IsStdout)
	table := s.stdout
	if slices.ContainsFunc(files, func(f reportFlag) bool { return output.IsStdout(*f.name) }) {
		table = s.stderr
	}
	o := terminal.Of(table).Options
	var err error
	switch {
	case v.Published:
		err = published.Write(table, run, o)
	case v.Terse:
		err = report.WriteTerse(table, run, o)
	case v.Bars:
		err = report.WriteBars(table, run, o)
	case len(run.Experiments) > 1 && !v.All && !v.Verbose:
		err = report.WriteSummary(table, run, o)
	default:
		err = report.WriteText(table, run, report.TextOptions{Options: o, Verbose: v.Verbose})
	}
	if err != nil {
		errs = errors.Join(errs, fmt.Errorf("cannot write the table: %w", err))
	}
	save(output.InPlace)
	return withCode(exitFailed, errs)
}
