//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	cost  float64 // seconds that it takes, about
	json  bool    // it prints events

	// What is known of it while it runs.
	packages int                  // with tests, by their folders
	ends     int                  // so many of them have ended
	running  map[string]time.Time // since when
	said     map[testName]string  // by tests whose end isn't known yet
	began    time.Time
	ended    bool

	err       error
	wall, cpu time.Duration
}

func (c *command) String() string {
	args := slices.DeleteFunc(slices.Clone(c.args), func(a string) bool { return a == "-json" })
	return strings.Join(append(append([]string{}, c.env...), args...), " ")
}

// verbose reports whether what tests say is wanted where they pass, too.
func (c *command) verbose() bool { return slices.Contains(c.args, "-v") }

// done is the share of the run that has ended.
func (c *command) done() float64 {
	switch {
	case c.ended:
		return 1
	case c.packages == 0:
		return 0
	}
	return float64(min(c.ends, c.packages)) / float64(c.packages+1)
}

// expand puts the packages in place of the needs that they declare (need:race), and makes
// sure that all folders exist: a list with a folder that was renamed is wrong.
func (c *command) expand() error {
	var args []string
	for _, a := range c.args {
		need, ok := strings.CutPrefix(a, "need:")
		if !ok {
			args = append(args, a)
			continue
		}
		folders, err := declared(need)
		if err != nil {
			return fmt.Errorf("stage %s: %w", c.stage, err)
		}
		args = append(args, folders...)
	}
	c.args = args
	for _, a := range args {
		if !strings.HasPrefix(a, "./") || args[1] == "run" {
			continue
		}
		if info, err := os.Stat(strings.TrimSuffix(a, "/...")); err != nil || !info.IsDir() {
			return fmt.Errorf("stage %s names %s, which is no folder", c.stage, a)
		}
		if c.json {
			folders, err := testFolders(a)
			if err != nil {
				return err
			}
			c.packages += len(folders)
		}
	}
	return nil
}

// run runs the command, and tells the reporter what it prints.
func (c *command) run(ctx context.Context, r *reporter) {
	c.running, c.said = map[string]time.Time{}, map[testName]string{}
	r.begin(c)
	out, in := io.Pipe()
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	cmd.Env = append(os.Environ(), c.env...)
	cmd.Stdout, cmd.Stderr = in, in
	// The go command passes an interrupt on, and removes its folder.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	// A group of its own, or Ctrl-C would come twice.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var read sync.WaitGroup
	read.Go(func() { r.follow(c, out) })
	start := time.Now()
	c.err = cmd.Run()
	c.wall = time.Since(start)
	in.Close()
	read.Wait()
	if s := cmd.ProcessState; s != nil {
		c.cpu = s.UserTime() + s.SystemTime()
	}
	r.end(c)
}

// sideBySide runs the commands, n at a time.
func sideBySide(ctx context.Context, out io.Writer, runs []*command, n int) error {
	r := &reporter{out: out, runs: runs, lanes: n, start: time.Now(), printed: time.Now()}
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
	stop := make(chan struct{})
	var watching, lanes sync.WaitGroup
	watching.Go(func() { r.watch(stop) })
	for range n {
		lanes.Go(func() {
			for c := range next {
				c.run(ctx, r)
			}
		})
	}
	lanes.Wait()
	close(stop)
	watching.Wait()
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return summary(out, runs, time.Since(r.start))
}

// summary says what took how long, and what failed.
func summary(out io.Writer, runs []*command, wall time.Duration) error {
	var failed []string
	var cpu time.Duration
	fmt.Fprintf(out, "\n%6s %6s\n", "wall", "CPU")
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
		fmt.Fprintf(out, "%5.0fs %5.0fs  %-11s %s%s\n", c.wall.Seconds(), c.cpu.Seconds(), c.stage, line, mark)
	}
	fmt.Fprintf(out, "%5.0fs %5.0fs  all\n", wall.Seconds(), cpu.Seconds())
	if len(failed) > 0 {
		return fmt.Errorf("%d of %d runs failed: %s", len(failed), len(runs), strings.Join(failed, ", "))
	}
	return nil
}
