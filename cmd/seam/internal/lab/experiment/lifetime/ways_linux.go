//go:build cgo

package lifetime

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/mem"
)

// A bench is what the idioms work with.
type bench struct {
	n     int
	text  string // n bytes that C looks at
	data  []byte // the same
	room  []byte // room for n bytes
	pool  *mem.Pool
	cache *mem.Cache
	arena *mem.Arena

	value *value
	all   *mem.Handles[value]
}

// What the idioms find at the ends of their bytes, and in a value that comes back.
const (
	sumToC   = 'a' + 'z'
	sumFromC = 'x' + 'x'
	sumKept  = 4711
)

func newBench(n int) (*bench, error) {
	if mem.Status().Path == mem.PathDebug {
		return nil, lab.Skip("SEAM_MEM=debug is on, which checks far more than is measured here")
	}
	n = max(n, 2)
	b := &bench{n: n, text: "a" + strings.Repeat("m", n-2) + "z", room: make([]byte, n), value: &value{n: sumKept}, all: new(mem.Handles[value])}
	b.data = []byte(b.text)
	var err error
	if b.pool, err = mem.NewPool(mem.Class{Size: n, Count: 4}); err != nil {
		return nil, err
	}
	if b.cache, err = b.pool.NewCache(n, 4); err == nil {
		b.arena, err = mem.NewArena(2 * n)
	}
	if err == nil {
		err = b.fillPool()
	}
	if err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

// fillPool writes the text into all registered buffers, where its producer would write
// it.
func (b *bench) fillPool() error {
	var got []mem.Buffer
	for range 4 {
		x, err := b.pool.Get(b.n)
		if err != nil {
			return err
		}
		got = append(got, x)
		room, err := x.Bytes()
		if err != nil {
			return err
		}
		copy(room, b.text)
	}
	for _, x := range got {
		if err := x.Release(); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) close() error {
	if b.cache != nil {
		b.cache.Close()
	}
	return b.pool.Close()
}

// runs are the idioms as calls.
var runs = map[string]func(*bench) uint64{
	"cstring-free": func(b *bench) uint64 { return cstringFree(b.text) },
	"cbytes-free":  func(b *bench) uint64 { return cbytesFree(b.data) },
	"pinner":       func(b *bench) uint64 { return pinner(b.data) },
	"pointer":      func(b *bench) uint64 { return pointer(b.data) },
	"noescape":     func(b *bench) uint64 { return pointerNoescape(b.data) },
	"view":         func(b *bench) uint64 { return view(b.text) },
	"registered":   func(b *bench) uint64 { return registered(b.pool, b.cache, b.n) },

	"gobytes-free":    func(b *bench) uint64 { return gobytesFree(b.n) },
	"gostring-free":   func(b *bench) uint64 { return gostringFree(b.n) },
	"malloc-free":     func(b *bench) uint64 { return mallocFree(b.n) },
	"cleanup":         func(b *bench) uint64 { return cleanup(b.n) },
	"owner-view":      func(b *bench) uint64 { return ownerView(b.n) },
	"fill":            func(b *bench) uint64 { return fill(b.room, b.n) },
	"registered-fill": func(b *bench) uint64 { return registeredFill(b.pool, b.cache, b.n) },
	"arena":           func(b *bench) uint64 { return arena(b.arena, b.n) },

	"cgo-handle":   func(b *bench) uint64 { return cgoHandle(b.value) },
	"handle":       func(b *bench) uint64 { return memHandle(b.all, b.value) },
	"pinned-value": func(b *bench) uint64 { return pinnedValue(b.value) },
}

// stackRuns are those whose size is in their text.
var stackRuns = map[string]map[int]func() uint64{
	"stack-cgo":      {128: stackCgo128, 4096: stackCgo4096},
	"stack-noescape": {128: stackNoescape128, 4096: stackNoescape4096},
	"stack-fill":     {128: stackFill128, 4096: stackFill4096},
}

// ready returns an idiom, ready to be called, with what it must return.
func (w way) ready() (run func() uint64, want uint64, end func() error, err error) {
	want = map[string]uint64{toC: sumToC, fromC: sumFromC, keep: sumKept}[w.group]
	if run := stackRuns[w.key][w.bytes]; run != nil {
		return run, want, func() error { return nil }, nil
	}
	f := runs[w.key]
	if f == nil {
		return nil, 0, nil, fmt.Errorf("lifetime: nothing does %s", w.name())
	}
	b, err := newBench(w.bytes)
	if err != nil {
		return nil, 0, nil, err
	}
	return func() uint64 { return f(b) }, want, b.close, nil
}

func setup(w way) (*lab.Op, error) {
	run, want, end, err := w.ready()
	if err != nil {
		return nil, err
	}
	return &lab.Op{
		Run: func(n int) {
			var sum uint64
			for range n {
				sum += run()
			}
			if sum != uint64(n)*want {
				panic(fmt.Errorf("%s: %d operations found %d, want %d", w.name(), n, sum, uint64(n)*want)) // a wrong price must not be reported
			}
		},
		Close: func() {
			if err := end(); err != nil {
				panic(err)
			}
		},
	}, nil
}

// probeMemory counts what each idiom asks of Go and of C.
func probeMemory() ([]lab.Metric, error) {
	var list []lab.Metric
	for _, w := range ways() {
		m, err := w.memory()
		if err != nil {
			return nil, err
		}
		list = append(list,
			lab.Metric{Name: w.name(), Unit: unitAllocs, Value: float64(m.allocs), Label: w.label() + ": Go allocations"},
			lab.Metric{Name: w.name(), Unit: unitGo, Value: float64(m.bytes), Label: w.label() + ": Go bytes"},
			lab.Metric{Name: w.name(), Unit: unitC, Value: float64(m.malloced), Label: w.label() + ": C bytes"})
	}
	return list, nil
}

// memory is what one call takes.
type memory struct{ allocs, bytes, malloced uint64 }

// memory is the least of some tries, since other goroutines allocate now and then.
func (w way) memory() (least memory, err error) {
	run, _, end, err := w.ready()
	if err != nil {
		return memory{}, err
	}
	defer func() { err = errors.Join(err, end()) }()
	run() // what is made once
	const tries, n = 3, 100
	for try := range tries {
		var before, after runtime.MemStats
		c := malloced()
		runtime.ReadMemStats(&before)
		for range n {
			run()
		}
		runtime.ReadMemStats(&after)
		m := memory{(after.Mallocs - before.Mallocs) / n, (after.TotalAlloc - before.TotalAlloc) / n, (malloced() - c) / n}
		if try == 0 {
			least = m
		}
		least = memory{min(least.allocs, m.allocs), min(least.bytes, m.bytes), min(least.malloced, m.malloced)}
	}
	return least, nil
}
