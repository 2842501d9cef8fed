// Package cli is the command line of seam: its verbs, one file each, what they
// have in common, and [Main], which runs the one that is asked for. A verb
// parses, calls the package that does the work, and prints.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/alecthomas/kong"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/experiment"
)

// A session is one call of the program.
type session struct {
	ctx            context.Context
	stdin          io.Reader
	stdout, stderr io.Writer

	experiments []lab.Experiment
	worker      func() *exec.Cmd // starts a worker process
	rounds      int              // 0: as the mode says
	share       time.Duration    // 0: as the mode says
	tips        bool             // for tests: as on a terminal
}

// Main is the program: it runs the verb that the process's arguments ask for and
// returns the exit code.
func Main() int {
	var stdout io.Writer = os.Stdout
	if closedOutput() {
		stdout = noOutput{}
	}
	return conclude(os.Stderr, run(untilSignal(), os.Args[1:], os.Stdin, stdout, os.Stderr))
}

// noOutput stands for a standard output that the caller has closed (>&-).
type noOutput struct{}

func (noOutput) Write([]byte) (int, error) { return 0, errors.New("standard output is closed") }

// run is the whole program. Its error, if any, is for [conclude].
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	s := &session{
		ctx: ctx, stdin: stdin, stdout: stdout, stderr: stderr,
		experiments: experiment.Experiments,
		worker:      workerCommand,
	}
	return s.run(args)
}

func (s *session) run(args []string) error {
	var v verbs
	helped := false
	parser, err := kong.New(&v,
		kong.Name("seam"),
		kong.Description(about),
		kong.Writers(s.stdout, s.stderr),
		kong.Exit(func(int) { helped = true }), // kong exits after -h alone
		kong.Help(s.printHelp),
		kong.ExplicitGroups(groups),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: 100}),
	)
	if err != nil {
		return fmt.Errorf("the description of the command line is wrong: %w", err)
	}
	if line := os.Getenv("COMP_LINE"); line != "" { // by which a shell asks: see completion.go
		return s.complete(parser.Model.Node, line)
	}
	chosen, err := parser.Parse(flagsFirst(parser.Model, askedForHelp(parser.Model.Node, args)))
	if helped {
		return nil
	}
	if err != nil {
		var wrong *kong.ParseError
		if errors.As(err, &wrong) {
			err = inWords(wrong)
		}
		return err
	}
	err = chosen.Run(s, parser)
	if node := chosen.Selected(); node != nil && (err == nil || exitCode(err) == exitFinding) {
		s.tell(node)
	}
	return err
}
