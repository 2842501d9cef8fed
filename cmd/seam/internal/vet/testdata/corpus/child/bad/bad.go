// Package bad has nodes that don't hold their tree.
package bad

// typedef struct tree tree;
// typedef struct { const void *id; tree *t; } node;
// tree *parse(const char *s);
// void tree_free(tree *t);
// node root(tree *t);
import "C"

import "runtime"

// Tree is a tree.
type Tree struct{ c *C.tree }

// Node is one of its nodes.
type Node struct{ c C.node }

// Parse returns a tree.
func Parse(s *C.char) *Tree {
	t := &Tree{C.parse(s)}
	runtime.SetFinalizer(t, func(t *Tree) { C.tree_free(t.c) })
	return t
}

// Root is the root.
func (t *Tree) Root() *Node {
	n := C.root(t.c)   // want warning "t is not used after this call"
	return &Node{c: n} // want warning "Node points into what the finalizer of Tree frees"
}
