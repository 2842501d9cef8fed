package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// untilSignal returns a context that ends with the first Ctrl-C, SIGTERM or
// SIGHUP. The second ends the program at once.
func untilSignal() context.Context {
	ignoreBrokenPipes()
	var end []os.Signal
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // nohup and the shell's & mean that
			end = append(end, s)
		}
	}
	if len(end) == 0 {
		return context.Background() // Notify would take none for all
	}
	// The cause says which signal it was: what runs for the user shall get the same.
	ctx, cancel := context.WithCancelCause(context.Background())
	first := make(chan os.Signal, 1)
	signal.Notify(first, end...)
	go func() {
		sig := <-first
		cancel(gotool.Signal{Signal: sig})
		// A terminal that is closed sends SIGHUP, and its shell once more.
		signal.Ignore(syscall.SIGHUP)
		signal.Stop(first)
	}()
	return ctx
}
