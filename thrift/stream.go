package thrift

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"reflect"
	"unsafe"

	"github.com/seamgo/seam/thrift/codec"
)

// StreamOptions are for a [Decoder]. The zero value stands for the defaults.
type StreamOptions struct {
	// Protocol is what the input is written in. Default: [Binary].
	Protocol Protocol
	// Decode says how to decode. Limits hold for each element of a list that is walked, and for
	// the rest of its struct, not for all of the input. With Views, strings of an element
	// are valid until the next one is decoded; those of the struct around it are copies.
	Decode Options
	// Reuse decodes each element of a list into the memory of the one before it. Then nothing
	// of an element but its strings may be kept when the next one is asked for.
	Reuse bool
}

// A Decoder reads structs from a stream, one after the other: those that [Encoder], or
// AppendBinary and AppendCompact, have written. There is nothing between them: neither frames
// nor the headers of messages. It reads ahead.
//
// A Decoder keeps some hundred kilobytes of the input, or a few times the largest struct or
// element that it has met; never more than twice what has arrived of it, whatever lengths claim.
type Decoder struct {
	in  io.Reader
	opt StreamOptions

	buf        []byte
	start, end int   // what has arrived and isn't decoded
	offset     int64 // of buf[0] in the input
	eof        bool
	err        error // why nothing can be read any more
	largest    int   // struct so far

	scan   scanner
	reader *codec.ElementReader // of elements or of whole structs
	within int                  // how many structs are around what it reads
	stale  bool                 // it doesn't know what is in buf
}

const (
	firstWindow = 256 << 10
	// largestWindow is how large the buffer becomes for the sake of speed: so that it holds
	// eight elements.
	largestWindow = 4 << 20
	// slab is how many bytes of elements share an allocation.
	slab = 4 << 10
)

// NewDecoder makes a decoder that reads from r.
func NewDecoder(r io.Reader, opt StreamOptions) *Decoder {
	d := &Decoder{in: r, opt: opt, within: -1}
	d.scan.configure(opt.Decode.Limits)
	return d
}

// InputOffset is how many bytes of the input were decoded.
func (d *Decoder) InputOffset() int64 { return d.offset + int64(d.start) }

// Buffered returns what was read and not decoded: what follows the last struct begins there, and
// goes on in the reader below. It is valid until the next use of d.
func (d *Decoder) Buffered() io.Reader { return bytes.NewReader(d.buf[d.start:d.end]) }

// Decode reads the next struct, which it holds in memory as a whole. At the end of the input
// the error is io.EOF. After any error d can't be used.
func (d *Decoder) Decode(m Message) error {
	if err := d.begin(); err != nil {
		return err
	}
	return d.fail(d.next(m, 0, false, func() string { return codec.StructName(m) }))
}

// begin makes sure that a struct begins.
func (d *Decoder) begin() error {
	if d.opt.Protocol == JSON {
		return d.fail(errStreamOfJSON)
	}
	if d.err != nil {
		return d.err
	}
	ok, err := d.have(1)
	if err == nil && !ok {
		err = io.EOF
	}
	return d.fail(err)
}

func (d *Decoder) fail(err error) error {
	if err != nil && d.err == nil {
		d.err = err
	}
	return err
}

// have reads until n bytes are there; false if the input ends before.
func (d *Decoder) have(n int) (bool, error) {
	for d.end-d.start < n {
		if d.eof {
			return false, nil
		}
		if err := d.read(); err != nil {
			return false, err
		}
	}
	return true, nil
}

// read reads more of the input.
func (d *Decoder) read() error {
	if d.end == len(d.buf) {
		d.makeRoom()
	}
	for empty := 0; ; {
		n, err := d.in.Read(d.buf[d.end:])
		if n < 0 || n > len(d.buf)-d.end {
			return fmt.Errorf("thrift: the reader says that it has read %d bytes, into %d", n, len(d.buf)-d.end)
		}
		d.end += n
		d.stale = true
		switch {
		case err == io.EOF:
			d.eof = true
			return nil
		case n > 0: // an error will be there again
			return nil
		case err != nil:
			return fmt.Errorf("thrift: byte %d of the input: %w", d.offset+int64(d.end), err)
		}
		if empty++; empty == 100 {
			return fmt.Errorf("thrift: byte %d of the input: %w", d.offset+int64(d.end), io.ErrNoProgress)
		}
	}
}

