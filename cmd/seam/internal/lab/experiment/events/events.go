// Package events compares ways to serve many connections from C and Go
// together.
package events

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// Experiment is `seam lab events`.
var Experiment = lab.Experiment{
	Name:    "events",
	Title:   "How should C code that waits for many connections be connected to Go?",
	Sources: []*result.Source{reference.MixedCalls},
	About: fmt.Sprintf("A server in a process of its own answers requests of 64 bytes that come over %s loopback connections (%s in quick mode). "+
		"A C thread in another process keeps %d requests in flight, over all connections in turn, and records when each answer arrives; in between it does the same with a single request. "+
		"In every server but the last, Go code produces the answer. cgo-callback: a C event loop (epoll) calls an exported Go function for every request. "+
		"eventfd: the C event loop puts requests into a queue and wakes Go through an eventfd; a goroutine for each connection answers. "+
		"netpoll: no C, a goroutine for each connection, package net. "+
		"coro: a coroutine for each connection, run by coro.Floating, C with plain blocking read and write, which wait in Go's poller by netio, and an upcall for the answer. "+
		"coro-loop: the C event loop itself is one coroutine, whose epoll_wait waits in Go's poller by netio; each batch of events is one upcall, in which Go makes the answers. "+
		"c-loop: the C event loop answers by itself, the most that one thread can do. "+
		"Client and server share the machine: latency includes the client's part. Context switches, waits for locks and CPU time are the server's alone; "+
		"contention is counted with the mutex profile on, in a run of its own.", thousand(connections(lab.Full)), thousand(connections(lab.Quick)), inflight),
	Cases:   cases,
	Explain: explain,
}

// inflight is how many requests are under way.
const inflight = 64

// connections is how many there are.
func connections(mode lab.Mode) int {
	return lab.InQuick(mode, 1000, 10_000)
}

func thousand(n int) string { return fmt.Sprintf("%d,%03d", n/1000, n%1000) }

// How the server waits and who answers.
const (
	viaCallback = "cgo-callback"
	viaEventfd  = "eventfd"
	viaNetpoll  = "netpoll"
	viaCoro     = "coro"
	viaCoroLoop = "coro-loop"
	viaLoop     = "c-loop"
)

var vias = []string{viaCallback, viaEventfd, viaNetpoll, viaCoro, viaCoroLoop, viaLoop}

var labels = map[string]string{
	viaCallback: "C loop with cgo callbacks",
	viaEventfd:  "C loop and eventfd",
	viaNetpoll:  "goroutines",
	viaCoro:     "coroutines",
	viaCoroLoop: "C loop as a coroutine",
	viaLoop:     "C loop alone",
}

func name(via string) string { return "Events/via=" + via }

// aloneName is the server with one request under way.
func aloneName(via string) string { return name(via) + "/inflight=1" }

// Units of the metrics.
const (
	unitRate       = "req/s"
	unitMedian     = "p50-ns"
	unitTail       = "p99-ns"
	unitSwitches   = "switches/s"
	unitContention = "contentions/s"
	unitLockWait   = "lock-wait-ns/s"
	unitCPU        = "cpu-ns/req"
)

// refer puts the published server beside the ways that are most like it.
func refer(e *result.Experiment) {
	reference.LatencyBefore.Attach(e, aloneName(viaCallback))
	reference.SwitchesBefore.Attach(e, name(viaCallback))
	reference.ContentionBefore.Attach(e, name(viaCallback))
	reference.LatencyAfter.Attach(e, aloneName(viaCoroLoop))
	reference.SwitchesAfter.Attach(e, name(viaCoroLoop))
	reference.ContentionAfter.Attach(e, name(viaCoroLoop))
}

func cases(lab.Mode) []lab.Case {
	var list []lab.Case
	for _, via := range vias {
		list = append(list, lab.Case{Name: name(via), Label: labels[via], Probe: probe(via)})
	}
	return list
}
