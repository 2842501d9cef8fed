package codec

import (
	"math/bits"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// A Decoder is the state of one decoding: what the message may still cost
// and where its strings go. Generated code has one for the length of a
// call.
//
// The functions that take a position give the next one, or a negative
// number, ^p, when the input is wrong at p or shortly after it. They don't
// say what is wrong: bytes are decoded for the good case, and a message that
// fails is read again, slowly, by [Decoder.BinaryError].
type Decoder struct {
	buf   []byte // the input
	heads uint   // how many positions have a field of any fixed size behind them
	ends  uint   // how many have a field's head and a byte of its value
	safe  uint   // how many have a field with a string that is copied as twice short behind them
	key   int    // of the field before in the compact protocol, without its type; see CompactAt

	arena []byte // numbers, strings and bytes are cut from it, of one message after the other
	used  int    // of arena
	most  int    // at how many of its places there is room for a string that is copied as twice short
	room  []byte // of lists of numbers that follow each other; see BinaryRoom

	texts       // strings that share allocations
	slabs slabs // structs that do

	credit int64 // bytes that may be allocated before the input has proven them
	memory int64 // bytes of Go values that the message may still take

	allowed int64 // and that it may take in all

	depth int // how many structs may still be entered

	paid  bool // defaults of a struct were paid for
	fresh bool // see Into

	// short is 64, or 0 if strings need more than being copied; viewed and copied are the length
	// up to which they are views, or copied, and nothing else.
	short, viewed, copied uint

	plain  bool   // there are no options: what follows, and the three before, are as they were
	limits Limits // with their defaults
	views  bool
	utf8   bool

	// path is where the input is wrong, as far as decoders with another
	// layout of error paths than bare have told.
	path string
}

// chunk is the most that the arena takes at once, and so what a short string
// can keep alive. Go's heap takes 24 KB at once for five of this size, and 8 KB for two of 4 KB:
// that is where most of the time for a new chunk goes.
const chunk = 4864

// done lets go of the message and keeps d for another one, which will use the
// rest of the arena: small messages would waste a third of arenas of their own.
func (d *Decoder) done() {
	d.buf, d.room, d.path = nil, nil, ""
	d.texts.next()
	d.slabs.next()
	decoders.Put(d)
}

// end is what a decoder came back with, or a negative number if the message
// has taken more memory than it may: small pieces are charged where they are
// taken and looked at here.
func (d *Decoder) end(i int) int {
	if i >= 0 && d.memory < 0 {
		return ^i
	}
	return i
}

// Enter and Leave are around every struct: Enter is false if structs are
// nested too deeply.
func (d *Decoder) Enter() bool {
	d.depth--
	return d.depth >= 0
}

// Leave ends what Enter began.
func (d *Decoder) Leave() { d.depth++ }

// Into says whether the struct that is decoded next was made for that: nothing in it has to be
// saved or cleared. The caller of a struct's decoder says so immediately before.
func (d *Decoder) Into(fresh bool) { d.fresh = fresh }

// Fresh reports, once, what [Decoder.Into] has said. It begins every struct.
func (d *Decoder) Fresh() bool {
	fresh := d.fresh
	d.fresh, d.key = false, 0
	return fresh
}

// short is the length up to which a string is copied as so many bytes, whatever its length: without
// a call. Twice as long is copied as twice as many.
const short = 32

// textHead is what is before the bytes of a string that is a field, at most.
const textHead = 7

// shortText copies the n bytes at i, twice short at most, into the arena. Both sides have
// twice short bytes; what is behind the string in the arena is overwritten by the next.
func (d *Decoder) shortText(i, n int) unsafe.Pointer {
	p, from := unsafe.Add(unsafe.Pointer(unsafe.SliceData(d.arena)), d.used), unsafe.Add(unsafe.Pointer(unsafe.SliceData(d.buf)), i)
	copy32(p, from)
	if n > short {
		copy32(unsafe.Add(p, short), unsafe.Add(from, short))
	}
	d.used += n
	return p
}

// A header is what a string is: storing one takes fewer instructions than unsafe.String, which
// makes sure that the string doesn't go around the end of the address space.
type header struct {
	bytes unsafe.Pointer
	n     int
}

// start begins the decoding of a message, which is at the beginning of b.
//
//go:noinline
func (d *Decoder) start(b []byte, opt *Options) {
	d.buf, d.heads = b, uint(max(0, len(b)-longestField+1))
	d.ends, d.safe = uint(max(0, len(b)-3)), uint(max(0, len(b)-textHead-2*short+1))
	size := len(b)
	if opt != &plain || !d.plain {
		d.set(opt)
	}
	d.credit = 2*int64(size) + 512
	d.allowed = d.limits.memory(size)
	d.memory = d.allowed
	d.depth = d.limits.Depth
	d.paid, d.fresh, d.room = false, false, nil
	if size > d.limits.Message {
		d.depth = 0 // the first struct is refused, and BinaryError finds out why
	}
}

// set has the options hold. Most decoders have none, and keep that from one message to the next.
func (d *Decoder) set(opt *Options) {
	d.plain = opt == &plain
	d.limits = opt.Limits.WithDefaults()
	d.views = opt.Views
	d.utf8 = opt.UTF8
	d.short, d.viewed, d.copied = 0, 0, 0
	switch {
	case d.utf8:
	case d.views:
		d.viewed = uint(d.limits.String)
	default:
		d.copied = uint(d.limits.String)
		if d.copied >= 2*short {
			d.short = 2 * short
		}
	}
}

// take cuts n bytes from the arena, aligned for numbers. Their contents are
// undefined.
func (d *Decoder) take(n int) unsafe.Pointer {
	at := (d.used + 7) &^ 7
	if n > len(d.arena)-at {
		return d.takeNew(n)
	}
	d.used = at + n
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(d.arena)), at)
}

