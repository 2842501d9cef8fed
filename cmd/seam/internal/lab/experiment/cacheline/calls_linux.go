//go:build cgo

package cacheline

// #cgo CFLAGS: -O2 -Wall -Wextra
// #include "line.h"
import "C"

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/machine"
	"github.com/seamgo/seam/leaf"
)

// A form is a struct as C has it.
type form struct {
	layout
	in, out, next uintptr // what Go writes, reads, and finds the next struct by
	cgo           C.seam_line_fn
	leaf          leaf.Func[C.uint8_t]
}

// forms has all structs, by shape and then in the order of layouts.
var forms = readForms()

func readForms() map[string][]*form {
	all := map[string][]*form{}
	for s, shape := range shapes {
		for l, name := range layouts[:C.SEAM_LINE_ALIGNED+1] {
			c := C.seam_line_layout(C.int(s), C.int(l))
			f := &form{layout: layout{size: int(c.size), align: int(c.align)}, cgo: c.fn}
			f.leaf = leaf.Of[C.uint8_t]("seam_lab_cacheline_"+shape+"_"+name, unsafe.Pointer(c.fn))
			for _, x := range unsafe.Slice(c.fields, c.count) {
				f.fields = append(f.fields, field{C.GoString(x.name), int(x.at), int(x.size)})
			}
			f.in, f.out, f.next = uintptr(f.field("a").at), uintptr(f.field("sum").at), uintptr(f.field("next").at)
			all[shape] = append(all[shape], f)
		}
		// The natural struct as far apart as the aligned ones, from the middle of a line.
		f := *all[shape][C.SEAM_LINE_NATURAL]
		f.size, f.first = all[shape][C.SEAM_LINE_ALIGNED].size, line/2
		all[shape] = append(all[shape], &f)
	}
	return all
}

// field returns the member of that name.
func (l layout) field(name string) field {
	for _, f := range l.fields {
		if f.name == name {
			return f
		}
	}
	panic("cacheline: the struct has no field " + name)
}

// word is memory as a number. In the packed layout it is at any address, where Go must
// not have a *uint64.
func word(p unsafe.Pointer) []byte { return (*[8]byte)(p)[:] }

// An array is structs side by side in Go's memory. C may read it: it is not moved, and
// lives as long as somebody has the array.
type array struct {
	*form
	count int
	keep  []byte
	base  unsafe.Pointer // layout.first bytes after a multiple of 128
	order []uint32       // places of all structs, in the order of the calls
}

// empty makes an array of zeros.
func (f *form) empty(count int) *array {
	const align = 128
	a := &array{form: f, count: count, keep: make([]byte, count*f.size+2*align)}
	at := uintptr(unsafe.Pointer(unsafe.SliceData(a.keep)))
	a.base = unsafe.Pointer(&a.keep[int((align-at%align)%align)+f.first])
	return a
}

// newArray makes an array whose struct i has values that depend on i, and the place of
// the next in order.
func (f *form) newArray(count int, order []int) *array {
	a := f.empty(count)
	a.order = make([]uint32, len(order))
	for i := range count {
		for k, x := range f.fields[:len(f.fields)-1] {
			*(*byte)(unsafe.Add(a.base, i*f.size+x.at)) = byte(i + 3*k)
		}
	}
	for k, i := range order {
		a.order[k] = uint32(i * f.size)
		next := order[(k+1)%len(order)] * f.size
		binary.NativeEndian.PutUint32((*[4]byte)(unsafe.Add(a.base, uintptr(i*f.size)+f.next))[:], uint32(next))
	}
	return a
}

// arrays are those of the cases of a group.
var arrays lab.Shared[arrayKey, *array]

type arrayKey struct {
	shape  string
	layout int
	place  string
}

// cacheL2 is the size of the L2 cache in bytes, or a usual size if it isn't known.
var cacheL2 = sync.OnceValue(func() int {
	if n := machine.Read().CacheL2; n > 0 {
		return n
	}
	return 1 << 20
})

// counts are how many structs the sets have.
func counts(shape, place string, l2 int) int {
	if place == hot {
		return line // enough for each place that a struct can have on a line
	}
	const most = 32 << 20
	return min(4*l2, most) / forms[shape][0].size // the same for all layouts
}

