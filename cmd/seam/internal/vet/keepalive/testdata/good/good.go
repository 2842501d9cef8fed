// Package good has near misses.
package good

// typedef struct tree tree;
// typedef struct node { tree *t; int id; } node;
// tree *tree_new(void);
// void tree_free(tree *t);
// int tree_len(tree *t);
// node tree_root(tree *t);
// typedef struct { int row, column; } point;
// point tree_end(tree *t);
// typedef struct leaf leaf;
// leaf *tree_leaf(tree *t, int i);
// leaf *tree_leaf_copy(tree *t, int i);
// leaf *tree_cut(tree *t, int i);
// void leaf_free(leaf *l);
// int leaf_size(leaf *l);
// int tree_make(tree **t);
// const char *tree_check(tree *t);
// void relinquish(void *p);
// leaf *new_leaf(tree *t);
// typedef struct { int *limbs; } number_s;
// typedef number_s number[1];
// void number_init(number n);
// void number_clear(number n);
// int number_sign(number n);
import "C"

import (
	"errors"
	"runtime"
	"sync"
	"unsafe"
)

// Tree is finalized.
type Tree struct {
	c  *C.tree
	mu sync.Mutex
	n  int
}

// New returns a tree.
func New() *Tree {
	t := &Tree{c: C.tree_new()}
	runtime.SetFinalizer(t, func(t *Tree) { t.Close() })
	return t
}

// Close frees it.
func (t *Tree) Close() {
	C.tree_free(t.c)
	runtime.SetFinalizer(t, nil)
}

// Len is kept alive.
func (t *Tree) Len() int {
	n := int(C.tree_len(t.c))
	runtime.KeepAlive(t)
	return n
}

// Deferred is kept alive.
func (t *Tree) Deferred() int {
	defer runtime.KeepAlive(t)
	return int(C.tree_len(t.c))
}

// Locked uses its mutex after the call.
func (t *Tree) Locked() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return int(C.tree_len(t.c))
}

// Count stores what it gets.
func (t *Tree) Count() {
	t.n = int(C.tree_len(t.c))
}

// Node refers to its tree.
type Node struct {
	c    C.node
	tree *Tree
}

// Root is the root.
func (t *Tree) Root() *Node {
	return &Node{c: C.tree_root(t.c), tree: t}
}

// Point is numbers.
type Point struct{ c C.point }

// End returns numbers: nothing points into the tree.
func (t *Tree) End() Point {
	p := Point{C.tree_end(t.c)}
	runtime.KeepAlive(t)
	return p
}

// Plain has no finalizer.
type Plain struct{ c *C.tree }

// Len needs nothing.
func (p *Plain) Len() int { return int(C.tree_len(p.c)) }

// First uses the value on one way of two: the compiler keeps it until it is known which.
func (t *Tree) First() int {
	n := int(C.tree_len(t.c))
	if n == 0 {
		return -1
	}
	runtime.KeepAlive(t)
	return n
}

// Held returns a value that refers to the tree, which was made before the call.
func (t *Tree) Held() *Node {
	n := &Node{tree: t}
	n.c = C.tree_root(t.c)
	return n
}

// Copied is kept alive.
func (t *Tree) Copied() int {
	c := t.c
	n := int(C.tree_len(c))
	runtime.KeepAlive(t)
	return n
}

func (t *Tree) ptr() *C.tree { return t.c }

// Gotten is kept alive.
func (t *Tree) Gotten() int {
	defer runtime.KeepAlive(t)
	return int(C.tree_len(t.ptr()))
}

// Detach takes the object out, so nothing frees it.
func (t *Tree) Detach() int {
	c := t.c
	t.c = nil
	return int(C.tree_len(c))
}

func (t *Tree) fresh() *C.tree {
	t.n++
	return C.tree_new()
}

// Fresh gives C an object of its own.
func (t *Tree) Fresh() int { return int(C.tree_len(t.fresh())) }

var all []*Tree

// Kept is held by the package, or until the end.
func Kept() int {
	t := New()
	all = append(all, t)
	u := New()
	defer u.Close()
	return int(C.tree_len(t.c) + C.tree_len(u.c))
}

// Largest keeps the tree for as long as it uses what is in it.
func (t *Tree) Largest() int {
	l := C.tree_leaf(t.c, 0)
	n := int(C.leaf_size(l))
	runtime.KeepAlive(t)
	return n
}

// Copies are objects of their own.
func (t *Tree) Copies() int {
	l := C.tree_leaf_copy(t.c, 0)
	k := C.tree_cut(t.c, 1)
	defer C.leaf_free(k)
	runtime.KeepAlive(t)
	return int(C.leaf_size(l) + C.leaf_size(k))
}

// Made gives C the place of the pointer, which is in the Go value.
func (t *Tree) Made() int { return int(C.tree_make(&t.c)) }

// Returned is what is returned beside what C says.
func Returned() (*Tree, C.int) {
	t := New()
	return t, C.tree_len(t.c)
}

func relinquish(p unsafe.Pointer) { C.relinquish(p) }

// Cut is freed by a function of Go.
func (t *Tree) Cut() int {
	l := C.tree_cut(t.c, 1)
	runtime.KeepAlive(t)
	defer relinquish(unsafe.Pointer(l))
	return int(C.leaf_size(l))
}

// Leaf is an object of its own, as the name of what makes it says.
type Leaf struct{ c *C.leaf }

// NewLeaf returns one.
func (t *Tree) NewLeaf() *Leaf {
	l := &Leaf{C.new_leaf(t.c)}
	runtime.KeepAlive(t)
	return l
}

// Forest holds trees.
type Forest struct {
	sync.Mutex
	trees map[int]*Planted
}

// Planted is finalized.
type Planted struct {
	c      *C.tree
	forest *Forest
	mu     *sync.Mutex
}

// NewPlanted returns one.
func NewPlanted(f *Forest) *Planted {
	p := &Planted{C.tree_new(), f, &f.Mutex}
	runtime.SetFinalizer(p, func(p *Planted) { C.tree_free(p.c) })
	return p
}

// Len is deferred to a forest that may hold p.
func (p *Planted) Len() int {
	p.forest.Lock()
	defer p.forest.Unlock()
	return int(C.tree_len(p.c))
}

// Later reads p when it ends.
func (p *Planted) Later() int {
	defer func() { p.mu.Unlock() }()
	return int(C.tree_len(p.c))
}

// Number has C's number in it, as those of GMP are: what goes to C leads into the Go value.
type Number struct {
	i      C.number
	scaled struct{ by C.number }
}

// NewNumber returns one.
func NewNumber() *Number {
	n := new(Number)
	C.number_init(&n.i[0])
	C.number_init(&n.scaled.by[0])
	runtime.SetFinalizer(n, func(n *Number) { C.number_clear(&n.i[0]); C.number_clear(&n.scaled.by[0]) })
	return n
}

// Sign is kept alive by its argument.
func (n *Number) Sign() int { return int(C.number_sign(&n.i[0])) }

// Scale is too.
func (n *Number) Scale() int { return int(C.number_sign(&n.scaled.by[0])) }

// Check gets a text only if something is wrong: such texts are constants.
func (t *Tree) Check() error {
	msg := C.tree_check(t.c)
	runtime.KeepAlive(t)
	if msg != nil {
		text := C.GoString(msg)
		return errors.New(text)
	}
	return nil
}
