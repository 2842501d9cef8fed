package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/vet"
	"github.com/seamgo/seam/cmd/seam/internal/vet/confirm"
	"github.com/seamgo/seam/cmd/seam/internal/weld/gcstress"
	"github.com/seamgo/seam/cmd/seam/internal/weld/job"
	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
)

// A confirmation is a go command that is run in each of the ways that show mistakes.
type confirmation struct {
	*session
	line   []string     // of the command
	output bytes.Buffer // of the way at hand
}

// A way to run it shows the mistakes that some rules find.
type way struct {
	name  string // what it is for
	run   func() (vet.Evidence, error)
	rules []string
}

// confirmed runs the tests of what was searched, or what the user says, in three ways that
// show mistakes as they are made, and marks the findings. Rules are those whose mistakes are
// looked for.
func (v *vetVerb) confirmed(s *session, r *vet.Report, rules map[string]bool, line []string, c *vet.Config) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	t := &confirmation{session: s, line: line}
	ways := []way{
		{"what is freed", t.leaks, confirm.LeaksShow},
		{"what happens when garbage is collected at calls of C", t.finalizers, confirm.FinalizersShow},
		{"what the runtime's checks of pointers stop", t.checks, confirm.ChecksShow},
	}
	ways = slices.DeleteFunc(ways, func(w way) bool { return !slices.ContainsFunc(w.rules, func(name string) bool { return rules[name] }) })
	var all []vet.Evidence
	for i, w := range ways {
		fmt.Fprintf(s.stderr, "seam: %s, %d of %d: %s\n", strings.Join(line, " "), i+1, len(ways), w.name)
		t.output.Reset()
		e, err := w.run()
		if s.ctx.Err() != nil {
			return withCode(exitInterrupted, errors.New("interrupted: nothing was written"))
		}
		if err != nil {
			e.Else = "" // it may not have come to the rest
		}
		if stopped := slices.Equal(w.rules, confirm.ChecksShow) && len(e.Seen) > 0; err != nil && !stopped {
			r.Problems = append(r.Problems, fmt.Sprintf("%s, run to see %s, failed: %v%s", strings.Join(line, " "), w.name, err, t.lastWords()))
		}
		all = append(all, e)
	}
	r.Confirm(dir, all, c)
	return nil
}

// confirmLine is the go command to run; nil if none is asked for.
func (v *vetVerb) confirmLine() ([]string, error) {
	switch {
	case !v.Confirm && v.ConfirmRun == "":
		return nil, nil
	case v.ConfirmRun == "":
		line := []string{"go", "test", "-vet=off"} // what go vet says is no matter here
		if v.Tags != "" {
			line = append(line, "-tags="+v.Tags)
		}
		if len(v.Packages) == 0 {
			return append(line, "."), nil
		}
		return append(line, v.Packages...), nil
	}
	line, err := gotool.SplitQuoted(v.ConfirmRun)
	if err != nil {
		return nil, fmt.Errorf("--confirm-run: %w", err)
	}
	c, err := gotool.Parse(line)
	if err != nil {
		return nil, fmt.Errorf("--confirm-run: %w", err)
	}
	if !c.RunsProgram() {
		return nil, errors.New("--confirm-run: want go test or go run with their arguments: a program that is only built shows nothing")
	}
	return line, nil
}

// lastWords are the last lines that a command wrote, behind a colon.
func (t *confirmation) lastWords() string {
	if lines := lastLines(t.output.String()); lines != "" {
		return ": " + lines
	}
	return ""
}

// lastLines are the last lines that tests wrote, but for those that say no more than that
// something failed.
func lastLines(output string) string {
	var lines []string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "FAIL") && !strings.HasPrefix(line, "exit status") && !strings.HasPrefix(line, "ok ") && !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- ") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-3):], " | ")
}

// aside is the session whose programs write to the side.
func (t *confirmation) aside() *session {
	aside := *t.session
	to := &atMost{to: &t.output, left: 16 << 20}
	aside.stdin, aside.stdout, aside.stderr = strings.NewReader(""), to, to
	return &aside
}

func (t *confirmation) leaks() (e vet.Evidence, err error) {
	r, err := leakRecorder.Parse(t.ctx, t.line)
	if err != nil {
		return e, err
	}
	list, err := watch(t, r, nil)
	file := mergeLeaks(list)
	return confirm.Leaks(file), cmp.Or(err, whole(file.Gaps()))
}

var stressRecorder = &job.Recorder[*gcstress.Record]{
	Mode: job.ModeStress, Variable: "SEAM_STRESS", Program: "program of seam vet --confirm", Read: gcstress.ReadRecord,
	NoC:  "the program calls no C",
	Done: "run with the collector at calls of C", What: "what finalizers met", Next: "see it",
}

func (t *confirmation) finalizers() (e vet.Evidence, err error) {
	r, err := stressRecorder.Parse(t.ctx, t.line)
	if err != nil {
		return e, err
	}
	// What Go has freed is overwritten, so that nobody finds in it what was there.
	list, err := watch(t, r, []string{"GODEBUG=" + joined(os.Getenv("GODEBUG"), "clobberfree=1")})
	gaps := list.LeftOut
	for _, record := range list.Records() {
		if gap := cmp.Or(record.Cut, record.Full); gap != "" {
			gaps = append(gaps, fmt.Sprintf("process %d: %s", record.PID, gap))
		}
	}
	return confirm.Finalizers(list.Records()), cmp.Or(err, whole(gaps))
}

// whole is the error of a recording that isn't.
func whole(gaps []string) error {
	if len(gaps) == 0 {
		return nil
	}
	return incomplete(gaps)
}

func (t *confirmation) checks() (vet.Evidence, error) {
	c, err := gotool.Parse(t.line)
	if err != nil {
		return vet.Evidence{}, err
	}
	var flags []string
	if _, given := c.Flag("count"); c.Verb == "test" && !given {
		flags = append(flags, "-count=1")
	}
	env, err := gotool.ReadEnv(t.ctx, c.Tool, c.Dir)
	if err != nil {
		return vet.Evidence{}, err
	}
	err = t.aside().runGo(c.With(flags...), []string{
		"GOEXPERIMENT=" + joined(env.GOEXPERIMENT, "cgocheck2"),
		"GODEBUG=" + joined(os.Getenv("GODEBUG"), "cgocheck=1"),
	})
	return confirm.Checks(t.output.String()), err
}

// watch runs a go command whose programs record.
func watch[T recording.Record](t *confirmation, r *job.Recording[T], env []string) (job.Recordings[T], error) {
	aside := t.aside()
	if err := r.Begin(); err != nil {
		return job.Recordings[T]{}, err
	}
	defer r.Remove()
	runErr := r.Run(func(argv, more []string) error { return aside.runGo(argv, append(more, env...)) })
	list, err := r.Records(aside.stderr)
	return list, cmp.Or(runErr, err)
}

// joined adds a word to a list of words with commas between them.
func joined(list, word string) string {
	if list == "" {
		return word
	}
	return list + "," + word
}

// atMost writes so many bytes, and drops the rest.
type atMost struct {
	to   *bytes.Buffer
	left int
}

func (w *atMost) Write(p []byte) (int, error) {
	n := min(len(p), w.left)
	w.left -= n
	w.to.Write(p[:n])
	return len(p), nil
}
