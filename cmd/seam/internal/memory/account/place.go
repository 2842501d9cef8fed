package account

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// A reading is an account that is being taken. Each mapping is placed by the first rule that
// has evidence for it.
type reading struct {
	*Account
	*space
	mappings []Mapping
	done     []bool // what is placed
	threads  []Thread
	names    *namer
}

// mostStack is the largest that a guard page's neighbour is taken for a stack.
const mostStack = 1 << 30

// leastReserve is the least of what Go reserves for tables: no guard is as large.
const leastReserve = 512 << 10

func (r *reading) place() {
	r.Threads = len(r.threads)
	for i := range r.mappings {
		m := &r.mappings[i]
		r.RSS += m.RSS
		r.Huge += m.Huge
		r.Swap += m.Swap
	}
	r.part()
	r.own()
	r.named()
	r.arenas()
	r.stacks()
	r.reserves()
	r.blocks()
	r.rest()
	r.sort()
}

// part parts what the kernel has joined: one of glibc's heaps that is full and what begins behind it, the next
// mostly. Read as one, all of the second would count as handed out.
func (r *reading) part() {
	if r.memory == nil || r.pages == nil {
		return
	}
	var list []Mapping
	isHeap := func(at uint64) bool {
		first, err := r.resident(at, at+pageSize)
		return err == nil && first[0] && r.isArena(at)
	}
	for _, m := range r.mappings {
		before := m.usable() && m.Low%arenaSpan == 0 && isHeap(m.Low)
		for at := (m.Low/arenaSpan + 1) * arenaSpan; m.usable() && at < m.High; at += arenaSpan {
			is := isHeap(at)
			if !is && !before {
				continue
			}
			before = is
			there, err := r.resident(m.Low, at)
			if err != nil {
				break
			}
			front := m
			front.RSS = min(pages(there), m.RSS)
			front.High, m.Low = at, at
			m.RSS -= front.RSS
			list = append(list, front)
		}
		list = append(list, m)
	}
	r.forget(0, nil)
	r.mappings, r.done = list, make([]bool, len(list))
}

// pages is how many bytes the pages have that are there.
func pages(there []bool) (n uint64) {
	for _, is := range there {
		if is {
			n += pageSize
		}
	}
	return n
}

func (r *reading) put(i int, k Kind, owner string) {
	r.add(k, owner, r.mappings[i].RSS, 1)
	r.done[i] = true
}

// own places what seam heap's library, or package prof/heap, keeps: the record, a mapping of its name,
// and tables beside it, whose places are the last words of the record's head. The tables grow with the
// number of stacks and blocks: counted with the program's memory, they would be growth of the program.
func (r *reading) own() {
	for i := range r.mappings {
		m := &r.mappings[i]
		if r.memory == nil || m.Offset != 0 || m.Path != "/memfd:seam-heap" && m.Path != "/memfd:seam-heap (deleted)" && !strings.HasSuffix(m.Path, ".heap") {
			continue
		}
		var head [16]byte
		if _, err := r.memory.ReadAt(head[:], int64(m.Low)); err != nil || string(head[:8]) != "SEAMHEAP" {
			continue
		}
		var tables [32]byte // two, each from and to
		size := uint64(binary.LittleEndian.Uint32(head[12:]))
		if _, err := r.memory.ReadAt(tables[:], int64(m.Low+size-uint64(len(tables)))); err != nil {
			continue
		}
		r.put(i, Own, "")
		for t := tables[:]; len(t) > 0; t = t[16:] {
			r.ownTable(binary.LittleEndian.Uint64(t), binary.LittleEndian.Uint64(t[8:]))
		}
	}
}

// ownTable places the pages of a range that lies within a mapping; the kernel joins neighbours.
func (r *reading) ownTable(low, high uint64) {
	for i := range r.mappings {
		m := &r.mappings[i]
		if r.pages == nil || r.done[i] || !m.usable() || low >= high || low < m.Low || high > m.High {
			continue
		}
		there, err := r.resident(low, high)
		if err != nil {
			return
		}
		bytes := min(pages(there), m.RSS)
		r.add(Own, "", bytes, 1)
		m.RSS -= bytes
		return
	}
}

