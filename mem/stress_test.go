//go:build cgo && unix

package mem_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seamgo/seam/mem"
	"github.com/seamgo/seam/mem/internal/ctest"
)

// stressCycles is how many buffers TestStress gets and releases. `make soak` asks for 1e8
// by SEAM_STRESS.
func stressCycles(t *testing.T) int {
	env := os.Getenv("SEAM_STRESS")
	if env == "" {
		if testing.Short() {
			return 30_000
		}
		return 300_000
	}
	n, err := strconv.ParseFloat(env, 64)
	if err != nil || n < 1 {
		t.Fatalf("SEAM_STRESS=%q is not a number of cycles like 1e8", env)
	}
	return int(n)
}

// TestStress gets buffers, lets C write to them by their handle, holds some beyond their
// release, and checks that nobody else ever wrote to one, while the garbage collector, the
// CPU profiler and growing stacks disturb.
func TestStress(t *testing.T) {
	total := stressCycles(t)
	p := newPool(t, mem.Class{Size: 64, Count: 20}, mem.Class{Size: 4096, Count: 5}) // the caches keep up to 16
	stop, done := make(chan struct{}), make(chan struct{})
	if err := pprof.StartCPUProfile(io.Discard); err == nil {
		defer pprof.StopCPUProfile()
	}
	go func() {
		defer close(done)
		var keep [][]byte
		for {
			select {
			case <-stop:
				return
			default:
				keep = append(keep[:len(keep)%100], make([]byte, 1000))
				runtime.GC()
			}
		}
	}()
	var wg sync.WaitGroup
	var made atomic.Int64
	const workers = 8
	for id := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			cache, err := p.NewCache(64, 2)
			if err != nil {
				t.Error(err)
				return
			}
			defer cache.Close()
			for i := 0; i < total/workers && !t.Failed(); i++ {
				if err := cycle(p, cache, id, i); err != nil {
					t.Errorf("worker %d, cycle %d: %v", id, i, err)
				}
				made.Add(1)
				if i%1000 == 0 {
					grow(i % 7)
				}
			}
		}()
	}
	wg.Wait()
	close(stop)
	<-done
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	if s := p.Stats(); s.InUse != 0 || s.HeldByC != 0 {
		t.Errorf("at the end the figures are %+v", s)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	t.Logf("%d cycles", made.Load())
}

func cycle(p *mem.Pool, cache *mem.Cache, id, i int) error {
	var b mem.Buffer
	var err error
	cached := i%3 == 0
	if cached {
		b, err = cache.Get()
	} else {
		b, err = p.GetWait(context.Background(), []int{1, 64, 65, 4096}[i%4])
	}
	if err != nil {
		if cached { // the caches may have all of the small ones, and others the large
			return nil
		}
		return err
	}
	mark := int64(id)<<40 | int64(i)
	if i%16 == 0 {
		if _, e := ctest.CgoFill(p.C(), b.Handle(), mark); e != 0 {
			return fmt.Errorf("C by cgo: %d", e)
		}
	} else if _, e := callBuffer(ctest.BufFillFn, p, b.Handle(), mark); e != 0 {
		return fmt.Errorf("C: %d", e)
	}
	held := i%5 == 0
	if held {
		if e := cError(ctest.BufHoldFn, p, b.Handle()); e != 0 {
			return fmt.Errorf("hold: %d", e)
		}
	}
	if i%64 == 0 {
		runtime.Gosched()
	}
	s, err := b.Bytes()
	if err != nil {
		return err
	}
	for k := 0; k < 64; k += 8 {
		if got := binary.NativeEndian.Uint64(s[k:]); got != b.Handle()^uint64(mark) {
			return fmt.Errorf("byte %d of buffer %#x: %#x, want %#x", k, b.Handle(), got, b.Handle()^uint64(mark))
		}
	}
	if cached {
		err = cache.Put(b)
	} else {
		err = b.Release()
	}
	if err != nil {
		return err
	}
	if _, err := b.Bytes(); err == nil {
		return fmt.Errorf("buffer %#x may be used after its release", b.Handle())
	}
	e := cError(ctest.BufDataFn, p, b.Handle())
	if held {
		if e != 0 {
			return fmt.Errorf("C may not use what it holds: %d", e)
		}
		if !bytes.Equal(s[:8], binary.NativeEndian.AppendUint64(nil, b.Handle()^uint64(mark))) {
			return fmt.Errorf("somebody wrote to buffer %#x, which C holds", b.Handle())
		}
		if e := cError(ctest.BufFreeFn, p, b.Handle()); e != 0 {
			return fmt.Errorf("release by C: %d", e)
		}
		e = cError(ctest.BufDataFn, p, b.Handle())
	}
	if e != ctest.Stale {
		return fmt.Errorf("a stale handle is %d to C", e)
	}
	return nil
}

// grow uses n*2 KB of stack.
func grow(n int) byte {
	var room [2048]byte
	room[n*100] = byte(n)
	if n > 0 {
		room[0] = grow(n - 1)
	}
	return room[n*100]
}

// Views and arenas from stacks that grow and shrink, under the collector.
func TestStressViews(t *testing.T) {
	n := min(stressCycles(t)/10, 1_000_000)
	end := time.Now().Add(20 * time.Second)
	var wg sync.WaitGroup
	for id := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			a := newArena(t, 0)
			buf := make([]byte, 50)
			for i := range n / 4 {
				if i%100 == 0 && time.Now().After(end) && os.Getenv("SEAM_STRESS") == "" {
					return // a busy machine
				}
				grow(i % 5)
				text := string(binary.LittleEndian.AppendUint64(nil, uint64(i)))
				numbers := [3]int64{int64(i), int64(id), 7}
				args := ctest.View{In: mem.StrOf(text), Numbers: mem.SpanOf(numbers[:])}
				sum.Call(&args)
				want := int64(i + id + 7)
				for _, c := range []byte(text) {
					want += int64(c)
				}
				if args.Sum != want {
					t.Errorf("sum %d, want %d", args.Sum, want)
				}
				if got, _, err := fillWith(buf, int64(i%100), ctest.Truth, 1000); err != nil || len(got) != i%100 || len(got) > 0 && got[len(got)-1] != byte(len(got)-1) {
					t.Errorf("fill of %d: %d bytes, %v", i%100, len(got), err)
				}
				if i%1000 == 0 {
					a = newArena(t, 0)
					runtime.GC()
				}
				a.Reset()
				in := ctest.Arena{Arena: a.C(), N: int64(i % 200)}
				for again := true; again; {
					rows.Call(&in)
					var err error
					if again, err = a.Again(1 << 20); err != nil {
						t.Error(err)
						return
					}
				}
				if table, err := mem.Elements[ctest.Row](a, in.Table); err != nil || len(table) != i%200 || len(table) > 0 && table[len(table)-1].Value != int64(len(table)-1)*int64(len(table)-1) {
					t.Errorf("%d rows of %d, %v", len(table), i%200, err)
				}
			}
		}()
	}
	wg.Wait()
}
