package buffers

import (
	"runtime"
	"sync"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// A use does a job n times, each time with two new buffers.
type use func(n int)

// Where buffers come from.
const (
	fromNone     = "none" // no buffers and no work: what a goroutine alone costs
	fromStack    = "stack"
	fromPool     = "pool"
	fromMake     = "make"
	fromReuse    = "reuse"
	fromFreelist = "freelist"
)

// froms are those that every situation is measured with, the base first.
var froms = []string{fromStack, fromPool, fromMake, fromReuse, fromFreelist}

// sourceLabels name them in tables.
var sourceLabels = map[string]string{
	fromNone:     "no buffers, no work",
	fromStack:    "stack array",
	fromPool:     "sync.Pool",
	fromMake:     "make",
	fromReuse:    "reused slice",
	fromFreelist: "channel free list",
}

// open returns a use for each job. Those of one call share what goroutines
// share: a pool, a free list.
func open(from string, jobs []*job) ([]use, error) {
	size, io := jobs[0].size, jobs[0].io
	var shared func(*job) use
	switch from {
	case fromNone:
		shared = func(*job) use { return func(int) {} }
	case fromStack:
		a := arraysBySize[size][io]
		shared = func(j *job) use {
			return func(n int) {
				for range n {
					a.each(j)
				}
			}
		}
	case clearedOnceOf:
		a := arraysBySize[size][io]
		shared = func(j *job) use { return func(n int) { a.once(j, n) } }
	case fromMake, uncollectedOf:
		shared = makes
	case fromReuse:
		shared = func(j *job) use {
			a, b := make([]byte, size), make([]byte, size)
			return func(n int) {
				for range n {
					j.do(a, b)
				}
			}
		}
	case fromPool:
		shared = pooled(size)
	case fromFreelist:
		shared = listed(size, 2*len(jobs))
	}
	uses := make([]use, len(jobs))
	for i, j := range jobs {
		uses[i] = shared(j)
	}
	if from == fromStack || from == clearedOnceOf {
		return uses, onlyOnStack(uses[0], size)
	}
	return uses, nil
}

func makes(j *job) use {
	size := j.size
	return func(n int) {
		for range n {
			// The size is not a constant, so these are on the heap.
			j.do(make([]byte, size), make([]byte, size))
		}
	}
}

// pooled takes buffers from a sync.Pool and puts them back. A pool holds
// pointers, since a slice put into an interface would be allocated.
func pooled(size int) func(*job) use {
	p := &sync.Pool{New: func() any {
		b := make([]byte, size)
		return &b
	}}
	return func(j *job) use {
		return func(n int) {
			for range n {
				a, b := p.Get().(*[]byte), p.Get().(*[]byte)
				j.do(*a, *b)
				p.Put(a)
				p.Put(b)
			}
		}
	}
}

// listed takes buffers from a channel that holds as many as are in use at once.
func listed(size, most int) func(*job) use {
	list := make(chan []byte, most)
	get := func() []byte {
		select {
		case b := <-list:
			return b
		default:
			return make([]byte, size)
		}
	}
	put := func(b []byte) {
		select {
		case list <- b:
		default:
		}
	}
	return func(j *job) use {
		return func(n int) {
			for range n {
				a, b := get(), get()
				j.do(a, b)
				put(a)
				put(b)
			}
		}
	}
}

// onlyOnStack refuses arrays that this Go, on this system, puts on the heap:
// the compiler moves what is too large or may outlive its function.
func onlyOnStack(u use, size int) error {
	if perUse(u) >= float64(size) {
		return lab.Skip("an array of %d KB moves to the heap with %s on %s/%s", size>>10, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	}
	return nil
}

// perUse is how many bytes of heap one use takes. Whatever else runs allocates
// too little to matter, and the least of several looks avoids most of that.
func perUse(u use) float64 {
	const n = 8
	u(1)
	least := ^uint64(0)
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		u(n)
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return float64(least) / n
}
