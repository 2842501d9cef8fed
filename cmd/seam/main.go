// Command seam measures what crossing a boundary costs a Go program: into C,
// to another goroutine, thread or process.
//
// What it can do is told by its own help:
//
//	seam -h
//	seam lab -h
//	seam lab compare -h
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop() // the second Ctrl-C ends the program at once
	}()
	os.Exit(conclude(os.Stderr, run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)))
}
