package growth

import (
	"context"
	"math"
	"runtime"
	"runtime/debug"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// probeStart finds the stack that a goroutine starts with while the others are measured.
func probeStart(context.Context, *lab.Bench) ([]lab.Metric, error) {
	startIdle()
	defer stopIdle()
	size := startSize()
	if size == 0 {
		return nil, noStart()
	}
	return []lab.Metric{{Unit: unitBytes, Value: float64(size)}}, nil
}

// probeFacts counts what the growths to size consist of: bytes, frames, page faults.
func probeFacts(mode lab.Mode, size uintptr) ([]lab.Metric, error) {
	depth, err := ready(size, roomClock)
	if err != nil {
		return nil, err
	}
	defer stopIdle()
	defer quiet()()
	var list []lab.Metric
	for _, s := range shapesOf(mode, size) {
		d := &descent{shape: s.shape, depth: depth, do: grow}
		alone(d)
		d.check(size, 1)
		if s.shape == plain {
			list = append(list, lab.Metric{Name: usedName(size), Unit: unitBytes, Value: float64(d.used), Label: "in use before the stack is grown to " + bytes(size)})
		}
		list = append(list, lab.Metric{Name: framesName(size, s.part), Unit: unitCount, Value: float64(d.frames), Label: "frames, " + s.label + ", to " + bytes(size)})
	}
	if size < leastNew || pageFaults() < 0 {
		return list, nil
	}
	depth, err = edge(size, roomClock+roomSystem)
	if err != nil {
		return nil, err
	}
	d := &descent{depth: depth, do: count}
	for _, c := range []struct {
		name, label string
		tries       int
		before      func()
	}{
		// Memory that was used before has been found where there were the fewest faults.
		{faultsName(growName(size)), "page faults, memory used before, to ", 4, func() { warm(d, size) }},
		{faultsName(newName(size)), "page faults, new memory, to ", 1, debug.FreeOSMemory},
	} {
		least := int64(math.MaxInt64)
		for range c.tries {
			c.before()
			alone(d)
			d.check(size, 1)
			if least = min(least, d.faults); least == 0 {
				break
			}
		}
		if least < 0 {
			return nil, lab.Skip("page faults can't be read on %s", runtime.GOOS)
		}
		list = append(list, lab.Metric{Name: c.name, Unit: unitFaults, Value: float64(least), Label: c.label + bytes(size)})
	}
	return list, nil
}
