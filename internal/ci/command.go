//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A command is one run of the go command, or of a script.
type command struct {
	stage string
	env   []string
	args  []string

	out       bytes.Buffer
	err       error
	wall, cpu time.Duration
}

func (c *command) String() string {
	return strings.Join(append(append([]string{}, c.env...), c.args...), " ")
}

// expand replaces packages by their names where some are left out (!./folder), and
// makes sure that all exist: a list with a folder that was renamed is wrong.
func (c *command) expand(ctx context.Context) error {
	var patterns, left []string
	for _, a := range c.args {
		switch {
		case strings.HasPrefix(a, "./"):
			patterns = append(patterns, a)
		case strings.HasPrefix(a, "!"):
			left = append(left, a[1:])
		}
	}
	if len(patterns) == 0 || c.args[1] == "run" {
		return nil
	}
	for _, p := range slices.Concat(patterns, left) {
		if info, err := os.Stat(strings.TrimSuffix(p, "/...")); err != nil || !info.IsDir() {
			return fmt.Errorf("stage %s names %s, which is no folder", c.stage, p)
		}
	}
	if len(left) == 0 {
		return nil
	}
	included, err := c.list(ctx, patterns)
	if err != nil {
		return err
	}
	excluded, err := c.list(ctx, append([]string{"-e"}, left...)) // some have no files in this build
	if err != nil {
		return err
	}
	c.args = slices.DeleteFunc(c.args, func(a string) bool { return strings.HasPrefix(a, "./") || strings.HasPrefix(a, "!") })
	for _, p := range included {
		if !slices.Contains(excluded, p) {
			c.args = append(c.args, p)
		}
	}
	return nil
}

// list lists packages as the command sees them.
func (c *command) list(ctx context.Context, patterns []string) ([]string, error) {
	args := []string{"list"}
	for _, a := range c.args {
		if strings.HasPrefix(a, "-tags=") {
			args = append(args, a)
		}
	}
	cmd := exec.CommandContext(ctx, "go", append(args, patterns...)...)
	cmd.Env = append(os.Environ(), c.env...)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	if err != nil {
		return nil, fmt.Errorf("stage %s: go %s: %w", c.stage, strings.Join(cmd.Args[1:], " "), err)
	}
	return strings.Fields(string(out)), nil
}

// run runs the command and keeps what it prints.
func (c *command) run(ctx context.Context) {
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	cmd.Env = append(os.Environ(), c.env...)
	cmd.Stdout, cmd.Stderr = &c.out, &c.out
	// The go command passes an interrupt on, and removes its folder.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	// A group of its own, or Ctrl-C would come twice.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	start := time.Now()
	c.err = cmd.Run()
	c.wall = time.Since(start)
	if s := cmd.ProcessState; s != nil {
		c.cpu = s.UserTime() + s.SystemTime()
	}
}

// sideBySide runs the commands, n at a time, and tells of each when it has ended.
func sideBySide(ctx context.Context, runs []*command, n int) error {
	start := time.Now()
	next := make(chan *command)
	go func() {
		defer close(next)
		for _, c := range runs {
			select {
			case next <- c:
			case <-ctx.Done():
				return
			}
		}
	}()
	var lanes sync.WaitGroup
	var printing sync.Mutex
	for range n {
		lanes.Go(func() {
			for c := range next {
				printing.Lock()
				fmt.Printf("-- %s: %s …\n", c.stage, c)
				printing.Unlock()
				c.run(ctx)
				printing.Lock()
				fmt.Printf("== %s: %s (%.0f s)\n%s", c.stage, c, c.wall.Seconds(), c.out.Bytes())
				if c.err != nil {
					fmt.Printf("FAIL %s: %v\n", c.stage, c.err)
				}
				c.out = bytes.Buffer{}
				printing.Unlock()
			}
		})
	}
	lanes.Wait()
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return summary(runs, time.Since(start))
}

// summary says what took how long, and what failed.
func summary(runs []*command, wall time.Duration) error {
	var failed []string
	var cpu time.Duration
	fmt.Printf("\n%6s %6s\n", "wall", "CPU")
	for _, c := range runs {
		mark := ""
		if c.err != nil {
			mark = "  FAILED"
			failed = append(failed, c.stage)
		}
		cpu += c.cpu
		line := c.String()
		if len(line) > 110 {
			line = line[:109] + "…"
		}
		fmt.Printf("%5.0fs %5.0fs  %-11s %s%s\n", c.wall.Seconds(), c.cpu.Seconds(), c.stage, line, mark)
	}
	fmt.Printf("%5.0fs %5.0fs  all\n", wall.Seconds(), cpu.Seconds())
	if len(failed) > 0 {
		return fmt.Errorf("%d of %d runs failed: %s", len(failed), len(runs), strings.Join(failed, ", "))
	}
	return nil
}
