// Package hostile decodes what strangers may send with the code of several Thrift
// compilers, and says what it costs.
//
// [Measure] may end the process, as some peers do: it is for child processes. See
// cmd/thriftbench.
package hostile

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// A Result is what one library made of one input.
type Result struct {
	Bytes    int // of the longest message of the input
	Messages int // how many the input has

	Refused int    // messages that ended in an error
	Panics  int    // messages that ended in a panic, which was recovered
	Outcome string // the first error or panic; "" if all messages were accepted
	Elapsed time.Duration
	Longest time.Duration // for one message
	// An upper bound of the memory that the costliest message took at a time: -1 if
	// the process died. See Measure.
	Memory   int64
	Resident int64 // bytes that the process grew by, at the peak
}

// Budget is what a decoder may take for a message of n bytes.
func Budget(n int) int64 { return 4*int64(n) + 64<<10 }

// Measure decodes the messages of an input, one after another.
//
// Two upper bounds of a message's memory are known: all that was allocated for it,
// collected meanwhile or not; and what the heap had got from the system when all was
// over, used or not, without what was in use before. Memory is the lesser one, and the
// growth of the stacks.
func Measure(lib string, in Input) (Result, error) {
	decode, err := decoder(lib, in)
	if err != nil {
		return Result{}, err
	}
	messages := in.Make()
	r := Result{Messages: len(messages)}
	for _, m := range messages {
		r.Bytes = max(r.Bytes, len(m))
	}
	// What a library sets up once is not the stranger's doing.
	if err := decode([]byte{0}); err != nil {
		return r, fmt.Errorf("%s can't read an empty %s: %w", lib, in.Type, err)
	}
	debug.FreeOSMemory()
	before, err := resident()
	if err != nil {
		return r, err
	}
	// So that the parent knows, should the process not survive.
	if _, err := fmt.Printf("%s%d\n", baselineMark, before.now); err != nil {
		return r, err
	}
	idle := took()
	for _, m := range messages {
		old := took()
		start := time.Now()
		failure, panicked := guarded(decode, m)
		elapsed := time.Since(start)
		r.Elapsed += elapsed
		r.Longest = max(r.Longest, elapsed)
		now := took()
		heap := min(int64(now.TotalAlloc-old.TotalAlloc), int64(now.HeapSys)-int64(idle.HeapInuse))
		r.Memory = max(r.Memory, heap+int64(now.StackSys)-int64(old.StackSys))
		if failure != nil && r.Outcome == "" {
			r.Outcome = brief(failure.Error())
		}
		if panicked {
			r.Panics++
		} else if failure != nil {
			r.Refused++
		}
	}
	after, err := resident()
	if err != nil {
		return r, err
	}
	r.Resident = max(0, after.peak-before.now)
	return r, nil
}

// guarded decodes one message on a fresh goroutine, whose stack is small, as a
// server's is.
func guarded(decode func([]byte) error, m []byte) (err error, panicked bool) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				err, panicked = fmt.Errorf("panic: %v", p), true
			}
		}()
		err = decode(m)
	}()
	<-done
	return err, panicked
}

// brief is one line of an error, without the middle of one that is long.
func brief(s string) string {
	const most = 100
	s, _, _ = strings.Cut(s, "\n")
	if r := []rune(s); len(r) > most {
		s = string(r[:most/2]) + "…" + string(r[len(r)-most/2:])
	}
	return s
}

func took() (m runtime.MemStats) {
	runtime.ReadMemStats(&m)
	return m
}

type memory struct{ now, peak int64 }

// resident returns the size of the process and the peak since the last call.
func resident() (memory, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return memory{}, err
	}
	var m memory
	for line := range strings.Lines(string(status)) {
		fmt.Sscanf(line, "VmRSS: %d kB", &m.now)
		fmt.Sscanf(line, "VmHWM: %d kB", &m.peak)
	}
	if m.now == 0 || m.peak == 0 {
		return m, fmt.Errorf("no VmRSS or VmHWM in /proc/self/status:\n%s", status)
	}
	m.now, m.peak = m.now<<10, m.peak<<10
	return m, os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // forgets the peak
}
