//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package torture

import (
	"fmt"
	"strings"

	"github.com/seamgo/seam/internal/torture/cside"
)

// A kind says what an operation does.
type kind int

const (
	// Leaves of the tree: each returns its value once what it has checked is right.
	leafCall kind = iota // package leaf, with bytes on the goroutine's stack or the heap
	pooled               // package offload, perhaps with a context that ends
	fill                 // mem.Fill
	arena                // mem.Arena
	buffer               // mem.Pool, with C holding the buffer
	view                 // mem.View of C memory, released afterwards
	collect              // a garbage collection
	spawn                // a program that is started by package os/exec
	finalize             // garbage with a cleanup that calls C
	bubble               // a bubble of testing/synctest with its own small tree
	crowd                // many coroutines that do the same at once
	bomb                 // what the nearest operation catch catches

	// Operations with others below them.
	seq       // one after another
	par       // all at once
	deep      // at the end of a deep goroutine stack
	call      // a coroutine
	generate  // a Generator
	pull      // a Generator through iter.Pull
	stepwise  // a Coroutine
	catch     // lets something go wrong below
	kindCount = iota
)

var kindNames = [kindCount]string{"leaf", "offload", "fill", "arena", "buffer", "view", "gc", "exec", "finalize", "bubble", "crowd", "bomb",
	"seq", "par", "deep", "call", "generate", "pull", "stepwise", "catch"}

// A trouble is how a bomb goes off.
type trouble int

const (
	noTrouble trouble = iota
	panics
	exits   // runtime.Goexit
	fails   // with an error
	cancels // the context ends, some time; there is no bomb
)

var troubleNames = []string{"", "panic", "goexit", "fail", "cancel"}

// An op is an operation: a node of the tree that is a program.
type op struct {
	id      int
	kind    kind
	value   uint64
	n       int64 // bytes, ns or how many, by kind
	trouble trouble
	kids    []*op

	// Coroutines only.
	way          int // an index of ways
	stack        int // its size
	depth, frame int64
	steps        []step
}

// A step is what a coroutine's C does next.
type step struct {
	code  int
	n     int64
	value uint64
	kid   *op
}

// mix folds a value into a hash, as C does.
func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9E3779B97F4A7C15
	return h ^ h>>29
}

// want is what an operation returns when nothing disturbs it.
func (o *op) want() uint64 {
	switch o.kind {
	case seq, par, deep:
		h := o.value
		for _, k := range o.kids {
			h = mix(h, k.want())
		}
		return h
	case call, stepwise:
		return o.hash()
	case generate, pull:
		h := o.value
		yielded := int64(0)
		for _, s := range o.steps {
			if s.code == cside.Yield && yielded < o.n {
				h = mix(h, s.value)
				yielded++
			}
		}
		return h
	}
	return o.value
}

// hash is what the C of a coroutine computes.
func (o *op) hash() uint64 {
	h := o.value
	for _, s := range o.steps {
		if s.kid != nil {
			h = mix(h, s.kid.want())
		} else {
			h = mix(h, s.value)
		}
	}
	return h
}

var stepNames = [...]string{"value", "upcall", "sleep", "nanosleep", "read", "recv", "write", "poll", "lost", "offload", "callback", "spawn", "lock", "round", "yield"}

// String draws the tree.
func (o *op) String() string {
	var b strings.Builder
	o.draw(&b, 1)
	return b.String()
}

func (o *op) draw(b *strings.Builder, depth int) {
	fmt.Fprintf(b, "%*s%d %s", 2*depth, "", o.id, kindNames[o.kind])
	if o.n != 0 {
		fmt.Fprintf(b, " n=%d", o.n)
	}
	if o.trouble != noTrouble {
		fmt.Fprintf(b, " %s", troubleNames[o.trouble])
	}
	if o.steps != nil {
		fmt.Fprintf(b, " %s, stack %d, %d deep, frame %d", wayNames[o.way], o.stack, o.depth, o.frame)
	}
	b.WriteByte('\n')
	for _, s := range o.steps {
		fmt.Fprintf(b, "%*s. %s %d\n", 2*depth+2, "", stepNames[s.code], s.n)
		if s.kid != nil {
			s.kid.draw(b, depth+2)
		}
	}
	for _, k := range o.kids {
		k.draw(b, depth+1)
	}
}
