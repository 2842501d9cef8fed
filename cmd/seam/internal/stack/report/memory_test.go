package report

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/stack/event"
)

// generate gives a builder a number of events: growths in chains of many goroutines. In
// the hostile kind, whatever can be different is.
func generate(b *Builder, events int, hostile bool) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(few uint64, at int) uint64 {
		if hostile {
			return uint64(at)
		}
		return random.Uint64N(few)
	}
	const text = 0x400000
	start := func(pid int, time int64) {
		b.Add(&event.Event{Kind: event.Start, PID: pid, Time: time, Version: "go1.26", Text: text, Etext: text + 1<<40, Guard: 928})
	}
	start(7, 1)
	const live = 50_000
	var clock, cost int64
	for n := 1; n < events; {
		e := event.Event{PID: 7, M: int(pick(8, n))}
		if hostile && n/100%2 == 0 {
			e.PID = n / 200 // a new process each 200 events
			start(e.PID, clock)
		}
		goroutine := pick(live, n)
		gp, goid := 0xc000000000+goroutine*512, 1+goroutine
		if !hostile && random.Uint64N(3) == 0 {
			goid += live * uint64(n) // another goroutine has the descriptor now
		}
		from := uint(11)
		if hostile {
			from = uint(11 + n%17)
		}
		lo := uint64(0xd000000000) + goroutine<<16
		add := func(change event.Event) {
			clock += 700
			cost += 600
			change.PID, change.M, change.Time, change.Cost = e.PID, e.M, clock, cost
			change.GoID, change.Entry, change.Go = goid, text+pick(50, n)*16, text+pick(50, n)*16+3
			b.Add(&change)
			n++
		}
		// A goroutine that is new has its first stack; then it grows some times.
		add(event.Event{Kind: event.Alloc, Size: 1 << from})
		add(event.Event{Kind: event.Allocated, Lo: lo})
		for range 1 + random.IntN(4) {
			callee := text + pick(200, n)*32
			size := int64(1) << (from + 1)
			add(event.Event{Kind: event.NewStack, Lo: lo, SP: lo + 100, Hi: lo + 1<<from, SchedPC: callee, MorePC: callee + 5})
			add(event.Event{Kind: event.Alloc, Size: size})
			add(event.Event{Kind: event.Allocated, Lo: lo})
			add(event.Event{
				Kind: event.Copy, GP: gp, Lo: lo, SP: lo + 100, Hi: lo + 1<<from,
				NewLo: lo, NewSP: lo + 1<<from + 100, NewHi: lo + 2<<from, Size: size,
			})
			add(event.Event{Kind: event.Free, Lo: lo, Size: 1 << from})
			add(event.Event{Kind: event.GrowDone})
			from++
		}
		add(event.Event{Kind: event.Free, Lo: lo, Size: 1 << from})
	}
}

// heap is how many bytes are in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Memory does not depend on the number of events. SEAM_SOAK=1 has ten times as many.
func TestMemory(t *testing.T) {
	events := 1_000_000
	if os.Getenv("SEAM_SOAK") != "" {
		events *= 10
	}
	for _, test := range []struct {
		name    string
		hostile bool
		most    int64
	}{{"many goroutines", false, 60 << 20}, {"nothing twice", true, 150 << 20}} {
		t.Run(test.name, func(t *testing.T) {
			before := heap()
			b := New(Options{})
			generate(b, events, test.hostile)
			reading := heap() - before
			f := b.File()
			consistent(t, f)
			if full := f.Sites[len(f.Sites)-1].Callee.Func == Others || f.Sites[0].Callee.Func == Others; full != test.hostile || len(f.Sites) > mostSites+1 {
				t.Errorf("%d sites, others %v", len(f.Sites), full)
			}
			if f.Log.Events < int64(events) || f.Growth.Count < int64(events)/20 {
				t.Errorf("%d events, %d growths", f.Log.Events, f.Growth.Count)
			}
			done := heap() - before
			if err := f.Encode(io.Discard); err != nil {
				t.Error(err)
			}
			what := fmt.Sprintf("%d events: %d MiB while reading, %d with the report", events, reading>>20, done>>20)
			if t.Log(what); max(reading, done) > test.most {
				t.Error("too much; " + what)
			}
			runtime.KeepAlive(b)
		})
	}
}
