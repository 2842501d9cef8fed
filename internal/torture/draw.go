//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package torture

import (
	"math/rand/v2"

	"github.com/seamgo/seam/internal/torture/cside"
)

// An artist draws trees. The same seed gives the same trees.
type artist struct {
	*rand.Rand
	ids int
	// room is how many operations the tree may still get.
	room int
}

// limits are what the place of an operation in the tree allows.
type limits struct {
	depth  int
	bomb   trouble // one that must be below
	bubble bool    // in a bubble of synctest: nothing from outside of it
	// In a cgo callback: no iter.Pull. Go's execution tracer takes a goroutine that waits
	// for the other side of one there for one without C on its stack, and crashes.
	callback bool
}

func (l limits) below() limits { l.depth--; return l }

// safe is the same without the bomb, for where its trouble could not come out.
func (l limits) safe() limits { l.bomb = noTrouble; return l.below() }

func newArtist(seed, worker uint64) *artist {
	return &artist{Rand: rand.New(rand.NewPCG(seed, worker))}
}

// tree draws a program of at most some dozens of operations.
func (a *artist) tree() *op {
	a.room = 10 + a.IntN(40)
	return a.op(limits{depth: 3 + a.IntN(4)})
}

func (a *artist) op(l limits) *op {
	a.ids++
	a.room--
	o := &op{id: a.ids, value: a.Uint64()}
	if l.depth <= 0 || a.room <= 0 {
		if l.bomb != noTrouble {
			o.kind, o.trouble = bomb, l.bomb
			return o
		}
		a.leaf(o, l)
		return o
	}
	switch k := a.IntN(32); {
	case k < 4:
		o.kind = seq
	case k < 6 && l.bomb == noTrouble:
		o.kind = par
	case k < 7:
		o.kind, o.n = deep, int64(a.IntN(200))
	case k < 10:
		o.kind = catch
		o.trouble = panics + trouble(a.IntN(int(cancels)))
		o.n = int64(a.ExpFloat64() * 300e3) // ns until a cancellation
		if l.bomb != noTrouble {
			// What is below must still come out here.
			o.kind, o.trouble, o.n = seq, noTrouble, 0
			break
		}
		inner := l.below()
		inner.bomb = o.trouble
		if o.trouble == cancels {
			inner.bomb = noTrouble
		}
		o.kids = []*op{a.op(inner)}
		return o
	case k < 13:
		o.kind = generate
	case k < 14 && !l.callback:
		o.kind = pull
	case k < 15 && l.bomb == noTrouble:
		o.kind = stepwise
	case k < 16 && !l.bubble && l.bomb == noTrouble:
		o.kind = bubble
		inner := limits{depth: l.depth - 1, bubble: true}
		o.kids = []*op{a.op(inner)}
		return o
	case k < 17 && !l.bubble && l.bomb == noTrouble && a.IntN(4) == 0:
		// One coroutine's tree, that of each of them.
		o.kind, o.n = crowd, 2+int64(a.ExpFloat64()*60)
		c := &op{id: a.ids + 1, kind: call, value: a.Uint64()}
		a.ids++
		inner := l.safe()
		inner.depth = min(inner.depth, 1)
		a.coroutine(c, inner)
		o.kids = []*op{c}
		return o
	case k < 19 && l.bomb == noTrouble:
		a.leaf(o, l)
		return o
	default:
		o.kind = call
	}
	switch o.kind {
	case seq, par, deep:
		n := 1 + a.IntN(3)
		if o.kind == deep {
			n = 1
		}
		for i := range n {
			inner := l.below()
			if i < n-1 {
				inner = l.safe() // the bomb is last: what comes before is done
			}
			o.kids = append(o.kids, a.op(inner))
		}
	default:
		a.coroutine(o, l)
	}
	return o
}