// named places what has a name: files, and what the kernel or, where it lets them, Go and
// libc have named.
func (r *reading) named() {
	for i := range r.mappings {
		m := &r.mappings[i]
		name, isGo := strings.CutPrefix(m.Path, "[anon: Go: ")
		name = strings.TrimSuffix(name, "]")
		switch {
		case m.Path == "", r.done[i]:
			continue
		case m.Path == "[heap]":
			r.malloc(i, "the first arena", func() (heap, error) { return r.heapFrom(m.Low, m.High, 0) })
		case m.Path == "[stack]":
			r.put(i, Stacks, "the main thread")
		case isGo && strings.HasPrefix(name, "heap"):
			r.put(i, GoHeap, "")
		case isGo:
			r.put(i, GoOther, name)
		case strings.HasPrefix(m.Path, "[anon:"):
			if strings.Contains(m.Path, "malloc") || strings.Contains(m.Path, "stack") {
				continue // glibc's own names: its rules know more
			}
			r.put(i, Anonymous, m.Path)
		case strings.HasPrefix(m.Path, "["):
			r.put(i, KernelMade, m.Path)
		case strings.HasPrefix(m.Path, "/dev/shm/") || strings.HasPrefix(m.Path, "/memfd:") || strings.HasPrefix(m.Path, "/dev/zero") || strings.HasPrefix(m.Path, "/SYSV"):
			r.put(i, Shared, m.Path)
		default:
			r.add(Data, m.Path, m.Anonymous, 1)
			r.add(Files, m.Path, m.RSS-min(m.Anonymous, m.RSS), 1)
			r.done[i] = true
		}
	}
	// What begins where the data of a file ends is its .bss.
	for i := 1; i < len(r.mappings); i++ {
		m, before := &r.mappings[i], &r.mappings[i-1]
		if !r.done[i] && m.usable() && m.Low == before.High && strings.HasPrefix(before.Path, "/") && strings.HasPrefix(before.Perms, "rw") {
			r.put(i, Data, before.Path)
		}
	}
}

// arenas places what lies in spans of 64 MB that begin at multiples of it: glibc's arenas,
// which say so in their first words, and Go's.
//
// Where the kernel puts what asks for no address, between libraries and glibc's arenas, mappings of the
// program's may fill such a span, too. Go asks for addresses elsewhere. So there a span is Go's only if one
// of its neighbours has a part that is reserved and not used yet.
func (r *reading) arenas() {
	var run []int // mappings of spans without a gap
	end, growing := uint64(0), false
	flush := func() {
		for _, k := range run {
			if growing || !r.nearLibraries(r.mappings[k].Low) {
				r.put(k, GoHeap, "")
			}
		}
		run, growing = nil, false
	}
	defer flush()
	for i := 0; i < len(r.mappings); i++ {
		m := &r.mappings[i]
		if m.Low%arenaSpan != 0 || !m.usable() && !m.reserved() || r.done[i] {
			continue
		}
		// The pieces that follow without a gap, up to a multiple of 64 MB.
		low, n := end, i+1
		if m.Low != low {
			flush()
		}
		end = m.High
		for end%arenaSpan != 0 && n < len(r.mappings) && r.mappings[n].Low == end && (r.mappings[n].usable() || r.mappings[n].reserved()) {
			end = r.mappings[n].High
			n++
		}
		if end%arenaSpan != 0 {
			continue
		}
		glibc, reserved := false, false
		for k := i; k < n; k++ {
			switch m := &r.mappings[k]; {
			case !m.usable():
				reserved = true
			case r.memory == nil:
				r.put(k, Anonymous, "arenas of malloc or of Go")
			case m.Low%arenaSpan == 0 && r.isArena(m.Low):
				r.malloc(k, "other arenas", func() (heap, error) { return r.arenaAt(m.Low) })
				glibc = true
			case r.Go != "":
				run = append(run, k)
			}
		}
		growing = growing || reserved && !glibc
		i = n - 1
	}
}

// nearLibraries reports whether an address is in the kernel's own area for mappings: below a library, or
// what the kernel maps itself, and not far.
func (r *reading) nearLibraries(at uint64) bool {
	const near = 64 << 30
	return slices.ContainsFunc(r.mappings, func(m Mapping) bool {
		return (strings.Contains(m.Path, ".so") || m.Path == "[vdso]") && m.Low-at < near
	})
}

// malloc places a heap of glibc's.
func (r *reading) malloc(i int, owner string, read func() (heap, error)) {
	m := &r.mappings[i]
	r.done[i] = true
	if r.memory == nil || r.pages == nil {
		r.add(CUnknown, owner, m.RSS, 1)
		return
	}
	const tries = 5 // it is at work meanwhile
	var h heap
	var there []bool
	err := errNotChunks
	for try := 0; try < tries && err != nil; try++ {
		if there, err = r.resident(m.Low, m.High); err == nil {
			r.forget(m.Low, there)
			h, err = read()
		}
	}
	r.forget(0, nil)
	if err != nil {
		r.add(CUnknown, owner, m.RSS, 1)
		return
	}
	free, trim := uint64(0), uint64(0)
	var freeIn [cells]uint64
	for n, c := range h.free {
		c.low, c.high = max(c.low, m.Low), min(c.high, m.High)
		// malloc_trim leaves the end of an arena that is not the first as it is.
		gives := n < len(h.free)-1 || m.Path == "[heap]"
		for page := c.low / pageSize; page*pageSize < c.high; page++ {
			if !there[page-m.Low/pageSize] {
				continue
			}
			low, high := max(c.low, page*pageSize), min(c.high, (page+1)*pageSize)
			free += high - low
			freeIn[cellOf(page*pageSize, m.Low, m.High)] += high - low
			// Its first page has its head and links, and stays.
			if gives && high-low == pageSize && low >= c.low+leastChunk {
				trim += pageSize
			}
		}
	}
	free = min(free, m.RSS)
	r.add(CFree, owner, free, len(h.free))
	r.add(CUsed, owner, m.RSS-free, int(h.blocks))
	r.Trim += min(trim, free)
	r.Heaps = append(r.Heaps, Heap{owner, m.Low, m.High - m.Low, m.RSS - free, free, mapOf(m.Low, m.High, there, &freeIn)})
}

