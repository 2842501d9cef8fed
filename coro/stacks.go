//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

package coro

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/seamgo/seam/coro/internal/native"
)

// keepFree is how many free stacks of a size keep their memory, unless more than that are
// in use: then it is as many as those.
const keepFree = 256

// stackPools has one pool for each size.
var stackPools [len(stackSizes)]stackPool

// A stackPool hands out stacks of one size, the one used last first.
type stackPool struct {
	sync.Mutex
	free      []*control // those above trimmed have memory
	trimmed   int        // how many at the bottom of free have none
	next, end uintptr    // slots never used
	all       []*control
	high      int // high-water mark of the bytes used of one
}

// takeStack returns a coroutine of the size class, not yet entered.
func takeStack(class int) (*control, error) {
	p := &stackPools[class]
	p.Lock()
	defer p.Unlock()
	if n := len(p.free); n > 0 {
		c := p.free[n-1]
		p.free = p.free[:n-1]
		p.trimmed = min(p.trimmed, n-1)
		return c, nil
	}
	if made.Load() >= maxStacks() {
		return nil, p.exhausted(syscall.ENOMEM)
	}
	bits := stackSizes[class] + 1 // a slot is half guard
	if p.next == p.end {
		base, err := native.NewChunk(bits)
		if err != nil {
			return nil, p.exhausted(err)
		}
		p.next, p.end = base, base+native.ChunkBytes
	}
	co, err := native.Commit(p.next, bits)
	if err != nil {
		return nil, p.exhausted(err)
	}
	p.next += 1 << bits
	c := (*control)(co)
	c.abi = native.ABI
	p.all = append(p.all, c)
	made.Add(1)
	return c, nil
}

// made counts the stacks of all sizes.
var made atomic.Int64

// maxStacks is how many stacks the kernel's limit on mappings allows, with some mappings
// left for others: Go itself dies when the limit is reached.
var maxStacks = sync.OnceValue(func() int64 {
	const others, usual = 8192, 65530
	limit := int64(usual)
	if b, err := os.ReadFile("/proc/sys/vm/max_map_count"); err == nil {
		if n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64); err == nil {
			limit = n
		}
	}
	return max(0, limit-others) / 2
})

func (p *stackPool) exhausted(err error) error {
	hint := ""
	if errors.Is(err, syscall.ENOMEM) {
		hint = "; each stack takes two of the mappings that vm.max_map_count allows a process"
	}
	return fmt.Errorf("%w after %d (%w%s)", ErrNoStack, made.Load(), err, hint)
}

// putStack takes back a coroutine that has ended.
func putStack(class int, c *control) {
	p := &stackPools[class]
	p.Lock()
	defer p.Unlock()
	p.free = append(p.free, c)
	used := len(p.all) - len(p.free)
	if warm := len(p.free) - p.trimmed; warm > max(keepFree, used) {
		c := p.free[p.trimmed]
		p.high = max(p.high, native.Touched(unsafe.Pointer(c)))
		native.Trim(unsafe.Pointer(c))
		p.trimmed++
	}
}

func readStacks() []StackStats {
	list := []StackStats{}
	for i := range stackPools {
		p := &stackPools[i]
		p.Lock()
		for _, c := range p.all {
			p.high = max(p.high, native.Touched(unsafe.Pointer(c)))
		}
		if len(p.all) > 0 {
			list = append(list, StackStats{Size: 1 << stackSizes[i], Made: len(p.all), InUse: len(p.all) - len(p.free), HighWater: p.high})
		}
		p.Unlock()
	}
	return list
}