// startCalls makes the operation of one layout, by its number.
func startCalls(b *lab.Bench, shape string, l int, s set) (*lab.Op, error) {
	if err := otherLines(); err != nil {
		return nil, err
	}
	a, release := arrays.Get(arrayKey{shape, l, s.place}, func() *array {
		n := counts(shape, s.place, cacheL2())
		return forms[shape][l].newArray(n, b.Rand.Perm(n))
	})
	w := &walk{array: a}
	run := map[set]func(*walk, int){
		{hot, viaLeaf}: byLeaf, {cold, viaLeaf}: byLeaf, {hot, viaCgo}: byCgo, {cold, viaCgo}: byCgo, {chain, viaLeaf}: chainByLeaf,
	}[s]
	if run == nil {
		release()
		return nil, fmt.Errorf("cacheline: no way for %v", s)
	}
	return &lab.Op{Run: func(n int) { run(w, n) }, Close: release}, nil
}

// A walk is somebody's way through an array. It goes on where it stopped.
type walk struct {
	*array
	step int    // in order
	at   uint32 // chain: of the next struct
	sum  uint64 // of C's answers
}

// The loops are the same code for all layouts, so that they differ by the addresses
// alone, and by the C function. The ways to call C stand in loops of their own: a call
// through a func value would be in the time.

//go:noinline
func byLeaf(w *walk, n int) {
	sum, step := w.sum, w.step
	for i := range n {
		p := unsafe.Add(w.base, w.order[step])
		if step++; step == len(w.order) {
			step = 0
		}
		binary.NativeEndian.PutUint64(word(unsafe.Add(p, w.in)), uint64(i))
		w.leaf.Call((*C.uint8_t)(p))
		sum += binary.NativeEndian.Uint64(word(unsafe.Add(p, w.out)))
	}
	w.sum, w.step = sum, step
}

//go:noinline
func byCgo(w *walk, n int) {
	sum, step := w.sum, w.step
	for i := range n {
		p := unsafe.Add(w.base, w.order[step])
		if step++; step == len(w.order) {
			step = 0
		}
		binary.NativeEndian.PutUint64(word(unsafe.Add(p, w.in)), uint64(i))
		C.seam_line_call(w.cgo, (*C.uint8_t)(p))
		sum += binary.NativeEndian.Uint64(word(unsafe.Add(p, w.out)))
	}
	w.sum, w.step = sum, step
}

//go:noinline
func chainByLeaf(w *walk, n int) {
	sum, at := w.sum, w.at
	for i := range n {
		p := unsafe.Add(w.base, at)
		binary.NativeEndian.PutUint64(word(unsafe.Add(p, w.in)), uint64(i))
		w.leaf.Call((*C.uint8_t)(p))
		sum += binary.NativeEndian.Uint64(word(unsafe.Add(p, w.out)))
		at = binary.NativeEndian.Uint32((*[4]byte)(unsafe.Add(p, w.next))[:])
	}
	w.sum, w.at = sum, at
}

// probeLines counts the lines of the array that the cold calls go through.
func probeLines(b *lab.Bench, shape string, l int) ([]lab.Metric, error) {
	if err := otherLines(); err != nil {
		return nil, err
	}
	f := forms[shape][l]
	a := f.empty(counts(shape, cold, cacheL2()))
	return append(f.array(uintptr(a.base), a.count).metrics(),
		lab.Metric{Unit: unitLayout, Value: f.expected().perStruct()},
		lab.Metric{Unit: unitSize, Value: float64(f.size)}), nil
}

func (c census) metrics() []lab.Metric {
	return []lab.Metric{
		{Unit: unitLines, Value: c.perStruct()},
		{Unit: unitSplit, Value: c.splitShare()},
		{Unit: unitFields, Value: c.fieldsShare()},
	}
}

// probePlace counts the lines of natural structs that are allocated one by one.
func probePlace(shape, placer string) ([]lab.Metric, error) {
	if err := otherLines(); err != nil {
		return nil, err
	}
	const n = 4096
	f := forms[shape][slices.Index(layouts, natural)]
	at := make([]uintptr, n)
	switch placer {
	case placeMalloc:
		pieces := make([]C.uintptr_t, n)
		if got := C.seam_line_malloc(&pieces[0], n, C.size_t(f.size)); got < n {
			return nil, lab.Skip("malloc had no memory for %d structs", n)
		}
		for i, p := range pieces {
			at[i] = uintptr(p)
		}
	case placeGo:
		kept := make([]any, n)
		for i := range at {
			// Go rounds the size up to one of its classes, whatever the type.
			p := newNatural(f.size)
			kept[i], at[i] = p, uintptr(p)
		}
	default:
		return nil, fmt.Errorf("cacheline: nobody called %s places structs", placer)
	}
	var c census
	for _, a := range at {
		c.add(f.layout, a)
	}
	return c.metrics(), nil
}

// newNatural allocates like Go allocates a struct of that size without pointers.
func newNatural(size int) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(make([]uint64, size/8)))
}
