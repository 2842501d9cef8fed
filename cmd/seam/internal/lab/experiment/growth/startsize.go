package growth

import (
	"fmt"
	"math/bits"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

// A goroutine starts with a stack of the average size that the last collection saw in
// use, and with the smallest at least. GODEBUG=adaptivestackstart=0 turns that off, but
// is read only when a process starts: os.Setenv comes too late, and //go:debug does not
// know it. So we influence the average: idle goroutines, which use next to nothing,
// outweigh the few others of this process. The runtime's metrics confirm that it worked.
const idleCount = 512

var idle struct {
	sync.Mutex
	users int
	leave chan struct{}
	gone  sync.WaitGroup
}

// startIdle makes goroutines start with the smallest stack until the last that has called it
// calls stopIdle.
func startIdle() {
	idle.Lock()
	defer idle.Unlock()
	idle.users++
	if idle.users > 1 {
		return
	}
	leave := make(chan struct{})
	idle.leave = leave
	var ready sync.WaitGroup
	for range idleCount {
		ready.Add(1)
		idle.gone.Go(func() {
			ready.Done()
			<-leave
		})
	}
	ready.Wait()
	runtime.GC()
}

// stopIdle undoes a startIdle. The last one gives memory back to the system, so that what
// large stacks leave behind isn't in the way of what is measured next.
func stopIdle() {
	idle.Lock()
	defer idle.Unlock()
	idle.users--
	if idle.users > 0 {
		return
	}
	close(idle.leave)
	idle.gone.Wait()
	debug.FreeOSMemory()
}

// startSize is the size of a new goroutine's stack now.
func startSize() uintptr { return uintptr(subprocess.StartingStack()) }

func noStart() error {
	return lab.Skip("the runtime doesn't say how large a stack goroutines start with")
}

// reserve is how many bytes are still free in a stack when the next step of a descent has it
// grown: the most that was seen of some stacks.
var reserve = sync.OnceValues(func() (uintptr, error) {
	// Room for all edges from the start: an allocation at the bottom would itself outgrow
	// the stack.
	d := &descent{shape: small, do: measure, depth: 64 << 10, edges: make([]uintptr, 0, 16)}
	alone(d)
	return reserved(d.edges)
})

// reserved is what the edges of stacks leave free: how far each is below a power of two.
// The smallest stacks are left out, in which that may be more than half.
func reserved(edges []uintptr) (uintptr, error) {
	most := uintptr(0)
	for _, reached := range edges {
		if reached > 4<<10 {
			most = max(most, 1<<bits.Len64(uint64(reached))-reached)
		}
	}
	if most == 0 {
		return 0, fmt.Errorf("on the way to 64 KB stacks were seen to end at %d", edges)
	}
	return most, nil
}

// alone makes the descent on a goroutine of its own.
func alone(d *descent) {
	d.clock = clockCost() // not there: it takes stack
	done := make(chan struct{})
	go func() {
		d.run()
		close(done)
	}()
	<-done
}

// Room that the clock, and the system call that counts page faults, need.
const (
	roomClock  = 320
	roomSystem = 4 << 10
)

// edge is the depth from which the next call outgrows the stack of half of size bytes.
func edge(size, room uintptr) (uintptr, error) {
	start := startSize()
	if start == 0 {
		return 0, noStart()
	}
	if start > size/2 {
		return 0, lab.Skip("goroutines start with a stack of %d bytes here: it isn't doubled to %d", start, size)
	}
	kept, err := reserve()
	if err != nil {
		return 0, lab.Skip("the end of a stack wasn't found: %v", err)
	}
	if kept += room; kept+roomStep > size/2 {
		return 0, lab.Skip("the runtime keeps too much of a stack of %d bytes free: %d are left", size/2, max(kept, size/2)-kept)
	}
	return size/2 - kept, nil
}
