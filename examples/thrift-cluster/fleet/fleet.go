// Package fleet runs an etcd and servers on loopback, each a process of its own, for the
// demo and for tests that treat them badly.
package fleet

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/seamgo/seam/examples/internal/servers"
)

// patience is how long a server has to start, and to end.
const patience = time.Minute

// Begun is what a server's first line of output begins with; its address follows.
const Begun = "serving at "

// A Fleet is an etcd and servers.
type Fleet struct {
	Etcd    *servers.Server
	Servers []*Server

	command func() *exec.Cmd
	dir     string
}

// A Server is one process.
type Server struct {
	Address string
	Journal string

	cmd   *exec.Cmd
	ended chan struct{}
	err   error // read it after ended
}

// New starts an etcd. Servers are started by command, with the environment that
// [server.ReadConfig] reads; they print Begun and their address.
// Their files are in a folder below dir, or below the temporary one if that is "".
func New(ctx context.Context, dir string, command func() *exec.Cmd) (*Fleet, error) {
	etcd, err := servers.Etcd(ctx)
	if err != nil {
		return nil, err
	}
	dir, err = os.MkdirTemp(dir, "seam-fleet-")
	if err != nil {
		etcd.Stop()
		return nil, err
	}
	return &Fleet{Etcd: etcd, command: command, dir: dir}, nil
}

// Place is the line that says where the fleet is.
func (f *Fleet) Place() string { return "cluster:" + f.Etcd.Address() }

// Add starts another server. It returns when the server takes calls.
func (f *Fleet) Add(ctx context.Context, env ...string) (*Server, error) {
	return f.AddProgram(ctx, f.command(), filepath.Join(f.dir, fmt.Sprintf("journal-%d", len(f.Servers))), env...)
}

// AddProgram starts a server by a command of its own, as of another version, with a journal
// that may be that of a server that has ended.
func (f *Fleet) AddProgram(ctx context.Context, cmd *exec.Cmd, journal string, env ...string) (*Server, error) {
	s := &Server{cmd: cmd, Journal: journal, ended: make(chan struct{})}
	s.cmd.Env = append(append(s.cmd.Environ(), "ORDERS_PLACE="+f.Place(), "ORDERS_JOURNAL="+s.Journal), env...)
	servers.EndWithUs(s.cmd, syscall.SIGKILL)
	log, err := os.OpenFile(s.Journal+".log", os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	s.cmd.Stderr = log
	out, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.cmd.Stdout = in
	started := make(chan error, 1)
	go func() {
		// The kernel ends the server when this thread does: it stays with the goroutine.
		runtime.LockOSThread()
		err := s.cmd.Start()
		in.Close()
		started <- err
		if err != nil {
			return
		}
		s.err = s.cmd.Wait()
		close(s.ended)
	}()
	if err := <-started; err != nil {
		out.Close()
		return nil, err
	}
	f.Servers = append(f.Servers, s)
	first := make(chan string, 1)
	go func() {
		defer out.Close()
		r := bufio.NewReader(out)
		line, _ := r.ReadString('\n')
		first <- strings.TrimSpace(line)
		_, _ = io.Copy(io.Discard, r)
	}()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case line := <-first:
		address, ok := strings.CutPrefix(line, Begun)
		if ok {
			s.Address = address
			return s, nil
		}
	case <-ctx.Done():
	}
	s.Kill()
	text, _ := os.ReadFile(s.Journal + ".log")
	return nil, fmt.Errorf("a server does not start: %v\n%s", s.err, text)
}

// Pid is its number.
func (s *Server) Pid() int { return s.cmd.Process.Pid }

// Signal sends the server a signal.
func (s *Server) Signal(signal syscall.Signal) error { return s.cmd.Process.Signal(signal) }

// Kill ends the server as kill -9 does.
func (s *Server) Kill() {
	_ = s.cmd.Process.Kill() // it may be gone
	<-s.ended
}

// Drain asks the server to end, and waits until it has.
func (s *Server) Drain() error {
	if err := s.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-s.ended:
		return s.err
	case <-time.After(patience):
		s.Kill()
		return errors.New("a server does not end when it is asked to")
	}
}

// Journals are the files of all orders that any server has taken.
func (f *Fleet) Journals() (list []string) {
	for _, s := range f.Servers {
		if _, err := os.Stat(s.Journal); err == nil && !slices.Contains(list, s.Journal) {
			list = append(list, s.Journal)
		}
	}
	return list
}

// Close ends everything and removes the files.
func (f *Fleet) Close() {
	for _, s := range f.Servers {
		s.Kill()
	}
	f.Etcd.Stop()
	os.RemoveAll(f.dir)
}
