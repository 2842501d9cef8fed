package trial

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// A Load is what a server is measured by, which doesn't end by itself: it is started, driven
// by a command when it is ready, and ended by SIGTERM. The time is that of the command.
type Load struct {
	Command string // for sh -c; it must end by itself, with code 0
	Ready   string // what answers when the server is ready: http://…, https://… or HOST:PORT
}

// How long a server may take to become ready, and to end.
const (
	readyWithin = 2 * time.Minute
	endWithin   = 30 * time.Second
)

// answers reports whether somebody does, at an address.
func answers(ctx context.Context, address string) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if !strings.Contains(address, "://") {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err != nil {
			return false
		}
		conn.Close()
		return true
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	response.Body.Close()
	return response.StatusCode < http.StatusInternalServerError
}

// serve runs a server under its load.
func (l *Load) serve(ctx context.Context, side Side, dir string, line []string) (*process, error) {
	if answers(ctx, l.Ready) {
		return nil, fmt.Errorf("something answers at %s before the server is started: end it, or choose another port", l.Ready)
	}
	server, err := launch(ctx, side, dir, line, false)
	if err != nil {
		return nil, err
	}
	type end struct {
		*process
		err error
	}
	ended := make(chan end, 1)
	go func() {
		p, err := server.wait(ctx)
		ended <- end{p, err}
	}()
	// stop ends the server, which a load may have done already.
	stop := func() end {
		_ = server.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		select {
		case e := <-ended:
			return e
		case <-time.After(endWithin):
			_ = server.cmd.Process.Kill() // likewise
			e := <-ended
			e.err = errors.Join(fmt.Errorf("the server (%s) had not ended %v after SIGTERM", side, endWithin), e.err)
			return e
		}
	}
	for began := time.Now(); !answers(ctx, l.Ready); time.Sleep(20 * time.Millisecond) {
		select {
		case e := <-ended:
			if e.err == nil {
				e.err = fmt.Errorf("the server (%s) ended before it answered at %s", side, l.Ready)
			}
			return nil, e.err
		default:
		}
		if time.Since(began) > readyWithin {
			stop()
			return nil, fmt.Errorf("the server (%s) did not answer at %s within %v", side, l.Ready, readyWithin)
		}
	}
	load := exec.CommandContext(ctx, "sh", "-c", l.Command)
	load.Dir = dir
	load.WaitDelay = 5 * time.Second
	began := time.Now()
	output, loadErr := load.CombinedOutput()
	wall := time.Since(began)
	e := stop()
	var failed *Failure
	if errors.As(e.err, &failed) {
		// Ended by the signal, as servers are that don't catch it.
		if x := (*exec.ExitError)(nil); errors.As(failed.Err, &x) && x.Sys().(syscall.WaitStatus).Signal() == syscall.SIGTERM {
			e.process, e.err = server.process, nil
			server.cpu = server.cmd.ProcessState.UserTime() + server.cmd.ProcessState.SystemTime()
		}
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case e.err != nil:
		return nil, e.err
	case loadErr != nil:
		return nil, fmt.Errorf("the load failed against the program (%s): %w\n%s", side, loadErr, lastLines(output))
	}
	e.wall = wall
	return e.process, nil
}
