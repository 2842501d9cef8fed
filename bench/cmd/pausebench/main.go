//go:build linux && cgo

// Command pausebench measures how long collections stop a program in which C waits: in cgo calls, and as coroutines in
// each way to run them.
//
//	go run ./bench/cmd/pausebench [-goroutines 64] [-time 10s]
//
// Each goroutine is in C that waits for a millisecond in ten of libc's ways, in turns, while others make garbage under
// GOGC=1. Each way runs in a process of its own, and rounds are interleaved. It exits with 1 if the 99th percentile of
// a coroutine's is more than twice that of cgo's. On a machine with more work than processors it is: C that a
// coroutine runs has one of Go's processors, and the kernel may take the real one away; chrt -f 1 before it helps.
package main

// #cgo CFLAGS: -O2 -fstack-clash-protection -I${SRCDIR}/../../../include
// #include "waits.h"
// static void *function(void) { return (void *)pausebench_wait; }
import "C"

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/seamgo/seam/coro"
	_ "github.com/seamgo/seam/coro/netio"
)

var (
	goroutines = flag.Int("goroutines", 64, "how many wait in C")
	long       = flag.Duration("time", 10*time.Second, "of each way, in all rounds")
	way        = flag.String("way", "", "run one way, as this command does by itself")
)

var ways = []string{"cgo", "locked", "floating", "executor"}

const rounds = 5

func main() {
	flag.Parse()
	if *way != "" {
		for _, ns := range pauses(*way, *long) {
			fmt.Println(ns)
		}
		return
	}
	all := map[string][]int64{}
	for range rounds {
		for _, w := range ways {
			cmd := exec.Command(os.Args[0], "-way="+w, fmt.Sprintf("-goroutines=%d", *goroutines), fmt.Sprintf("-time=%v", *long/rounds))
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				fmt.Fprintln(os.Stderr, "pausebench:", w, err)
				os.Exit(2)
			}
			for _, field := range strings.Fields(string(out)) {
				ns, _ := strconv.ParseInt(field, 10, 64)
				all[w] = append(all[w], ns)
			}
		}
	}
	fmt.Printf("%-10s %8s %10s %10s %10s\n", "way", "stops", "p50 µs", "p99 µs", "max µs")
	missed := false
	for _, w := range ways {
		slices.Sort(all[w])
		p := func(w string, q float64) float64 { return float64(all[w][int(q*float64(len(all[w])-1))]) / 1e3 }
		fmt.Printf("%-10s %8d %10.0f %10.0f %10.0f\n", w, len(all[w]), p(w, .5), p(w, .99), p(w, 1))
		missed = missed || p(w, .99) > 2*p("cgo", .99)
	}
	if missed {
		os.Exit(1)
	}
}

// pauses returns how long collections have stopped the world, each as the upper end of the runtime's bucket.
func pauses(way string, long time.Duration) (list []int64) {
	runner := coro.Locked
	switch way {
	case "floating":
		runner = coro.Floating
	case "executor":
		e, err := coro.NewExecutor(coro.ExecutorOptions{Inline: -1})
		if err != nil {
			panic(err)
		}
		runner = e.Runner()
	}
	debug.SetGCPercent(1)
	for range *goroutines {
		a := &C.pausebench_args{}
		go func() {
			if way == "cgo" {
				C.pausebench_wait(nil, unsafe.Pointer(a))
			} else if _, err := runner.With(coro.Options{StackSize: 256 << 10}).Call(context.Background(), C.function(), unsafe.Pointer(a)); err != nil {
				panic(err)
			}
		}()
	}
	var kept atomic.Pointer[[]byte]
	go func() {
		for {
			b := make([]byte, 32<<10)
			kept.Store(&b)
			time.Sleep(100 * time.Microsecond)
		}
	}()
	time.Sleep(200 * time.Millisecond)
	before := stops()
	time.Sleep(long)
	after := stops()
	for i, n := range after.Counts {
		for range n - before.Counts[i] {
			list = append(list, int64(after.Buckets[i+1]*1e9))
		}
	}
	return list
}

func stops() metrics.Float64Histogram {
	s := []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}}
	metrics.Read(s)
	h := s[0].Value.Float64Histogram()
	return metrics.Float64Histogram{Counts: slices.Clone(h.Counts), Buckets: h.Buckets}
}
