package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
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
		return context.Background() // NotifyContext would take none for all
	}
	ctx, stop := signal.NotifyContext(context.Background(), end...)
	go func() {
		<-ctx.Done()
		// A terminal that is closed sends SIGHUP, and its shell once more.
		signal.Ignore(syscall.SIGHUP)
		stop()
	}()
	return ctx
}
