//go:build cgo

package lifetime

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"unsafe"
)

// forgotten is where pieces of C memory are, for those who have to free them after all.
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

// resident is what the process has in RAM, in bytes. The roll-up is exact; status is an
// estimate, but there without CONFIG_PROC_PAGE_MONITOR.
func resident() (int64, error) {
	text, err := os.ReadFile("/proc/self/smaps_rollup")
	if err == nil {
		if n, ok := kilobytes(string(text), "Rss"); ok {
			return n, nil
		}
	}
	if text, err = os.ReadFile("/proc/self/status"); err != nil {
		return 0, err
	}
	n, ok := kilobytes(string(text), "VmRSS")
	if !ok {
		return 0, fmt.Errorf("/proc/self/status has no VmRSS")
	}
	return n, nil
}

// kilobytes finds a line "key: number kB", in bytes.
func kilobytes(text, key string) (int64, bool) {
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(line, key+":")
		if !ok {
			continue
		}
		number, unit, _ := strings.Cut(strings.TrimSpace(rest), " ")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || n < 0 || n > 1<<50 || strings.TrimSpace(unit) != "kB" {
			return 0, false
		}
		return n << 10, true
	}
	return 0, false
}
