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

const help = `Usage: odbc [flags]

Runs a query of 0.2 s in many goroutines at once, each with a connection of its own
by unixODBC, and prints how long that takes and on how many threads.

Examples:
  odbc                   100 queries as coroutines of an executor
  odbc -mode cgo         the same through cgo: a thread for each
  odbc -mode cgo -threading 3 -n 10
                         with unixODBC's lock around each call: one after another

`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "odbc:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	f := flag.NewFlagSet("odbc", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() { fmt.Fprint(stderr, help); f.PrintDefaults() }
	n := f.Int("n", 100, "how many goroutines ask")
	name := f.String("mode", modes[0], "how C is called: "+strings.Join(modes, ", "))
	threading := f.Int("threading", 0, "the `level` of Threading in odbcinst.ini, 0 to 3; above 0 with -mode cgo only")
	if err := f.Parse(args); err != nil {
		return err
	}
	switch {
	case f.NArg() > 0 || *n < 1 || *threading < 0 || *threading > 3:
		return fmt.Errorf("no arguments are wanted but flags, -n above zero and -threading 0 to 3 (-h shows them)")
	case *threading > 0 && *name != "cgo":
		return fmt.Errorf("-threading %d: a lock that is held in a wait would stop the threads of -mode %s (use -mode cgo)", *threading, *name)
	}
	m, err := newMode(*name)
	if err != nil {
		return err
	}
	defer m.close()
	dir, err := os.MkdirTemp("", "seam-odbc-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := configure(dir, *threading); err != nil {
		return err
	}
	s, err := servers.Postgres(ctx)
	if err != nil {
		return err
	}
	defer s.Stop()
	fmt.Fprintf(stdout, "%d goroutines in select …, pg_sleep(0.2), mode %s, GOMAXPROCS %d\n", *n, *name, runtime.GOMAXPROCS(0))
	conns, err := connectAll(ctx, m, connection(s), *n)
	if err != nil {
		return err
	}
	defer closeAll(conns)
	before, err := usage.Read()
	if err != nil {
		return err
	}
	start := time.Now()
	threads, err := askAll(ctx, conns)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "time:     %.2f s\n", time.Since(start).Seconds())
	fmt.Fprintf(stdout, "threads:  %d before, at most %d meanwhile\n", before.Threads, threads)
	return nil
}

// connectAll makes n connections, some at a time.
func connectAll(ctx context.Context, m mode, connection string, n int) ([]*Conn, error) {
	conns, errs := make([]*Conn, n), make([]error, n)
	few := make(chan struct{}, 16) // the server starts a process for each
	var all sync.WaitGroup
	for i := range conns {
		few <- struct{}{}
		all.Go(func() {
			conns[i], errs[i] = Connect(ctx, m, connection)
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
func askAll(ctx context.Context, conns []*Conn) (threads int, err error) {
	errs := make(chan error, len(conns))
	for i, c := range conns {
		go func() {
			got, err := c.Value(ctx, fmt.Sprintf("select %d, pg_sleep(0.2)", i))
			if err == nil && got != fmt.Sprint(i) {
				err = fmt.Errorf("query %d returned %q", i, got)
			}
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
