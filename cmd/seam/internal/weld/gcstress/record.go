package gcstress

import (
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
)

// Record is what one process recorded.
type Record struct {
	recording.Process

	Collected uint64 // calls of C that collected garbage first
	Freed     []Freed
}

// Freed is C memory that a finalizer or a cleanup gave to C while a call was given it too:
// nothing kept its owner alive until the end of the call.
type Freed struct {
	Using, Freeing           string            // the C functions
	UsingStack, FreeingStack []recording.Frame // who called them
}

// ErrNotRecord says that a file is not one that such a process writes.
var ErrNotRecord = recording.NotOne("a process of seam vet --confirm")

// ReadRecord reads a record. The process may still be writing it.
func ReadRecord(name string) (*Record, error) { return recording.Read(format, name, ParseRecord) }

// ParseRecord reads the content of a record. What a process that was killed left half
// written is left out.
func ParseRecord(data []byte) (*Record, error) {
	process, chunks, err := format.Parse(data)
	if err != nil {
		return nil, err
	}
	r := &Record{Process: process, Collected: recording.Decode[header](data).Collected}
	recording.Chunks(chunks, func(kind uint32, chunk []byte) {
		if kind != chunkFreed {
			return
		}
		c, rest := recording.Split[recording.Text](chunk)
		texts := recording.Texts(rest, c.Length)
		if len(texts) < 2 {
			return
		}
		stacks := texts[2:]
		middle := slices.Index(stacks, "")
		// The name of a file may be empty too, but not that of a function.
		for middle >= 0 && middle%3 != 0 {
			next := slices.Index(stacks[middle+1:], "")
			if next < 0 {
				return
			}
			middle += 1 + next
		}
		if middle < 0 {
			return
		}
		using, _ := recording.Tidy(recording.Stack(stacks[:middle]))
		freeing, _ := recording.Tidy(recording.Stack(stacks[middle+1:]))
		r.Freed = append(r.Freed, Freed{Using: texts[0], Freeing: texts[1], UsingStack: using, FreeingStack: freeing})
	})
	return r, nil
}
