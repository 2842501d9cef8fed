// Package good has near misses: nothing here leaks.
package good

// #include <limits.h>
// #include <stdlib.h>
// #include <string.h>
// typedef struct thing thing;
// typedef struct { char *name; } named;
// typedef void (*destructor)(void *);
// static char *table[10];
// static void set(char **a, char *s, int i) { a[i] = s; }
// static void keep(char *s) { table[0] = s; }
// static int length(char *s) { return (int)strlen(s); }
// static void discard(char *s) { if (s) free(s); }
// static void bind(thing *t, char *s, destructor d) { d(s); }
// static named *make(char *s) { named *n = malloc(sizeof *n); n->name = s; return n; }
// static void named_free(named *n) { free(n->name); free(n); }
// static const char *borrowed(thing *t) { return "static"; }
// void unseen(thing *t, void *p, destructor d);
// thing *thing_get(int n, char **err);
// void thing_free(thing *t);
// static void grow(void **p) { *p = realloc(*p, 100); }
// static void look(void **p) { **(char **)p = 0; }
// typedef struct stream { void (*done)(struct stream *); void *own; } stream;
// void unseen_release(stream *s);
// void unseen_bind(thing *t, const char *s, int n, destructor d);
// static void bound(thing *t, const char *s) { unseen_bind(t, s, -1, free); }
// typedef struct number number;
// number *number_new(void);
// number *number_parse(const char *s, number *n);
// void number_free(number *n);
// int number_get(number *n);
// void run(int argc, char **argv);
// static void discardAll(int n, char **list) { int i; for (i = 0; i < n; i++) free(list[i]); }
// void label_new_take_string(char *s);
// int label_set0_text(void *label, char *s);
// thing *list_add(thing *list, void *item);
// void each_of(thing *list);
// static int look_at(named *n) { return (int)strlen(n->name); }
// static named *last;
// static void remember(named *n) { last = n; }
// void named_clear(named *n);
// static void keepAll(char **list) { for (int i = 0; list[i]; i++) table[i] = list[i]; }
// const char *user_name(void);
// char *user_home(void);
// static char *plain_text(const char *s) { return (char *)s; }
import "C"

import (
	"errors"
	"runtime"
	"unsafe"

	"github.com/seamgo/seam/cmd/seam/internal/vet/memoryleak/testdata/wrap"
)

func deferred(s string) int {
	cs := C.CString(s)
	defer C.free(unsafe.Pointer(cs))
	return int(C.length(cs))
}

func deferredLiteral(s string) (n int) {
	cs := C.CString(s)
	defer func() {
		if cs != nil {
			C.free(unsafe.Pointer(cs))
		}
	}()
	return int(C.length(cs))
}

func conditional(s string) int {
	var cs *C.char
	if s != "" {
		cs = C.CString(s)
	}
	n := C.length(cs)
	if cs != nil {
		C.free(unsafe.Pointer(cs))
	}
	return int(n)
}

func byFlag(s string, owned bool) int {
	cs := C.CString(s)
	if owned {
		C.free(unsafe.Pointer(cs))
	}
	return 0
}

func failed(n int) (unsafe.Pointer, error) {
	p := C.malloc(C.size_t(n))
	if p == nil {
		return nil, errors.New("no memory")
	}
	return p, nil
}

func useFailed() error {
	p, err := failed(3)
	if err != nil {
		return err
	}
	C.free(p)
	return nil
}

func returned(s string) *C.char { return C.CString(s) }

func viaVariable(s string) unsafe.Pointer {
	cs := C.CString(s)
	p := unsafe.Pointer(cs)
	return p
}

func inBody(s string) {
	C.discard(C.CString(s))
	cs := C.CString(s)
	C.keep(cs)
}

func array(list []string) **C.char {
	a := (**C.char)(C.calloc(C.size_t(len(list)), 8))
	for i, s := range list {
		C.set(a, C.CString(s), C.int(i))
	}
	return a
}

func destructor(t *C.thing, s string) {
	C.unseen(t, unsafe.Pointer(C.CString(s)), C.destructor(C.free))
}

func madeWith(s string) {
	n := C.make(C.CString(s))
	defer C.named_free(n)
}

func releaser(s string) {
	cs := C.CString(s)
	defer release(cs)
	C.length(cs)
}

