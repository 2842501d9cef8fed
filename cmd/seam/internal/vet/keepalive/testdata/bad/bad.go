// Package bad lets finalizers run too early.
package bad

// typedef struct tree tree;
// typedef struct node { tree *t; int id; } node;
// tree *tree_new(void);
// void tree_free(tree *t);
// int tree_len(tree *t);
// node tree_root(tree *t);
// void tree_walk(tree *t);
// typedef struct leaf leaf;
// leaf *tree_leaf(tree *t, int i);
// int leaf_size(leaf *l);
// const char *tree_name(tree *t);
// typedef struct session session;
// session *session_start(void);
// void session_end(session *s, int status);
// const char *session_error(session *s, int status);
import "C"

import (
	"runtime"
	"sync"
)

// Tree is finalized.
type Tree struct{ c *C.tree }

// New returns a tree.
func New() *Tree {
	t := &Tree{C.tree_new()}
	runtime.SetFinalizer(t, (*Tree).free)
	return t
}

func (t *Tree) free() { C.tree_free(t.c) }

// Len is the number of nodes.
func (t *Tree) Len() int {
	return int(C.tree_len(t.c)) // want warning "t is not used after this call, so its finalizer may free t.c during C.tree_len"
}

// Walk walks.
func (t *Tree) Walk() {
	C.tree_walk(t.c) // want warning "C.tree_walk"
}

// Node points into a tree.
type Node struct{ c C.node }

// Root is the root.
func (t *Tree) Root() *Node {
	n := &Node{c: C.tree_root(t.c)} // want warning "Node points into what the finalizer of Tree frees" // want warning "C.tree_root"
	return n
}

// Equal is a function.
func Equal(a, b *Tree) bool {
	return C.tree_len(a.c) == C.tree_len(b.c) // want warning "a is not used after this call" // want warning "b is not used"
}

// Cleaned has a cleanup.
type Cleaned struct{ c *C.tree }

// NewCleaned returns one.
func NewCleaned() *Cleaned {
	x := &Cleaned{C.tree_new()}
	runtime.AddCleanup(x, func(c *C.tree) { C.tree_free(c) }, x.c)
	return x
}

// Len is the number of nodes.
func (x *Cleaned) Len() int {
	return int(C.tree_len(x.c)) // want warning "x is not used after this call"
}

func length(t *Tree) int {
	return int(C.tree_len(t.c)) // want note "t is not used after this call"
}

// Freed is finalized by way of an interface.
type Freed struct{ c *C.tree }

// Free frees.
func (f *Freed) Free() { C.tree_free(f.c) }

type freer interface{ Free() }

func free(f freer) { f.Free() }

// NewFreed returns one.
func NewFreed() *Freed {
	f := &Freed{C.tree_new()}
	runtime.SetFinalizer(f, free)
	return f
}

// Len is the number of nodes.
func (f *Freed) Len() int {
	return int(C.tree_len(f.c)) // want warning "f is not used after this call"
}

// Copied gives C a copy of the field.
func (t *Tree) Copied() int {
	c := t.c
	return int(C.tree_len(c)) // want warning "t is not used after this call, so its finalizer may free t.c during C.tree_len"
}

func (t *Tree) ptr() *C.tree { return t.c }

// Gotten gives C what a method returns.
func (t *Tree) Gotten() int {
	return int(C.tree_len(t.ptr())) // want warning "may free what t.ptr() returns during C.tree_len"
}

// Early has a cleanup that is given the pointer before it is stored.
type Early struct{ c *C.tree }

// NewEarly returns one.
func NewEarly() *Early {
	c := C.tree_new()
	t := &Early{c: c}
	runtime.AddCleanup(t, func(c *C.tree) { C.tree_free(c) }, c)
	return t
}

// Len may be too late.
func (t *Early) Len() int {
	return int(C.tree_len(t.c)) // want warning "may free t.c during C.tree_len"
}

// Hidden has a finalizer that frees by way of a method.
type Hidden struct{ c *C.tree }

func (h *Hidden) ptr() *C.tree { return h.c }

// NewHidden returns one.
func NewHidden() *Hidden {
	h := &Hidden{c: C.tree_new()}
	runtime.SetFinalizer(h, func(h *Hidden) { C.tree_free(h.ptr()) })
	return h
}

// Len may be too late.
func (h *Hidden) Len() int {
	return int(C.tree_len(h.c)) // want warning "may free h.c during C.tree_len"
}

// Captured has a finalizer that captures the pointer.
type Captured struct{ c *C.tree }

// NewCaptured returns one.
func NewCaptured() *Captured {
	c := C.tree_new()
	t := &Captured{c: c}
	runtime.SetFinalizer(t, func(*Captured) { C.tree_free(c) })
	return t
}

// Len may be too late.
func (t *Captured) Len() int {
	return int(C.tree_len(t.c)) // want warning "may free t.c during C.tree_len"
}

// A tree of the function's own is nobody else's.
func walkNew() int {
	t := New()
	C.tree_walk(t.c)
	return int(C.tree_len(t.c)) // want warning "t is not used after this call, so its finalizer may free t.c during C.tree_len"
}

// First keeps the tree for the first call, and uses what that returned when it may be gone.
func (t *Tree) First() int {
	l := C.tree_leaf(t.c, 0)
	runtime.KeepAlive(t)
	return int(C.leaf_size(l)) // want warning "l may lie in what the finalizer of t frees, and t is not used after this use of it"
}

// Name does so with a string.
func (t *Tree) Name() string {
	defer func() {}()
	name := C.tree_name(t.c)
	runtime.KeepAlive(t)
	return C.GoString(name) // want warning "name may lie in what the finalizer of t frees"
}

// Context is shared by many trees, and knows none of them.
type Context struct{ sync.Mutex }

// Shared is finalized.
type Shared struct {
	c   *C.tree
	ctx *Context
}

// NewShared returns one.
func NewShared(ctx *Context) *Shared {
	s := &Shared{C.tree_new(), ctx}
	runtime.SetFinalizer(s, func(s *Shared) { C.tree_free(s.c) })
	return s
}

// Len locks what s refers to: the deferred call keeps that alone.
func (s *Shared) Len() int {
	s.ctx.Lock()
	defer s.ctx.Unlock()
	return int(C.tree_len(s.c)) // want warning "s is not used after this call"
}

// Session is ended with its last status.
type Session struct {
	c      *C.session
	status C.int
}

// NewSession returns one.
func NewSession() *Session {
	s := &Session{c: C.session_start()}
	runtime.SetFinalizer(s, func(s *Session) { C.session_end(s.c, s.status) })
	return s
}

// Error gives C both; what is freed is the pointer.
func (s *Session) Error() *C.char {
	return C.session_error(s.c, s.status) // want warning "its finalizer may free s.c during C.session_error"
}
