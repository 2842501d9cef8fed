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
	"syscall"

	"github.com/seamgo/seam/examples/internal/clients"
	"github.com/seamgo/seam/examples/internal/servers"
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
	name := f.String("mode", clients.Modes[0], "how C is called: "+strings.Join(clients.Modes, ", "))
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
	defer m.Close()
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
	defer clients.CloseAll(conns)
	return clients.Measure(stdout, *n, ask(ctx, conns))
}

// connectAll makes n connections.
func connectAll(ctx context.Context, m clients.Mode, connection string, n int) ([]*Conn, error) {
	return clients.ConnectAll(n, func() (*Conn, error) { return Connect(ctx, m, connection) })
}

// ask asks for a number of its own on each connection, which takes a while.
func ask(ctx context.Context, conns []*Conn) func(i int) error {
	return func(i int) error {
		got, err := conns[i].Value(ctx, fmt.Sprintf("select %d, pg_sleep(0.2)", i))
		if err == nil && got != fmt.Sprint(i) {
			err = fmt.Errorf("query %d returned %q", i, got)
		}
		return err
	}
}
