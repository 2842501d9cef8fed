//go:build cgo && linux

package coro

import "container/heap"

// A timerHeap has the calls of a worker that wait until some time, the earliest first.
type timerHeap []*call

func (h *timerHeap) push(k *call)   { heap.Push((*timerOrder)(h), k) }
func (h *timerHeap) remove(k *call) { heap.Remove((*timerOrder)(h), k.exec.heap) }

// timerOrder implements heap.Interface for a timerHeap.
type timerOrder []*call

func (h timerOrder) Len() int           { return len(h) }
func (h timerOrder) Less(i, j int) bool { return h[i].exec.due < h[j].exec.due }
func (h timerOrder) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].exec.heap, h[j].exec.heap = i, j
}
func (h *timerOrder) Push(x any) {
	k := x.(*call)
	k.exec.heap = len(*h)
	*h = append(*h, k)
}
func (h *timerOrder) Pop() any {
	last := len(*h) - 1
	k := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return k
}