// makeRoom moves what is left to the front of the buffer, or of a larger one.
func (d *Decoder) makeRoom() {
	n := d.end - d.start
	size := max(len(d.buf), firstWindow)
	if n > size/2 {
		size = 2 * len(d.buf)
	}
	size = max(size, min(8*d.largest, largestWindow))
	to := d.buf
	if size > len(d.buf) {
		to = make([]byte, size)
	}
	copy(to, d.buf[d.start:d.end])
	d.offset += int64(d.start)
	d.buf, d.start, d.end = to, 0, n
	d.stale = true
}

// next decodes the next struct, inside of so many others.
func (d *Decoder) next(m Body, within int, fresh bool, path func() string) error {
	if d.within != within {
		d.reader = codec.NewElementReader(d.opt.Decode, d.opt.Protocol == Compact, within)
		d.within, d.stale = within, true
	}
	if d.stale {
		d.reader.Window(d.buf[:d.end])
		d.stale = false
	}
	if end := d.reader.Next(m, d.start, fresh); end >= 0 {
		d.largest = max(d.largest, end-d.start)
		d.start = end
		return nil
	}
	return d.nextSlowly(m, path)
}

// nextSlowly is next where the struct is not all there, or wrong. Its end is searched for while
// it arrives, which takes time in proportion to its bytes; then it is decoded once more.
func (d *Decoder) nextSlowly(m Body, path func() string) error {
	length, scanned := d.value(codec.TypeStruct)
	if errors.As(scanned, new(*readError)) {
		return scanned
	}
	b := d.buf[d.start:d.end]
	if scanned == nil && length >= 0 {
		b = b[:length]
	}
	n, err := d.reader.Exactly(m, b)
	switch {
	case err == nil && scanned == nil:
		d.largest = max(d.largest, n)
		d.start += n
		return nil
	case scanned != nil && (err == nil || errors.Is(err, ErrTruncated) || errors.Is(err, ErrLength)):
		// What is wrong comes later than what is missing.
		err = &DecodeError{Path: path(), Offset: int(min(d.InputOffset()+int64(len(b)), math.MaxInt)), Err: d.kind(), Detail: scanned.Error()}
		return err
	}
	return codec.Relocate(err, path(), m, d.InputOffset())
}

// kind is what an error of the scanner is.
func (d *Decoder) kind() error {
	if d.scan.overLimit {
		return ErrLimit
	}
	return ErrMalformed
}

// A readError is one of the reader below.
type readError struct{ err error }

func (e *readError) Error() string { return e.err.Error() }
func (e *readError) Unwrap() error { return e.err }

// value reads until the value of that type which begins at d.start is there, and returns its
// length; -1 if the input ends before.
func (d *Decoder) value(t codec.Type) (length int, err error) {
	d.scan.begin(d.opt.Protocol == Compact, t)
	for {
		done, err := d.scan.scan(d.buf[d.start:d.end])
		if done || err != nil {
			return d.scan.pos, err
		}
		if d.eof {
			return -1, nil
		}
		if err := d.read(); err != nil {
			return 0, &readError{err}
		}
	}
}

// Elements reads the next struct, into m, and yields the elements of one of its lists while they
// are read, instead of keeping them: list is the address of that field of m.
//
//	var meta parquet.FileMetaData
//	for group, err := range thrift.Elements(d, &meta, &meta.RowGroups) {
//		if err != nil {
//			return err
//		}
//		…
//	}
//
// In the loop m has the fields that stand in front of the list in the input, and after it
// all of them; the list is left empty. If the struct has no such list there are no elements. The
// loop ends after an error: io.EOF where the input has no further struct, else one that says
// what is wrong and where. A loop that is left early leaves d in the middle of the struct, and
// it can't be used any more. The iterator can be used once.
//
// The list may be longer than memory, the elements and the rest of the struct may not: for them,
// the limits hold.
func Elements[P interface {
	*E
	Message
}, E any](d *Decoder, m Message, list *[]P) iter.Seq2[P, error] {
	return elements[P](d, m, unsafe.Pointer(list))
}

// ElementsInPlace is [Elements] for a list that holds structs as they are, not pointers to them
// (--value-type-in-container).
func ElementsInPlace[E any, P interface {
	*E
	Message
}](d *Decoder, m Message, list *[]E) iter.Seq2[P, error] {
	return elements[P](d, m, unsafe.Pointer(list))
}