func (d *Decoder) takeNew(n int) unsafe.Pointer {
	if n > chunk/4 {
		return unsafe.Pointer(unsafe.SliceData(undefined(n)))
	}
	d.arena = undefined(chunk)
	d.used, d.most = n, chunk-2*short+1
	return unsafe.Pointer(unsafe.SliceData(d.arena))
}

// undefined is n bytes that nobody has cleared. strings.Builder is the only
// way to them that the language offers; n > 0.
//
// The memory holds no pointers and begins at a multiple of 8, as every
// allocation of 8 bytes or more does.
func undefined(n int) []byte {
	var b strings.Builder
	b.Grow(max(n, 8))
	b.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(b.String()), n)
}

// keep copies n bytes at position i of the input into the arena, or gives a
// view of them.
func (d *Decoder) keep(i, n int) unsafe.Pointer {
	from := at(d.buf, i)
	if d.views {
		return from
	}
	// Strings and bytes need no alignment.
	var to unsafe.Pointer
	if used := d.used; n <= len(d.arena)-used {
		d.used = used + n
		to = at(d.arena, used)
	} else {
		to = d.takeNew(n)
	}
	copy(unsafe.Slice((*byte)(to), n), unsafe.Slice((*byte)(from), n))
	return to
}

// longString reads the n bytes of a string at i, if they are there.
//
//go:noinline
func (d *Decoder) longString(i, n int, to *string) int {
	if uint(n) > uint(len(d.buf)-i) { // n is negative where int has 32 bits
		return ^i
	}
	if uint(n-1) < d.viewed {
		*to = unsafe.String((*byte)(at(d.buf, i)), n)
		return i + n
	}
	if used := d.used; uint(n-1) < d.copied && n <= len(d.arena)-used {
		d.used = used + n
		p := (*byte)(at(d.arena, used))
		copy(unsafe.Slice(p, n), unsafe.Slice((*byte)(at(d.buf, i)), n))
		*to = unsafe.String(p, n)
		return i + n
	}
	if n == 0 {
		*to = ""
		return i
	}
	if n > d.limits.String {
		return ^i
	}
	if d.utf8 && !utf8.Valid(d.buf[i:i+n]) {
		return ^i
	}
	*to = unsafe.String((*byte)(d.keep(i, n)), n)
	return i + n
}

// Afford tells how many of n elements of size bytes to allocate now, and
// charges them. It is fewer than n if the input has not proven yet that it
// has so many, and 0 if the message may not take more: then More gives 0 too.
func (d *Decoder) Afford(n, size int) int {
	c := int64(n)
	if c*int64(size) > d.credit {
		c = min(c, max(d.credit/int64(size), 4))
	}
	d.credit -= min(d.credit, c*int64(size))
	if d.memory -= c * int64(size); d.memory < 0 {
		return 0
	}
	return int(c)
}

// More tells how many of n elements to have room for when have are full and
// proven, and charges them again, since the old ones stay until they are
// collected; 0 is more than the message may take.
func (d *Decoder) More(have, n, size int) int {
	next := min(n, 2*have)
	if d.memory -= int64(next) * int64(size); d.memory < 0 {
		return 0
	}
	return next
}

// mapSize is what an empty map takes.
const mapSize = 48

// AffordMap tells for how many of n pairs of size bytes a map should have
// room from the start, and charges them all, since a map grows by itself. A
// map has 8 slots with its first pair; a larger one's tables are doubled when
// they are seven eighths full.
func (d *Decoder) AffordMap(n, size int) int {
	cost := mapCost(n, size)
	d.memory -= cost
	if cost <= d.credit {
		d.credit -= cost
		return n
	}
	room := int(d.credit / int64(2*size+size/3+2)) // d.credit is less than for n
	d.credit = 0
	return min(room, n)
}

