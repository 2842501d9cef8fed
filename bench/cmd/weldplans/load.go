package main

import (
	"context"
	"os/exec"
)

// load starts busy loops, processes of their own, until stop is called.
func load(ctx context.Context, loops int) (stop func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	var started []*exec.Cmd
	stop = func() {
		cancel()
		for _, c := range started {
			_ = c.Wait() // it was killed
		}
	}
	for range loops {
		c := exec.CommandContext(ctx, "sh", "-c", "while :; do :; done")
		if err := c.Start(); err != nil {
			stop()
			return nil, err
		}
		started = append(started, c)
	}
	return stop, nil
}
