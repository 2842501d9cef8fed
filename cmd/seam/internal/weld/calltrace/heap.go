package calltrace

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// Heaps that are worth a sentence, and free memory that is worth giving back.
const (
	leastHeap = 1 << 20
	leastFree = 16 << 20
)

// String is what it says to people; "" where there is nothing to say.
func (h *Heap) String() string {
	if h == nil || h.MostUsed+h.MostFree < leastHeap {
		return ""
	}
	size := func(n uint64) string { return quantity.Bytes(float64(n)) }
	text := fmt.Sprintf("C's malloc was seen with at most %s of resident memory in use, and at most %s that it kept free (process %d, %s)", size(h.MostUsed), size(h.MostFree), h.PID, quantity.Plural(h.Looks, "look"))
	if h.Looks > 1 {
		text += fmt.Sprintf("; at the last look %s and %s", size(h.LastUsed), size(h.LastFree))
	}
	text += "."
	if h.LastFree >= leastFree && h.LastFree > h.LastUsed {
		text += " A line trim: 1s in seam.plan gives free memory back while the program is idle; seam heap says who had it."
	}
	return text
}
