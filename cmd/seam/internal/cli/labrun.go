package cli

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/filecache"
	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/compare"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/machine"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/terminal"
	"github.com/seamgo/seam/cmd/seam/internal/weld/trial"
)

// labRun is the verb that measures the user's own benchmarks.
type labRun struct {
	Rounds    int           `default:"6" placeholder:"N" help:"Rounds, of two processes for each benchmark (${default})."`
	For       time.Duration `placeholder:"2m" help:"After this no further round begins, but for the second."`
	Benchfmt  string        `placeholder:"FILE" help:"Write a line for each process in the Go benchmark format, for seam lab compare and benchstat; - is standard output."`
	Threshold fraction      `default:"5%" placeholder:"5%" help:"Slowdown since the last run to accept, as 5% or 0.05 (${default})."`

	Go []string `arg:"" passthrough:"" name:"go" help:"After --: go test -bench with its arguments, go run, or a package's folder with the program's arguments."`
}

func (labRun) examples() string {
	return `Measures your own benchmarks as the lab measures its own: each in twelve fresh
processes of 5 × 40ms (unless -benchtime or -count says otherwise), since a process keeps
where its code and stacks lie, and all figures of one share that. Prints medians with
their intervals, how far the processes lie apart, and what the program differs from itself.
Tests are not run.

The next run of the same command in the same folder is compared with this one; code 1 if
a benchmark is proven to be slower since or to take more, and measured so by more than the
threshold.
The last run is kept for a year in the user's cache folder.

Examples:
  seam lab run -- go test -bench . ./codec
  seam lab run --rounds 20 -- go test -bench 'Decode/large' .
  seam lab run --benchfmt new.txt -- ./cmd/import big.csv
`
}

func (v *labRun) Run(s *session) error {
	v.Go = dropDashes(v.Go)
	if v.Rounds < 2 || v.Rounds > 1000 {
		return errors.New("--rounds must be from 2 to 1000: one round tells nothing of the noise")
	}
	if v.For < 0 {
		return fmt.Errorf("--for %v: want a time like 2m", v.For)
	}
	if err := checkOutputs(outputFlag{"--benchfmt", given(v.Benchfmt)}); err != nil {
		return err
	}
	c, err := trial.Parse(v.Go)
	if err == nil {
		err = c.Versioned()
	}
	if err != nil {
		return err
	}
	env, err := gotool.ReadEnv(s.ctx, c.Tool, c.Dir)
	if err != nil {
		return err
	}
	last, err := v.history(c)
	if err != nil {
		return err
	}
	head := benchfmtHead(s.ctx, env) // before the measurement: the load must not be its own
	r, runErr := v.measure(s, c)
	var build *notBuilt
	if errors.As(runErr, &build) {
		return s.orInterrupted(build.error)
	}
	var errs error
	if r != nil {
		errs = v.report(s, r, head, last, runErr == nil)
	}
	switch {
	case runErr == nil:
		return errs
	case s.ctx.Err() != nil:
		return errors.Join(withCode(exitInterrupted, errors.New("interrupted: the figures are of what was finished, and are not kept")), errs)
	}
	return errors.Join(withCode(exitFailed, runErr), errs)
}

// measure builds the command's programs and runs them.
func (v *labRun) measure(s *session, c *gotool.Command) (*trial.Result, error) {
	dir, err := os.MkdirTemp("", "seam-run-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	o := trial.Options{Rounds: v.Rounds, For: v.For, Alone: true}
	programs, err := o.Programs(s.ctx, c, dir, func(_ trial.Side, c *gotool.Command) error { return s.buildApart(c.With()) })
	if err != nil {
		return nil, &notBuilt{err}
	}
	show, clear := terminal.Status(s.stderr)
	defer clear()
	o.Progress = show
	o.Note = func(words string) { fmt.Fprintf(s.stderr, "seam: %s\n", words) }
	r, err := trial.Run(s.ctx, programs, o)
	if r != nil {
		r.Command = v.Go
	}
	return r, err
}

// history is the file of the last run of this command in this folder. A command that is given
// another number of rounds is the same.
func (v *labRun) history(c *gotool.Command) (string, error) {
	cache, err := filecache.Dir("run")
	if err != nil {
		return "", err
	}
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return "", err
	}
	key := filecache.KeyOf(append([]string{dir}, v.Go...)...)
	return filepath.Join(cache, hex.EncodeToString(key[:])+".txt"), nil
}

