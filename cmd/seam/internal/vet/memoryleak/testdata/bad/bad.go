// Package bad leaks.
package bad

// #include <stdlib.h>
// #include <string.h>
// typedef struct thing thing;
// typedef struct { char *name; } named;
// thing *thing_new(const char *name);
// void thing_free(thing *t);
// void thing_set(thing *t, char *name);
// int thing_look(const thing *t);
// static int length(char *s) { return (int)strlen(s); }
// static char *copy(const char *s) { char *d = malloc(strlen(s)+1); strcpy(d, s); return d; }
// void run(int argc, char **argv);
// void show(int n, const char *const *list);
// static int total(int n, char **list) { int i, t = 0; for (i = 0; i < n; i++) t += (int)strlen(list[i]); return t; }
// typedef struct { const char *name; int n; } option;
// static int apply(option *o) { return o->n; }
// void apply_unseen(option *o);
// typedef struct list { char **items; } list;
// typedef struct chain chain;
// chain *chain_add(chain *list, void *item);
// void chain_free(chain *list);
import "C"

import (
	"errors"
	"unsafe"

	"github.com/seamgo/seam/cmd/seam/internal/vet/memoryleak/testdata/wrap"
)

func never(s string) int {
	cs := C.CString(s) // want error "never freed"
	return int(C.strlen(cs))
}

func temporary(s string) int {
	return int(C.strlen(C.CString(s))) // want error "no variable holds it"
}

func earlyReturn(s string) (int, error) {
	cs := C.CString(s) // want error "is not freed on the way to line 46"
	n := C.strlen(cs)
	if n == 0 {
		return 0, errors.New("empty")
	}
	C.free(unsafe.Pointer(cs))
	return int(n), nil
}

func loop(list []string) (n int) {
	for _, s := range list {
		cs := C.CString(s) // want error "not freed before the next round"
		if C.length(cs) == 1 {
			continue
		}
		n++
		C.free(unsafe.Pointer(cs))
	}
	return n
}

func overwritten(s, t string) {
	cs := C.CString(s) // want error "is lost at line 68"
	n := C.length(cs)
	if n > 2 {
		cs = C.CString(t)
	}
	C.free(unsafe.Pointer(cs))
}

func unseen(t *C.thing, s string) {
	cs := C.CString(s) // want warning "is never freed, unless C.thing_set does"
	C.thing_set(t, cs)
}

func toConst(s string) *C.thing {
	return C.thing_new(C.CString(s)) // want warning "does C.thing_new keep it for ever?"
}

func bytes(b []byte) int {
	p := C.CBytes(b) // want error "never freed"
	return int(C.length((*C.char)(p)))
}

func fromBody() string {
	p := C.copy(nil) // want warning "never freed"
	return C.GoString(p)
}

func wrapper(s string) *C.char { return C.CString(s) }

func wrapped(s string) int {
	cs := wrapper(s) // want error "the memory from wrapper (C.CString) is never freed"
	return int(C.length(cs))
}

func drop(t *C.thing) { C.thing_free(t) }

func believed() {
	t := C.thing_new(nil)
	C.thing_free(t)
	u := C.thing_new(nil) // want warning "never freed"
	C.thing_look(u)
}

type holder struct {
	name *C.char
	kept *C.char
}

func field(s string) *holder {
	h := &holder{name: C.CString(s)} // want error "is stored in field name, which nothing in this package frees"
	h.kept = C.CString(s)
	return h
}

func (h *holder) Close() { C.free(unsafe.Pointer(h.kept)) }

func cField(s string) int {
	var n C.named
	n.name = C.CString(s) // want warning "is stored in field name"
	return int(C.strlen(n.name))
}

func kept(list []string) int {
	var cs []*C.char
	for _, s := range list {
		cs = append(cs, C.CString(s)) // want error "is kept in cs, of which no element is ever freed"
	}
	return int(C.total(C.int(len(cs)), &cs[0]))
}

func keptByIndex(list []string) {
	cs := make([]*C.char, len(list)+1)
	for i, s := range list {
		cs[i] = C.CString(s) // want warning "is kept in cs, of which no element is ever freed, unless C.run does"
	}
	C.run(C.int(len(list)), (**C.char)(unsafe.Pointer(&cs[0])))
}

func keptByVariable(list []string) {
	var cs []*C.char
	for _, s := range list {
		c := C.CString(s) // want error "is kept in cs"
		cs = append(cs, c)
	}
	C.show(C.int(len(cs)), &cs[0])
}

