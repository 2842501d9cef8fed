package cli

import (
	"errors"
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/stack/frames"
	"github.com/seamgo/seam/cmd/seam/internal/stack/report"
	"github.com/seamgo/seam/cmd/seam/internal/terminal"
)

// stackFramesVerb is the verb that shows which functions need large stacks.
type stackFramesVerb struct {
	Packages []string `arg:"" optional:"" name:"package" help:"Packages, as for go build (default: the one here)."`

	Test   bool     `help:"Look at the test binaries of the packages."`
	Binary []string `placeholder:"FILE" xor:"what" sep:"none" help:"Look at a program that is already built; may be given several times."`
	Tags   string   `placeholder:"LIST" help:"Build tags, as for go build."`
	Build  []string `placeholder:"FLAG" sep:"none" help:"A further flag for go build, such as --build=-race; may be given several times."`

	Panics bool   `help:"Include calls that can only end in a panic."`
	Trace  string `placeholder:"FILE" help:"Show beside each go statement what a run saw of its goroutines: a report of seam stack trace --json."`
	Top    int    `default:"10" placeholder:"10" help:"Entries in each list (${default})."`
	JSON   string `name:"json" placeholder:"FILE" help:"Write everything that was found as JSON; - is standard output."`
}

func (stackFramesVerb) examples() string {
	return `Builds programs and finds, without running them: the largest frames and the
variables in them; the longest chains of calls, from main and from each go
statement; which goroutines outgrow the 2 KB that they start with, to what size,
and which of those are started in a loop, where each growth is paid for again.

Reads ELF programs for amd64 and arm64, built by Go 1.21 to 1.27, stripped or not.

Examples:
  seam stack frames
  seam stack frames --top 30 ./cmd/...
  seam stack frames --test ./server
  seam stack frames --build=-race --build=-ldflags=-s .
  seam stack trace --json stack.json -- go test ./server && seam stack frames --test --trace stack.json ./server
  seam stack frames --binary /usr/local/bin/caddy --json frames.json
  GOARCH=arm64 seam stack frames .
`
}

func (v *stackFramesVerb) Run(s *session) error {
	switch {
	case v.Top < 1:
		return fmt.Errorf("--top %d: want at least 1", v.Top)
	case len(v.Binary) > 0 && (len(v.Packages) > 0 || v.Test || v.Tags != "" || len(v.Build) > 0):
		return errors.New("--binary looks at a program that is already built: leave out packages and build flags")
	}
	if err := checkOutputs(outputFlag{"--json", given(v.JSON)}); err != nil {
		return err
	}
	var seen *report.File
	if v.Trace != "" {
		var err error
		if seen, err = report.Read(v.Trace); err != nil {
			return fmt.Errorf("--trace: %w", err)
		}
	}
	packages := v.Packages
	if len(packages) == 0 {
		packages = []string{"."}
	}
	flags := v.Build
	if v.Tags != "" {
		flags = append(flags, "-tags="+v.Tags)
	}
	b := &frames.Builder{Go: "go", Dir: ".", Flags: flags, Test: v.Test, Run: func(argv []string) error { return s.runGo(argv, nil) }}
	r, err := frames.Run(s.ctx, b, packages, v.Binary, frames.Options{Top: v.Top, Panics: v.Panics}, toolVersion())
	if s.ctx.Err() != nil {
		return withCode(exitInterrupted, errors.New("interrupted"))
	}
	if err != nil {
		return err
	}
	if seen != nil {
		r.See(seen)
	}
	if v.JSON != "" {
		to := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
		if err := to.Write(s.ctx, v.JSON, r.WriteJSON); err != nil || output.IsStdout(v.JSON) {
			return withCode(exitFailed, err)
		}
	}
	return withCode(exitFailed, r.WriteText(s.stdout, frames.TextOptions{Options: terminal.Of(s.stdout).Options, Top: v.Top, Dir: workingDir()}))
}
