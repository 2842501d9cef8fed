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
	name := f.String("mode", clients.Modes[0], "how C is called: "+strings.Join(clients.Modes, ", "))
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
	defer m.Close()
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
	defer clients.CloseAll(conns)
	return clients.Measure(stdout, *n, func(i int) error {
		_, err := conns[i].Query(ctx, "select pg_sleep(1)")
		return err
	})
}

// connInfo is how to reach a server of ours.
func connInfo(s *servers.Server) string {
	return fmt.Sprintf("host=%s port=%d user=postgres dbname=postgres gssencmode=disable sslmode=disable", s.Host, s.Port)
}

// connectAll makes n connections.
func connectAll(ctx context.Context, m clients.Mode, conninfo string, n int) ([]*Conn, error) {
	return clients.ConnectAll(n, func() (*Conn, error) { return Connect(ctx, m, conninfo) })
}
