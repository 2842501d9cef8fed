//go:build linux && !android && (amd64 || arm64) && gc && !asan && !msan && go1.25 && !go1.28

//seam:test race nocgo toolchains metal arm asan pointers

package abi

import (
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestCheck(t *testing.T) {
	if err := Check(); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 100 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 100 {
				if err := Check(); err != nil {
					t.Error(err)
				}
				runtime.Gosched()
			}
		}()
	}
	wg.Wait()
}

// The stack may have to grow in the middle of the check.
func TestCheckAtEveryDepth(t *testing.T) {
	for depth := range 600 {
		done := make(chan error)
		go func() { done <- deep(depth) }()
		if err := <-done; err != nil {
			t.Fatalf("at depth %d: %v", depth, err)
		}
	}
}

// deep calls Check below depth small frames.
func deep(depth int) error {
	if depth == 0 {
		return Check()
	}
	err := deep(depth - 1)
	runtime.KeepAlive(&depth)
	return err
}

// A layout that is off by a field, or wild, is an error and never a fault.
func TestCheckRefusesOtherLayouts(t *testing.T) {
	for name, change := range map[string]func(*Layout){
		"g.m one word later":     func(l *Layout) { l.GM += 8 },
		"g.m one word earlier":   func(l *Layout) { l.GM -= 8 },
		"m.g0 one word later":    func(l *Layout) { l.MG0 += 8 },
		"m.curg one word later":  func(l *Layout) { l.MCurg += 8 },
		"sched one word later":   func(l *Layout) { l.GSchedSP += 8 },
		"sched one word earlier": func(l *Layout) { l.GSchedSP -= 8 },
		"sched.g elsewhere":      func(l *Layout) { l.GSchedG += 8 },
		"lockedm elsewhere":      func(l *Layout) { l.GLockedM += 8 },
		"startpc one word later": func(l *Layout) { l.GStartPC += 8 },
		"startpc earlier":        func(l *Layout) { l.GStartPC -= 8 },
		"stack swapped":          func(l *Layout) { l.GStackLo, l.GStackHi = l.GStackHi, l.GStackLo },
		"not aligned":            func(l *Layout) { l.GM += 4 },
		"unmapped":               func(l *Layout) { l.GM = 1 << 46 },
		"not an address":         func(l *Layout) { l.GM = 1<<63 - 8 },
		"null page":              func(l *Layout) { l.GM = -currentG() + 8 },
	} {
		l := Current
		change(&l)
		err := l.check()
		if err == nil || !strings.Contains(err.Error(), "not laid out as expected") {
			t.Errorf("%s: check gave %v", name, err)
		}
	}
	// Any field of the layout, moved to any word of the first 512 bytes: the
	// check may not fault, and may pass only where the data is the same.
	for off := uintptr(0); off < 512; off += 8 {
		for _, field := range []func(*Layout) *uintptr{
			func(l *Layout) *uintptr { return &l.GM },
			func(l *Layout) *uintptr { return &l.MG0 },
			func(l *Layout) *uintptr { return &l.MCurg },
			func(l *Layout) *uintptr { return &l.GSchedSP },
		} {
			l := Current
			*field(&l) = off
			l.check()
		}
	}
}

// What a goroutine can learn of itself.
func TestGoroutine(t *testing.T) {
	entry := make(chan uintptr)
	start := func() { entry <- Entry() }
	go start()
	if got := runtime.FuncForPC(<-entry); got == nil || !strings.HasSuffix(got.Name(), "TestGoroutine.func1") {
		t.Errorf("the goroutine started with %v", got)
	}
	if Locked() {
		t.Error("locked at first")
	}
	runtime.LockOSThread()
	if !Locked() {
		t.Error("not locked after LockOSThread")
	}
	runtime.UnlockOSThread()
	if Locked() {
		t.Error("locked after UnlockOSThread")
	}
}

func BenchmarkCheck(b *testing.B) {
	for range b.N {
		if err := Check(); err != nil {
			b.Fatal(err)
		}
	}
}

// The constants and the table that TestDWARF checks are the same facts.
func TestLayoutMatchesTable(t *testing.T) {
	moved := moved(runtime.Version())
	got := Layout{
		GStackLo: uintptr(want["runtime.g.stack"] + want["runtime.stack.lo"]),
		GStackHi: uintptr(want["runtime.g.stack"] + want["runtime.stack.hi"]),
		GM:       uintptr(want["runtime.g.m"]),
		GSchedSP: uintptr(want["runtime.g.sched"] + want["runtime.gobuf.sp"]),
		GSchedPC: uintptr(want["runtime.g.sched"] + want["runtime.gobuf.pc"]),
		GSchedG:  uintptr(want["runtime.g.sched"] + want["runtime.gobuf.g"]),
		GLockedM: uintptr(want["runtime.g.lockedm"]),
		GStartPC: uintptr(moved["runtime.g.startpc"]),
		MG0:      uintptr(want["runtime.m.g0"]),
		MCurg:    uintptr(want["runtime.m.curg"]),

		GSyscallSP: uintptr(want["runtime.g.syscallsp"]),
		GSyscallPC: uintptr(want["runtime.g.syscallpc"]),
		GSyscallBP: uintptr(want["runtime.g.syscallbp"]),
		GCgoCtxt:   uintptr(moved["runtime.g.cgoCtxt"]),
		MNcgo:      uintptr(moved["runtime.m.ncgo"]),
		MProcID:    uintptr(want["runtime.m.procid"]),

		GID:         uintptr(want["runtime.g.goid"]),
		GStackGuard: uintptr(want["runtime.g.stackguard0"]),
		MP:          uintptr(moved["runtime.m.p"]),
		MAllLink:    uintptr(moved["runtime.m.alllink"]),
		PCounts:     uintptr(want["runtime.p.schedtick"]),

		GSchedBP: uintptr(want["runtime.g.sched"] + want["runtime.gobuf.bp"]),
		GStatus:  uintptr(want["runtime.g.atomicstatus"]),
	}
	if got != Current {
		t.Errorf("the table says %+v, layout.go says %+v", got, Current)
	}
}
