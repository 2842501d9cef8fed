//go:build unix

package servers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// A Server is a running server. It ends with this process, however that ends;
// after a kill -9 its folder stays behind.
type Server struct {
	Host   string // "127.0.0.1"
	Port   int
	Socket string // Redis: the path of its Unix socket; PostgreSQL: the folder of it, which libpq takes for a host

	dir     string
	process *process
	ending  syscall.Signal           // makes the server end at once, no matter who is connected
	again   func() (*process, error) // starts it with the same port and data; nil: it can't be
	stop    sync.Once
}

// Address is where the server listens.
func (s *Server) Address() string { return net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) }

// Crash ends the server by SIGKILL. Its folder stays for Again.
func (s *Server) Crash() { s.process.end(syscall.SIGKILL) }

// Again starts a server that has crashed, with the data that it left. Meanwhile a connection
// may have got its port for its own end: Again waits until it is free.
func (s *Server) Again(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*patience) // the kernel keeps the port of a closed connection for a minute
	defer cancel()
	for {
		p, err := s.again()
		if err != nil {
			return err
		}
		s.process = p
		if err = p.ready(ctx); !errors.Is(err, errPortTaken) {
			return err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return err
		}
	}
}

// Stop ends the server, cuts its connections and removes its folder. It may be
// called again.
func (s *Server) Stop() {
	s.stop.Do(func() {
		s.process.end(s.ending)
		os.RemoveAll(s.dir)
	})
}

// attempts is how many ports are tried: another program may take a free one
// before the server does.
const attempts = 5

// errPortTaken is the failure that another port may cure.
var errPortTaken = errors.New("another program has taken the port")

// startOnFreePort calls start with free ports until one is not taken from it.
func startOnFreePort(ctx context.Context, start func(port int) (*process, error)) (*process, int, error) {
	for try := 1; ; try++ {
		port, err := freePort()
		if err != nil {
			return nil, 0, err
		}
		p, err := start(port)
		if err == nil {
			err = p.ready(ctx)
		}
		if err == nil {
			return p, port, nil
		}
		if !errors.Is(err, errPortTaken) || try == attempts {
			return nil, 0, err
		}
	}
}

const host = "127.0.0.1"

func freePort() (int, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// longestFolder leaves room for the name of a socket: its path has 107 bytes.
const longestFolder = 80

// newFolder makes the folder that a server has for itself.
func newFolder(name string) (string, error) {
	dir, err := os.MkdirTemp("", "seam-"+name+"-")
	if err != nil {
		return "", err
	}
	if len(dir) > longestFolder {
		os.Remove(dir)
		return "", fmt.Errorf("the temporary folder %s is too deep for a Unix socket (set TMPDIR to a shorter path)", filepath.Dir(dir))
	}
	return dir, nil
}

// patience is how long a server has to start, and to end.
const patience = time.Minute