func release(cs *C.char) { C.free(unsafe.Pointer(cs)) }

func many(list []string) {
	var all []*C.char
	for _, s := range list {
		all = append(all, C.CString(s))
	}
	for _, cs := range all {
		C.free(unsafe.Pointer(cs))
	}
}

type holder struct{ name *C.char }

func newHolder(s string) *holder {
	h := &holder{name: C.CString(s)}
	runtime.SetFinalizer(h, (*holder).free)
	return h
}

func (h *holder) free() {
	C.free(unsafe.Pointer(h.name))
	h.name = nil
}

func rounds(list []string) {
	for _, s := range list {
		cs := C.CString(s)
		C.length(cs)
		C.free(unsafe.Pointer(cs))
	}
}

func either(s string, quick bool) int {
	cs := C.CString(s)
	if quick {
		C.free(unsafe.Pointer(cs))
		return 0
	}
	n := C.length(cs)
	C.free(unsafe.Pointer(cs))
	return int(n)
}

func again(s string) {
	cs := C.CString(s)
	C.free(unsafe.Pointer(cs))
	cs = C.CString(s)
	C.free(unsafe.Pointer(cs))
}

func panics(s string) {
	cs := C.CString(s)
	if C.length(cs) == 0 {
		panic("empty")
	}
	C.free(unsafe.Pointer(cs))
}

func borrowed(t *C.thing) string {
	return C.GoString(C.borrowed(t))
}

func cleanups(list []string) {
	var undo []func()
	for _, s := range list {
		cs := C.CString(s)
		undo = append(undo, func() { C.free(unsafe.Pointer(cs)) })
	}
	for _, f := range undo {
		f()
	}
}

func eachRound(list []string) {
	for _, s := range list {
		cs := C.CString(s)
		defer C.free(unsafe.Pointer(cs))
		C.length(cs)
	}
}

func reset(s string) {
	cs := C.CString(s)
	defer func() { C.free(unsafe.Pointer(cs)) }()
	cs = (*C.char)(C.realloc(unsafe.Pointer(cs), 100))
	C.length(cs)
}

var byHandle = map[unsafe.Pointer]any{}

func newHandle(v any) unsafe.Pointer {
	p := C.malloc(1)
	byHandle[p] = v
	return p
}

func register(t *C.thing, p unsafe.Pointer) { C.unseen(t, p, nil) }

func look(p unsafe.Pointer) int { return int(C.length((*C.char)(p))) }

func lookAtHandle(v any) int { return look(newHandle(v)) }

func useHandle(t *C.thing, v any) { register(t, newHandle(v)) }

func inMap() {
	p := C.malloc(1)
	byHandle[p] = 1
}

func orEmpty(n int) []byte {
	p := C.malloc(C.size_t(n))
	if p == nil || n == 0 {
		return nil
	}
	defer C.free(p)
	return C.GoBytes(p, C.int(n))
}

func toError(msg *C.char) error {
	if msg == nil {
		return nil
	}
	return errors.New(C.GoString(msg))
}

type owned struct{ t *C.thing }

func get(n int) (o *owned, err error) {
	var msg *C.char
	t := C.thing_get(C.int(n), &msg)
	if err = toError(msg); err == nil {
		o = &owned{t}
	}
	return o, err
}

func (o *owned) Close() {
	t := C.thing_get(0, nil)
	C.thing_free(t)
	C.thing_free(o.t)
}

// A literal that was deferred before frees what the variable holds at the end.
func grown(n int) {
	buf := C.malloc(8)
	defer func() { C.free(buf) }()
	for i := 1; i < n; i++ {
		C.free(buf)
		buf = C.malloc(C.size_t(8 * i))
	}
}

// realpath writes to what it is given.
func real(s *C.char) string {
	var room [C.PATH_MAX]C.char
	if C.realpath(s, &room[0]) == nil {
		return ""
	}
	return C.GoString(&room[0])
}

func regrown() {
	buf := C.malloc(10)
	defer func() { C.free(buf) }()
	C.grow(&buf)
}

func looked() {
	buf := C.malloc(10)
	defer C.free(buf)
	C.look(&buf)
}

// C that can't be seen may free it.
func streamed(out *C.stream) {
	out.own = C.malloc(8)
	C.unseen_release(out)
}

