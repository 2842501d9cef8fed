package bad

// typedef struct tree tree;
// tree *tree_new(void);
// void tree_free(tree *t);
// int tree_len(tree *t);
// int tree_same(tree *a, tree *b);
import "C"

import (
	"runtime"
	"sync"
)

var mu sync.Mutex

func treeLen(t *C.tree) C.int {
	mu.Lock()
	defer mu.Unlock()
	return C.tree_len(t)
}

func treeSame(a, b *C.tree) bool { return C.tree_same(a, b) != 0 }

func treeFree(t *C.tree) { C.tree_free(t) }

// Covered calls C by way of Go functions that only do that.
type Covered struct{ c *C.tree }

// NewCovered returns one.
func NewCovered() *Covered {
	ptr := C.tree_new()
	t := &Covered{c: ptr}
	runtime.SetFinalizer(t, func(*Covered) { treeFree(ptr) })
	return t
}

// Len may lose t in the call.
func (t *Covered) Len() int {
	return int(treeLen(t.c)) // want warning "its finalizer may free t.c during C.tree_len, which treeLen calls"
}

// Same may lose both.
func (t *Covered) Same(u *Covered) bool {
	return treeSame(t.c, u.c) // want warning "t is not used after this call" // want warning "u is not used after this call"
}

// Kept doesn't.
func (t *Covered) Kept() int {
	n := treeLen(t.c)
	runtime.KeepAlive(t)
	return int(n)
}

// known remembers what it is given, and gives C nothing.
func known(t *C.tree) bool { return seen[t] }

var seen = map[*C.tree]bool{}

// Known asks Go alone.
func (t *Covered) Known() bool { return known(t.c) }

// Free frees by a cover.
func (t *Covered) Free() {
	runtime.SetFinalizer(t, nil)
	treeFree(t.c)
}

// Give hands the tree over: the finalizer is gone.
func (t *Covered) Give(u *Covered) bool {
	runtime.SetFinalizer(t, nil)
	if u == nil {
		runtime.SetFinalizer(u, nil)
	}
	return treeSame(t.c, u.c) // want warning "u is not used after this call"
}