// ProvenMap is AffordMap where the input is known to hold n pairs of fixed size: there is room
// for all of them from the start.
func (d *Decoder) ProvenMap(n, size int) int {
	d.memory -= mapCost(n, size)
	return n
}

func mapCost(n, size int) int64 {
	switch {
	case n > 8:
		return mapSize + int64(n)*int64(2*size+size/3+2)
	case n > 0:
		return mapSize + int64(8*size+8)
	}
	return mapSize
}

// Exhausted reports whether the message has taken more memory than it may.
func (d *Decoder) Exhausted() bool { return d.memory < 0 }

// PayDefaults charges the n bytes that the defaults of a struct's fields take,
// which are there before anything of the struct is read. It is false if the
// message may not take so much. The first struct of a message has its defaults
// free, else an empty message could be refused.
func (d *Decoder) PayDefaults(n int) bool {
	if d.paid {
		d.memory -= int64(n)
	}
	d.paid = true
	return d.memory >= 0
}

// place is for a single number of n bytes.
//
//go:noinline
func (d *Decoder) place(n int) unsafe.Pointer {
	d.memory -= int64(n) // looked at in the end
	at := d.used
	if n <= 8 { // a UUID is bytes
		at = (at + n - 1) &^ (n - 1)
	}
	if n > len(d.arena)-at {
		return d.takeNew(n)
	}
	d.used = at + n
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(d.arena)), at)
}

// Place returns a place for the value of an optional field.
func Place[T bool | ~int8 | ~int16 | ~int32 | ~int64 | ~float64 | UUID](d *Decoder, v T) *T {
	p := (*T)(d.place(int(unsafe.Sizeof(v))))
	*p = v
	return p
}

// Structs returns a list of structs to decode into, of n or as many as can be
// afforded: those in old, and new ones after them, which share one
// allocation.
func Structs[T any](d *Decoder, old []*T, n int) []*T {
	var v []*T
	size := int(unsafe.Sizeof(*new(T))) + 8
	if old == nil {
		v = make([]*T, d.Afford(n, size))
		slab := make([]T, len(v))
		for k := range v {
			v[k] = &slab[k]
		}
		return v
	}
	if have := len(old); cap(old) >= n {
		if n > have {
			// The structs beyond the end of old are not used: when somebody has
			// taken an element out by append, the last one is there twice.
			clear(old[have:n])
			n = have + d.Afford(n-have, size)
		}
		v = old[:n]
	} else {
		v = make([]*T, d.Afford(n, size))
		copy(v, old)
	}
	fill(v)
	return v
}

// NumberStructs is [Structs] for structs without pointers, which are cut from the arena. What is
// in them is undefined: code that decodes into them clears them, or stores into all of their fields.
func NumberStructs[T any](d *Decoder, old []*T, n int) []*T {
	if old != nil || n == 0 {
		return Structs(d, old, n)
	}
	size := int(unsafe.Sizeof(*new(T)))
	v := make([]*T, d.Afford(n, size+8))
	if len(v) == 0 {
		return v
	}
	slab := unsafe.Slice((*T)(d.take(len(v)*max(size, 1))), len(v))
	for k := range v {
		v[k] = &slab[k]
	}
	return v
}

// MoreStructs returns a longer list than v, which is full, for a list of n. It
// is nil if the message may not take so much.
func MoreStructs[T any](d *Decoder, v []*T, n int) []*T {
	c := d.More(len(v), n, int(unsafe.Sizeof(*new(T)))+8)
	if c == 0 {
		return nil
	}
	longer := make([]*T, c)
	copy(longer, v)
	fill(longer)
	return longer
}

// fill allocates the structs that are missing in v.
func fill[T any](v []*T) {
	missing := 0
	for _, p := range v {
		if p == nil {
			missing++
		}
	}
	if missing == 0 {
		return
	}
	slab := make([]T, missing)
	for k, p := range v {
		if p == nil {
			v[k] = &slab[0]
			slab = slab[1:]
		}
	}
}

// CountBits is the number of bits in a set of more than 64.
func CountBits(set []uint64) int {
	n := 0
	for _, w := range set {
		n += bits.OnesCount64(w)
	}
	return n
}

// Input is the input from one position to another.
func (d *Decoder) Input(from, to int) []byte { return d.buf[from:to] }

// Charge adds n bytes to what the message has taken. Whether it may is looked
// at in the end.
func (d *Decoder) Charge(n int) { d.memory -= int64(n) }
