//go:build cgo && linux && seam_servers

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// patience is how long anything but the measuring itself may take.
const patience = 2 * time.Minute

// startRedis starts a redis-server on loopback that keeps nothing on disk. stop ends
// it; the kernel does when the calling thread, which must be locked, ends.
func startRedis(ctx context.Context) (port int, stop func(), err error) {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		return 0, nil, fmt.Errorf("no redis-server: %w (Debian: apt-get install redis-server; or -addr)", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, nil, err
	}
	port = l.Addr().(*net.TCPAddr).Port
	l.Close()
	r, w, err := os.Pipe()
	if err != nil {
		return 0, nil, err
	}
	cmd := exec.Command(program, "--bind", "127.0.0.1", "--port", strconv.Itoa(port), "--save", "", "--appendonly", "no",
		"--daemonize", "no", "--dir", os.TempDir(), "--maxclients", "20000", "--tcp-backlog", "4096")
	cmd.Stdout, cmd.Stderr = w, w
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	err = cmd.Start()
	w.Close()
	if err != nil {
		r.Close()
		return 0, nil, err
	}
	stop = func() {
		cmd.Process.Kill()
		cmd.Wait()
		r.Close()
	}
	ready := make(chan error, 1)
	go func() {
		var said strings.Builder
		for s := bufio.NewScanner(io.TeeReader(r, &said)); s.Scan(); {
			if strings.Contains(strings.ToLower(s.Text()), "ready to accept connections") {
				ready <- nil
				io.Copy(io.Discard, r)
				return
			}
		}
		ready <- errors.New(program + " ended before it was ready:\n" + said.String())
	}()
	select {
	case err = <-ready:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		stop()
		return 0, nil, err
	}
	return port, stop, nil
}

// settle waits until nobody is blocked in the server: a process that has ended
// leaves its connections for a moment.
func settle(ctx context.Context, host string, port int) error {
	c, err := dial(host, port)
	if err != nil {
		return err
	}
	defer c.close()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		n, err := c.blocked()
		if err != nil || n == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d clients stay blocked in the server (it must be one that nobody else uses)", n)
		case <-time.After(10 * time.Millisecond):
		}
	}
}
