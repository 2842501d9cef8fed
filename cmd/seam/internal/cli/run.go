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
	"strings"
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
}

// Main is the program: it runs the verb that the process's arguments ask for and
// returns the exit code.
func Main() int {
	return conclude(os.Stderr, run(untilSignal(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

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
		kong.Help(printHelp),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: 100}),
	)
	if err != nil {
		return fmt.Errorf("the description of the command line is wrong: %w", err)
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	chosen, err := parser.Parse(flagsFirst(parser.Model, args))
	if helped {
		return nil
	}
	if err != nil {
		var wrong *kong.ParseError
		if errors.As(err, &wrong) {
			err = fmt.Errorf("%w (%s shows how)", err, helpCommand(wrong.Context))
		}
		return err
	}
	return chosen.Run(s)
}

// helpCommand is the call that explains the verb at hand.
func helpCommand(c *kong.Context) string {
	if c != nil {
		if node := c.Selected(); node != nil {
			return "seam " + verbPath(node) + " -h"
		}
	}
	return "seam -h"
}

// verbPath is the words that choose a verb: "lab compare". A default verb's
// own name is left out.
func verbPath(node *kong.Node) string {
	path := ""
	for ; node != nil && node.Parent != nil; node = node.Parent {
		if node.Parent.DefaultCmd == node {
			continue
		}
		if path != "" {
			path = " " + path
		}
		path = node.Name + path
	}
	return path
}

// printHelp adds the examples and exit codes to kong's help.
func printHelp(options kong.HelpOptions, c *kong.Context) error {
	text := appHelp
	show := kong.DefaultHelpPrinter
	if node := c.Selected(); node != nil {
		text = ""
		if h, ok := node.Target.Addr().Interface().(interface{ examples() string }); ok {
			text = h.examples() + "\n"
		}
		if node.Parent.DefaultCmd == node {
			node = node.Parent
		}
		if node.DefaultCmd != nil {
			show = func(o kong.HelpOptions, c *kong.Context) error { return printDefaultHelp(o, c, node) }
		}
	}
	if err := show(options, c); err != nil {
		return err
	}
	_, err := fmt.Fprint(c.Stdout, "\n"+text+exitHelp)
	return err
}

// printDefaultHelp shows a verb that has verbs below it as what it does by
// default, with the arguments and flags of that. kong shows the list of verbs
// alone.
func printDefaultHelp(options kong.HelpOptions, c *kong.Context, node *kong.Node) error {
	inner, err := kong.Trace(c.Kong, append(strings.Fields(verbPath(node)), node.DefaultCmd.Name))
	if err != nil {
		return err
	}
	out := c.Stdout
	defer func() { c.Stdout = out }()
	var text strings.Builder
	c.Stdout = &text
	if err := kong.DefaultHelpPrinter(options, inner); err != nil {
		return err
	}
	verb := "seam " + verbPath(node)
	help := strings.ReplaceAll(text.String(), verb+" "+node.DefaultCmd.Name, verb)
	help += "\nCommands:\n"
	for _, sub := range node.Children {
		if !sub.Hidden {
			help += fmt.Sprintf("  %s    %s\n", verbPath(sub), sub.Help)
		}
	}
	_, err = io.WriteString(out, help)
	return err
}
