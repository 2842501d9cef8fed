package errorpath

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

// An event is something that perf_event counts.
type event struct {
	kind   uint32
	config uint64
}

// misses are the fetches of instructions that miss the L1 cache.
var misses = event{unix.PERF_TYPE_HW_CACHE,
	unix.PERF_COUNT_HW_CACHE_L1I | unix.PERF_COUNT_HW_CACHE_OP_READ<<8 | unix.PERF_COUNT_HW_CACHE_RESULT_MISS<<16}

// A counter counts an event in a thread, outside of the kernel.
type counter struct{ fd int }

// open makes a counter for a thread of ours; 0 is the calling one.
func (e event) open(thread int) (counter, error) {
	attr := unix.PerfEventAttr{
		Type:        e.kind,
		Config:      e.config,
		Size:        uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
		Read_format: unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING,
		Bits:        unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
	}
	fd, err := unix.PerfEventOpen(&attr, thread, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return counter{}, fmt.Errorf("perf_event_open: %w", err)
	}
	return counter{fd}, nil
}

func (c counter) close() { unix.Close(c.fd) }

// read gives the count so far. Where counters take turns, the count is scaled
// up to what it would be otherwise.
func (c counter) read() (float64, error) {
	var buf [24]byte
	if n, err := unix.Read(c.fd, buf[:]); err != nil || n != len(buf) {
		return 0, fmt.Errorf("the counter gives %d bytes: %w", n, err)
	}
	count, enabled, running := binary.NativeEndian.Uint64(buf[:]), binary.NativeEndian.Uint64(buf[8:]), binary.NativeEndian.Uint64(buf[16:])
	if running == 0 {
		return 0, errors.New("the counter was never scheduled")
	}
	return float64(count) * float64(enabled) / float64(running), nil
}

// tryCounter says why an event can't be counted, or nil. A virtual machine may
// have a counter that stays at 0.
func tryCounter(e event) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c, err := e.open(0)
	if err != nil {
		return err
	}
	defer c.close()
	for range 100 { // the calls themselves have misses
		n, err := c.read()
		if err != nil {
			return err
		}
		if n > 0 {
			return nil
		}
	}
	return errors.New("perf_event_open returns a counter that stays at 0")
}

// countMisses counts the misses of one decode with the processor's counter.
func countMisses(ctx context.Context, path string, types int) (float64, error) {
	return countEvent(ctx, misses, path, types)
}

// countEvent counts an event, for one decode. The counter is that of the
// program's first thread, in which it decodes.
func countEvent(ctx context.Context, e event, path string, types int) (float64, error) {
	child, err := subprocess.StartProgram(ctx, path)
	if err != nil {
		return 0, err
	}
	defer child.Close()
	if _, err := ask(child, order{Types: types, Rotations: 1}); err != nil {
		return 0, err
	}
	c, err := e.open(child.PID())
	if err != nil {
		return 0, err
	}
	defer c.close()
	// The count includes serving the order; over many decodes that is
	// little.
	rotations := 10 * decodes / types
	before, err := c.read()
	if err != nil {
		before = 0 // it has not run since
	}
	if _, err := ask(child, order{Types: types, Rotations: rotations}); err != nil {
		return 0, err
	}
	after, err := c.read()
	if err != nil {
		return 0, err
	}
	return (after - before) / float64((rotations+1)*types), nil
}