// The array is freed, what is in it isn't.
func keptInC(list []string) {
	p := C.malloc(C.size_t(8 * len(list)))
	defer C.free(p)
	cs := unsafe.Slice((**C.char)(p), len(list))
	for i, s := range list {
		cs[i] = C.CString(s) // want error "is kept in cs"
	}
	C.total(C.int(len(list)), (**C.char)(p))
}

func keptAtOnce() {
	cs := [...]*C.char{C.CString("ls"), C.CString("-l")} // want error "is kept in cs"
	shown(cs[:])
}

func shown(cs []*C.char) { C.show(C.int(len(cs)), &cs[0]) }

// The string of one round is freed as often as there are rounds.
func deferredBeforeRounds(list []string) {
	cs := C.CString("") // want error "is not freed on the way to line"
	for _, s := range list {
		defer C.free(unsafe.Pointer(cs))
		cs = C.CString(s) // want error "is not freed on the way to line"
		C.length(cs)
	}
}

func allocated(n int) byte {
	p := C.malloc(C.size_t(n)) // want error "the memory from C.malloc is never freed"
	return *(*byte)(p)
}

func allocatedTwice(n int) int {
	p := (*C.char)(C.calloc(1, C.size_t(n)))
	d := C.strdup(p) // want error "the memory from C.strdup is not freed on the way to line"
	C.free(unsafe.Pointer(p))
	if C.length(d) == 0 {
		return 0
	}
	C.free(unsafe.Pointer(d))
	return 1
}

// A wrapper of another package returns the memory, beside an error.
func wrappedElsewhere(s string) (int, error) {
	p, err := wrap.Text(s) // want error "the memory from Text (C.CString) is not freed on the way to line"
	if err != nil {
		return 0, err
	}
	if len(s) > 3 {
		return 0, errors.New("long")
	}
	wrap.Free(p)
	return len(s), nil
}

type texts struct{}

func (texts) text(s string) *C.char { return wrapper(s) }

// A method that returns what a wrapper does is one too.
func wrappedTwice(s string) int {
	return int(C.length(texts{}.text(s))) // want error "no variable holds it"
}

// request keeps a list of strings, and frees the list alone.
type request struct {
	names []*C.char
	kept  []*C.char
	one   *C.char
}

func (r *request) add(s string) {
	r.names = append(r.names, C.CString(s)) // want error "is kept in field names, of which nothing in this package frees an element"
	r.kept = append(r.kept, C.CString(s))
}

func (r *request) set(list []string) {
	r.names = make([]*C.char, len(list))
	for i, s := range list {
		r.names[i] = C.CString(s)
	}
}

func (r *request) size() int {
	n := 0
	for _, name := range r.names {
		n += int(C.length(name))
	}
	return n + int(C.total(C.int(len(r.names)), &r.names[0]))
}

func (r *request) Close() {
	for _, name := range r.kept {
		C.free(unsafe.Pointer(name))
	}
	C.free(unsafe.Pointer(r.one))
	r.names, r.kept = nil, nil
}

// handed is a list that is made first, and then given to a struct which doesn't free it.
type handed struct{ names []*C.char }

func newHanded(list []string) *handed {
	var names []*C.char
	for _, s := range list {
		names = append(names, C.CString(s)) // want error "is kept in names, of which no element is ever freed"
	}
	return &handed{names: names}
}

// Others free the field of theirs; here the struct ends with the function.
func inStruct(s string) int {
	r := request{one: C.CString(s)} // want error "is stored in r.one, which is not freed in this function"
	return int(C.length(r.one))
}

func freesOption(o *C.option) { C.free(unsafe.Pointer(o.name)) }

func inStructOfC(s string) int {
	var o C.option
	o.name = C.CString(s) // want error "is stored in o.name, which is not freed in this function"
	return int(C.apply(&o))
}

func inStructForC(s string) {
	o := &C.option{n: 1}
	o.name = C.CString(s) // want warning "is stored in o.name, which is not freed in this function, unless C.apply_unseen does"
	C.apply_unseen(o)
}

// C alone gets the list, and frees the list alone.
func chained(list []string) {
	var all *C.chain
	for _, s := range list {
		all = C.chain_add(all, unsafe.Pointer(C.CString(s))) // want warning "is never freed, unless C.chain_add does"
	}
	C.chain_free(all)
}

// onOneWay stores the memory on one way, and forgets it on the other.
func onOneWay(b *nameHolder, s string) error {
	cs := C.CString(s) // want error "is not freed on the way to line"
	if len(s) > 100 {
		return errors.New("too long")
	}
	b.cname = cs
	return nil
}

type nameHolder struct{ cname *C.char }

func (h *nameHolder) Free() { C.free(unsafe.Pointer(h.cname)) }
