//go:build linux && cgo

package events

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
	"github.com/seamgo/seam/coro"
)

// A size is how much a server is asked.
type size struct {
	connections int
	looks       int
	window      time.Duration // of a look
}

// looks is how often a server is asked with many requests under way, and as often
// with one: other load on the machine must not be taken for a difference. A quick run asks
// once, in each of three processes.
func looks(mode lab.Mode) int { return lab.InQuick(mode, 1, 3) }

// window is how long a look with many requests is; with one it is half of that.
func window(mode lab.Mode) time.Duration {
	return lab.ByMode(mode, 80*time.Millisecond, 200*time.Millisecond, 700*time.Millisecond)
}

// probe returns what measures one server. It runs in a process of its own, the
// client in a call of C in this one.
func probe(via string) func(context.Context, *lab.Bench) ([]lab.Metric, error) {
	return func(ctx context.Context, b *lab.Bench) ([]lab.Metric, error) {
		return probeFor(ctx, via, size{connections(b.Mode), looks(b.Mode), window(b.Mode)})
	}
}

func probeFor(ctx context.Context, via string, z size) ([]lab.Metric, error) {
	if err := subprocess.NeedFiles(z.connections); err != nil {
		return nil, err
	}
	if s := coro.Status(); (via == viaCoro || via == viaCoroLoop) && s.Path != "assembly" {
		return nil, lab.Skip("coroutines take the slow path here (%s), where netio has no effect: %s", s.Path, s.Reason)
	}
	child, err := subprocess.Start(ctx, "events")
	if err != nil {
		return nil, err
	}
	defer child.Close()
	found, err := ask(ctx, via, z, child)
	switch words := child.Words(); {
	case err == nil:
		return found, nil
	case ctx.Err() != nil:
		return nil, ctx.Err() // which has ended the server, and so the client
	case words != "" && !errors.Is(err, subprocess.ErrDied):
		return nil, fmt.Errorf("%w; the server said: %s", err, words)
	}
	return nil, err
}

// ask asks the server again and again: with many requests under way and with
// one, at last with many while contention is counted.
func ask(ctx context.Context, via string, z size, child *subprocess.Child) ([]lab.Metric, error) {
	var at port
	if err := child.Ask(order{Via: via}, &at); err != nil {
		return nil, err
	}
	if at.Wrong != "" {
		return nil, lab.Skip("the server can't be started: %s", at.Wrong)
	}
	k, err := connect(at.Port, z.connections, z.window)
	if err != nil {
		return nil, err
	}
	defer k.close()

	var list []lab.Metric
	add := func(name, unit string, value float64, what string) {
		list = append(list, lab.Metric{Name: name, Unit: unit, Value: value, Label: labels[via] + ": " + what})
	}
	many := min(inflight, z.connections)
	for range z.looks {
		client, server, err := look(ctx, child, k, begin, many, z.window)
		if err != nil {
			return nil, err
		}
		seconds := server.Took.Seconds()
		add(name(via), unitRate, float64(client.answers)/client.took.Seconds(), "requests")
		add(name(via), unitMedian, client.quantile(0.5), "latency")
		add(name(via), unitTail, client.quantile(0.99), "latency (p99)")
		add(name(via), unitCPU, float64(server.Usage.CPU)/float64(client.answers), "CPU time of a request")
		add(name(via), unitSwitches, float64(server.Usage.Switches)/seconds, "context switches")
		add(name(via), unitLockWait, float64(server.Usage.MutexWait)/seconds, "waits for locks of Go, a second")

		if client, _, err = look(ctx, child, k, begin, 1, z.window/2); err != nil {
			return nil, err
		}
		add(aloneName(via), unitMedian, client.quantile(0.5), "latency, one request at a time")
		add(aloneName(via), unitTail, client.quantile(0.99), "latency, one request at a time (p99)")
	}
	_, server, err := look(ctx, child, k, profile, many, z.window)
	if err != nil {
		return nil, err
	}
	add(name(via), unitContention, float64(server.Contentions)/server.Took.Seconds(), "contentions for locks of Go")
	return list, nil
}

// look asks for a while and returns what both sides noted meanwhile.
func look(ctx context.Context, child *subprocess.Child, k *client, how command, requests int, long time.Duration) (*seen, stretch, error) {
	var ack struct{}
	var server stretch
	if err := ctx.Err(); err != nil {
		return nil, server, err
	}
	if err := child.Ask(how, &ack); err != nil {
		return nil, server, err
	}
	client, err := k.run(requests, long)
	if err != nil {
		return nil, server, err
	}
	err = child.Ask(end, &server)
	return client, server, err
}