// forgotten is the age of a run that nobody compares with any more.
const forgotten = 366 * 24 * time.Hour

// report prints the figures, compares them with the last run's, and takes its place if the
// run is whole.
func (v *labRun) report(s *session, r *trial.Result, head, last string, whole bool) error {
	table := s.stdout
	if output.IsStdout(v.Benchfmt) {
		table = s.stderr
	}
	var text bytes.Buffer
	if err := r.WriteRounds(&text, head, result.FactPrefix+result.KeyRound+": "); err != nil {
		return err
	}
	write := func(w io.Writer) error { _, err := w.Write(text.Bytes()); return err }
	// Files are written after an interrupt too.
	ctx := context.WithoutCancel(s.ctx)
	to := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
	var errs error
	if v.Benchfmt != "" {
		errs = to.Write(ctx, v.Benchfmt, write)
	}
	if err := r.WriteAloneText(table, terminal.Of(table).Options); err != nil {
		return errors.Join(errs, withCode(exitFailed, err))
	}
	if !whole {
		return errs
	}
	found := v.compare(s, table, last, text.Bytes())
	if err := keep(ctx, to, last, write); err != nil {
		fmt.Fprintf(s.stderr, "seam: the next run can't be compared with this one: %v\n", err)
	}
	return errors.Join(errs, found)
}

// keep writes a run to where the next one finds it, and removes those that are forgotten.
func keep(ctx context.Context, to output.Writer, path string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	old, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*.txt"))
	for _, file := range old {
		if info, err := os.Stat(file); err == nil && time.Since(info.ModTime()) > forgotten {
			_ = os.Remove(file) // at worst it is there next time
		}
	}
	return to.Write(ctx, path, write)
}

// compare says what is different since the last run, if there is one.
func (v *labRun) compare(s *session, table io.Writer, last string, text []byte) error {
	info, err := os.Stat(last)
	if err != nil {
		_, err := fmt.Fprintln(table, "\nThe next run of this command here is compared with this one.")
		return withCode(exitFailed, err)
	}
	old, err := s.load(last)
	if err != nil {
		fmt.Fprintf(s.stderr, "seam: the last run can't be read, so nothing is compared: %v\n", err)
		return nil
	}
	now, err := compare.Load("this run", bytes.NewReader(text))
	if err != nil {
		return err
	}
	old.Name = "the run of " + info.ModTime().Format("2006-01-02 15:04")
	t, err := compare.Compare(old, now, float64(v.Threshold))
	if err != nil {
		fmt.Fprintf(s.stderr, "seam: %v\n", err)
		return nil
	}
	fmt.Fprintln(table)
	return s.judge(t, table)
}

// benchfmtHead is what stands above the lines of a run: machine, Go version and commit.
func benchfmtHead(ctx context.Context, env *gotool.Env) string {
	run := result.Run{Seam: toolVersion(), Commit: lab.Commit(ctx), Machine: machine.Read()}
	run.Machine.Go, run.Machine.GOOS, run.Machine.GOARCH = env.GOVERSION, env.GOOS, env.GOARCH
	var b strings.Builder
	b.WriteString("# Written by seam lab run. To compare runs: seam lab compare OLD NEW, or benchstat OLD NEW\n# A line is the median of one process.\n")
	for _, f := range run.Facts() {
		prefix := result.FactPrefix
		if f.Name == "goos" || f.Name == "goarch" || f.Name == "cpu" {
			prefix = ""
		}
		if value := strings.Join(strings.Fields(f.Value), " "); value != "" {
			fmt.Fprintf(&b, "%s%s: %s\n", prefix, f.Name, value)
		}
	}
	return b.String()
}
