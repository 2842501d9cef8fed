package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/seamgo/seam/examples/thrift-cluster/fleet"
	"github.com/seamgo/seam/examples/thrift-cluster/load"
	"github.com/seamgo/seam/examples/thrift-cluster/place"
)

// demo shows a cluster in which a server dies and another one comes.
func demo(ctx context.Context, stdout io.Writer) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	f, err := fleet.New(ctx, "", func() *exec.Cmd { return exec.Command(program, "serve") })
	if err != nil {
		return err
	}
	defer f.Close()
	for range 3 {
		if _, err := f.Add(ctx); err != nil {
			return err
		}
	}
	fmt.Fprintf(stdout, "etcd at %s, servers at %s, %s, %s; 16 callers\n", f.Etcd.Address(), f.Servers[0].Address, f.Servers[1].Address, f.Servers[2].Address)
	p, err := place.Parse(f.Place())
	if err != nil {
		return err
	}
	c, err := p.Dial(place.DialOptions{})
	if err != nil {
		return err
	}
	defer c.Close()

	l := load.New(c, 1000)
	calling, stop := context.WithCancel(ctx)
	defer stop()
	var all sync.WaitGroup
	all.Go(func() { l.Run(calling, 16) })
	for _, step := range []struct {
		after time.Duration
		do    func() error
	}{
		{5 * time.Second, func() error {
			l.Note("kill -9 " + f.Servers[0].Address)
			f.Servers[0].Kill()
			return nil
		}},
		{5 * time.Second, func() error {
			s, err := f.Add(ctx)
			if err == nil {
				l.Note("new: " + s.Address)
			}
			return err
		}},
		{4 * time.Second, func() error {
			l.Note("draining " + f.Servers[1].Address)
			err := f.Servers[1].Drain()
			l.Note("it has ended")
			return err
		}},
		{2 * time.Second, func() error { return nil }},
	} {
		select {
		case <-time.After(step.after):
		case <-ctx.Done():
			return ctx.Err()
		}
		if err = step.do(); err != nil {
			break
		}
	}
	stop()
	all.Wait()
	if err != nil {
		return err
	}
	load.Chart(stdout, l.Seconds())
	for text, n := range l.Errors() {
		fmt.Fprintf(stdout, "%d × %s\n", n, text)
	}
	count, err := l.Check(f.Journals())
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%d orders were acknowledged, and each is in one journal, once. Of %d without an answer %d were taken.\n",
		count.Acknowledged, count.Done+count.NotDone, count.Done)
	return nil
}