func elements[P interface {
	*E
	Message
}, E any](d *Decoder, m Message, list unsafe.Pointer) iter.Seq2[P, error] {
	return func(yield func(P, error) bool) {
		var room []E
		var p P
		walk(d, m, list, func() (Body, bool) {
			if p != nil && d.opt.Reuse {
				return p, false
			}
			if len(room) == 0 {
				room = make([]E, max(1, slab/max(1, int(unsafe.Sizeof(*new(E))))))
			}
			p, room = &room[0], room[1:]
			return p, true
		}, func(err error) bool {
			if err != nil {
				return yield(nil, err)
			}
			return yield(p, nil)
		})
	}
}

// errBroken is what is left of a stream when a loop over its elements was left.
var errBroken = errors.New("thrift: the loop over a list's elements was left early, so the next struct can't be found")

// walk reads a struct, and hands over each element of a list: place gives memory for one, and
// whether it is new; each is told when it was decoded, or the error, which is the last.
func walk(d *Decoder, m Message, list unsafe.Pointer, place func() (Body, bool), each func(error) bool) {
	field, ok := codec.FieldAt(m, list)
	if !ok {
		each(fmt.Errorf("thrift: the list is no field of %T: give the address of one that holds structs", m))
		return
	}
	if err := d.begin(); err != nil {
		each(err)
		return
	}
	w := &walker{d: d, m: m, field: field}
	d.err = errBroken // until the end
	err := w.structure(place, each)
	if err == errBroken {
		return
	}
	d.err = err
	if err != nil {
		each(err)
	}
}

// A walker reads the struct around a list. What is not of the list it collects, with an empty list
// in its place, and decodes as a message: so there is one decoder, with its rules for
// defaults, required fields, unions and limits.
type walker struct {
	d     *Decoder
	m     Message
	field codec.ListField
	outer []byte
	seen  bool // the list
	n     int  // elements
}

func (w *walker) path() string { return fmt.Sprintf("%s.%s[%d]", w.field.Struct, w.field.Name, w.n) }

// structure reads the struct.
func (w *walker) structure(place func() (Body, bool), each func(error) bool) error {
	d := w.d
	var before int16
	atList := -1 // length of outer when the list was met
	for {
		id, t, inHead, size, err := w.head(before)
		if err != nil {
			return err
		}
		before = id
		head := d.buf[d.start : d.start+size]
		if err := w.collect(head); err != nil {
			return err
		}
		d.start += size
		if t == codec.TypeStop {
			break
		}
		if id == w.field.ID && t == w.field.Type {
			if w.seen {
				return w.wrong(ErrMalformed, "list is there twice")
			}
			w.seen = true
			n, err := w.listHead()
			if err != nil {
				return err
			}
			atList = len(w.outer)
			if err := w.early(); err != nil {
				return err
			}
			for ; w.n < n; w.n++ {
				p, fresh := place()
				if err := d.next(p, 1, fresh, w.path); err != nil {
					return err
				}
				if !each(nil) {
					return errBroken
				}
			}
			continue
		}
		if inHead {
			continue
		}
		if err := w.value(t); err != nil {
			return err
		}
	}
	if atList == len(w.outer)-1 {
		return w.decode(w.m, w.outer) // nothing but the end came after the list
	}
	// What was taken out of m in the loop stays as it is.
	last := reflect.New(reflect.TypeOf(w.m).Elem())
	if err := w.decode(last.Interface().(Message), w.outer); err != nil {
		return err
	}
	reflect.ValueOf(w.m).Elem().Set(last.Elem())
	return nil
}

// decode reads the struct without its list.
func (w *walker) decode(m Body, b []byte) error {
	opt := w.d.opt.Decode
	opt.Views = false
	var err error
	if w.compact() {
		_, err = codec.DecodeCompact(b, m, opt)
	} else {
		_, err = codec.DecodeBinary(b, m, opt)
	}
	return err
}

// early decodes what stands in front of the list. What comes behind it may be required.
func (w *walker) early() error {
	b := append(w.outer[:len(w.outer):len(w.outer)], 0)
	err := w.decode(w.m, b)
	if e, ok := err.(*DecodeError); ok && e.Err == ErrRequired && e.Offset == len(b) {
		return nil
	}
	return err
}

func (w *walker) compact() bool { return w.d.opt.Protocol == Compact }

