//go:build unix

// Command ci runs the tests, as make check, make test, make test-all and make soak do:
// stages, which are listed in stages.go, each of a few runs of the go command.
//
//	go run ./internal/ci race arm64
//
// As many runs as there are processors go on side by side, in the order of the
// list. A test that fails is printed when it fails, and stops nothing: the last lines
// say what took how long and what failed.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/seamgo/seam/internal/testenv"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "ci:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("ci", flag.ExitOnError)
	side := flags.Int("j", runtime.NumCPU(), "runs side by side")
	dry := flags.Bool("n", false, "print the commands, and don't run them")
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: go run ./internal/ci [flags] STAGE…\nStages: "+strings.Join(names(), " "))
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	var runs []*command
	for _, name := range flags.Args() {
		if !slices.Contains(names(), name) {
			return fmt.Errorf("there is no stage %q; stages: %s", name, strings.Join(names(), " "))
		}
	}
	// In the order of the list, which has the longest first.
	for _, s := range stages {
		if slices.Contains(flags.Args(), s.name) {
			for _, c := range s.runs() {
				c.stage = s.name
				runs = append(runs, c)
			}
		}
	}
	if len(runs) == 0 {
		flags.Usage()
		return fmt.Errorf("no stage was named")
	}
	for _, c := range runs {
		if err := c.expand(); err != nil {
			return err
		}
	}
	if *dry {
		for _, c := range runs {
			fmt.Printf("%-11s %s\n", c.stage, c)
		}
		return nil
	}
	digest, err := tree(ctx)
	if err != nil {
		return err
	}
	os.Setenv(testenv.Tree, digest)
	return sideBySide(ctx, os.Stdout, runs, *side)
}
