//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan

package heap

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"

	"github.com/seamgo/seam/internal/abi"
	"github.com/seamgo/seam/internal/heap"
	"github.com/seamgo/seam/internal/unwind"
	_ "github.com/seamgo/seam/prof" // C's functions in the other profiles too; and its tables
)

var status = start()

func start() error {
	if err := unwind.Start(); err != nil {
		return fmt.Errorf("no profile of C's memory: no tables: %w", err)
	}
	n := uint64(Rate)
	if s := os.Getenv("SEAM_HEAP_RATE"); s != "" {
		if v, err := strconv.ParseUint(s, 10, 40); err == nil && v > 0 {
			n = v
		}
	}
	if err := heap.Start(n, abi.Check() == nil); err != nil {
		return errors.New("no profile of C's memory: no memory for the record")
	}
	return nil
}

func read() (list []site, peak, lost int64) {
	sites, counts := heap.Read()
	for _, s := range sites {
		list = append(list, site{pcs: s.PCs, c: s.C, mapped: s.Mapped, values: [4]int64{s.Objects, s.Bytes, s.LiveObjects, s.Live}, samples: int64(s.Samples)})
	}
	return list, counts.Peak, int64(counts.Lost)
}

func rate() uint64 {
	_, counts := heap.Read()
	return counts.Rate
}

func arenas() (held, free int64) { return heap.Arenas() }

// names are the functions at an address, innermost first.
func names(pc uintptr, c bool) (list []function) {
	if c {
		name := heap.Name(pc)
		if name == "" {
			name = "[unknown]"
		}
		return []function{{name: name}}
	}
	// What was inlined is told only where another caller follows.
	frames := runtime.CallersFrames([]uintptr{pc + 1, last})
	for f, more := frames.Next(); more; f, more = frames.Next() {
		list = append(list, function{f.Function, f.File, f.Line})
	}
	return list
}

var last = func() uintptr {
	pc, _, _, _ := runtime.Caller(0)
	return pc + 1
}()
