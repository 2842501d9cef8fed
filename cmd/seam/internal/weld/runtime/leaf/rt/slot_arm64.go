//go:build linux && !android && gc && cgo && !asan && !msan && go1.25 && !go1.28

package rt

import "sync"

// seamHot is what the assembly reads on every call, apart from what is
// written.
var seamHot struct {
	_     [128]byte
	gSlot uintptr // where a thread keeps g, counted from the thread pointer
	inC   uintptr // the address that stands for the C function in tracebacks
	open  uintptr // the same of one that may call Go
	coro  uintptr // and of one that does as a matter of course
	_     [128]byte
}

// Before any goroutine can read seamHot: a processor that sees a slot's entry
// may still see seamHot as it was before, since nothing on the way orders the two
// loads.
func init() { seamCheck() }

// seamSlotWords is how far behind the thread pointer the slot is looked for:
// 64 KB.
const seamSlotWords = 64 << 10 / 8

// seamFindSlot finds the word in which a thread keeps g while C runs by its
// value: the one word behind the thread pointer that equals g in three
// goroutines with three different g. The search of one goroutine is one
// assembly function, during which it can't change threads.
func seamFindSlot() string {
	const goroutines = 3
	var (
		mu           sync.Mutex
		ready, ended sync.WaitGroup
		common       [seamSlotWords]uint8
	)
	ready.Add(goroutines) // all exist at once, so no two have the same g
	ended.Add(goroutines)
	for range goroutines {
		go func() {
			defer ended.Done()
			ready.Done()
			ready.Wait()
			mu.Lock()
			defer mu.Unlock()
			seamScan(&common[0], seamSlotWords)
		}()
	}
	ended.Wait()
	found := 0
	for i, n := range common {
		if n == goroutines {
			found++
			seamHot.gSlot = uintptr(i) * 8
		}
	}
	if found != 1 {
		return "the thread-local word of the current goroutine was not found"
	}
	seamHot.inC = seamWeldedFunctionCalledGo(nil, nil)
	seamHot.open = seamWeldedFunctionCallsGo(nil, nil)
	seamHot.coro = seamCFunctionCallsGo(nil, nil)
	return ""
}

// seamStandIns are the addresses that stand for C in tracebacks.
func seamStandIns(into *[3]uintptr) { *into = [3]uintptr{seamHot.inC, seamHot.open, seamHot.coro} }

// All have a frame.
const (
	seamCallFrame = seamFrameOwn
	seamOpenFrame = seamFrameOwn
)

// seamScan adds 1 to counts[i] where the word i behind the thread pointer
// equals the current g, for i < words, up to the first page that can't be read.
//
//go:noescape
func seamScan(counts *uint8, words int)
