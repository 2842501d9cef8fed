//go:build unix

package servers

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
)

// Etcd starts an etcd of one member. ctx bounds the start only. It can be ended by Crash
// and started again.
func Etcd(ctx context.Context) (*Server, error) {
	program, err := exec.LookPath("etcd")
	if err != nil {
		return nil, fmt.Errorf("no etcd: %w (Debian: apt-get install etcd-server)", err)
	}
	dir, err := newFolder("etcd")
	if err != nil {
		return nil, err
	}
	peer := 0
	start := func(port int) (*process, error) {
		url := func(port int) string { return "http://" + net.JoinHostPort(host, strconv.Itoa(port)) }
		cmd := exec.Command(program, "--name", "one", "--data-dir", filepath.Join(dir, "data"),
			"--listen-client-urls", url(port), "--advertise-client-urls", url(port),
			"--listen-peer-urls", url(peer), "--initial-advertise-peer-urls", url(peer), "--initial-cluster", "one="+url(peer),
			"--logger", "zap", "--log-outputs", "stderr")
		// Elsewhere than on amd64 etcd 3.4 wants to be told that we know it is not supported.
		cmd.Env = append(os.Environ(), "ETCD_UNSUPPORTED_ARCH="+runtime.GOARCH)
		return run(cmd, syscall.SIGKILL)
	}
	p, port, err := startOnFreePort(ctx, func(port int) (*process, error) {
		var err error
		if peer, err = freePort(); err != nil {
			return nil, err
		}
		if err := os.RemoveAll(filepath.Join(dir, "data")); err != nil { // of an attempt at another port
			return nil, err
		}
		return start(port)
	})
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return &Server{Host: host, Port: port, dir: dir, process: p, ending: syscall.SIGKILL,
		again: func() (*process, error) { return start(port) }}, nil
}