// wrong makes an error about the struct or its list.
func (w *walker) wrong(kind error, format string, args ...any) error {
	path := w.field.Struct
	if w.seen {
		path += "." + w.field.Name
	}
	at := w.d.InputOffset()
	if kind == ErrTruncated {
		at = w.d.offset + int64(w.d.end)
	}
	e := &DecodeError{Path: path, Offset: int(min(at, math.MaxInt)), Err: kind}
	if format != "" {
		e.Detail = fmt.Sprintf(format, args...)
	}
	return e
}

// collect adds to the struct without its list.
func (w *walker) collect(b []byte) error {
	if limit := largest(w.d.opt.Decode.Limits); len(w.outer)+len(b) > limit {
		return w.wrong(ErrLimit, "fields around list %s have more than %d bytes, the limit (Limits.Message)", w.field.Name, limit)
	}
	w.outer = append(w.outer, b...)
	return nil
}

// head reads the head of a field, of size bytes.
func (w *walker) head(before int16) (id int16, t codec.Type, inHead bool, size int, err error) {
	d := w.d
	need := func(n int) bool {
		var ok bool
		if ok, err = d.have(n); err == nil && !ok {
			err = w.wrong(ErrTruncated, "")
		}
		return err == nil
	}
	if !need(1) {
		return
	}
	c := d.buf[d.start]
	if !w.compact() {
		switch {
		case c == 0:
			return 0, codec.TypeStop, false, 1, nil
		case !codec.Type(c).Exists():
			err = w.wrong(ErrMalformed, "field has a type that doesn't exist (%v)", codec.Type(c))
		case need(3):
			id = int16(binary.BigEndian.Uint16(d.buf[d.start+1:]))
		}
		return id, codec.Type(c), false, 3, err
	}
	if c&15 == 0 {
		return 0, codec.TypeStop, false, 1, nil
	}
	t = codec.FromCompact(c & 15)
	switch {
	case t == codec.TypeStop:
		err = w.wrong(ErrMalformed, "field has a type that doesn't exist (%d)", c&15)
	case c>>4 != 0:
		id, size = before+int16(c>>4), 1
	default:
		var v uint64
		if v, size, err = w.varint(1); err == nil {
			if v > math.MaxUint16 {
				err = w.wrong(ErrMalformed, "number of a field has more than 16 bits")
			}
			id = int16(v>>1) ^ -int16(v&1)
			size++
		}
	}
	return id, t, t == codec.TypeBool, size, err
}

// varint reads a varint that begins at n bytes from here.
func (w *walker) varint(n int) (v uint64, size int, err error) {
	d := w.d
	for size = 1; size <= binary.MaxVarintLen64; size++ {
		ok, err := d.have(n + size)
		if err != nil {
			return 0, 0, err
		}
		if !ok {
			return 0, 0, w.wrong(ErrTruncated, "")
		}
		if d.buf[d.start+n+size-1] < 0x80 {
			v, k := binary.Uvarint(d.buf[d.start+n : d.start+n+size])
			if k <= 0 {
				break
			}
			return v, size, nil
		}
	}
	return 0, 0, w.wrong(ErrMalformed, "number has more bits than it may")
}

// listHead reads the head of the list, and puts that of an empty one in its place.
func (w *walker) listHead() (n int, err error) {
	d := w.d
	least := 5
	if w.compact() {
		least = 1
	}
	ok, err := d.have(least)
	if err != nil {
		return 0, err
	}
	if !ok {
		return 0, w.wrong(ErrTruncated, "")
	}
	b := d.buf[d.start:]
	elem, count, size := codec.Type(b[0]), uint64(0), 5
	if w.compact() {
		elem, count, size = codec.FromCompact(b[0]&15), uint64(b[0]>>4), 1
		if count == 15 {
			if count, size, err = w.varint(1); err != nil {
				return 0, err
			}
			size++
		}
	} else {
		count = uint64(binary.BigEndian.Uint32(b[1:]))
	}
	switch most := w.d.opt.Decode.Limits.WithDefaults().Container; {
	case count > math.MaxInt32:
		return 0, w.wrong(ErrLength, "%v claims %d elements, more than there can be", w.field.Type, count)
	case count != 0 && elem != codec.TypeStruct:
		return 0, w.wrong(ErrType, "%v of %v expected, found one of %v", w.field.Type, codec.TypeStruct, elem)
	case count > uint64(most):
		return 0, w.wrong(ErrLimit, "%v of %d elements is over the limit of %d", w.field.Type, count, most)
	}
	d.start += size
	if w.compact() {
		return int(count), w.collect([]byte{codec.TypeStruct.Compact()})
	}
	return int(count), w.collect([]byte{byte(codec.TypeStruct), 0, 0, 0, 0})
}

