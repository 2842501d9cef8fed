//go:build prof_program

// Command program works, and takes samples of itself, under one profiler or another. It takes
// orders as JSON on standard input and answers on descriptor 3.
package main

// #cgo CFLAGS: -O2 -fomit-frame-pointer
// #cgo LDFLAGS: -ldl
// #include "program.h"
import "C"

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"time"
)

type order struct {
	What, Via string
	Hz        int
	Frames, N int
}

type answer struct {
	Wrong   string
	NS      int64
	Samples int
}

func main() {
	runtime.LockOSThread() // the thread that perf events are of
	orders, answers := json.NewDecoder(os.Stdin), json.NewEncoder(os.NewFile(3, "answers"))
	for {
		var o order
		if orders.Decode(&o) != nil {
			return
		}
		a, err := do(o)
		if err != nil {
			a.Wrong = err.Error()
		}
		if answers.Encode(a) != nil {
			return
		}
	}
}

// A profiler starts and stops a profile of this program. stop returns how many samples there
// were, where that is known.
type profiler struct {
	start func(hz int) error
	stop  func() int
}

var profilers = map[string]profiler{
	"pprof":      {startGo, stopGo},
	"seam":       {startGo, stopGo},
	"bare":       {func(int) error { C.bare(); return nil }, func() int { return 0 }},
	"gperftools": {startGperftools, func() int { C.gperftools_stop(); return 0 }},
	"perf":       {startPerf, func() int { C.perf_stop(); return 0 }},
}

var (
	running int // the rate of the profile that is taken
	taken   int // samples since the profiler has had time to take them out
)

// room is how many samples are taken at once. Go's profiler has room for twice as many.
const room = 1500

func do(o order) (a answer, err error) {
	p, known := profilers[o.Via]
	if !known {
		return a, fmt.Errorf("it does not know %s", o.Via)
	}
	if running != 0 && running != o.Hz {
		p.stop()
		running = 0
	}
	if running == 0 && o.Hz != 0 {
		if err := p.start(o.Hz); err != nil {
			return a, err
		}
		running = o.Hz
	}
	if o.What == "sample" {
		if taken += o.N; taken > room {
			time.Sleep(250 * time.Millisecond)
			taken = o.N
		}
		begin := time.Now()
		C.samples(C.int(o.Frames), C.long(o.N))
		a.NS = int64(time.Since(begin))
		return a, nil
	}
	begin := time.Now()
	for range o.N {
		work(o.Frames)
	}
	a.NS = int64(time.Since(begin))
	// The profile ends with the work: what is idle must not have a timer.
	if running != 0 {
		a.Samples = p.stop()
		running = 0
	}
	return a, nil
}

// work is as long in Go as in C, some 10 µs each.
//
//go:noinline
func work(frames int) {
	x := sink
	for range 5000 {
		x = x*6364136223846793005 + 1442695040888963407
	}
	sink = x + uint64(C.work(C.int(frames), 5000))
}

var sink uint64

var profile bytes.Buffer

func startGo(hz int) error {
	profile.Reset()
	if hz != 100 {
		runtime.SetCPUProfileRate(hz) // the next line can't change it, and says so
	}
	return pprof.StartCPUProfile(&profile)
}

func stopGo() int {
	pprof.StopCPUProfile()
	return samples(profile.Bytes())
}

func startGperftools(hz int) error {
	if why := C.gperftools_start(C.int(hz)); why != nil {
		return fmt.Errorf("%s", C.GoString(why))
	}
	return nil
}

func startPerf(hz int) error {
	if errno := C.perf_start(C.int(hz)); errno != 0 {
		return fmt.Errorf("the kernel gives no perf events (%v; kernel.perf_event_paranoid is %s)", sysError(errno), paranoid())
	}
	return nil
}

func paranoid() string {
	text, err := os.ReadFile("/proc/sys/kernel/perf_event_paranoid")
	if err != nil {
		return "not there"
	}
	return string(bytes.TrimSpace(text))
}