// stacks places the stacks of threads. A guard page lies below each, and libc's descriptor of the
// thread at its end; where that can't be read, the thread's stack pointer says whose it is.
func (r *reading) stacks() {
	ids := map[int]bool{}
	for _, t := range r.threads {
		ids[t.ID] = true
	}
	for i := 1; i < len(r.mappings); i++ {
		m, guard := &r.mappings[i], &r.mappings[i-1]
		libc := strings.HasPrefix(m.Path, "[anon:") && strings.Contains(m.Path, "stack")
		if r.done[i] || !(m.usable() || libc) || guard.High != m.Low || !strings.HasPrefix(guard.Perms, "---") || guard.Path != "" && !libc || guard.Size() > 64<<10 || m.Size() > mostStack {
			continue
		}
		if r.memory != nil && r.pages != nil {
			if at, id := r.descriptorOf(m, ids); at != 0 {
				if id == 0 {
					r.put(i, OldStacks, "of threads that have ended, kept by libc")
				} else {
					r.put(i, Stacks, r.startOf(at, m.High, r.names.at))
				}
				continue
			}
		}
		for _, t := range r.threads {
			if t.sp >= m.Low && t.sp < m.High {
				r.put(i, Stacks, "thread "+t.Name)
				break
			}
		}
		if !r.done[i] {
			r.put(i, OldStacks, "")
		}
	}
}

// reserves places pieces of what Go has reserved for tables that grow: they lie between two
// large pieces that can't be touched.
func (r *reading) reserves() {
	if r.Go == "" {
		return
	}
	large := func(i int) bool {
		return i >= 0 && i < len(r.mappings) && r.mappings[i].reserved() && r.mappings[i].Size() >= leastReserve
	}
	for i := range r.mappings {
		m := &r.mappings[i]
		if !r.done[i] && m.usable() && large(i-1) && large(i+1) && r.mappings[i-1].High == m.Low && r.mappings[i+1].Low == m.High {
			r.put(i, GoOther, "tables")
		}
	}
}

// leastMapped is the least that glibc maps for a block, unless it is told otherwise: mappings that are
// smaller aren't looked into, of which some programs have ten thousand.
const leastMapped = 128 << 10

// blocks places blocks that malloc has mapped by themselves.
func (r *reading) blocks() {
	if r.memory == nil || r.pages == nil {
		return
	}
	for i := range r.mappings {
		m := &r.mappings[i]
		if r.done[i] || !m.usable() || m.RSS == 0 || m.Size() <= leastMapped {
			continue
		}
		there, err := r.resident(m.Low, m.High)
		if err != nil {
			continue
		}
		r.forget(m.Low, there)
		for _, b := range r.space.mapped(m.Low, m.High, there) {
			bytes := min(pages(there[(b.low-m.Low)/pageSize:(b.high-m.Low)/pageSize]), m.RSS)
			r.add(CUsed, "large blocks", bytes, 1)
			m.RSS -= bytes
		}
		r.forget(0, nil)
	}
}

// rest places what no rule knows.
func (r *reading) rest() {
	owner := allocator(r.mappings)
	if owner != "" {
		r.note("%s is loaded: what it has from the kernel is among the anonymous mappings", owner)
		owner = "with what " + owner + " holds"
	}
	for i := range r.mappings {
		if m := &r.mappings[i]; !r.done[i] {
			if m.RSS > 0 {
				r.put(i, Anonymous, owner)
			}
		}
	}
	for i, p := range r.Parts {
		if strings.HasPrefix(p.Owner, "/") {
			r.Parts[i].Owner = filepath.Base(p.Owner)
		}
	}
	if n := r.Of(CUnknown); n > 0 && r.memory != nil && r.pages != nil {
		r.note("%s", fmt.Sprintf("%d KiB of malloc's heaps could not be read: they changed meanwhile, or are not glibc's", n>>10))
	}
}