// value collects a value that is not of the list.
func (w *walker) value(t codec.Type) error {
	d := w.d
	n, err := d.value(t)
	switch {
	case err == nil && n >= 0:
		if err = w.collect(d.buf[d.start : d.start+n]); err == nil {
			d.start += n
		}
		return err
	case errors.As(err, new(*readError)):
		return err
	}
	// The decoder of the whole says best what is wrong with it.
	fail := w.decode(reflect.New(reflect.TypeOf(w.m).Elem()).Interface().(Message), append(w.outer, d.buf[d.start:d.end]...))
	if err != nil && (fail == nil || errors.Is(fail, ErrTruncated) || errors.Is(fail, ErrLength)) {
		return w.wrong(d.kind(), "%v", err)
	}
	return codec.Relocate(fail, w.field.Struct, w.m, d.InputOffset()-int64(len(w.outer)))
}

// An Encoder writes structs to a stream, one after the other, as [Decoder] reads them.
type Encoder struct {
	out     io.Writer
	compact bool
	json    bool // which there is not
	buf     []byte
}

var errStreamOfJSON = errors.New("thrift: a stream can't be in the JSON protocol: use DecodeJSON and AppendJSON for one message")

// NewEncoder makes an encoder that writes to w.
func NewEncoder(w io.Writer, p Protocol) *Encoder {
	return &Encoder{out: w, compact: p == Compact, json: p == JSON}
}

// Encode writes a struct, in one Write.
func (e *Encoder) Encode(m Message) (err error) {
	if e.buf, err = e.append(e.buf[:0], m); err == nil {
		_, err = e.out.Write(e.buf)
	}
	e.buf = keep(e.buf)
	return err
}

func (e *Encoder) append(b []byte, m Body) ([]byte, error) {
	switch {
	case e.json:
		return b, errStreamOfJSON
	case e.compact:
		return m.AppendCompact(b)
	}
	return m.AppendBinary(b)
}

// EncodeElements writes a struct one of whose lists has n elements that are made as they are
// written: list is the address of that field of m, and what is in it doesn't count. Each element
// may be used again by the program when the next one is asked for. It fails if there are not
// as many elements as it was told, since Thrift has their number in front of them; what
// was written is useless then, as after any other error.
func EncodeElements[P interface {
	*E
	Message
}, E any](e *Encoder, m Message, list *[]P, n int, elements iter.Seq[P]) error {
	field, ok := codec.FieldAt(m, unsafe.Pointer(list))
	if !ok {
		return fmt.Errorf("thrift: the list is no field of %T: give the address of one that holds structs", m)
	}
	kept := *list
	*list = []P{}
	b, err := e.append(nil, m)
	*list = kept
	if err != nil {
		return err
	}
	start, end := codec.FindField(b, e.compact, field.ID)
	switch {
	case start < 0:
		return fmt.Errorf("thrift: %s.%s is left out where it is empty", field.Struct, field.Name)
	case n < 0 || n > math.MaxInt32:
		return fmt.Errorf("thrift: %s.%s can't have %d elements", field.Struct, field.Name, n)
	}
	out := append(e.buf[:0], b[:start]...)
	switch {
	case !e.compact:
		out = binary.BigEndian.AppendUint32(append(out, byte(codec.TypeStruct)), uint32(n))
	case n < 15:
		out = append(out, byte(n)<<4|codec.TypeStruct.Compact())
	default:
		out = binary.AppendUvarint(append(out, 15<<4|codec.TypeStruct.Compact()), uint64(n))
	}
	done := 0
	for p := range elements {
		if done == n {
			return fmt.Errorf("thrift: %s.%s has more elements than the %d it was to have", field.Struct, field.Name, n)
		}
		if out, err = e.append(out, p); err != nil {
			return fmt.Errorf("%s.%s[%d]: %w", field.Struct, field.Name, done, err)
		}
		done++
		if len(out) >= keptBuffer/2 {
			if _, err = e.out.Write(out); err != nil {
				return err
			}
			out = keep(out)
		}
	}
	if done != n {
		return fmt.Errorf("thrift: %s.%s has %d elements, it was to have %d", field.Struct, field.Name, done, n)
	}
	_, err = e.out.Write(append(out, b[end:]...))
	e.buf = keep(out)
	return err
}
