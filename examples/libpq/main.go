//go:build cgo && linux && seam_servers

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/seamgo/seam/examples/internal/servers"
	"github.com/seamgo/seam/examples/internal/servers/usage"
)

const help = `Usage: libpq [flags]

Runs select pg_sleep(1) in many goroutines at once, each with a connection of its
own by libpq, and prints how long that takes and on how many threads.

Examples:
  libpq                            500 queries as coroutines of an executor
  libpq -mode cgo                  the same through cgo: a thread for each
  libpq -n 50 -conninfo 'host=db1 user=me gssencmode=disable'

`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "libpq:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	f := flag.NewFlagSet("libpq", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() { fmt.Fprint(stderr, help); f.PrintDefaults() }
	n := f.Int("n", 500, "how many goroutines ask")
	name := f.String("mode", modes[0], "how C is called: "+strings.Join(modes, ", "))
	conninfo := f.String("conninfo", "", "connection `string` of libpq; empty: a PostgreSQL of its own")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 || *n < 1 {
		return fmt.Errorf("no arguments are wanted but flags, and -n above zero (-h shows them)")
	}
	m, err := newMode(*name)
	if err != nil {
		return err
	}
	defer m.close()
	if *conninfo == "" {
		s, err := servers.Postgres(ctx)
		if err != nil {
			return err
		}
		defer s.Stop()
		*conninfo = connInfo(s)
	}
	fmt.Fprintf(stdout, "%d goroutines in select pg_sleep(1), mode %s, GOMAXPROCS %d\n", *n, *name, runtime.GOMAXPROCS(0))
	conns, err := connectAll(ctx, m, *conninfo, *n)
	if err != nil {
		return err
	}
	defer closeAll(conns)
	before, err := usage.Read()
	if err != nil {
		return err
	}
	start := time.Now()
	threads, err := askAll(ctx, conns, "select pg_sleep(1)")
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "time:     %.2f s\n", time.Since(start).Seconds())
	fmt.Fprintf(stdout, "threads:  %d before, at most %d meanwhile\n", before.Threads, threads)
	return nil
}

// connInfo is how to reach a server of ours.
func connInfo(s *servers.Server) string {
	return fmt.Sprintf("host=%s port=%d user=postgres dbname=postgres gssencmode=disable sslmode=disable", s.Host, s.Port)
}

// connectAll makes n connections, some at a time.
func connectAll(ctx context.Context, m mode, conninfo string, n int) ([]*Conn, error) {
	conns, errs := make([]*Conn, n), make([]error, n)
	few := make(chan struct{}, 16) // the server starts a process for each
	var all sync.WaitGroup
	for i := range conns {
		few <- struct{}{}
		all.Go(func() {
			conns[i], errs[i] = Connect(ctx, m, conninfo)
			<-few
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			closeAll(conns)
			return nil, err
		}
	}
	return conns, nil
}

func closeAll(conns []*Conn) {
	for _, c := range conns {
		if c != nil {
			c.Close()
		}
	}
}

// askAll runs a query on all connections at once and returns the most threads that
// were seen meanwhile.
func askAll(ctx context.Context, conns []*Conn, sql string) (threads int, err error) {
	errs := make(chan error, len(conns))
	for _, c := range conns {
		go func() {
			_, err := c.Query(ctx, sql)
			errs <- err
		}()
	}
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for ended := 0; ended < len(conns); {
		select {
		case e := <-errs:
			ended++
			if err == nil {
				err = e
			}
		case <-look.C:
			now, e := usage.Read()
			if e != nil && err == nil {
				err = e
			}
			threads = max(threads, now.Threads)
		}
	}
	return threads, err
}
