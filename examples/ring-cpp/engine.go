//go:build linux

package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/seamgo/seam/ring"
)

// Engine asks a process questions. There is a new one whenever it is needed.
type Engine struct {
	path string

	mu      sync.Mutex // one question at a time
	process *exec.Cmd  // nil if there is none
	conn    *ring.Conn
	Started int // how many processes there have been
}

// Ask returns the engine's answer. If there is none, because the engine has died or takes
// longer than ctx allows, it is an error, and the next question is for another engine.
func (e *Engine) Ask(ctx context.Context, question string) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.process == nil {
		if err := e.start(ctx); err != nil {
			return "", err
		}
	}
	answer, err := e.ask(ctx, question)
	if err != nil {
		return "", fmt.Errorf("%q: %w (%v)", question, err, e.stop())
	}
	return answer, nil
}

func (e *Engine) ask(ctx context.Context, question string) (string, error) {
	if err := e.conn.Writer().Send(ctx, []byte(question)); err != nil {
		return "", err
	}
	answer, err := e.conn.Reader().Next(ctx)
	return string(answer), err // a copy: the record is good until the next call
}

// start starts a process with one end of a pair of sockets, and makes the rings.
func (e *Engine) start(ctx context.Context) error {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socketpair", err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "socket"), os.NewFile(uintptr(fds[1]), "socket")
	defer ours.Close()
	defer theirs.Close() // or we wouldn't see the engine hang up
	socket, err := net.FileConn(ours)
	if err != nil {
		return err
	}
	process := exec.Command(e.path)
	process.Stderr = os.Stderr
	process.ExtraFiles = []*os.File{theirs} // descriptor 3
	if err := process.Start(); err != nil {
		socket.Close()
		return err
	}
	e.Started++
	theirs.Close()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	conn, err := ring.Serve(ctx, socket.(*net.UnixConn), ring.Options{})
	if err != nil {
		process.Process.Kill()
		process.Wait()
		return err
	}
	e.process, e.conn = process, conn
	return nil
}

// stop ends the process, if there is one, and says how it ended.
func (e *Engine) stop() error {
	if e.process == nil {
		return nil
	}
	e.conn.Close()
	e.conn.Writer().Close()
	e.conn.Reader().Close()
	// One that crashes is left to do so, but not one that hangs.
	kill := time.AfterFunc(time.Second, func() { e.process.Process.Kill() })
	err := e.process.Wait()
	kill.Stop()
	e.process, e.conn = nil, nil
	return err
}

// Close ends the engine.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.stop()
}
