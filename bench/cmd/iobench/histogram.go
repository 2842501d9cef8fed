//go:build cgo && linux && seam_servers

package main

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// A histogram counts durations by size, to 3 per cent. Its memory does not grow
// with what it counts: it would be taken for that of the calls.
type histogram struct {
	counts [buckets]atomic.Int64
}

// Between two powers of two there are 1 << subBits buckets.
const (
	subBits = 5
	buckets = (64 - subBits) << subBits
)

func bucket(d time.Duration) int {
	v := uint64(max(d, 0))
	if v < 1<<subBits {
		return int(v)
	}
	shift := bits.Len64(v) - 1 - subBits
	return shift<<subBits + int(v>>shift)
}

// middle is the duration that stands for those of a bucket.
func middle(b int) time.Duration {
	if b < 1<<subBits {
		return time.Duration(b)
	}
	shift := b>>subBits - 1
	low := uint64(b-shift<<subBits) << shift
	return time.Duration(low + (1<<shift)/2)
}

func (h *histogram) add(d time.Duration) { h.counts[bucket(d)].Add(1) }

func (h *histogram) merge(other *histogram) {
	for b := range h.counts {
		h.counts[b].Add(other.counts[b].Load())
	}
}

func (h *histogram) total() int64 {
	var n int64
	for b := range h.counts {
		n += h.counts[b].Load()
	}
	return n
}

// quantile returns the duration that a share q of those counted do not exceed, 0 of
// none.
func (h *histogram) quantile(q float64) time.Duration {
	rank := int64(q * float64(h.total()))
	var below int64
	last := 0
	for b := range h.counts {
		n := h.counts[b].Load()
		if n == 0 {
			continue
		}
		last = b
		if below += n; below > rank {
			break
		}
	}
	return middle(last)
}
