// Package blocking shows what C calls that block do to the rest of a Go
// program, and what helps.
package blocking

import (
	"fmt"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// Experiment is `seam lab blocking`.
var Experiment = lab.Experiment{
	Name:    "blocking",
	Title:   "What do C calls that block do to the other goroutines?",
	Sources: []*result.Source{reference.MixedCalls},
	About: fmt.Sprintf("n goroutines call C in a loop; C writes a byte to a socket and reads the answer with plain blocking calls. "+
		"One C thread in another process answers each byte from a queue: after %s, and with more than %d goroutines after %s for each of them, "+
		"so that all together make at most %s calls a second, whatever n is; otherwise the figures would show an overloaded machine. "+
		"Meanwhile one goroutine wants to run every %s: a kernel timer wakes it through Go's poller, as a packet would, and p99-ns is how late it runs, missed ticks included. "+
		"cgo calls C directly. semaphore lets %d goroutines into C at once. offload has %d threads of package offload make the calls. "+
		"coro runs them as coroutines on an executor of package coro, where netio lets blocking calls wait in Go's poller. "+
		"Every case is measured in processes of its own, three times in each (once with --quick): threads and memory are those with all calls in progress, "+
		"B/call is the growth of resident memory, page tables and kernel stacks since before the calls, divided by n.",
		short(least), int(least/share), short(share), quantity.Number(float64(time.Second/share)), short(period), slots, slots),
	Cases:   cases,
	Explain: explain,
}

const (
	least  = time.Millisecond      // until the answer
	share  = 50 * time.Microsecond // what each goroutine adds to that
	period = time.Millisecond      // of the goroutine that is looked at
	slots  = 16                    // of the semaphore and threads of the pool
)

// delay is how long the answers take with n goroutines.
func delay(n int) time.Duration { return max(least, time.Duration(n)*share) }

// How C is called.
const (
	viaCgo       = "cgo"
	viaSemaphore = "semaphore"
	viaOffload   = "offload"
	viaCoro      = "coro"
)

var vias = []string{viaCgo, viaSemaphore, viaOffload, viaCoro}

var labels = map[string]string{
	viaCgo:       "cgo",
	viaSemaphore: "semaphore",
	viaOffload:   "offload",
	viaCoro:      "coroutines",
}

// sizes are the numbers of goroutines.
func sizes(mode lab.Mode) []int {
	return lab.InQuick(mode, []int{1, 16, 256}, []int{1, 16, 256, 4000, 10000})
}

// allSizes are those of any mode.
var allSizes = sizes(lab.Full)

func name(via string, n int) string { return fmt.Sprintf("Blocking/via=%s/n=%d", via, n) }

// Two more names of a case, for shares in percent.
func notInGoName(via string, n int) string { return name(via, n) + "/what=not-in-go" }
func usedName(via string, n int) string    { return name(via, n) + "/what=P-use" }

// Units of the metrics.
const (
	unitRate    = "ops/s"
	unitThreads = "threads"
	unitLate    = "p99-ns"
	unitMemory  = "B/call"
	unitShare   = "%"
)

func cases(mode lab.Mode) []lab.Case {
	var list []lab.Case
	for _, n := range sizes(mode) {
		for _, via := range vias {
			list = append(list, lab.Case{Name: name(via, n), Label: label(via, n), Probe: probe(via, n)})
		}
	}
	return list
}

func label(via string, n int) string { return labels[via] + ", " + goroutines(n) }

func goroutines(n int) string {
	if n == 1 {
		return "1 goroutine"
	}
	return count(float64(n)) + " goroutines"
}
