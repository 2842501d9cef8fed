// Package rt is the Go side of a program that is profiled. It becomes a part of package
// runtime/cgo: so it imports nothing that runtime/cgo does not, except in start.go, and all
// names begin with Seam or seam.
//
// The runtime takes the samples, as for any CPU profile. A goroutine reads them at once and
// writes them into the process's record, where they stay however the process ends. Each stack
// is written once, with a counter; names of Go are those that this process has for them, C is
// written as addresses.
package rt

import (
	"unsafe"

	record "github.com/seamgo/seam/cmd/seam/internal/weld/runtime/record/rt"
)

//go:generate go run ../../../../.. layout --write --header ../c/seam_prof_request.h

// seamReadProfile waits for samples. The runtime has it for runtime/pprof, and has promised to
// keep it as it is for others that use it.
//
//go:linkname seamReadProfile runtime/pprof.readProfile
func seamReadProfile() (data []uint64, tags []unsafe.Pointer, eof bool)

// A seamProfRequest is what Go tells C and asks of it.
//
//seam:layout struct seam_prof_request
type seamProfRequest struct {
	op        int32
	off       int32
	data      unsafe.Pointer
	length    uintptr
	low, high uintptr
	number    uint64
	place     unsafe.Pointer
}

const (
	seamProfStart = iota
	seamProfText
	seamProfNewFrame
	seamProfNewStack
	seamProfLost
)

func seamProfAsk(q *seamProfRequest) {
	record.SeamCgocall(seamProfEntry, uintptr(unsafe.Pointer(q)))
}

// What only package runtime can tell; start.go sets it.
var (
	seamProfIsGo   func(pc uintptr) bool
	seamProfExpand func(pcs []uintptr, frame func(function, file string, line int))
)

type seamProfFrame struct {
	function, file string
	line           int
}

// seamProfiler is what the one goroutine knows that reads samples.
type seamProfiler struct {
	counters map[uint64]*uint64 // in the record, by a hash of the stack
	frames   map[seamProfFrame]uint64
	stack    []uint64
	off      bool
}

// seamProfRead writes down samples until the profile ends. Under this name the runtime takes it
// for one of its own, so the program's goroutines are as many as they were.
//
//go:linkname seamProfRead runtime.seamProfRead
func seamProfRead() {
	p := &seamProfiler{counters: map[uint64]*uint64{}, frames: map[seamProfFrame]uint64{}}
	first := true
	for {
		data, _, eof := seamReadProfile()
		if first && len(data) > 0 && uint64(len(data)) >= data[0] {
			data, first = data[data[0]:], false // the rate
		}
		for len(data) >= 3 && data[0] >= 3 && uint64(len(data)) >= data[0] {
			stack, count := data[3:data[0]], data[2]
			data = data[data[0]:]
			if count == 0 && len(stack) == 1 { // what the runtime had no room for
				p.lose(stack[0])
				continue
			}
			p.add(unsafe.Slice((*uintptr)(unsafe.Pointer(unsafe.SliceData(stack))), len(stack)), count)
		}
		if eof || p.off {
			return
		}
	}
}

func (p *seamProfiler) add(pcs []uintptr, count uint64) {
	hash := record.SeamHash(0, pcs)
	counter := p.counters[hash]
	if counter == nil {
		counter = p.place(pcs)
		p.counters[hash] = counter // also if it is nil: what is full stays full
	}
	if counter == nil {
		p.lose(count)
		return
	}
	*counter += count
}

func (p *seamProfiler) lose(count uint64) {
	p.ask(&seamProfRequest{op: seamProfLost, number: count})
}

func (p *seamProfiler) ask(q *seamProfRequest) {
	seamProfAsk(q)
	p.off = p.off || q.off != 0
}

// place writes down a stack and returns where its samples are counted; nil if there is no room.
func (p *seamProfiler) place(pcs []uintptr) *uint64 {
	p.stack = p.stack[:0]
	for len(pcs) > 0 {
		n := 0
		for n < len(pcs) && seamProfIsGo(pcs[n]) {
			n++
		}
		if n == 0 {
			p.stack = append(p.stack, uint64(pcs[0]))
			pcs = pcs[1:]
			continue
		}
		seamProfExpand(pcs[:n], func(function, file string, line int) {
			p.stack = append(p.stack, 1<<63|p.number(seamProfFrame{function, file, line}))
		})
		pcs = pcs[n:]
	}
	q := seamProfRequest{op: seamProfNewStack, data: unsafe.Pointer(unsafe.SliceData(p.stack)), length: uintptr(len(p.stack))}
	p.ask(&q)
	return (*uint64)(q.place)
}

// number is that of a frame of Go, which is written down when it is met for the first time.
func (p *seamProfiler) number(f seamProfFrame) uint64 {
	n, known := p.frames[f]
	if known {
		return n
	}
	n = uint64(len(p.frames))
	p.frames[f] = n
	text := append(append([]byte(f.function), 0), f.file...)
	text = append(record.SeamDigits(append(text, 0), f.line), 0)
	p.ask(&seamProfRequest{op: seamProfNewFrame, number: n, data: unsafe.Pointer(unsafe.SliceData(text)), length: uintptr(len(text))})
	return n
}
