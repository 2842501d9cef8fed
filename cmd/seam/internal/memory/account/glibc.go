package account

import "errors"

// What glibc's malloc has handed out and what it keeps, from its chunks. Each begins with the
// size of the one before it, if that is free, and its own with three flags; the next begins
// where it ends. So a heap is read from its first chunk to its last. That layout is the same
// since 2003, and is checked: a walk counts only if it ends exactly where the heap ends.
//
// The process runs meanwhile, so a walk may fail, and is tried again. What lies in the caches of
// threads and in the fast bins counts as handed out: glibc marks it so.
const (
	inUse      = 1 // the chunk before this one is handed out
	byMmap     = 2
	otherArena = 4
	flags      = 7

	leastChunk = 32
	arenaSpan  = 64 << 20 // of a heap that is not the first arena's, and its alignment
)

// A heap is a piece of memory that malloc divides into chunks.
type heap struct {
	blocks, used uint64   // handed out: how many, and their bytes
	free         []extent // chunks that are not, in order of address
}

type extent struct{ low, high uint64 }

var errNotChunks = errors.New("its chunks don't follow one another")

// heapFrom reads the chunks from low to high. in is the flag that those have which are handed out.
// The last chunk is the rest of the heap, which is free. The heap may have
// grown or shrunk since high was read: its last chunk then ends at another page, behind which is nothing.
func (s *space) heapFrom(low, high, in uint64) (h heap, err error) {
	mostChunks := (high - low + arenaSpan) / leastChunk
	at := low
	head, err := s.word(at + 8)
	if err != nil {
		return h, err
	}
	if head&inUse == 0 {
		return h, errNotChunks // there is none before the first
	}
	for range mostChunks + 1 {
		size := head &^ flags
		end := at + size
		switch {
		case size%16 != 0, size < leastChunk, end-high > arenaSpan && end > high, head&byMmap != 0:
			return h, errNotChunks
		case end == high:
			h.free = append(h.free, extent{at, end})
			return h, nil
		}
		next, err := s.word(end + 8)
		if end%pageSize == 0 && (err != nil || next == 0) {
			h.free = append(h.free, extent{at, end})
			return h, nil
		}
		if err != nil {
			return h, err
		}
		if next == 0 && end < high { // a block is just being cut off the rest
			h.blocks++
			h.used += size
			h.free = append(h.free, extent{end, high})
			return h, nil
		}
		if next&inUse == 0 { // then glibc may have left out the flag of its arena
			h.free = append(h.free, extent{at, end})
		} else if head&otherArena != in {
			return h, errNotChunks
		} else {
			h.blocks++
			h.used += size
		}
		// A heap that is full ends with two heads of 16 bytes that keep it from being joined
		// with what follows.
		if end+32 >= high && end <= high && next&^flags <= 16 {
			return h, nil
		}
		at, head = end, next
	}
	return h, errNotChunks
}

// isArena reports whether one of glibc's heaps begins at a multiple of 64 MB: its first word
// leads to the arena, which lies behind the head of this or an earlier such heap, its second to the
// heap before it.
func (s *space) isArena(at uint64) bool {
	arena, err := s.word(at)
	if err != nil || arena == 0 || arena%8 != 0 || arena%arenaSpan < 32 || arena%arenaSpan > 256 {
		return false
	}
	before, err := s.word(at + 8)
	if err != nil || before%arenaSpan != 0 || (before == 0) != (arena-arena%arenaSpan == at) {
		return false
	}
	size, err := s.word(at + 16)
	return err == nil && size > 0 && size <= arenaSpan && size%pageSize == 0
}

// arenaAt reads the heap that begins at a multiple of 64 MB, if that is one of glibc's. Its
// size stands in its head, and its first chunk somewhere behind that: how far depends on the
// version and on whether the arena's own data is there.
func (s *space) arenaAt(at uint64) (h heap, err error) {
	size, err := s.word(at + 16)
	if err != nil {
		return h, err
	}
	if size == 0 || size > arenaSpan || size%pageSize != 0 {
		return h, errNotChunks
	}
	for first := at + 32; first < at+min(pageSize, size-32); first += 16 {
		head, err := s.word(first + 8)
		if err != nil {
			return h, err
		}
		if n := head &^ flags; head&inUse == 0 || n < leastChunk || n%16 != 0 || first+n > at+size {
			continue
		} else if head&otherArena == 0 && first+n != at+size { // one that is free: its end says so, too
			if again, err := s.word(first + n); err != nil || again != n {
				continue
			}
		}
		if h, err = s.heapFrom(first, at+size, otherArena); err == nil {
			return h, nil
		}
	}
	return heap{}, errNotChunks
}

// mapped finds the blocks in a mapping that malloc has from the kernel by themselves: each
// begins at a page with its size, which is a number of pages. Only pages that are there are read,
// and no more than mostSearched without any such block.
func (s *space) mapped(low, high uint64, there []bool) (list []extent) {
	const mostSearched = 64 << 20 / pageSize
	searched := 0
	for at := low; at+pageSize <= high; {
		page := (at - low) / pageSize
		if !there[page] {
			at += pageSize
			continue
		}
		if searched++; searched > mostSearched {
			return list
		}
		before, err := s.word(at)
		if err != nil {
			return list
		}
		head, err := s.word(at + 8)
		if err != nil {
			return list
		}
		size := head &^ flags
		if first := at == low || len(list) > 0 && at == list[len(list)-1].high; first && size > high-at && size <= 2*(high-at) {
			size = high - at // realloc has made it larger since the mappings were read
		}
		if head&flags != byMmap || before != 0 || size == 0 || size%pageSize != 0 || size > high-at {
			at += pageSize
			continue
		}
		list = append(list, extent{at, at + size})
		at += size
		searched = 0
	}
	return list
}
