package fixes

// typedef struct tree { int len; } tree;
// static int len(tree *t) { return t->len; }
// static void walk(tree *t) { t->len++; }
import "C"

// Walk needs an import.
func (t *Tree) Walk() {
	C.walk(t.c)
}

// Len returns what C does.
func (t *Tree) Len() int {
	return int(C.len(t.c))
}

// Empty asks.
func (t *Tree) Empty() bool {
	if C.len(t.c) == 0 {
		return true
	}
	return false
}

// WalkNew has a tree of its own.
func WalkNew() {
	t := New()
	C.walk(t.c)
}