// C hands it on with what frees it.
func handedOn(t *C.thing, s string) {
	C.bound(t, C.CString(s))
}

// What a call gets back is mostly what it was given.
func parsed(s *C.char) bool {
	n := C.number_new()
	defer C.number_free(n)
	if n = C.number_parse(s, n); n == nil {
		return false
	}
	return C.number_get(n) > 0
}

func parsedField(s *C.char, h *parser) {
	h.n = C.number_parse(s, h.n)
}

type parser struct{ n *C.number }

func (h *parser) Close() {
	C.number_free(h.n)
	h.n = nil
}

func keptForC(list []string) {
	cs := make([]*C.char, len(list))
	for i, s := range list {
		cs[i] = C.CString(s)
	}
	C.discardAll(C.int(len(cs)), &cs[0])
}

func keptByC(list []string) {
	var cs []*C.char
	for _, s := range list {
		cs = append(cs, C.CString(s))
	}
	C.keepAll(&cs[0])
}

func keptForCaller(list []string) (cs []*C.char) {
	for _, s := range list {
		cs = append(cs, C.CString(s))
	}
	return cs
}

func keptAndFreed(list []string) {
	cs := make([]*C.char, 0, len(list))
	defer func() {
		for _, c := range cs {
			C.free(unsafe.Pointer(c))
		}
	}()
	for _, s := range list {
		cs = append(cs, C.CString(s))
	}
	C.run(C.int(len(cs)), &cs[0])
}

func keptAndFreedByIndex(list []string) {
	p := C.calloc(C.size_t(len(list)), 8)
	defer C.free(p)
	cs := unsafe.Slice((**C.char)(p), len(list))
	for i, s := range list {
		cs[i] = C.CString(s)
		defer C.free(unsafe.Pointer(cs[i]))
	}
	C.run(C.int(len(list)), (**C.char)(p))
}

func keptAndFreedElsewhere(list []string) {
	cs := make([]*C.char, len(list))
	defer freeAll(cs)
	for i, s := range list {
		cs[i] = C.CString(s)
	}
	C.run(C.int(len(cs)), &cs[0])
}

func freeAll(cs []*C.char) {
	for i := range cs {
		C.free(unsafe.Pointer(cs[i]))
	}
}

func keptForOthers(list []string, cs []*C.char) {
	for i, s := range list {
		cs[i] = C.CString(s)
	}
}

func keptByOwner(list []string) *lister {
	var cs []*C.char
	for _, s := range list {
		cs = append(cs, C.CString(s))
	}
	return &lister{cs}
}

type lister struct{ cs []*C.char }

func (l *lister) Close() { freeAll(l.cs) }

// Freed, and then another.
func replaced(s, t string) int {
	cs := C.CString(s)
	C.free(unsafe.Pointer(cs))
	cs = C.CString(t)
	defer C.free(unsafe.Pointer(cs))
	return int(C.length(cs))
}

func freedEarly(s string, quick bool) int {
	cs := C.CString(s)
	if quick {
		C.free(unsafe.Pointer(cs))
	}
	n := 0
	if !quick {
		n = int(C.length(cs))
		C.free(unsafe.Pointer(cs))
	}
	return n
}

func compared(s string) bool {
	cs := C.CString(s)
	C.free(unsafe.Pointer(cs))
	return cs == nil
}

func copied(n int) []byte {
	p := C.calloc(1, C.size_t(n))
	defer C.free(p)
	return C.GoBytes(p, C.int(n))
}

func lastRound(cs *C.char, n int) {
	for i := range n {
		C.length(cs)
		if i == n-1 {
			C.free(unsafe.Pointer(cs))
		}
	}
}

func eachElement(head *C.stream) {
	for s := head; s != nil; {
		next := (*C.stream)(s.own)
		C.free(unsafe.Pointer(s))
		s = next
	}
}

func (h *parser) again() int {
	C.number_free(h.n)
	h.n = C.number_new()
	return int(C.number_get(h.n))
}

func (h *parser) reset() { h.n = C.number_new() }

func (h *parser) refill() int {
	C.number_free(h.n)
	h.reset()
	return int(C.number_get(h.n))
}

func eachMember(list []C.named) (all []string) {
	for _, n := range list {
		all = append(all, C.GoString(n.name))
		C.free(unsafe.Pointer(n.name))
	}
	return all
}

