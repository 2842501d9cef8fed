// Package fixes has a mistake for each change that a rule suggests.
package fixes

// typedef struct tree { int len; } tree;
// static tree shared;
// static tree *tree_new(void) { return &shared; }
// static void tree_free(tree *t) { t->len = 0; }
// static int tree_len(tree *t) { return t->len; }
// static void tree_walk(tree *t) { t->len++; }
// static int measure(const char *s, int *len) { *len = 1; return s[0]; }
import "C"

import "runtime"

// Tree is finalized.
type Tree struct{ c *C.tree }

// New returns a tree.
func New() *Tree {
	t := &Tree{C.tree_new()}
	runtime.SetFinalizer(t, (*Tree).free)
	return t
}

func (t *Tree) free() { C.tree_free(t.c) }

// Measure has a length on the heap.
func Measure() int {
	var n C.int
	C.measure(nil, &n)
	return int(n)
}