// leaf makes o an operation without others below it.
func (a *artist) leaf(o *op, l limits) {
	kinds := []kind{leafCall, leafCall, fill, arena, buffer, view, pooled, pooled, collect, finalize, spawn}
	if l.bubble {
		kinds = kinds[:8]
	}
	o.kind = kinds[a.IntN(len(kinds))]
	if o.kind == spawn && a.IntN(4) != 0 || o.kind == collect && a.IntN(4) != 0 {
		o.kind = leafCall
	}
	o.n = 1 + int64(a.ExpFloat64()*500)
	if a.IntN(20) == 0 {
		o.n *= 64
	}
	if o.kind == buffer {
		o.n = min(o.n, 256<<10)
	}
	if o.kind == pooled {
		o.n = a.Int64N(300_000)
	}
}

func (a *artist) coroutine(o *op, l limits) {
	o.way = a.IntN(len(wayNames))
	if l.bubble {
		o.way = a.IntN(bubbleWays)
	}
	o.stack = []int{32 << 10, 64 << 10, 64 << 10, 64 << 10, 256 << 10, 1 << 20}[a.IntN(6)]
	// Half of the stack at most is for canaries: the rest is for libc's frames.
	o.depth = int64(a.IntN(o.stack / 4 / 512))
	o.frame = 16 + a.Int64N(int64(o.stack/4))
	n := 1 + a.IntN(5)
	if o.kind == generate || o.kind == pull {
		n += a.IntN(6)
	}
	at := -1
	if l.bomb != noTrouble {
		at = a.IntN(n)
	}
	for i := range n {
		if i == at {
			o.steps = append(o.steps, step{code: cside.Upcall, kid: a.op(l.below())})
			break // nothing comes after it
		}
		o.steps = append(o.steps, a.step(o, l))
	}
	// A loop may be left before its end.
	for _, s := range o.steps {
		if s.code == cside.Yield {
			o.n++
		}
	}
	if (o.kind == generate || o.kind == pull) && l.bomb == noTrouble && o.n > 0 && a.IntN(3) == 0 {
		o.n = 1 + a.Int64N(o.n)
	} else if o.kind == generate || o.kind == pull {
		o.n = 1 << 20
	}
	if o.kind == stepwise {
		o.n = 1 << 20
		if a.IntN(4) == 0 {
			o.n = a.Int64N(4) // requests until it is closed
		}
	}
}

func (a *artist) step(o *op, l limits) step {
	s := step{value: a.Uint64()}
	if (o.kind == generate || o.kind == pull) && a.IntN(2) == 0 {
		s.code = cside.Yield
		return s
	}
	codes := []int{cside.Value, cside.Upcall, cside.Upcall, cside.Upcall, cside.Upcall, cside.Sleep, cside.Offload, cside.Round, cside.Sleep,
		cside.Lock, cside.Nanosleep, cside.Read, cside.Recv, cside.Write, cside.Poll, cside.Lost, cside.Callback, cside.Spawn}
	if l.bubble {
		codes = codes[:9]
	}
	s.code = codes[a.IntN(len(codes))]
	if s.code == cside.Spawn && a.IntN(4) != 0 {
		s.code = cside.Value
	}
	switch s.code {
	case cside.Upcall:
		s.kid = a.op(l.safe())
	case cside.Callback:
		inner := l.safe()
		inner.depth = min(inner.depth, 2)
		inner.callback = true
		s.kid = a.op(inner)
	case cside.Sleep, cside.Nanosleep, cside.Lock:
		s.n = int64(a.ExpFloat64() * 100e3)
		if a.IntN(4) == 0 {
			s.n = 0
		}
	case cside.Poll, cside.Lost:
		s.n = 1e6 + a.Int64N(5e6)
	case cside.Read, cside.Recv, cside.Write:
		s.n = 1 + int64(a.ExpFloat64()*200)
		if a.IntN(10) == 0 {
			s.n = 300_000 // more than a socket holds
		}
	}
	return s
}
