//go:build unix

package servers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// Postgres starts a PostgreSQL with an empty cluster: user and database postgres,
// no password, 600 connections. It refuses to run as root, so then it is
// run as the user postgres, or nobody. ctx bounds the start only.
func Postgres(ctx context.Context) (*Server, error) {
	initdb, err := postgresProgram("initdb")
	if err != nil {
		return nil, err
	}
	postgres, err := postgresProgram("postgres")
	if err != nil {
		return nil, err
	}
	as, err := unprivileged()
	if err != nil {
		return nil, err
	}
	dir, err := newFolder("postgres")
	if err != nil {
		return nil, err
	}
	p, port, err := startPostgres(ctx, initdb, postgres, dir, as)
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return &Server{Host: host, Port: port, Socket: dir, dir: dir, process: p, ending: endPostgres}, nil
}

// endPostgres is its immediate shutdown: SIGTERM would wait for the clients to
// leave, and of SIGKILL its own processes would have to find out for themselves.
const endPostgres = syscall.SIGQUIT

// authenticationTimeout bounds how long a client that connects while the server
// ends, and says nothing, can hold it up.
const authenticationTimeout = "authentication_timeout=10s"

func startPostgres(ctx context.Context, initdb, postgres, dir string, as *syscall.Credential) (*process, int, error) {
	if as != nil {
		if err := os.Chown(dir, int(as.Uid), int(as.Gid)); err != nil {
			return nil, 0, err
		}
	}
	data := filepath.Join(dir, "data")
	command := func(ctx context.Context, program string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "LC_ALL=C", "HOME="+dir)
		if as != nil {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
		}
		return cmd
	}
	setup := command(ctx, initdb, "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
	if out, err := setup.CombinedOutput(); err != nil {
		return nil, 0, fmt.Errorf("%s: %w\n%s", initdb, err, out)
	}
	return startOnFreePort(ctx, func(port int) (*process, error) {
		cmd := command(context.Background(), postgres, "-D", data, "-h", host, "-p", strconv.Itoa(port), "-k", dir,
			"-c", "max_connections=600", "-c", authenticationTimeout, "-c", "shared_buffers=16MB", "-c", "fsync=off", "-c", "full_page_writes=off",
			"-c", "synchronous_commit=off", "-c", "autovacuum=off", "-c", "logging_collector=off", "-c", "log_destination=stderr")
		return run(cmd, endPostgres)
	})
}

// postgresProgram finds a program of PostgreSQL: in the PATH, or the newest where
// Debian keeps them.
func postgresProgram(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err == nil {
		return path, nil
	}
	found, _ := filepath.Glob(filepath.Join("/usr/lib/postgresql/*/bin", name))
	if len(found) == 0 {
		return "", fmt.Errorf("no PostgreSQL server: %w (Debian: apt-get install postgresql)", err)
	}
	version := func(path string) int {
		v, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
		return v
	}
	return slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) }), nil
}

// unprivileged returns whom to run the server as: nil for ourselves.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("PostgreSQL does not run as root, and there is no user postgres or nobody to run it as")
}
