// Command thrift-cluster is the Orders service in one process or on many machines.
//
//	thrift-cluster serve [-config FILE]    a server; settings are in the file and in ORDERS_*
//	thrift-cluster load -at PLACE          calls a server or a cluster, and draws what it sees
//	thrift-cluster demo                    etcd and three servers here, one of which dies
//	thrift-cluster measure                 the same for bench/cmd/clustersim, which simulates more
//
// A PLACE is unix:PATH, tcp:HOST:PORT or cluster:ETCD,…; see package place.
package main

//go:generate go run ../../cmd/seam gen --kitex -o kitex_gen orders.thrift

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/cloudwego/kitex/client"
	"github.com/cloudwego/kitex/pkg/klog"

	"github.com/seamgo/seam/examples/thrift-cluster/fleet"
	"github.com/seamgo/seam/examples/thrift-cluster/load"
	"github.com/seamgo/seam/examples/thrift-cluster/place"
	"github.com/seamgo/seam/examples/thrift-cluster/server"
	"github.com/seamgo/seam/examples/thrift-cluster/trace"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "thrift-cluster:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	klog.SetLevel(klog.LevelFatal) // what goes wrong is in errors and figures
	verb := ""
	if len(args) > 0 {
		verb, args = args[0], args[1:]
	}
	flags := flag.NewFlagSet("thrift-cluster "+verb, flag.ContinueOnError)
	flags.SetOutput(stderr)
	parse := func() error {
		if err := flags.Parse(args); err != nil {
			return err
		}
		if flags.NArg() > 0 {
			return fmt.Errorf("what is %q? want flags alone (-h)", flags.Arg(0))
		}
		return nil
	}
	switch verb {
	case "serve":
		file := flags.String("config", "", "a `file` of settings")
		if err := parse(); err != nil {
			return err
		}
		c, err := server.ReadConfig(*file)
		if err != nil {
			return err
		}
		return server.Run(ctx, c, stderr, func(address string) { fmt.Fprintln(stdout, fleet.Begun+address) })
	case "load":
		at := flags.String("at", "", "the `place` to call")
		callers := flags.Int("callers", 16, "goroutines that call")
		long := flags.Duration("for", 10*time.Second, "how long")
		if err := parse(); err != nil {
			return err
		}
		if *callers < 1 || *long <= 0 {
			return fmt.Errorf("%d callers for %v: want one at least, and more than no time", *callers, *long)
		}
		return call(ctx, *at, *callers, *long, stdout)
	case "measure":
		long := flags.Duration("for", 10*time.Second, "how long each of five loads is")
		if err := parse(); err != nil {
			return err
		}
		program, err := os.Executable()
		if err != nil {
			return err
		}
		return measure(ctx, func() *exec.Cmd { return exec.Command(program, "serve") }, runtime.NumCPU(), *long, stdout)
	case "demo":
		if err := parse(); err != nil {
			return err
		}
		return demo(ctx, stdout)
	}
	return errors.New("usage: thrift-cluster serve [-config FILE] | load -at PLACE | demo | measure")
}

// call calls a place for a while.
func call(ctx context.Context, at string, callers int, long time.Duration, stdout io.Writer) error {
	p, err := place.Parse(at)
	if err != nil {
		return err
	}
	stopTraces, err := trace.Start(ctx, place.Name+".load")
	if err != nil {
		return err
	}
	c, err := p.Dial(place.DialOptions{Observe: place.Observers{Client: []client.Option{trace.Client()}}})
	if err != nil {
		return err
	}
	calling, cancel := context.WithTimeout(ctx, long)
	defer cancel()
	l := load.New(c, 1000)
	l.Run(calling, callers)
	load.Chart(stdout, l.Seconds())
	for text, n := range l.Errors() {
		fmt.Fprintf(stdout, "%d × %s\n", n, text)
	}
	if n := l.Failed(); l.Answered() == 0 && n > 0 {
		err = fmt.Errorf("of %d calls none was answered", n)
	}
	return errors.Join(err, c.Close(), stopTraces(context.WithoutCancel(ctx)))
}
