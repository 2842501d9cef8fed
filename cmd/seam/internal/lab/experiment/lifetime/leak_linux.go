//go:build cgo

package lifetime

import (
	"bytes"
	"unsafe"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

// forgotten has the addresses of C memory that must be freed after all.
type forgotten struct{ pieces []unsafe.Pointer }

// make makes room for n pieces, and touches it: it is not what is measured.
func (f *forgotten) make(n int) {
	f.pieces = make([]unsafe.Pointer, n)
	for i := range f.pieces {
		f.pieces[i] = unsafe.Pointer(f)
	}
	clear(f.pieces)
}

func (f *forgotten) free() {
	for _, p := range f.pieces {
		remember(p) // nil is fine
	}
	trimMalloc()
}

// probeLeak forgets to free strings of n bytes, many enough to tell them from noise, and
// frees them once it has seen how much memory they take. As many before them use up what
// malloc still has from others.
func probeLeak(n int) ([]lab.Metric, error) {
	const total = 16 << 20
	text := string(bytes.Repeat([]byte{'m'}, n))
	trimMalloc()
	var kept forgotten
	kept.make(2 * total / n)
	defer kept.free()
	others, pieces := kept.pieces[:total/n], kept.pieces[total/n:]
	for i := range others {
		others[i] = forget(text)
	}
	before, err := subprocess.Resident()
	if err != nil {
		return nil, lab.Skip("can't read how much RAM the process has: %v", err)
	}
	for i := range pieces {
		pieces[i] = forget(text)
	}
	after, err := subprocess.Resident()
	if err != nil {
		return nil, lab.Skip("can't read how much RAM the process has: %v", err)
	}
	return []lab.Metric{{Unit: unitLeak, Value: max(0, float64(after-before)/float64(len(pieces)))}}, nil
}
