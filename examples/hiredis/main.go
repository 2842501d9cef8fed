//go:build cgo && linux && seam_servers

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/seamgo/seam/examples/internal/servers"
)

const help = `Usage: hiredis [flags]

Blocks goroutines in BLPOP, each with a connection of its own by libhiredis, shows
the threads and the memory that they take, and then gives each what it waits for.

Examples:
  hiredis                          1000 calls as coroutines of an executor
  hiredis -mode cgo                the same through cgo: a thread for each
  hiredis -blocked 9000            (ulimit -n must allow so many connections)
  hiredis -addr 127.0.0.1:6379     in a Redis that is running; the keys seam:*
                                   are used

`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "hiredis:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	f := flag.NewFlagSet("hiredis", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() { fmt.Fprint(stderr, help); f.PrintDefaults() }
	blocked := f.Int("blocked", 1000, "how many goroutines wait")
	name := f.String("mode", modes[0], "how C is called: "+strings.Join(modes, ", "))
	addr := f.String("addr", "", "`host:port` or the path of a Unix socket; empty: a redis-server of its own")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 || *blocked < 1 {
		return fmt.Errorf("no arguments are wanted but flags, and -blocked above zero (-h shows them)")
	}
	m, err := newMode(*name)
	if err != nil {
		return err
	}
	defer m.close()
	host, port, stop, err := server(ctx, *addr)
	if err != nil {
		return err
	}
	defer stop()
	fmt.Fprintf(stdout, "%d goroutines in BLPOP, mode %s, GOMAXPROCS %d\n", *blocked, *name, runtime.GOMAXPROCS(0))
	b, err := block(ctx, m, host, port, *blocked)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "threads:          %d before, %d with all blocked\n", b.before.Threads, b.during.Threads)
	fmt.Fprintf(stdout, "resident memory:  %.1f KB for each blocked call, its connection included\n", b.memoryPerCall()/1024)
	if err := b.release(ctx); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "all %d got what was pushed for them\n", *blocked)
	return nil
}

// server returns where Redis is: at addr, or started here.
func server(ctx context.Context, addr string) (host string, port int, stop func(), err error) {
	if addr == "" {
		s, err := servers.Redis(ctx)
		if err != nil {
			return "", 0, nil, err
		}
		return s.Host, s.Port, s.Stop, nil
	}
	nothing := func() {}
	if strings.HasPrefix(addr, "/") {
		return addr, 0, nothing, nil
	}
	host, p, err := net.SplitHostPort(addr)
	if err == nil {
		port, err = strconv.Atoi(p)
	}
	if err != nil {
		return "", 0, nil, fmt.Errorf("-addr: %w (want host:port or the path of a socket)", err)
	}
	return host, port, nothing, nil
}
