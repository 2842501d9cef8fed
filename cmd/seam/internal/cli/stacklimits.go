package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/stack/limits"
	"github.com/seamgo/seam/cmd/seam/internal/terminal"
)

// stackLimitsVerb is the verb that finds what the compiler keeps on the stack.
type stackLimitsVerb struct {
	Toolchain  []string `placeholder:"VERSION" help:"Toolchains besides those that are installed; the go command downloads missing ones."`
	Only       bool     `help:"Only the go command in use and the toolchains of --toolchain."`
	NoOverflow bool     `help:"Don't overflow a stack, which briefly takes half a gigabyte of memory."`
	JSON       string   `name:"json" placeholder:"FILE" help:"Write the figures as JSON; - is standard output."`
}

func (stackLimitsVerb) examples() string {
	return `Finds by bisection, to the byte, what each installed Go toolchain keeps on the
stack: from what its compiler reports, by counting the allocations of a program
that it builds, and with a program that recurses until its stack overflows. Nothing
is downloaded unless --toolchain names it. GOOS and GOARCH choose the target; what
this machine can't run is left out, and the report says so.

Toolchains are looked for in /usr/local/go*, ~/sdk/go* and the module cache. On the
first run each of them compiles its runtime into your build cache.

Examples:
  seam stack limits
  seam stack limits --only --no-overflow
  seam stack limits --toolchain 1.13.15,1.23.12
  seam stack limits --json limits.json
  GOARCH=386 seam stack limits
`
}

func (v *stackLimitsVerb) Run(s *session) error {
	if err := checkOutputs(outputFlag{"--json", given(v.JSON)}); err != nil {
		return err
	}
	named, err := limits.ParseNames(v.Toolchain)
	if err != nil {
		return fmt.Errorf("--toolchain: %w", err)
	}
	o := limits.Options{Go: "go", Dir: ".", Named: named, Only: v.Only, NoOverflow: v.NoOverflow, Seam: toolVersion()}
	show, clear := terminal.Status(s.stderr)
	defer clear()
	if show != nil {
		o.Progress = func(toolchain, what string) { show(strings.TrimSpace(toolchain + " " + what)) }
	}
	r, err := limits.Run(s.ctx, o)
	clear()
	if s.ctx.Err() != nil {
		return withCode(exitInterrupted, errors.New("interrupted: nothing was written"))
	}
	if err != nil {
		return withCode(exitFailed, err)
	}
	if err := v.show(s, r); err != nil {
		return withCode(exitFailed, err)
	}
	if failed := r.Failed(); len(failed) > 0 {
		return withCode(exitFailed, errors.New(strings.Join(failed, "\n")))
	}
	return nil
}

// show writes the figures, as text if no other form was asked for.
func (v *stackLimitsVerb) show(s *session, r *limits.Report) error {
	if v.JSON != "" {
		return output.Writer{Stdout: s.stdout, Stderr: s.stderr}.Write(s.ctx, v.JSON, r.WriteJSON)
	}
	return r.WriteText(s.stdout, terminal.Of(s.stdout).Options)
}
