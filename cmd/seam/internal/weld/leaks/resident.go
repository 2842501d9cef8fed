package leaks

import (
	"fmt"
	"time"
)

// Resident is what the resident memory of the process that grew most did during the run. The blocks
// that Go gets from C are a part of it. It was read from outside, or where nobody looked the process
// has recorded how large it was: then the parts are not known.
type Resident struct {
	PID      int    `json:"pid"`
	First    uint64 `json:"first"`             // RSS, bytes
	Last     uint64 `json:"last"`              // likewise, at the last look
	Malloc   int64  `json:"malloc"`            // by how much what malloc has handed out grew, to whomever
	Blocks   int64  `json:"blocks"`            // in how many blocks more
	Other    int64  `json:"other"`             // and what else is not Go's own and no file: mappings, stacks, what malloc keeps
	Rises    bool   `json:"rises"`             // one of these is seen to rise until the end
	Unclear  string `json:"unclear,omitempty"` // why of one of these it can't be told whether it does
	Recorded bool   `json:"recorded"`          // by the process: all growth is in Other, Go's own too
	Mixed    bool   `json:"mixed"`             // what malloc has handed out is in Other: by another allocator, or of a single look
	Later    uint64 `json:"later"`             // bytes that Go had allocated in C at the last look, and freed since
	Freed    uint64 `json:"freed"`             // in so many blocks
	Sentence string `json:"sentence"`
	Verdict  string `json:"verdict"` // a sentence too
}

// What there is in any program: what libraries hold, and the run-time's own tables.
const (
	leastMalloc  = 256 << 10
	leastRise    = 128 << 10 // of malloc, where some part is seen to rise until the end
	leastBlocks  = 4096
	leastOther   = 8 << 20
	leastForeign = 1 << 20 // where that is another allocator's
)

// heldBack is how much that was freed the run-time holds back at most, for blocks of this size.
func (f *File) heldBack() uint64 {
	if f.Made == 0 {
		return 0
	}
	return min(1<<20, 1024*(f.MadeBytes/f.Made+16))
}

// Unexplained is by how many bytes memory grew that is neither Go's nor files' nor from blocks that
// were never freed; 0 if that is as little as in any program, or nobody looked.
func (f *File) Unexplained() (n uint64) {
	if f.Resident == nil {
		return 0
	}
	r := f.Resident
	tracked := plus(plus(f.Bytes, 16*f.Blocks), plus(r.Later, 16*r.Freed)) // malloc takes more than was asked for
	tracked = plus(tracked, f.heldBack())
	malloc := uint64(max(0, r.Malloc))
	of := min(malloc, tracked)
	malloc -= of
	blocks := r.Blocks - int64(min(plus(f.Blocks, r.Freed), 1<<40)) - 1024 // held back
	if malloc >= leastMalloc || malloc >= leastRise && r.Rises || malloc > 0 && blocks >= leastBlocks {
		n += malloc
	}
	other := uint64(max(0, r.Other))
	if r.Recorded || r.Mixed {
		other -= min(other, tracked-of)
	}
	if other >= leastOther || other >= leastForeign && r.Mixed && r.Rises {
		n += other
	}
	return n
}

// recorded is what the process that grew most has recorded of itself; nil if none has.
func recorded(records []*Record) (most *Resident) {
	grew := int64(-1)
	for _, r := range records {
		if r.RSSFirst == 0 || r.RSSLast == 0 || r.Unsearched {
			continue
		}
		if n := int64(min(r.RSSLast, 1<<62)) - int64(min(r.RSSFirst, 1<<62)); most == nil || n > grew {
			grew = n
			most = &Resident{PID: r.PID, First: r.RSSFirst, Last: r.RSSLast, Other: n, Recorded: true}
			most.Sentence = fmt.Sprintf("RSS of process %d went from %s to %s in %s.", r.PID, size(r.RSSFirst), size(r.RSSLast), time.Duration(r.WallNS).Round(time.Second/10))
			most.Unclear = "which part of it that is, was not recorded"
			most.Verdict = "Which part of it that is, C's, Go's own or files, is not recorded: seam rss --pid tells it of a process that runs."
		}
	}
	return most
}

// account says what RSS did, and what isn't tracked of it.
func (f *File) account() []string {
	r := f.Resident
	switch {
	case r == nil:
		return []string{"Nobody has looked at resident memory (the run may have been too short): how much C allocates by itself isn't known."}
	case r.Recorded && f.Unexplained() == 0:
		return []string{r.Sentence + " What C allocates by itself is in that, and isn't known."}
	}
	list := []string{r.Sentence + " " + r.Verdict}
	if n := f.Unexplained(); n > 0 && !r.Recorded {
		list = append(list, fmt.Sprintf("%s of what memory grew by are not in blocks that Go allocated in C: C allocated them by itself, or mapped them, and that isn't tracked here. seam heap says by whom; seam rss has the whole account.", size(n)))
	}
	return list
}
