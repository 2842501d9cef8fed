//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

package coro

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/seamgo/seam/coro/internal/native"
)

// keepFree is how many bytes of stack the free ones of a size keep, unless more are in use:
// then it is as much as those. What a stack has touched of it is not known without a system
// call, so all of it counts.
const keepFree = 32 << 20

// stackPools has one pool for each size.
var stackPools [len(stackSizes)]stackPool

// A stackPool hands out stacks of one size, the one used last first.
type stackPool struct {
	sync.Mutex
	warm       []*control // free, with what memory they have touched
	cold       []*control // free, without memory
	idle       int        // the fewest that warm has held since idle was set, see trim.go
	next, base uintptr    // the slots of the newest chunk that were never used, from next down
	all        []*control // ever made; only appended to
	high       int        // high-water mark of the bytes used of one
}

// takeStack returns a coroutine of the size class, not yet entered.
func takeStack(class int) (*control, error) {
	p := &stackPools[class]
	p.Lock()
	defer p.Unlock()
	if n := len(p.warm) - 1; n >= 0 {
		c := p.warm[n]
		p.warm = p.warm[:n]
		p.idle = min(p.idle, n)
		return c, nil
	}
	if n := len(p.cold) - 1; n >= 0 {
		c := p.cold[n]
		p.cold = p.cold[:n]
		return c, nil
	}
	return p.make(stackSizes[class])
}

// putStack takes back a coroutine that has ended.
func putStack(class int, c *control) {
	p := &stackPools[class]
	p.Lock()
	limit := max(keepFree>>stackSizes[class], p.inUse())
	if len(p.warm) < limit {
		p.warm = append(p.warm, c)
		p.Unlock()
		return
	}
	var older *control // one more, because what is in use gets less
	if len(p.warm) > limit {
		older = p.warm[0]
		p.warm = slices.Delete(p.warm, 0, 1)
		p.idle = max(0, p.idle-1)
	}
	p.Unlock()
	p.trim(c)
	if older != nil {
		p.trim(older)
	}
}

// check ends the program if something has been written over the control block.
func (c *control) check() {
	if c.canary != canary^uintptr(unsafe.Pointer(c)) {
		overwritten(c)
	}
}

// inUse counts those in ready too.
func (p *stackPool) inUse() int { return len(p.all) - len(p.warm) - len(p.cold) }

// make makes a stack of 1<<bits bytes.
func (p *stackPool) make(bits uint) (*control, error) {
	watchCollections()
	watchC()
	// A slot is the stack and, below it, a guard as large as the stack and at least 1 MB.
	slot := max(bits+1, 21)
	if mappings.Load()+2 > maxMappings() {
		return nil, exhausted(syscall.ENOMEM)
	}
	if p.next == p.base {
		base, err := native.NewChunk(slot)
		if err != nil {
			return nil, exhausted(err)
		}
		mappings.Add(2)
		p.next, p.base = base+native.ChunkBytes, base
	}
	at := p.next - 1<<slot
	guard := native.Guards == native.GuardsAlways || native.Guards == native.GuardsForMany && mappings.Load() > maxMappings()/4
	co, guarded, err := native.Commit(at, slot, bits, guard)
	if err != nil {
		return nil, exhausted(err)
	}
	p.next = at
	if !guarded {
		mappings.Add(2)
	}
	c := (*control)(co)
	c.abi = native.ABI
	p.all = append(p.all, c)
	made.Add(1)
	return c, nil
}

// watchC starts the watch when there is the first stack.
var watchC = sync.OnceFunc(native.StartWatch)

// made counts the stacks of all sizes, mappings what they take of those that the kernel
// allows.
var made, mappings atomic.Int64

// maxMappings is how many mappings may be taken. Some are left for others: Go itself dies
// when the kernel's limit is reached.
var maxMappings = sync.OnceValue(func() int64 {
	const others, usual = 8192, 65530
	if setting("/proc/sys/vm/overcommit_memory", 0) == 2 {
		native.Guards = native.GuardsNever // what could be made accessible counts as memory
	}
	return max(0, setting("/proc/sys/vm/max_map_count", usual)-others)
})

// setting reads a number that the kernel shows in a file.
func setting(file string, otherwise int64) int64 {
	if b, err := os.ReadFile(file); err == nil {
		if n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64); err == nil {
			return n
		}
	}
	return otherwise
}

func exhausted(err error) error {
	hint := ""
	var limit syscall.Rlimit
	switch {
	case !errors.Is(err, syscall.ENOMEM):
	case syscall.Getrlimit(syscall.RLIMIT_AS, &limit) == nil && limit.Cur != math.MaxUint64:
		hint = fmt.Sprintf("; the process may have %d MB of addresses (ulimit -v), and stacks take 128 MB of them at a time", limit.Cur>>20)
	default:
		hint = fmt.Sprintf("; stacks have taken %d mappings, of which the kernel's vm.max_map_count allows a process some ten thousand", mappings.Load())
	}
	return fmt.Errorf("%w after %d (%w%s)", ErrNoStack, made.Load(), err, hint)
}
