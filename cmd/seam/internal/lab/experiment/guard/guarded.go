//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

package guard

// #cgo CFLAGS: -O2 -Wall -I${SRCDIR}/../../../weld/runtime/leaf/c -I${SRCDIR}/../../../../../../weld
// #include "guard.h"
import "C"

import (
	"context"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/leaf/rt"
)

// A function is a C function with everything that a welded package has for it.
// arg lies in C's memory or in a global variable, so it never moves.
type function struct {
	slot *rt.SeamSlot
	body unsafe.Pointer
	arg  unsafe.Pointer
}

var busy = C.struct_seam_lab_busy{ns: C.long(time.Millisecond)}

func emptyFunction() function {
	return function{(*rt.SeamSlot)(C.seam_lab_empty_slot_address()), C.seam_lab_empty_body_address(), nil}
}

func busyFunction() function {
	return function{(*rt.SeamSlot)(C.seam_lab_busy_slot_address()), C.seam_lab_busy_body_address(), unsafe.Pointer(&busy)}
}

// through is cgo as a welded package's slow path uses it.
func through(fn unsafe.Pointer, arg uintptr) int32 {
	return int32(C.seam_lab_through(fn, *(*unsafe.Pointer)(unsafe.Pointer(&arg))))
}

// guarded is the body of a welded stub. The compiler does not inline a stub, so
// neither this one nor its counterpart without a guard is inlined.
//
//go:noinline
func (f *function) guarded() {
	if entry := f.slot.Entry; entry != nil {
		rt.SeamCall(entry, f.arg)
		return
	}
	f.slow()
}

//go:noinline
func (f *function) slow() {
	if entry := rt.SeamPrepare(f.slot, through); entry != nil {
		rt.SeamCall(entry, f.arg)
		return
	}
	C.seam_lab_through(f.slot.Call, f.arg)
}

// leaf is a welded stub without its guard.
//
//go:noinline
func (f *function) leaf() { rt.SeamCall(f.body, f.arg) }

func (f *function) cgo() { C.seam_lab_through(f.body, f.arg) }

func usable(f *function) error {
	f.guarded()
	if why := rt.SeamWrong(); why != "" {
		return lab.Skip("no leaf can be run here: %s", why)
	}
	return nil
}

func setupPrice(via string) (*lab.Op, error) {
	f := emptyFunction()
	if err := usable(&f); err != nil {
		return nil, err
	}
	switch via {
	case viaLeaf:
		return &lab.Op{Run: func(n int) {
			for range n {
				f.leaf()
			}
		}}, nil
	case viaGuarded:
		return &lab.Op{Run: func(n int) {
			for range n {
				f.guarded()
			}
		}}, nil
	}
	return &lab.Op{Run: func(n int) {
		for range n {
			f.cgo()
		}
	}}, nil
}

// probePause collects garbage while the slow function is called.
func probePause(via string) func(context.Context, *lab.Bench) ([]lab.Metric, error) {
	return func(ctx context.Context, b *lab.Bench) ([]lab.Metric, error) {
		f := busyFunction()
		empty := emptyFunction()
		if err := usable(&empty); err != nil {
			return nil, err
		}
		call := map[string]func(){viaCgo: f.cgo, viaLeaf: f.leaf, viaGuarded: f.guarded}[via]
		if runtime.GOMAXPROCS(0) < 2 {
			return nil, lab.Skip("there is only one CPU: the collector and the slow function would take turns")
		}
		var (
			stop  atomic.Bool
			calls atomic.Int64
			done  sync.WaitGroup
		)
		done.Go(func() {
			for !stop.Load() {
				call()
				calls.Add(1)
			}
		})
		defer func() {
			stop.Store(true)
			done.Wait()
		}()
		// The guard needs three calls to be sure.
		for calls.Load() < 5 {
			time.Sleep(time.Millisecond)
		}
		n := collections(b.Mode)
		pauses := make([]float64, 0, n)
		var stats debug.GCStats
		for range n {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			runtime.GC()
			debug.ReadGCStats(&stats)
			pauses = append(pauses, float64(stats.Pause[0]))
			// Give the function time to be in the middle of a call again.
			time.Sleep(time.Duration(b.Rand.Int64N(int64(time.Millisecond))))
		}
		slices.Sort(pauses)
		return []lab.Metric{
			{Name: pauseName(via), Unit: "ns", Value: pauses[n/2], Label: "collector's pause beside a slow function, " + labels[via]},
			{Name: worstName(via), Unit: "ns", Value: pauses[n-1], Label: "longest of a process, " + labels[via]},
		}, nil
	}
}
