package pprof

import (
	"bytes"
	"errors"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// seamSampling is whether SIGPROF is handled by Go: a library's is not, before and after.
var seamSampling struct {
	sync.Mutex
	on bool
	hz int
}

// SeamStart begins to take CPU samples. The program's own profiles are refused from now on,
// with an error.
func SeamStart(hz int) error {
	cpu.Lock()
	defer cpu.Unlock()
	if cpu.profiling {
		return errors.New("the program takes a CPU profile of its own")
	}
	cpu.profiling = true
	if cpu.done == nil {
		cpu.done = make(chan bool)
	}
	runtime.SetCPUProfileRate(hz)
	seamSampling.Lock()
	seamSampling.on, seamSampling.hz = true, hz
	seamSampling.Unlock()
	return nil
}

// SeamStop ends them. SeamRecord must be told by its channel, and has to be waited for before
// SeamDone lets others begin.
func SeamStop() {
	cpu.Lock() // the program may be stopping it
	defer cpu.Unlock()
	seamSampling.Lock()
	seamSampling.on = false
	seamSampling.Unlock()
	runtime.SetCPUProfileRate(0)
}

// seamSample takes a sample of itself, which seam prof doesn't count. A read waits where there
// is none, and since Go 1.26 until the buffer is half full: a program that has slept for a
// moment, and is killed 20 s of CPU time later, would have lost all of them.
//
//go:noinline
func seamSample() {
	seamSampling.Lock()
	defer seamSampling.Unlock()
	if !seamSampling.on {
		return
	}
	runtime.LockOSThread() // the signal's thread is the one that waits for it
	defer runtime.UnlockOSThread()
	thread, _, _ := syscall.RawSyscall(syscall.SYS_GETTID, 0, 0, 0)
	syscall.RawSyscall(syscall.SYS_TGKILL, uintptr(syscall.Getpid()), thread, uintptr(syscall.SIGPROF))
}

// seamResume goes on after the program has stopped the profile, which isn't its own: package testing
// and others call StopCPUProfile though StartCPUProfile has refused. That holds cpu's lock and waits
// for the end of a profile of its own, forever; so nobody else changes cpu here.
func seamResume() bool {
	seamSampling.Lock()
	defer seamSampling.Unlock()
	if !seamSampling.on || cpu.profiling {
		return false
	}
	cpu.profiling = true
	runtime.SetCPUProfileRate(seamSampling.hz)
	cpu.done <- true
	return true
}

// SeamDone is called when SeamRecord has returned.
func SeamDone() {
	for !cpu.TryLock() {
		select {
		case cpu.done <- true: // StopCPUProfile, as in seamResume, has done the rest
			return
		case <-time.After(time.Millisecond):
		}
	}
	defer cpu.Unlock()
	cpu.profiling = false
}

// seamNext begins another profile with the compressor of the one before: they are a megabyte each,
// so the garbage of a few pieces would have the program's collector run.
func seamNext(b *profileBuilder, text *bytes.Buffer, budget *SeamBudget) *profileBuilder {
	var next *profileBuilder
	// The list of mappings has a line or two for each thread. It is read again where there is
	// plenty left: of a library that comes later the names are missing until then.
	if budget.Allows(4 * time.Duration(budget.maps.Load())) {
		budget.maps.Store(int64(budget.Do(func() { next = newProfileBuilder(text) })))
	} else {
		next = &profileBuilder{w: text, start: time.Now(), strings: []string{""}, stringMap: map[string]int{"": 0}, locs: map[uintptr]locInfo{}, funcs: map[string]int{}, mem: slices.Clone(b.mem)}
		for i := range next.mem {
			next.mem[i].funcs = 0
		}
	}
	next.zw = b.zw
	next.zw.Reset(text)
	return next
}

// SeamRecord gives write a profile of each stretch of time that length asks for: what was
// written stays, however the process ends. It returns when the last is written.
func SeamRecord(stop <-chan struct{}, budget *SeamBudget, length func() time.Duration, write func(profile []byte) error) error {
	var text bytes.Buffer
	var b *profileBuilder
	piece := budget.Do(func() { b = newProfileBuilder(&text) }) // what one takes
	budget.maps.Store(int64(piece))
	var pieces time.Duration // what they took
	// The runtime's buffer has room for some two thousand samples; each processor makes hz a second.
	const room = 400
	often := max(room*time.Second/time.Duration(seamSampling.hz*max(runtime.NumCPU(), runtime.GOMAXPROCS(0))), 10*time.Millisecond)
	until := time.Now().Add(length())
	var failed error
	for {
		select {
		case <-stop: // there is nothing to wait for then
		case <-time.After(budget.pause(min(often, max(time.Until(until), 10*time.Millisecond)))):
		}
		eof := false
		budget.Do(func() {
			seamSample()
			var data []uint64
			var tags []unsafe.Pointer
			data, tags, eof = readProfile()
			if err := b.addCPUData(data, tags); err != nil && failed == nil {
				failed = err
			}
		})
		if !eof && failed != nil {
			until = time.Now().Add(often)
		}
		if !eof && (failed != nil || time.Now().Before(until) || !budget.AllowsPart(3, pieces, piece)) {
			continue // after a failure too: what isn't read stops nobody
		}
		begin := budget.Used()
		piece = budget.Do(func() {
			if err := b.build(); err == nil && failed == nil {
				failed = write(text.Bytes())
			}
		})
		if eof && !seamResume() {
			return failed
		}
		text.Reset()
		next := seamNext(b, &text, budget)
		pieces += budget.Used() - begin // with what others did meanwhile: then there are fewer
		if !eof {
			next.period, next.havePeriod = b.period, true // the log says it once
		}
		b, until = next, time.Now().Add(length())
	}
}
