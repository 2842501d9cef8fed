//go:build unix

package servers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// endRedis is rough, since there is nothing to save.
const endRedis = syscall.SIGKILL

// Redis starts a redis-server that takes 20,000 clients, as far as the limit of
// open files lets it, and keeps nothing on disk. ctx bounds the start only.
func Redis(ctx context.Context) (*Server, error) {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, fmt.Errorf("no redis-server: %w (Debian: apt-get install redis-server)", err)
	}
	dir, err := newFolder("redis")
	if err != nil {
		return nil, err
	}
	socket := filepath.Join(dir, "redis.sock")
	p, port, err := startOnFreePort(ctx, func(port int) (*process, error) {
		cmd := exec.Command(program,
			"--bind", host, "--port", strconv.Itoa(port), "--unixsocket", socket, "--unixsocketperm", "700",
			"--dir", dir, "--save", "", "--appendonly", "no", "--daemonize", "no",
			"--maxclients", "20000", "--tcp-backlog", "4096")
		return run(cmd, endRedis)
	})
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return &Server{Host: host, Port: port, Socket: socket, dir: dir, process: p, ending: endRedis}, nil
}
