//go:build linux && !android && cgo && gc && (amd64 || arm64) && !asan && !msan

package heap

import (
	"sync/atomic"
	"unsafe"
)

// site is seam_heap_site, whose words C changes meanwhile.
type site struct {
	hash                                             uint64
	first                                            uint32
	depth, c                                         uint16
	kind, module                                     uint32
	live, liveObjects, bytes, objects, short, short1 int64
	peak, peakObjects, samples                       int64
}

func load(p *int64) int64 { return atomic.LoadInt64(p) }

func load32(p unsafe.Pointer) uint32 { return atomic.LoadUint32((*uint32)(p)) }
