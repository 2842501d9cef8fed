package mem

import "sync/atomic"

// PoolStats are the figures of a [Pool], with JSON tags for expvar and the like. While
// the pool is in use they are not of one single moment.
type PoolStats struct {
	Buffers int `json:"buffers"`   // in all
	InUse   int `json:"in_use"`    // that Go has, those in a Cache included; all of them after Close
	HeldByC int `json:"held_by_c"` // that only C holds
	Waiting int `json:"waiting"`   // calls of GetWait that wait for one
}

// Stats returns the pool's figures. It looks at every buffer.
func (p *Pool) Stats() PoolStats {
	s := PoolStats{Buffers: len(p.table), Waiting: int(p.waiting.Load())}
	for i := range p.table {
		switch state := uint32(atomic.LoadUint64(&p.table[i].state)); {
		case state&goHas != 0:
			s.InUse++
		case state != 0:
			s.HeldByC++
		}
	}
	return s
}