// Each round has a deferred free for its own string, though the variable is one.
func deferredInRounds(list []string) {
	var cs *C.char
	for _, s := range list {
		cs = C.CString(s)
		defer C.free(unsafe.Pointer(cs))
		C.length(cs)
	}
}

// A list of C's that another function of Go gets, which may free what is in it.
func joined(list []string) {
	var all *C.thing
	for _, s := range list {
		cs := unsafe.Pointer(C.CString(s))
		all = C.list_add(all, cs)
	}
	empty(all)
}

var empty func(*C.thing)

// What the name of a function says that can't be seen.
func taken(s string) {
	cs := C.CString(s)
	C.label_new_take_string(cs)
	C.label_set0_text(nil, C.CString(s)) // as others count references: 0 is no new one
}

// A wrapper of another package returns the memory, and one frees it.
func wrapped(s string) error {
	p, err := wrap.Text(s)
	if err != nil {
		return err
	}
	defer wrap.Free(p)
	return nil
}

type request struct {
	byRange, byIndex, byHelper, elsewhere, moved, grown, byC []*C.char
	Users                                                    []*C.char
}

func (r *request) add(s string, other *request) {
	r.byRange = append(r.byRange, C.CString(s))
	r.byIndex = append(r.byIndex, C.CString(s))
	r.byHelper = append(r.byHelper, C.CString(s))
	r.elsewhere = append(r.elsewhere, C.CString(s))
	r.moved = append(r.moved, C.CString(s))
	r.grown = append(r.grown, C.CString(s))
	r.byC = append(r.byC, C.CString(s))
	r.Users = append(r.Users, C.CString(s))
}

func take(list []*C.char) *request { return &request{elsewhere: list} }

func (r *request) Close() {
	for _, c := range r.byRange {
		C.free(unsafe.Pointer(c))
	}
	for i := range r.byIndex {
		C.free(unsafe.Pointer(r.byIndex[i]))
	}
	freeAll(r.byHelper)
	all := r.moved
	for _, c := range all {
		C.free(unsafe.Pointer(c))
	}
	list := append([]*C.char{}, r.grown...)
	freeAll(list)
	C.discardAll(C.int(len(r.byC)), &r.byC[0])
}

type named struct {
	name *C.char
	n    int
}

func (n *named) free() { C.free(unsafe.Pointer(n.name)) }

func inStruct(s string) int {
	n := named{name: C.CString(s)}
	defer n.free()
	m := named{name: C.CString(s)}
	defer C.free(unsafe.Pointer(m.name))
	k := &named{n: 1}
	k.name = C.CString(s)
	name := k.name
	C.free(unsafe.Pointer(name))
	return int(C.length(n.name))
}

func inStructOfOthers(list []*named, s string) named {
	for _, n := range list {
		n.name = C.CString(s)
	}
	first := list[0]
	first.name = C.CString(s)
	last := named{}
	last.name = C.CString(s)
	return last
}

var pinner runtime.Pinner

func freesNamed(n *C.named) { C.free(unsafe.Pointer(n.name)) }

func inStructOfC(s string) int {
	var a, b, c C.named
	a.name = C.CString(s)
	defer freesNamed(&a)
	b.name = C.CString(s)
	C.named_clear(&b)
	pinner.Pin(&c)
	C.remember(&c)
	c.name = C.CString(s)
	d := C.named{name: C.CString(s)}
	n := int(C.look_at(&d))
	C.free(unsafe.Pointer(d.name))
	return n
}

// A copy of what the variable held before it got something else.
func copiedBefore(s, t string) int {
	cs := C.CString(s)
	old := unsafe.Pointer(cs)
	defer C.free(old)
	cs = C.CString(t)
	defer C.free(unsafe.Pointer(cs))
	return int(C.length(cs))
}

func copiedAfter() {
	buf := C.malloc(10)
	C.grow(&buf)
	last := buf
	defer C.free(last)
	C.look(&buf)
}

// What a cast in C gives back belongs to where it came from, though it is freed elsewhere.
func castInC() (string, string) {
	home := C.plain_text(C.user_home())
	defer C.free(unsafe.Pointer(home))
	return C.GoString(C.plain_text(C.user_name())), C.GoString(home)
}
