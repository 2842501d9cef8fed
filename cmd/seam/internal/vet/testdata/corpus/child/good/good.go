// Package good has nodes that hold their tree.
package good

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
type Node struct {
	c C.node
	t *Tree
}

// Parse returns a tree.
func Parse(s *C.char) *Tree {
	t := &Tree{C.parse(s)}
	runtime.SetFinalizer(t, func(t *Tree) { C.tree_free(t.c) })
	return t
}

// Root is the root.
func (t *Tree) Root() *Node {
	n := C.root(t.c)
	return &Node{c: n, t: t}
}
